// SPDX-License-Identifier: BSD-3-Clause
// TickClock: a pcapng interface's 64-bit stamps as nanoseconds since the epoch (draft-ietf-opsawg-pcapng, if_tsresol
// and if_tsoffset). Any resolution and any stamp gives a time: out of range saturates, finer than a nanosecond is cut.
#pragma once

#include <cstdint>
#include <limits>

#include "base/nanos.h"

namespace rocetop::source {

class TickClock {
 public:
  TickClock() = default;  // if_tsresol is absent: microseconds

  /// `resolution` as if_tsresol has it: the negative exponent of 10, or with the top bit set of 2.
  explicit TickClock(std::uint8_t resolution, std::int64_t offset_s = 0)
      : binary_((resolution & 0x80) != 0), exponent_(resolution & 0x7F), offset_s_(offset_s) {
    if (!binary_ && exponent_ <= 9) multiplier_ = power_of_ten(9 - exponent_);
    if (!binary_ && exponent_ > 9) divisor_ = power_of_ten(exponent_ - 9);
  }

  Nanos at(std::uint64_t ticks) const {
    __extension__ using Wide = __int128;  // at most 2^64 x 10^9 + 2^63 x 10^9: below 2^95
    Wide ns = 0;
    if (binary_) {
      ns = static_cast<Wide>(static_cast<Wide>(ticks) * kNanosPerSecond) >> exponent_;
    } else if (exponent_ <= 9) {
      ns = static_cast<Wide>(ticks) * static_cast<Wide>(multiplier_);
    } else {
      ns = static_cast<Wide>(divisor_ == 0 ? 0 : ticks / divisor_);
    }
    ns += static_cast<Wide>(offset_s_) * kNanosPerSecond;
    if (ns > Nanos::max().count) return Nanos::max();
    if (ns < Nanos::min().count) return Nanos::min();
    return {static_cast<std::int64_t>(ns)};
  }

  /// Saturated, where 64 bits cannot hold it.
  std::uint64_t ticks_per_second() const {
    if (binary_) return exponent_ < 64 ? std::uint64_t{1} << exponent_ : std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t power = power_of_ten(exponent_);
    return power == 0 ? std::numeric_limits<std::uint64_t>::max() : power;
  }

 private:
  static constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

  /// 10^n; 0 if 64 bits cannot hold it.
  static constexpr std::uint64_t power_of_ten(int n) {
    if (n > 19) return 0;
    std::uint64_t power = 1;
    for (int i = 0; i < n; ++i) power *= 10;
    return power;
  }

  bool binary_ = false;
  int exponent_ = 6;
  std::uint64_t multiplier_ = 1'000;  // nanoseconds a tick, where a tick is not shorter
  std::uint64_t divisor_ = 0;         // ticks a nanosecond, where it is; 0: more than 64 bits hold
  std::int64_t offset_s_ = 0;
};

}  // namespace rocetop::source
