// SPDX-License-Identifier: BSD-3-Clause
#include "bound.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>

#include "base/duration_text.h"

namespace rocetop::cli {
namespace {

constexpr std::int64_t kPerSecond = 1'000'000'000;
constexpr std::uint64_t kFilesMost = 1 << 16;  // FrameId
// Smaller numbers are before 1973: somebody meant a frame number or seconds from the start.
constexpr std::int64_t kEarliestEpoch = 100'000'000;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

/// "1.5s", "200ms", "3" (seconds).
std::optional<Nanos> duration(std::string_view text) {
  return parse_duration(parse_decimal(text) ? std::string(text) + "s" : std::string(text));
}

/// "17:31:17.5" as nanoseconds after midnight.
std::optional<Nanos> time_of_day(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto moment = parse_time("1970-01-01T" + std::string(text));
  const bool ok = moment && moment->count >= 0 && moment->count < 24 * 3600 * kPerSecond && text.back() != 'Z';
  return ok ? moment : std::nullopt;
}

/// A capture that runs past midnight shows times of the next day: one more than half a day before the first frame is
/// meant there.
Nanos on_day_of(Nanos first, Nanos time_of_day, Zone zone) {
  std::tm calendar = calendar_of(first.count / kPerSecond, zone);
  calendar.tm_hour = calendar.tm_min = calendar.tm_sec = 0;
  // Stamps are within 292 years of 1970, but midnight before the first of them is not.
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kPerSecond - 1;
  const auto midnight = [&] { return seconds(std::clamp(seconds_of(calendar, zone), -kMost, kMost)); };
  const Nanos same_day = midnight() + time_of_day;
  if (first - same_day <= seconds(12 * 3600)) return same_day;
  ++calendar.tm_mday;
  return midnight() + time_of_day;
}

}  // namespace

Result<BoundText> parse_bound(std::string_view option, std::string_view text, Zone zone) {
  BoundText bound;
  bound.zone = zone;
  const std::string quoted = std::string(option) + " " + (text.empty() ? "''" : std::string(text)) + ": ";
  const std::string hint =
      "Give a frame as '#120' ('#2:120' of the second file), a time as 2026-11-29T17:31:17.5Z, 17:31:17.5 or seconds "
      "since 1970, or +1.5s after the "
      "first "
      "frame";
  if (text.starts_with("#")) {
    std::string_view number = text.substr(1);
    if (const std::size_t colon = number.find(':'); colon != std::string_view::npos) {
      const auto file = whole_number(number.substr(0, colon));
      if (!file || *file == 0 || *file > kFilesMost)
        return Error{quoted + "not a file and a frame (both count from 1)", hint};
      bound.fixed.file = static_cast<std::uint32_t>(*file - 1);
      number.remove_prefix(colon + 1);
    }
    bound.fixed.frame = whole_number(number);
    if (!bound.fixed.frame || *bound.fixed.frame == 0)
      return Error{quoted + "not a frame number (they count from 1)", hint};
    return bound;
  }
  if (text.starts_with("+")) {
    bound.after_first = duration(text.substr(1));
    if (!bound.after_first) return Error{quoted + "not a duration", hint};
    return bound;
  }
  bound.time_of_day = time_of_day(text);
  if (bound.time_of_day) return bound;
  bound.fixed.time = parse_time(text, zone);
  if (!bound.fixed.time) return Error{quoted + "neither a frame nor a time", hint};
  if (bound.fixed.time->count / kPerSecond < kEarliestEpoch) {
    const std::string number(text);
    return Error{quoted + "a moment in or before 1973",
                 (whole_number(text) ? "Write '#" + number + "' for a frame, +" : "Write +") + number +
                     "s for seconds after the first frame."};
  }
  return bound;
}

engine::Bound settle(const BoundText& bound, std::optional<Nanos> first) {
  engine::Bound settled = bound.fixed;
  if (!first) return settled;
  if (bound.after_first) settled.time = *first + *bound.after_first;
  if (bound.time_of_day) settled.time = on_day_of(*first, *bound.time_of_day, bound.zone);
  return settled;
}

}  // namespace rocetop::cli
