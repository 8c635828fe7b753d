// SPDX-License-Identifier: BSD-3-Clause
// What a veRoCE receiver takes, and what it answers.
#include "generate/sim/selective_receiver.h"

#include <gtest/gtest.h>

namespace rocetop::generate::sim {
namespace {

constexpr Sequence kFirst = 0xFFFFF0;  // the PSN wraps soon; sequences do not

ConnectionPlan plan_with(std::uint32_t lazy, std::uint32_t slow = 0) {
  ConnectionPlan plan;
  plan.protocol = Protocol::kVeroce;
  plan.ack_every = 1'000;
  plan.veroce.lazy = lazy;
  plan.veroce.slow_path = slow;
  return plan;
}

/// The n-th packet of a message of `length` packets that starts at kFirst, or of the ones that follow.
Packet packet(Sequence n, Sequence length = 1'000) {
  Packet made;
  made.sequence = kFirst + n;
  made.msn = static_cast<std::uint32_t>(n / length + 1);
  made.veroce.there = true;
  made.veroce.order = static_cast<std::uint32_t>(n % length);
  made.veroce.ends_message = n % length == length - 1;
  return made;
}

TEST(SelectiveReceiver, IsLazyUpToItsThresholdAndTellsOfGapsAboveIt) {
  const ConnectionPlan plan = plan_with(3);
  SelectiveReceiver receiver(plan, kFirst);
  receiver.take(packet(0));
  for (const Sequence n : {2, 3}) {  // one is missing; the highest is two and three ahead of what is acknowledged
    EXPECT_FALSE(receiver.take(packet(n)).acknowledge) << n;
    EXPECT_EQ(receiver.acknowledgement().kind, PacketKind::kAck);
    EXPECT_EQ(receiver.acknowledgement().sequence, kFirst);
  }
  EXPECT_TRUE(receiver.take(packet(4)).acknowledge);  // it crosses the threshold
  const Packet sack = receiver.acknowledgement();
  EXPECT_EQ(sack.kind, PacketKind::kSack);
  EXPECT_EQ(sack.sequence, kFirst);
  EXPECT_EQ(sack.veroce.received.to_ulong(), 0b1110U);
  EXPECT_EQ(sack.veroce.order, 1U);
  EXPECT_TRUE(receiver.take(packet(1)).acknowledge);  // it closes the gap
  EXPECT_EQ(receiver.acknowledgement().kind, PacketKind::kAck);
  EXPECT_EQ(receiver.acknowledgement().sequence, kFirst + 4);
}

TEST(SelectiveReceiver, TakesAsFarAsItsBitmapGoesAndDropsTheRest) {
  const ConnectionPlan plan = plan_with(kSackBits);
  SelectiveReceiver receiver(plan, kFirst);
  receiver.take(packet(0));
  receiver.take(packet(129));
  EXPECT_EQ(receiver.beyond(), 1U);
  receiver.take(packet(128));
  EXPECT_EQ(receiver.beyond(), 1U);
  for (Sequence n = 1; n < 128; ++n) receiver.take(packet(n));
  EXPECT_EQ(receiver.acknowledgement().sequence, kFirst + 128);
}

TEST(SelectiveReceiver, MessagesAreCompleteInOrder) {
  const ConnectionPlan plan = plan_with(8);
  SelectiveReceiver receiver(plan, kFirst);
  receiver.take(packet(2, 2));
  receiver.take(packet(3, 2));
  EXPECT_TRUE(receiver.take_complete().empty());
  EXPECT_EQ(receiver.acknowledgement().msn, 0U);
  receiver.take(packet(0, 2));
  EXPECT_EQ(receiver.acknowledgement().veroce.order, 1U);
  receiver.take(packet(1, 2));
  EXPECT_EQ(receiver.take_complete().size(), 2U);
  EXPECT_EQ(receiver.acknowledgement().msn, 2U);
  EXPECT_EQ(receiver.acknowledgement().veroce.order, 0U);
}

TEST(SelectiveReceiver, WhatItHasIsAcknowledgedOnceMoreAndCounted) {
  const ConnectionPlan plan = plan_with(8);
  SelectiveReceiver receiver(plan, kFirst);
  receiver.take(packet(0));
  receiver.take(packet(2));
  EXPECT_TRUE(receiver.take(packet(0)).acknowledge);
  EXPECT_TRUE(receiver.take(packet(2)).acknowledge);
  EXPECT_EQ(receiver.again(), 2U);
}

TEST(SelectiveReceiver, ATrimmedPacketIsAskedForAndDoesNotCountAsReceived) {
  const ConnectionPlan plan = plan_with(8);
  SelectiveReceiver receiver(plan, kFirst);
  receiver.take(packet(0));
  Packet cut = packet(1);
  cut.veroce.trimmed = true;
  EXPECT_TRUE(receiver.take(cut).drop_nak);
  const Packet nak = receiver.drop_nak(cut);
  EXPECT_EQ(nak.kind, PacketKind::kNak);
  EXPECT_EQ(nak.syndrome, 0x60);
  EXPECT_EQ(nak.sequence, kFirst + 1);
  EXPECT_EQ(receiver.acknowledgement().sequence, kFirst);
  receiver.take(packet(1));
  EXPECT_FALSE(receiver.take(cut).drop_nak);  // it has it
}

TEST(SelectiveReceiver, WhatTrailsByMoreThanTheThresholdIsTold) {
  const ConnectionPlan plan = plan_with(64, 10);
  SelectiveReceiver receiver(plan, kFirst);
  receiver.take(packet(20));
  EXPECT_FALSE(receiver.take(packet(10)).slow_path);
  EXPECT_TRUE(receiver.take(packet(9)).slow_path);
  Packet again = packet(8);
  again.resent = true;  // it is late for another reason
  EXPECT_FALSE(receiver.take(again).slow_path);
}

TEST(SelectiveReceiver, EveryNthPacketIsAcknowledgedAndEachThatAsks) {
  ConnectionPlan plan = plan_with(8);
  plan.ack_every = 3;
  SelectiveReceiver receiver(plan, kFirst);
  EXPECT_FALSE(receiver.take(packet(0)).acknowledge);
  EXPECT_FALSE(receiver.take(packet(1)).acknowledge);
  EXPECT_TRUE(receiver.take(packet(2)).acknowledge);
  Packet asks = packet(3);
  asks.ack_request = true;
  EXPECT_TRUE(receiver.take(asks).acknowledge);
}

}  // namespace
}  // namespace rocetop::generate::sim
