// SPDX-License-Identifier: BSD-3-Clause
#include "bound.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>

#include "base/time_text.h"

namespace rocetop::cli {
namespace {

constexpr std::int64_t kPerSecond = 1'000'000'000;
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
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = text.substr(digits);
  const std::string number(text.substr(0, digits));
  double factor = 0;
  if (unit.empty() || unit == "s") factor = 1e9;
  if (unit == "ns") factor = 1;
  if (unit == "us" || unit == "µs") factor = 1e3;
  if (unit == "ms") factor = 1e6;
  if (unit == "m") factor = 60e9;
  if (unit == "h") factor = 3600e9;
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool whole = error == std::errc{} && end == number.data() + number.size();
  if (factor == 0 || !whole || value * factor > 9e18) return std::nullopt;
  return Nanos{std::llround(value * factor)};
}

/// "17:31:17.5" as nanoseconds after midnight.
std::optional<Nanos> time_of_day(std::string_view text) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto moment = parse_time("1970-01-01T" + std::string(text));
  const bool ok = moment && moment->count >= 0 && moment->count < 24 * 3600 * kPerSecond && text.back() != 'Z';
  return ok ? moment : std::nullopt;
}

Nanos midnight_before(Nanos t) {
  const std::time_t whole = t.count / kPerSecond;
  std::tm tm{};
  localtime_r(&whole, &tm);
  tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
  tm.tm_isdst = -1;
  // Stamps are within 292 years of 1970, but midnight before the first of them is not.
  constexpr std::time_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  return seconds(std::clamp<std::time_t>(std::mktime(&tm), -kMost, kMost));
}

}  // namespace

Result<BoundText> parse_bound(std::string_view option, std::string_view text) {
  BoundText bound;
  const std::string quoted = std::string(option) + " " + std::string(text) + ": ";
  const std::string hint =
      "Give a frame as '#120', a time as 2026-11-29T17:31:17.5Z, 17:31:17.5 or seconds since 1970, or +1.5s after the "
      "first "
      "frame";
  if (text.starts_with("#")) {
    bound.fixed.frame = whole_number(text.substr(1));
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
  bound.fixed.time = parse_time(text);
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
  if (bound.time_of_day) settled.time = midnight_before(*first) + *bound.time_of_day;
  return settled;
}

}  // namespace rocetop::cli
