// SPDX-License-Identifier: BSD-3-Clause
// Frames that Wireshark gives the number of an earlier one: the earlier one was not kept, and has none any more.
#include "frame_numbers.h"

#include <gtest/gtest.h>

namespace rocetop::dissector {
namespace {

TEST(FrameNumbers, AreWiresharksWhereItKeepsEveryFrame) {
  FrameNumbers numbers;
  for (std::uint32_t n : {1u, 2u, 3u, 7u, 8u}) EXPECT_EQ(numbers.take(n), n);
  EXPECT_EQ(numbers.own(7), 7u);
  EXPECT_EQ(numbers.shown(7), 7u);
  EXPECT_EQ(numbers.shown(0), 0u);
}

TEST(FrameNumbers, OfAFrameThatWasNotKeptIsNone) {
  FrameNumbers numbers;
  EXPECT_EQ(numbers.take(1), 1u);
  EXPECT_EQ(numbers.take(2), 2u);  // not kept
  EXPECT_EQ(numbers.take(2), 3u);  // not kept
  EXPECT_EQ(numbers.take(2), 4u);
  EXPECT_EQ(numbers.take(3), 5u);
  EXPECT_EQ(numbers.own(1), 1u);
  EXPECT_EQ(numbers.own(2), 4u);
  EXPECT_EQ(numbers.own(3), 5u);
  EXPECT_EQ(numbers.shown(1), 1u);
  EXPECT_EQ(numbers.shown(2), 0u);
  EXPECT_EQ(numbers.shown(3), 0u);
  EXPECT_EQ(numbers.shown(4), 2u);
  EXPECT_EQ(numbers.shown(5), 3u);
}

TEST(FrameNumbers, NoneOfTheFirstWasKept) {
  FrameNumbers numbers;
  EXPECT_EQ(numbers.take(1), 1u);
  EXPECT_EQ(numbers.take(1), 2u);
  EXPECT_EQ(numbers.shown(1), 0u);
  EXPECT_EQ(numbers.shown(2), 1u);
  EXPECT_EQ(numbers.own(1), 2u);
}

}  // namespace
}  // namespace rocetop::dissector
