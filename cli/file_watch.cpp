// SPDX-License-Identifier: BSD-3-Clause
#include "file_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace rocetop::cli {

bool FileWatch::changed() {
  auto now = look();
  const bool settled = now == last_;
  last_ = std::move(now);
  if (!settled || last_ == known_) return false;
  known_ = last_;
  return true;
}

void FileWatch::watch(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (std::find(paths_.begin(), paths_.end(), path) != paths_.end()) continue;
    paths_.push_back(path);
    known_.push_back(stamp_of(path));
    last_.push_back(known_.back());
  }
}

FileWatch::Stamp FileWatch::stamp_of(const std::string& path) {
  Stamp stamp;
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0) return stamp;
  stamp.device = facts.st_dev;
  stamp.inode = facts.st_ino;
  stamp.modified_ns = std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
  stamp.size = facts.st_size;
  return stamp;
}

std::vector<FileWatch::Stamp> FileWatch::look() const {
  std::vector<Stamp> out;
  out.reserve(paths_.size());
  for (const std::string& path : paths_) out.push_back(stamp_of(path));
  return out;
}

}  // namespace rocetop::cli
