// SPDX-License-Identifier: BSD-3-Clause
#include "source/tick_clock.h"

#include <gtest/gtest.h>

namespace rocetop::source {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint8_t kBinary = 0x80;

TEST(TickClock, PowersOfTen) {
  EXPECT_EQ(TickClock().at(1'500'000).count, 1'500'000'000);
  EXPECT_EQ(TickClock(0).at(3).count, 3'000'000'000);
  EXPECT_EQ(TickClock(6).at(7).count, 7'000);
  EXPECT_EQ(TickClock(9).at(7).count, 7);
  EXPECT_EQ(TickClock(12).at(7'999).count, 7);  // picoseconds are cut
  EXPECT_EQ(TickClock(19).at(kAll).count, 1'844'674'407);
  EXPECT_EQ(TickClock(12).ticks_per_second(), 1'000'000'000'000u);
}

TEST(TickClock, PowersOfTwo) {
  EXPECT_EQ(TickClock(kBinary | 0).at(5).count, 5'000'000'000);
  EXPECT_EQ(TickClock(kBinary | 10).at(1536).count, 1'500'000'000);
  EXPECT_EQ(TickClock(kBinary | 32).at((std::uint64_t{5} << 32) + (std::uint64_t{1} << 31)).count, 5'500'000'000);
  EXPECT_EQ(TickClock(kBinary | 63).at(std::uint64_t{1} << 63).count, 1'000'000'000);
  EXPECT_EQ(TickClock(kBinary | 10).ticks_per_second(), 1024u);
}

TEST(TickClock, EveryResolutionGivesATime) {
  for (int resolution = 0; resolution < 256; ++resolution) {
    const TickClock clock(static_cast<std::uint8_t>(resolution));
    EXPECT_EQ(clock.at(0).count, 0) << resolution;
    EXPECT_GE(clock.at(kAll).count, 0) << resolution;
    EXPECT_GE(clock.ticks_per_second(), 1u) << resolution;
  }
  EXPECT_EQ(TickClock(127).at(kAll).count, 0);
  EXPECT_EQ(TickClock(kBinary | 127).at(kAll).count, 0);
  EXPECT_EQ(TickClock(20).ticks_per_second(), kAll);
  EXPECT_EQ(TickClock(kBinary | 64).ticks_per_second(), kAll);
}

TEST(TickClock, Saturates) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(TickClock(0).at(kAll), Nanos::max());
  EXPECT_EQ(TickClock(6).at(kAll), Nanos::max());
  EXPECT_EQ(TickClock(9).at(kAll), Nanos::max());
  EXPECT_EQ(TickClock(6, kMost).at(0), Nanos::max());
  EXPECT_EQ(TickClock(6, kLeast).at(0), Nanos::min());
  EXPECT_EQ(TickClock(0, kMost).at(kAll), Nanos::max());
  EXPECT_EQ(TickClock(0, -1).at(1).count, 0);
  // Too large before the offset, in range after it.
  EXPECT_EQ(TickClock(0, -20'000'000'000).at(20'000'000'001).count, 1'000'000'000);
}

}  // namespace
}  // namespace rocetop::source
