// SPDX-License-Identifier: BSD-3-Clause
// Ranges of missing PSNs that hold several runs: each run counts, not the first alone.
#include "track/missing.h"

#include <gtest/gtest.h>

#include "track/late_arrivals.h"

namespace rocetop::track {
namespace {

class MissingRanges : public testing::Test {
 protected:
  MissingRanges() {
    for (const auto& [first, last] : {std::pair<Sequence, Sequence>{10, 12}, {15, 15}, {20, 29}, {40, 41}}) {
      missing.add({first, last, FrameId(0, static_cast<std::uint64_t>(last)), Nanos{}}, counts, context);
    }
  }
  std::uint64_t fate(Outcome outcome) const { return counts.missing_packets[static_cast<std::size_t>(outcome)]; }

  Context context{Limits{}};
  SpaceCounts counts;
  MissingPsns missing;
};

TEST_F(MissingRanges, DropEveryRunInside) {
  missing.drop_range(11, 24, context);
  ASSERT_EQ(missing.runs().size(), 3U);
  EXPECT_EQ(missing.runs()[0].last, 10);
  EXPECT_EQ(missing.runs()[1].first, 25);
  EXPECT_EQ(missing.runs()[2].first, 40);
}

TEST_F(MissingRanges, DropWhatBeginsBetweenRuns) {
  missing.drop_range(13, 18, context);
  EXPECT_FALSE(missing.contains(15));
  EXPECT_EQ(missing.runs().size(), 3U);
}

TEST_F(MissingRanges, AreTakenRunByRun) {
  EXPECT_EQ(missing.take_range(11, 24)->first, 11);
  EXPECT_EQ(missing.take_range(11, 24)->first, 15);
  EXPECT_EQ(missing.take_range(11, 24)->last, 24);
  EXPECT_FALSE(missing.take_range(11, 24));
}

TEST_F(MissingRanges, SettleEveryRunInside) {
  missing.settle_range(11, 24, Outcome::kRetransmitted, counts, context);
  EXPECT_EQ(fate(Outcome::kRetransmitted), 2U + 1U + 5U);
}

TEST_F(MissingRanges, FollowTheLateReadThatFilledThem) {
  LateArrivals late;
  late.hold({PacketFacts{}, *missing.take_range(10, 15), 15, {*missing.take_range(10, 15)}});
  late.were_reordered(counts, context);
  EXPECT_EQ(fate(Outcome::kReordered), 4U);
  EXPECT_EQ(counts.reordered_packets, 1U);
}

}  // namespace
}  // namespace rocetop::track
