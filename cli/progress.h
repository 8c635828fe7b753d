// SPDX-License-Identifier: BSD-3-Clause
// The progress bar: on standard error, only if that is a terminal, only for what takes longer than half a second.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace rocetop::cli {

class ProgressBar {
 public:
  explicit ProgressBar(bool enabled) : enabled_(enabled), start_(Clock::now()), drawn_(start_) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  void update(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total);
  /// Says in its place what goes on now; nothing if the bar has not appeared.
  void say(const std::string& words);
  /// Wipes the bar, so that other text can follow.
  void clear();

  /// " 43 % [########            ] 1.20 GB of 2.79 GB, 512 MB/s, 3 s left" in ASCII; shorter where that is wider than
  /// `width` cells: a line that wraps cannot be wiped.
  static std::string text(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total, double seconds,
                          std::size_t width = 80);

 private:
  using Clock = std::chrono::steady_clock;

  const bool enabled_;
  const Clock::time_point start_;
  Clock::time_point drawn_;
  bool visible_ = false;
};

}  // namespace rocetop::cli
