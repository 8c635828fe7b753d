// SPDX-License-Identifier: BSD-3-Clause
// Go-backs that prove nothing of what passed the tap: it had passed, but no receiver that keeps the order took it.
#include <gtest/gtest.h>

#include "support/scenario_run.h"

namespace rocetop {
namespace {

TEST(GoBack, WhatPassedBehindARefusedPacketWasNotTaken) {
  const auto requests =
      test::directions_of("W 100-105 | NAK 102 | W 102-105 | drop 104 | NAK 104 | W 104-105 | ACK 105").a.requests;
  ASSERT_EQ(requests.episodes.size(), 2u);
  EXPECT_FALSE(requests.episodes[0].first_psn_behind_gap);
  EXPECT_TRUE(requests.episodes[1].first_psn_behind_gap) << "104 passed once, but 102 was wanted then";
}

TEST(GoBack, WhatWasSentAgainSinceIsJudgedByThat) {
  const auto requests =
      test::directions_of("W 100-105 | NAK 102 | W 102-105 | NAK 104 | W 104-105 | ACK 105").a.requests;
  ASSERT_EQ(requests.episodes.size(), 2u);
  EXPECT_FALSE(requests.episodes[1].first_psn_behind_gap) << "lost behind the tap when it was sent again";
}

TEST(GoBack, NoReplyIsDueToWhatANakRefused) {
  // 105 asked for a reply and got it: the NAK. When 103 has come alone, nobody has to answer.
  const auto requests =
      test::directions_of(
          "W 100-101 | ACK 101 | W 102-105 | drop 103 | NAK 103 | W 103-105 | drop 104-105 | wait 70ms | "
          "W 103-105 | ACK 105")
          .a.requests;
  ASSERT_EQ(requests.episodes.size(), 2u);
  EXPECT_EQ(requests.episodes[1].cause, track::Cause::kTimeout);
  EXPECT_FALSE(requests.episodes[1].reply_was_due);
}

TEST(GoBack, ResponsesBehindAReadThatIsAskedForAgainAreNotTaken) {
  const auto requests =
      test::directions_of(
          "R 100-103 | R 104-107 | RR 100-103 | B: drop 101 | R 101-103 | R 104-107 | RR 104-107 | RR 101-103 open | "
          "RR 104-107 | B: drop 105 | R 105-107 | RR 105-107 open")
          .a.requests;
  ASSERT_EQ(requests.episodes.size(), 2u);
  EXPECT_FALSE(requests.episodes[1].response_passed) << "105 passed once, while 101 was wanted";
}

TEST(GoBack, ResponsesInOrderAreTaken) {
  const auto requests =
      test::directions_of("R 100-103 | R 104-107 | RR 100-103 | RR 104-107 | R 105-107 | RR 105-107 open").a.requests;
  ASSERT_EQ(requests.episodes.size(), 1u);
  EXPECT_TRUE(requests.episodes[0].response_passed) << "105 passed in order, and was lost behind the tap";
}

TEST(GoBack, AReadIsNotNeedlesslyAskedForWhileAResponseIsMissing) {
  const auto requests = test::directions_of(
                            "step 2us | R 100-107 | RR 100-107 | B: drop 103 | R 103-107 | RR 103-107 open | B: drop "
                            "103 | wait 67ms | R 103-107 | RR 103-107 open")
                            .a.requests;
  ASSERT_EQ(requests.episodes.size(), 2u);
  EXPECT_EQ(requests.episodes[1].cause, track::Cause::kTimeout) << "103 came only after that";
}

}  // namespace
}  // namespace rocetop
