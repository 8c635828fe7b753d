// SPDX-License-Identifier: BSD-3-Clause
// Small reads of a tree that is sysfs on a real machine and may be anything in a test: names of a folder, first line of
// a file, target of a link. Nothing here blocks on what is no regular file, reads more than a line, follows a tree into
// the depth, or goes on past its limits; what would not be read is counted.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/host_counters.h"

namespace rocetop::host {

struct SysfsLimits {
  std::size_t files = 50'000;
  std::chrono::milliseconds time{5000};
};

class Sysfs {
 public:
  explicit Sysfs(SysfsLimits limits = {});

  /// The names in a folder, sorted, at most `most`; none if there is no such folder.
  std::vector<std::string> names_in(const std::string& folder, std::size_t most);
  /// The first line without what ends it, at most 255 bytes; nothing if there is no such file. `may_fail`: drivers are
  /// known to refuse this one, which is no error.
  std::optional<std::string> line_of(const std::string& file, bool may_fail = false);
  /// The last part of where a link leads to: "mlx5_core"; empty if it is no link.
  std::string target_of(const std::string& link);
  bool exists(const std::string& path);

  /// Whether the time is over; counted.
  bool late();

  model::HostReadErrors& errors() { return errors_; }

 private:
  bool spent();

  std::size_t files_left_;
  std::chrono::steady_clock::time_point end_;
  bool told_ = false;
  model::HostReadErrors errors_;
};

/// A whole number without sign, as the kernel writes it, and nothing else.
std::optional<std::uint64_t> number(std::string_view text);

}  // namespace rocetop::host
