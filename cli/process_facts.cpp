// SPDX-License-Identifier: BSD-3-Clause
#include "process_facts.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace rocetop::cli {
namespace {

/// Seconds since the epoch at which the machine started.
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  double value = 0;
  while (file >> word) {
    if (word == "btime" && file >> value) return value;
    std::getline(file, word);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> open_descriptors() {
  struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
  };
  const std::unique_ptr<DIR, Close> folder(opendir("/proc/self/fd"));
  if (!folder) return std::nullopt;
  std::uint64_t count = 0;
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] != '.') ++count;
  }
  return count - 1;  // the folder itself is one
}

}  // namespace

ProcessFacts read_process_facts() {
  ProcessFacts out;
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The name in parentheses may hold anything; the fields behind it are numbers. proc(5) counts the state as the third.
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string state;
  fields >> state;
  double user = 0, system = 0, start = 0, resident = 0, ignored = 0;
  for (int field = 4; field <= 24 && fields; ++field) {
    double& to = field == 14 ? user : field == 15 ? system : field == 22 ? start : field == 24 ? resident : ignored;
    fields >> to;
  }
  if (fields) {
    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    out.cpu_s = (user + system) / ticks;
    out.resident_bytes = static_cast<std::uint64_t>(resident) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    static const std::optional<double> kBoot = boot_time();  // the same at every scrape
    if (kBoot) out.start_time_s = *kBoot + start / ticks;
  }
  out.open_fds = open_descriptors();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) out.fds_most = limit.rlim_cur;
  return out;
}

}  // namespace rocetop::cli
