// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/duration_text.h"

namespace rocetop::verdict {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::optional<double> positive_number(std::string_view text) {
  const auto value = parse_decimal(text);
  return value && *value > 0 ? value : std::nullopt;
}

/// "0.99", "99%", "99 %".
std::optional<double> share(std::string_view text) {
  const bool in_percent = text.ends_with('%');
  if (in_percent) text = trimmed(text.substr(0, text.size() - 1));
  const auto value = parse_decimal(text);
  if (!value) return std::nullopt;
  const double result = in_percent ? *value / 100 : *value;
  return result <= 1 ? std::optional{result} : std::nullopt;
}

std::optional<std::uint64_t> count(std::string_view text) {
  const auto value = parse_decimal(text);
  constexpr double kMost = 1e15;  // doubles are exact up to here
  if (!value || *value < 1 || *value > kMost || std::floor(*value) != *value) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<Nanos> time(std::string_view text) {
  const auto value = parse_duration(text);
  return value && value->count > 0 ? value : std::nullopt;
}

std::string_view expected(ThresholdUnit unit) {
  switch (unit) {
    case ThresholdUnit::kShare:
      return "a share of 0 to 1, or 0% to 100%";
    case ThresholdUnit::kRatio:
      return "a number above 0";
    case ThresholdUnit::kPackets:
    case ThresholdUnit::kConnections:
    case ThresholdUnit::kCount:
    case ThresholdUnit::kNaks:
    case ThresholdUnit::kMessages:
    case ThresholdUnit::kBytes:
      return "a whole number of 1 or more";
    case ThresholdUnit::kTime:
      return "a time above 0 with its unit, such as 12ms (ns, us, ms, s, m, h)";
  }
  return "a number";
}

/// False if `value` is nothing for that unit.
bool assign(Thresholds& thresholds, const ThresholdFacts& facts, std::string_view value) {
  if (const auto* ratio = std::get_if<double Thresholds::*>(&facts.member)) {
    const auto number = facts.unit == ThresholdUnit::kShare ? share(value) : positive_number(value);
    if (number) thresholds.*(*ratio) = *number;
    return number.has_value();
  }
  if (const auto* whole = std::get_if<std::uint64_t Thresholds::*>(&facts.member)) {
    const auto number = count(value);
    if (number) thresholds.*(*whole) = *number;
    return number.has_value();
  }
  const auto duration = time(value);
  if (duration) thresholds.*std::get<Nanos Thresholds::*>(facts.member) = *duration;
  return duration.has_value();
}

}  // namespace

const ThresholdFacts* find_threshold(std::string_view name) {
  const auto found =
      std::find_if(kThresholds.begin(), kThresholds.end(), [&](const ThresholdFacts& f) { return f.name == name; });
  return found == kThresholds.end() ? nullptr : &*found;
}

std::string threshold_text(const ThresholdFacts& facts, const Thresholds& thresholds) {
  if (const auto* ratio = std::get_if<double Thresholds::*>(&facts.member)) {
    const double value = thresholds.*(*ratio);
    return facts.unit == ThresholdUnit::kShare ? fmt::format("{:.12g}%", value * 100) : fmt::format("{:.12g}", value);
  }
  if (const auto* whole = std::get_if<std::uint64_t Thresholds::*>(&facts.member)) {
    return fmt::format("{}", thresholds.*(*whole));
  }
  return exact_duration(thresholds.*std::get<Nanos Thresholds::*>(facts.member));
}

std::string_view unit_text(ThresholdUnit unit) {
  switch (unit) {
    case ThresholdUnit::kShare:
      return "share";
    case ThresholdUnit::kRatio:
      return "ratio";
    case ThresholdUnit::kPackets:
      return "packets";
    case ThresholdUnit::kConnections:
      return "connections";
    case ThresholdUnit::kCount:
      return "count";
    case ThresholdUnit::kNaks:
      return "NAKs";
    case ThresholdUnit::kMessages:
      return "messages";
    case ThresholdUnit::kBytes:
      return "bytes";
    case ThresholdUnit::kTime:
      return "time";
  }
  return "";
}

Result<Done> set_threshold(Thresholds& thresholds, std::string_view name, std::string_view value) {
  const ThresholdFacts* facts = find_threshold(name);
  if (facts == nullptr) {
    return Error{fmt::format("there is no threshold '{}'", name), "rocetop rules --thresholds lists them."};
  }
  if (!assign(thresholds, *facts, value)) {
    return Error{fmt::format("threshold {}: '{}' is not {}", name, value, expected(facts->unit)),
                 fmt::format("Its default is {}.", threshold_text(*facts, Thresholds{}))};
  }
  return Done{};
}

Result<Done> read_thresholds(Thresholds& thresholds, std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      return Error{fmt::format("line {}: '{}' is not NAME = VALUE", number, line),
                   "rocetop rules --thresholds prints a file to start from."};
    }
    const auto set = set_threshold(thresholds, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    if (!set) return Error{fmt::format("line {}: {}", number, set.error().message), set.error().hint};
  }
  return Done{};
}

}  // namespace rocetop::verdict
