// SPDX-License-Identifier: BSD-3-Clause
// When a veRoCE sender sends what again.
#include "generate/sim/selective_sender.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace rocetop::generate::sim {
namespace {

constexpr Time kMicro = 1'000'000;
constexpr Time kRoundTrip = 20 * kMicro;
constexpr Time kTimeout = Time{4'096'000} << 8;
constexpr Sequence kFirst = 100;

ConnectionPlan plan_with(std::uint32_t window = 64) {
  ConnectionPlan plan;
  plan.protocol = Protocol::kVeroce;
  plan.path_mtu = 1'024;
  plan.timeout = 8;
  plan.window = window;
  plan.veroce.round_trip = microseconds(20);
  return plan;
}

VeroceMessage message(Operation operation, std::uint32_t bytes) {
  VeroceMessage made;
  made.operation = operation;
  made.bytes = bytes;
  return made;
}

/// A sender of one long WRITE from PSN 100 on.
struct Writer {
  explicit Writer(const ConnectionPlan& p) : plan(p), sender(plan, kFirst) {
    sender.post(message(Operation::kWrite, 1'024 * 1'000));
  }
  void send(int count, Time now) {
    for (int i = 0; i < count; ++i) sender.next_packet(now);
  }
  void acknowledge(Sequence acknowledged, std::initializer_list<Sequence> received, Time now) {
    Packet packet;
    packet.kind = received.size() == 0 ? PacketKind::kAck : PacketKind::kSack;
    packet.sequence = acknowledged;
    for (const Sequence s : received) packet.veroce.received[static_cast<std::size_t>(s - acknowledged - 1)] = true;
    sender.on_acknowledge(packet, now);
  }
  /// PSNs of the packets that are sent again before the next new one.
  std::vector<Sequence> again(Time now) {
    std::vector<Sequence> psns;
    while (sender.ready()) {
      const Packet packet = sender.next_packet(now);
      if (!packet.resent) break;
      psns.push_back(packet.sequence);
    }
    return psns;
  }
  std::uint64_t count(ResendCause cause) const { return sender.resends()[static_cast<std::size_t>(cause)]; }

