// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "present/text.h"

namespace rocetop::cli {
namespace {

constexpr double kQuietSeconds = 0.5;
constexpr double kRedrawSeconds = 0.1;
constexpr std::size_t kBarCells = 20;

}  // namespace

void ProgressBar::update(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> since_start = now - start_;
  const std::chrono::duration<double> since_drawn = now - drawn_;
  if (since_start.count() < kQuietSeconds || since_drawn.count() < kRedrawSeconds) return;
  drawn_ = now;
  visible_ = true;
  std::fprintf(stderr, "\r\x1b[K%s", text(bytes_read, bytes_total, since_start.count()).c_str());
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!visible_) return;
  visible_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

std::string ProgressBar::text(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total, double seconds) {
  const std::string speed =
      present::bytes_text(seconds > 0 ? static_cast<std::uint64_t>(static_cast<double>(bytes_read) / seconds) : 0);
  if (!bytes_total || *bytes_total == 0) return fmt::format("{} read, {}/s", present::bytes_text(bytes_read), speed);
  const double share = std::min(1.0, static_cast<double>(bytes_read) / static_cast<double>(*bytes_total));
  const auto full = static_cast<std::size_t>(share * kBarCells);
  return fmt::format("{:3.0f} % [{}{}] {} of {}, {}/s", share * 100, std::string(full, '#'),
                     std::string(kBarCells - full, ' '), present::bytes_text(bytes_read),
                     present::bytes_text(*bytes_total), speed);
}

}  // namespace rocetop::cli
