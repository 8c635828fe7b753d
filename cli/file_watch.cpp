// SPDX-License-Identifier: BSD-3-Clause
#include "file_watch.h"

#include <sys/stat.h>

#include <utility>

namespace rocetop::cli {

void FileWatch::watch(std::vector<std::string> paths) {
  paths_ = std::move(paths);
  known_ = last_ = look();
}

bool FileWatch::changed() {
  auto now = look();
  const bool settled = now == last_;
  last_ = std::move(now);
  if (!settled || last_ == known_) return false;
  known_ = last_;
  return true;
}

std::vector<FileWatch::Stamp> FileWatch::look() const {
  std::vector<Stamp> out;
  for (const std::string& path : paths_) {
    Stamp& stamp = out.emplace_back();
    struct stat facts{};
    if (::stat(path.c_str(), &facts) != 0) continue;
    stamp.device = facts.st_dev;
    stamp.inode = facts.st_ino;
    stamp.modified_ns = std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
    stamp.size = facts.st_size;
  }
  return out;
}

}  // namespace rocetop::cli
