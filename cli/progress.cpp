// SPDX-License-Identifier: BSD-3-Clause
#include "progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "present/text.h"
#include "terminal.h"

namespace rocetop::cli {
namespace {

constexpr double kQuietSeconds = 0.5;
constexpr double kRedrawSeconds = 0.1;
constexpr std::size_t kBarCells = 20;

/// "8 s", "3 min", "2 h": no more than anybody wants to know.
std::string time_text(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  return seconds < 99.5 * 60 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace

void ProgressBar::update(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> since_start = now - start_;
  const std::chrono::duration<double> since_drawn = now - drawn_;
  if (since_start.count() < kQuietSeconds || since_drawn.count() < kRedrawSeconds) return;
  drawn_ = now;
  visible_ = true;
  std::fprintf(stderr, "\r\x1b[K%s", text(bytes_read, bytes_total, since_start.count(), terminal_width() - 1).c_str());
  std::fflush(stderr);
}

void ProgressBar::say(const std::string& words) {
  if (!visible_) return;
  std::fprintf(stderr, "\r\x1b[K%s", present::fit(present::clean(words, false), terminal_width() - 1, false).c_str());
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (!visible_) return;
  visible_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

std::string ProgressBar::text(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total, double seconds,
                              std::size_t width) {
  const double speed = seconds > 0 ? static_cast<double>(bytes_read) / seconds : 0;
  const std::string rate = ", " + present::bytes_text(static_cast<std::uint64_t>(speed)) + "/s";
  const std::string read = present::bytes_text(bytes_read);
  if (!bytes_total || *bytes_total == 0) return present::fit(read + " read" + rate, width, false);
  const double share = std::min(1.0, static_cast<double>(bytes_read) / static_cast<double>(*bytes_total));
  const auto full = static_cast<std::size_t>(share * kBarCells);
  std::string percent = fmt::format("{:3.0f} %", share * 100);
  const std::string bar = fmt::format(" [{}{}]", std::string(full, '#'), std::string(kBarCells - full, ' '));
  const std::string sizes = fmt::format(" {} of {}", read, present::bytes_text(*bytes_total));
  const std::string left =
      speed > 0
          ? ", " + time_text(static_cast<double>(*bytes_total - std::min(*bytes_total, bytes_read)) / speed) + " left"
          : "";
  for (const std::string& text :
       {percent + bar + sizes + rate + left, percent + sizes + rate + left, percent + sizes}) {
    if (text.size() <= width) return text;
  }
  return percent;
}

}  // namespace rocetop::cli
