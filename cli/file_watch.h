// SPDX-License-Identifier: BSD-3-Clause
// FileWatch: whether files are others than they were. Looks now and then at what stat() says, which also sees a link
// that points elsewhere, as Kubernetes and certbot replace files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocetop::cli {

class FileWatch {
 public:
  /// From here on these too, as they are now, if they are not among them: call it before they are read, or a change
  /// meanwhile is not seen.
  void watch(const std::vector<std::string>& paths);
  /// All of them, as they are now.
  void again() { known_ = last_ = look(); }
  /// True once after a change, when two looks in a row saw the same: a certificate and its key are not replaced at the
  /// same moment.
  bool changed();

 private:
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t modified_ns = -1;  // -1: not there
    std::int64_t size = 0;

    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  static Stamp stamp_of(const std::string& path);
  std::vector<Stamp> look() const;

  std::vector<std::string> paths_;
  std::vector<Stamp> known_;
  std::vector<Stamp> last_;
};

}  // namespace rocetop::cli
