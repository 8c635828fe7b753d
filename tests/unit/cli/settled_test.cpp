// SPDX-License-Identifier: BSD-3-Clause
#include "settled.h"

#include <gtest/gtest.h>

#include "track/flow_key.h"
#include "track/packet_facts.h"

namespace rocetop::cli {
namespace {

using Fate = track::Resolution::Fate;

TEST(Settled, RemembersAcknowledgements) {
  Settled settled;
  settled.on_resolution({FrameId{0, 5}, Fate::kAcknowledged, track::Cause::kUnknown, {}, FrameId{0, 9}});
  ASSERT_TRUE(settled.find(FrameId{0, 5}));
  EXPECT_EQ(settled.find(FrameId{0, 5})->acked_in, (FrameId{0, 9}));
  EXPECT_FALSE(settled.find(FrameId{0, 5})->cause);
  EXPECT_FALSE(settled.find(FrameId{0, 6}));
  EXPECT_FALSE(settled.find(FrameId{1, 5}));
}

TEST(Settled, ARetransmissionStaysOneWhenItIsAcknowledged) {
  for (const bool acknowledged_first : {false, true}) {
    Settled settled;
    const track::Resolution acknowledged{FrameId{0, 5}, Fate::kAcknowledged, track::Cause::kUnknown, {}, FrameId{0, 9}};
    const track::Resolution resent{FrameId{0, 5}, Fate::kRetransmission, track::Cause::kNak, FrameId{0, 4}, {}};
    settled.on_resolution(acknowledged_first ? acknowledged : resent);
    settled.on_resolution(acknowledged_first ? resent : acknowledged);
    const auto final = settled.find(FrameId{0, 5});
    ASSERT_TRUE(final);
    EXPECT_EQ(final->fate, Fate::kRetransmission);
    EXPECT_EQ(final->cause, track::Cause::kNak);
    EXPECT_EQ(final->trigger_frame, (FrameId{0, 4}));
    EXPECT_EQ(final->acked_in, (FrameId{0, 9}));
  }
}

TEST(Settled, TakesASecondLookForTheFirstAndForgetsWhatWasSettledBefore) {
  Settled settled;
  settled.on_resolution({FrameId{0, 5}, Fate::kRetransmission, track::Cause::kNak, FrameId{0, 4}, {}});
  track::PacketFacts packet;
  packet.frame = FrameId{0, 5};
  const track::Observation anew = track::observed(track::Kind::kNew, track::SpaceName::kRequests, 2);
  settled.on_second_look({track::FlowKey{}, packet, anew});
  track::Observation first = track::observed(track::Kind::kRetransmission, track::SpaceName::kRequests, 1);
  EXPECT_EQ(settled.final_observation(FrameId{0, 5}, first).kind, track::Kind::kNew);
  EXPECT_EQ(settled.final_observation(FrameId{0, 5}, first).connection, 2u);
  EXPECT_FALSE(settled.find(FrameId{0, 5}));
  EXPECT_EQ(settled.final_observation(FrameId{0, 6}, first).kind, track::Kind::kRetransmission);
}

TEST(Settled, CallsAConnectionWhatItIsCalledInTheEnd) {
  Settled settled;
  settled.on_join(2, 3);
  settled.on_join(1, 2);
  const track::Observation of_three = track::observed(track::Kind::kNew, track::SpaceName::kRequests, 3);
  EXPECT_EQ(settled.final_observation(FrameId{0, 1}, of_three).connection, 1u);
}

TEST(Settled, HasALimitAndCountsWhatItLeavesOut) {
  Settled settled(2'000);  // two pages of 1,024
  for (std::uint64_t n = 1; n <= 5'000; ++n) {
    settled.on_resolution({FrameId{0, n}, Fate::kAcknowledged, track::Cause::kUnknown, {}, FrameId{0, n}});
  }
  EXPECT_TRUE(settled.find(FrameId{0, 2'000}));
  EXPECT_FALSE(settled.find(FrameId{0, 4'000}));
  EXPECT_EQ(settled.omitted(), 5'000U - 2'047U);
}

}  // namespace
}  // namespace rocetop::cli
