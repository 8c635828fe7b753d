// SPDX-License-Identifier: BSD-3-Clause
// AdapterWatch: RDMA adapters that nobody watches, where nobody said which to watch: what there was at the start is
// watched, but drivers load late, and functions are added. Looks at /sys now and then.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace rocetop::cli {

class AdapterWatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kBetween{10};

  /// `watched`: names of interfaces.
  explicit AdapterWatch(std::vector<std::string> watched) : watched_(std::move(watched)) {}

  /// Looks if it is time to. A sentence about interfaces that are not watched, where these are others than before.
  std::optional<std::string> look(Clock::time_point now = Clock::now());
  std::size_t unwatched() const { return unwatched_.size(); }

 private:
  const std::vector<std::string> watched_;
  std::vector<std::string> unwatched_;
  std::optional<Clock::time_point> looked_;
};

}  // namespace rocetop::cli
