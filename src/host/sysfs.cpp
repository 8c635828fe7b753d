// SPDX-License-Identifier: BSD-3-Clause
#include "host/sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <span>

namespace rocetop::host {
namespace {

using model::HostReadError;

constexpr std::size_t kLineBytes = 255;
constexpr std::size_t kNamesLookedAt = 4;  // times as many as are wanted

bool absent(int error) { return error == ENOENT || error == ENOTDIR; }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// Bytes read into `to`, or -1 with errno.
ssize_t read_some(int fd, std::span<char> to) {
  ssize_t got = 0;
  do {
    got = read(fd, to.data(), to.size());
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

Sysfs::Sysfs(SysfsLimits limits) : files_left_(limits.files), end_(std::chrono::steady_clock::now() + limits.time) {}

/// A read that the kernel holds cannot be ended; the ones after it can be left out.
bool Sysfs::late() {
  if (std::chrono::steady_clock::now() < end_) return false;
  if (!told_) errors_.add(HostReadError::kTime);
  told_ = true;
  return true;
}

bool Sysfs::spent() {
  if (late()) return true;
  if (files_left_ > 0) {
    --files_left_;
    return false;
  }
  if (!told_) errors_.add(HostReadError::kLimit);
  told_ = true;
  return true;
}

std::vector<std::string> Sysfs::names_in(const std::string& folder, std::size_t most) {
  std::vector<std::string> names;
  if (spent()) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (!open) {
    if (!absent(errno)) errors_.add(HostReadError::kFile);
    return names;
  }
  while (names.size() < most * kNamesLookedAt) {
    const dirent* entry = readdir(open.get());  // NOLINT(concurrency-mt-unsafe): each stream is one thread's
    if (entry == nullptr) break;
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
      names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  if (names.size() > most) {
    errors_.add(HostReadError::kLimit);
    names.resize(most);
  }
  return names;
}

std::optional<std::string> Sysfs::line_of(const std::string& file, bool may_fail) {
  if (spent()) return std::nullopt;
  const auto failed = [&]() -> std::optional<std::string> {
    if (!may_fail && !absent(errno)) errors_.add(HostReadError::kFile);
    return std::nullopt;
  };
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (fd.get() < 0) return failed();
  struct stat kind{};
  if (fstat(fd.get(), &kind) != 0) return failed();
  if (!S_ISREG(kind.st_mode)) {
    errno = EINVAL;
    return failed();
  }
  std::array<char, kLineBytes> text{};
  const ssize_t got = read_some(fd.get(), text);
  if (got < 0) return failed();
  const std::string_view all(text.data(), static_cast<std::size_t>(got));
  return std::string(all.substr(0, all.find_first_of(std::string_view("\n\0", 2))));
}

std::string Sysfs::target_of(const std::string& link) {
  if (spent()) return {};
  std::array<char, 4096> text{};
  const ssize_t got = readlink(link.c_str(), text.data(), text.size());
  if (got <= 0) return {};
  const std::string_view target(text.data(), static_cast<std::size_t>(got));
  return std::string(target.substr(target.find_last_of('/') + 1));
}

bool Sysfs::exists(const std::string& path) { return !spent() && access(path.c_str(), F_OK) == 0; }

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

}  // namespace rocetop::host
