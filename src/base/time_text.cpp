// SPDX-License-Identifier: BSD-3-Clause
#include "base/time_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

namespace rocetop {
namespace {

constexpr std::int64_t kPerSecond = 1'000'000'000;

/// Digits after the point as nanoseconds; nothing if they are not digits.
std::optional<std::int64_t> fraction(std::string_view digits) {
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  for (std::size_t i = digits.size(); i < 9; ++i) value *= 10;
  return value;
}

std::optional<Nanos> parse_epoch(std::string_view text) {
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc{} || whole < 0 || whole > std::numeric_limits<std::int64_t>::max() / kPerSecond - 1) {
    return std::nullopt;
  }
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.empty()) return Nanos{whole * kPerSecond};
  if (rest.front() != '.') return std::nullopt;
  const auto part = fraction(rest.substr(1));
  if (!part) return std::nullopt;
  return Nanos{whole * kPerSecond + *part};
}

}  // namespace

std::tm calendar_of(std::int64_t seconds, Zone zone) {
  const std::time_t whole = seconds;
  std::tm calendar{};
  zone == Zone::kUtc ? gmtime_r(&whole, &calendar) : localtime_r(&whole, &calendar);
  return calendar;
}

std::int64_t seconds_of(std::tm calendar, Zone zone) {
  if (zone == Zone::kUtc) return timegm(&calendar);
  calendar.tm_isdst = -1;
  return std::mktime(&calendar);
}

std::string rfc3339(Nanos since_epoch, Zone zone) {
  std::int64_t whole = since_epoch.count / kPerSecond;
  std::int64_t part = since_epoch.count % kPerSecond;
  if (part < 0) {
    part += kPerSecond;
    --whole;
  }
  const std::tm tm = calendar_of(whole, zone);
  std::array<char, 64> text{};
  const int used =
      std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%09lld", tm.tm_year + 1900, tm.tm_mon + 1,
                    tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, static_cast<long long>(part));
  const std::string moment(text.data(), static_cast<std::size_t>(std::max(used, 0)));
  if (zone == Zone::kUtc || tm.tm_gmtoff == 0) return moment + "Z";
  const long minutes = tm.tm_gmtoff / 60;
  std::snprintf(text.data(), text.size(), "%c%02ld:%02ld", minutes < 0 ? '-' : '+', std::abs(minutes) / 60,
                std::abs(minutes) % 60);
  return moment + text.data();
}

std::optional<Nanos> parse_time(std::string_view text, Zone unstated) {
  if (text.size() < 19 || text[4] != '-') return parse_epoch(text);
  const std::string head(text.substr(0, 19));
  std::tm tm{};
  char separator = 0;
  int used = 0;
  if (std::sscanf(head.c_str(), "%4d-%2d-%2d%c%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &separator,
                  &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &used) != 7 ||
      used != 19 || (separator != 'T' && separator != 't' && separator != ' ')) {
    return std::nullopt;
  }
  if (tm.tm_year < 1970 || tm.tm_year > 2200 || tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31) {
    return std::nullopt;
  }
  tm.tm_year -= 1900;
  tm.tm_mon -= 1;
  std::string_view rest = text.substr(19);
  std::int64_t part = 0;
  if (!rest.empty() && rest.front() == '.') {
    const std::size_t length = std::min(rest.find_first_not_of("0123456789", 1), rest.size()) - 1;
    const auto digits = fraction(rest.substr(1, length));
    if (!digits) return std::nullopt;
    part = *digits;
    rest.remove_prefix(1 + length);
  }
  Zone zone = Zone::kUtc;
  std::int64_t offset = 0;
  if (rest.size() == 6 && (rest.front() == '+' || rest.front() == '-') && rest[3] == ':') {
    int hours = 0;
    int minutes = 0;
    if (std::sscanf(std::string(rest.substr(1)).c_str(), "%2d:%2d", &hours, &minutes) != 2) return std::nullopt;
    offset = (std::int64_t{hours} * 3600 + std::int64_t{minutes} * 60) * (rest.front() == '+' ? 1 : -1);
  } else if (rest.empty()) {
    zone = unstated;
  } else if (rest != "Z" && rest != "z") {
    return std::nullopt;
  }
  return Nanos{(seconds_of(tm, zone) - offset) * kPerSecond + part};
}

std::string short_duration(Nanos duration) {
  const bool negative = duration.count < 0;
  const double ns = std::abs(static_cast<double>(duration.count));
  std::array<char, 48> text{};
  const auto scaled = [&](double value, const char* unit) {
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    std::snprintf(text.data(), text.size(), "%s%.*f %s", negative ? "-" : "", decimals, value, unit);
  };
  if (ns < 999.5) {
    std::snprintf(text.data(), text.size(), "%s%.0f ns", negative ? "-" : "", ns);
  } else if (ns < 999.5e3) {
    scaled(ns / 1e3, "µs");
  } else if (ns < 999.5e6) {
    scaled(ns / 1e6, "ms");
  } else if (ns < 119.5e9) {
    scaled(ns / 1e9, "s");
  } else {
    const auto whole = std::llround(ns / 1e9);
    if (whole >= 48 * 3600) {
      std::snprintf(text.data(), text.size(), "%s%lld d %lld h", negative ? "-" : "", whole / 86400, whole / 3600 % 24);
    } else if (whole >= 2 * 3600) {
      std::snprintf(text.data(), text.size(), "%s%lld h %02lld m", negative ? "-" : "", whole / 3600, whole / 60 % 60);
    } else {
      std::snprintf(text.data(), text.size(), "%s%lld m %02lld s", negative ? "-" : "", whole / 60, whole % 60);
    }
  }
  return text.data();
}

}  // namespace rocetop
