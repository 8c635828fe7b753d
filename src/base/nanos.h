// SPDX-License-Identifier: BSD-3-Clause
// Nanos: nanoseconds, either since the Unix epoch (a capture's stamp) or between two stamps.
// Arithmetic saturates instead of overflowing: stamps come from files and may be absurd.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace rocetop {

struct Nanos {
  std::int64_t count = 0;

  friend constexpr auto operator<=>(Nanos, Nanos) = default;
  friend constexpr Nanos operator+(Nanos a, Nanos b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a.count, b.count, &sum)) return b.count > 0 ? max() : min();
    return {sum};
  }
  friend constexpr Nanos operator-(Nanos a, Nanos b) {
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a.count, b.count, &difference)) return b.count < 0 ? max() : min();
    return {difference};
  }

  static constexpr Nanos max() { return {std::numeric_limits<std::int64_t>::max()}; }
  static constexpr Nanos min() { return {std::numeric_limits<std::int64_t>::min()}; }
};

constexpr Nanos microseconds(std::int64_t n) { return {n * 1'000}; }
constexpr Nanos milliseconds(std::int64_t n) { return {n * 1'000'000}; }
constexpr Nanos seconds(std::int64_t n) { return {n * 1'000'000'000}; }

}  // namespace rocetop
