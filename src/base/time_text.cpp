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

/// The two digits that `text` begins with, from `least` to `most`.
std::optional<int> two_digits(std::string_view text, int least, int most) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() < 2 || !is_digit(text[0]) || !is_digit(text[1])) return std::nullopt;
  const int number = (text[0] - '0') * 10 + (text[1] - '0');
  return number >= least && number <= most ? std::optional(number) : std::nullopt;
}

int days_of(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays.at(static_cast<std::size_t>(month - 1)) + (leap && month == 2 ? 1 : 0);
}

/// "2026-11-29T17:31:17", a date and a time that there are.
std::optional<std::tm> calendar_in(std::string_view text) {
  constexpr int kYearLeast = 1970;
  constexpr int kYearMost = 2200;
  constexpr std::string_view kShape = "0000-00-00T00:00:00";
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool separator = i == 10 && (text[i] == 'T' || text[i] == 't' || text[i] == ' ');
    if (kShape[i] != '0' && text[i] != kShape[i] && !separator) return std::nullopt;
  }
  const auto century = two_digits(text, 0, 99);
  const auto years = two_digits(text.substr(2), 0, 99);
  const auto month = two_digits(text.substr(5), 1, 12);
  if (!century || !years || !month) return std::nullopt;
  const int year = *century * 100 + *years;
  const auto day = two_digits(text.substr(8), 1, days_of(year, *month));
  const auto hour = two_digits(text.substr(11), 0, 23);
  const auto minute = two_digits(text.substr(14), 0, 59);
  const auto second = two_digits(text.substr(17), 0, 60);  // a leap second
  if (year < kYearLeast || year > kYearMost || !day || !hour || !minute || !second) return std::nullopt;
  std::tm tm{};
  tm.tm_year = year - 1900;
  tm.tm_mon = *month - 1;
  tm.tm_mday = *day;
  tm.tm_hour = *hour;
  tm.tm_min = *minute;
  tm.tm_sec = *second;
  return tm;
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
  const auto calendar = calendar_in(text.substr(0, 19));
  if (!calendar) return std::nullopt;
  const std::tm& tm = *calendar;
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
    const auto hours = two_digits(rest.substr(1), 0, 23);
    const auto minutes = two_digits(rest.substr(4), 0, 59);
    if (!hours || !minutes) return std::nullopt;
    offset = (std::int64_t{*hours} * 3600 + std::int64_t{*minutes} * 60) * (rest.front() == '+' ? 1 : -1);
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
