// SPDX-License-Identifier: BSD-3-Clause
#include "base/psn.h"

#include <gtest/gtest.h>

namespace rocetop {
namespace {

TEST(SerialDifference, CrossesTheWrap) {
  EXPECT_EQ(serial_difference(0, 0xFFFFFF), 1);
  EXPECT_EQ(serial_difference(0xFFFFFF, 0), -1);
  EXPECT_EQ(serial_difference(5, 5), 0);
  EXPECT_EQ(serial_difference(0x800000, 0), -0x800000);
}

TEST(Extend, PicksTheNearestSequence) {
  EXPECT_EQ(extend(0xFFFFFF, Psn{2}), 0x1000002);
  EXPECT_EQ(extend(0x1000002, Psn{0xFFFFFE}), 0xFFFFFE);
  EXPECT_EQ(wire_psn(0x1000002), Psn{2});
  EXPECT_EQ(wire_psn(-1), Psn{0xFFFFFF});
}

}  // namespace
}  // namespace rocetop
