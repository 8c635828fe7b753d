// SPDX-License-Identifier: BSD-3-Clause
#include "base/duration_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace rocetop {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ns;
};
constexpr std::array kUnits = {Unit{"ns", 1},
                               Unit{"us", 1'000},
                               Unit{"µs", 1'000},  // U+00B5, the micro sign, and U+03BC, the letter mu
                               Unit{"μs", 1'000},
                               Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000},
                               Unit{"m", 60'000'000'000},
                               Unit{"h", 3'600'000'000'000}};
constexpr std::array kDecimalUnits = {Unit{"s", 1'000'000'000}, Unit{"ms", 1'000'000}, Unit{"µs", 1'000}};

/// `count` thousandths (or hundredths, …: `scale`) of a unit, without trailing zeros.
std::string decimal(std::int64_t count, std::int64_t scale, std::string_view unit) {
  std::string text = std::to_string(count / scale);
  std::int64_t part = count % scale;
  if (part != 0) {
    text += '.';
    for (std::int64_t digit = scale / 10; part != 0; digit /= 10) {
      text += static_cast<char>('0' + part / digit);
      part %= digit;
    }
  }
  return text + std::string(unit);
}

/// To a whole number of steps of about a thousandth, down or up.
std::string rounded(Nanos duration, bool up) {
  const std::int64_t ns = std::max<std::int64_t>(duration.count, 0);
  for (const Unit& unit : kDecimalUnits) {
    if (ns < unit.ns) continue;
    // 1.234 ms, 12.34 ms, 123.4 ms; of seconds also 1234.5 s.
    const std::int64_t scale = ns < 10 * unit.ns ? 1000 : ns < 100 * unit.ns ? 100 : 10;
    const std::int64_t step = unit.ns / scale;
    const std::int64_t count = ns / step + (up && ns % step != 0 ? 1 : 0);
    return decimal(count, scale, unit.name);
  }
  return std::to_string(ns) + "ns";
}

}  // namespace

std::optional<double> parse_decimal(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Nanos> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value = parse_decimal(text.substr(0, digits));
  std::string_view name = text.substr(digits);
  while (name.starts_with(' ')) name.remove_prefix(1);
  for (const Unit& unit : kUnits) {
    if (name != unit.name) continue;
    constexpr double kMost = 9e18;
    if (!value || *value * static_cast<double>(unit.ns) > kMost) return std::nullopt;
    return Nanos{std::llround(*value * static_cast<double>(unit.ns))};
  }
  return std::nullopt;
}

std::string exact_duration(Nanos duration) {
  constexpr std::int64_t kScale = 1000;  // up to three decimals
  for (const Unit& unit : kDecimalUnits) {
    const std::int64_t step = unit.ns / kScale;
    if (duration.count >= unit.ns && duration.count % step == 0) {
      return decimal(duration.count / step, kScale, unit.name);
    }
  }
  return std::to_string(duration.count) + "ns";
}

std::string duration_below(Nanos duration) { return rounded(duration, false); }
std::string duration_above(Nanos duration) { return rounded(duration, true); }

}  // namespace rocetop