  ConnectionPlan plan;
  SelectiveSender sender;
};

using Psns = std::vector<Sequence>;

TEST(SelectiveSender, AHoleThatASackShowsIsSentAgainOnceHoweverManySacksShowIt) {
  Writer w(plan_with());
  w.send(10, 0);
  w.acknowledge(101, {103, 105}, kMicro);
  EXPECT_EQ(w.again(kMicro), (Psns{102, 104}));
  w.acknowledge(101, {103, 105, 106}, 2 * kMicro);
  EXPECT_EQ(w.again(2 * kMicro), Psns{});
  w.acknowledge(101, {103, 105, 106, 108}, 3 * kMicro);  // one more hole, above the last SACK's highest
  EXPECT_EQ(w.again(3 * kMicro), Psns{107});
  EXPECT_EQ(w.count(ResendCause::kSack), 3U);
}

TEST(SelectiveSender, WhatIsMissingARoundTripAfterItWasSentAgainIsSentOnceMore) {
  Writer w(plan_with());
  w.send(10, 0);
  w.acknowledge(101, {103}, kMicro);
  EXPECT_EQ(w.again(kMicro), Psns{102});
  w.acknowledge(101, {103, 104}, kMicro + kRoundTrip - 1);
  EXPECT_EQ(w.again(kMicro + kRoundTrip - 1), Psns{});
  w.acknowledge(101, {103, 104, 105}, kMicro + kRoundTrip);
  EXPECT_EQ(w.again(kMicro + kRoundTrip), Psns{102});
  EXPECT_EQ(w.count(ResendCause::kSecondRound), 1U);
}

TEST(SelectiveSender, BelowTheHighestOfTheLastSackNothingIsSentAgainUntilTheSecondRound) {
  Writer w(plan_with());
  w.send(10, 0);
  w.acknowledge(101, {103, 105}, kMicro);
  EXPECT_EQ(w.again(kMicro), (Psns{102, 104}));
  Packet nak;
  nak.kind = PacketKind::kNak;
  nak.syndrome = 0x60;
  nak.sequence = 102;
  w.sender.on_acknowledge(nak, 15 * kMicro);
  EXPECT_EQ(w.again(15 * kMicro), Psns{102});
  const Time later = kMicro + kRoundTrip;  // after 104 was sent, but not after the oldest was
  w.acknowledge(101, {103, 105, 106}, later);
  EXPECT_EQ(w.again(later), Psns{});
  w.acknowledge(101, {103, 105, 106}, later + kRoundTrip);
  EXPECT_EQ(w.again(later + kRoundTrip), (Psns{102, 104}));
}

TEST(SelectiveSender, WhatASackSaysWasReceivedIsNotSentAgainThoughItWasDue) {
  Writer w(plan_with());
  w.send(10, 0);
  w.acknowledge(101, {104}, kMicro);           // 102 and 103 are due
  w.acknowledge(101, {102 + 1, 104}, kMicro);  // 103 was only late
  EXPECT_EQ(w.again(kMicro), Psns{102});
}

TEST(SelectiveSender, ADropNakAsksForOnePsnAndAcknowledgesNothing) {
  Writer w(plan_with());
  w.send(10, 0);
  Packet nak;
  nak.kind = PacketKind::kNak;
  nak.syndrome = 0x60;
  nak.sequence = 105;
  w.sender.on_acknowledge(nak, kMicro);
  EXPECT_EQ(w.again(kMicro), Psns{105});
  EXPECT_EQ(w.sender.oldest(), kFirst);
  nak.sequence = 105 + 1'000;  // never sent
  w.sender.on_acknowledge(nak, kMicro);
  EXPECT_EQ(w.again(kMicro), Psns{});
}

TEST(SelectiveSender, AnyOtherNakIsTheEnd) {
  Writer w(plan_with());
  w.send(2, 0);
  Packet nak;
  nak.kind = PacketKind::kNak;
  nak.syndrome = 0x62;
  w.sender.on_acknowledge(nak, kMicro);
  EXPECT_TRUE(w.sender.dead());
  EXPECT_FALSE(w.sender.ready());
}

TEST(SelectiveSender, SilenceForTheTimeoutSendsAgainWhatIsUnacknowledgedAndOldEnough) {
  Writer w(plan_with(4));
  w.send(2, 0);
  w.send(2, kMicro);
  EXPECT_EQ(w.sender.deadline(), kTimeout);
  w.sender.on_timeout(kTimeout - 1);
  EXPECT_EQ(w.again(kTimeout - 1), Psns{});
  w.sender.on_timeout(kTimeout);
  EXPECT_EQ(w.again(kTimeout), (Psns{100, 101}));
  EXPECT_EQ(w.count(ResendCause::kTimeout), 2U);
}

TEST(SelectiveSender, AfterATimeoutSacksSayNothingUntilItsPacketIsAcknowledged) {
  Writer w(plan_with(8));
  w.send(8, 0);
  w.sender.on_timeout(kTimeout);
  EXPECT_EQ(w.again(kTimeout).size(), 8U);
  const Time later = kTimeout + 2 * kRoundTrip;
  w.acknowledge(99, {103}, later);
  EXPECT_EQ(w.again(later), Psns{});
  w.acknowledge(100, {103}, later);
  EXPECT_EQ(w.again(later), (Psns{101, 102}));
}

TEST(SelectiveSender, GivesUpAfterItsRetries) {
  ConnectionPlan plan = plan_with(1);
  plan.retries = 2;
  Writer w(plan);
  w.send(1, 0);
  Time now = 0;
  for (int i = 0; i < 2; ++i) {
    now += kTimeout;
    w.sender.on_timeout(now);
    EXPECT_EQ(w.again(now), Psns{kFirst});
  }
  w.sender.on_timeout(now + kTimeout);
  EXPECT_TRUE(w.sender.dead());
}

TEST(SelectiveSender, SendsNoMoreThanTheReceiversBitmapTakes) {
  for (const bool overrun : {false, true}) {
    ConnectionPlan plan = plan_with(400);
    plan.veroce.overrun = overrun;
    Writer w(plan);
    std::size_t sent = 0;
    for (; w.sender.ready(); ++sent) w.sender.next_packet(0);
    EXPECT_EQ(sent, overrun ? 400U : 128U);
  }
}

TEST(SelectiveSender, APacketSaysWhereItStandsInWhichMessage) {
  const ConnectionPlan plan = plan_with();
  SelectiveSender sender(plan, kFirst);
  sender.post(message(Operation::kRead, 1 << 20));
  sender.post(message(Operation::kAtomic, 8));
  sender.post(message(Operation::kSend, 2'000));
  sender.post(message(Operation::kSend, 10));
  const Packet read = sender.next_packet(0);
  const Packet atomic = sender.next_packet(0);
  const Packet first = sender.next_packet(0);
  const Packet last = sender.next_packet(0);
  const Packet only = sender.next_packet(0);
  EXPECT_EQ(read.opcode, Opcode::kReadRequest);
  EXPECT_EQ(read.dma_length, 1U << 20);
  EXPECT_EQ(atomic.sequence, kFirst + 1);  // a READ takes one PSN
  EXPECT_EQ(first.opcode, Opcode::kSendFirst);
  EXPECT_EQ(last.opcode, Opcode::kSendLast);
  EXPECT_EQ(last.payload, 2'000U - 1'024U);
  EXPECT_EQ(last.veroce.order, 1U);
  EXPECT_EQ(last.msn, 3U);
  EXPECT_EQ(last.veroce.rq_msn, 0U);
  EXPECT_EQ(only.msn, 4U);
  EXPECT_EQ(only.veroce.rq_msn, 1U);
  EXPECT_TRUE(last.ack_request);
  EXPECT_FALSE(first.ack_request);
}

TEST(SelectiveSender, SixteenReadsAreUnderWayAtMost) {
  const ConnectionPlan plan = plan_with();
  SelectiveSender sender(plan, kFirst);
  for (int i = 0; i < 20; ++i) sender.post(message(Operation::kRead, 4'096));
  for (int i = 0; i < 16; ++i) sender.next_packet(0);
  EXPECT_FALSE(sender.ready());
  sender.on_answered();
  EXPECT_TRUE(sender.ready());
}

}  // namespace
}  // namespace rocetop::generate::sim
