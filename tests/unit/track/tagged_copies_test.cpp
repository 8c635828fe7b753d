// SPDX-License-Identifier: BSD-3-Clause
// A mirror may show each packet at two places, and one of them with another VLAN tag; CNPs may have a VLAN of their
// own. Neither is another network.
#include <gtest/gtest.h>

#include "support/packets.h"
#include "track/tracker.h"

namespace rocetop::track {
namespace {

constexpr std::uint8_t kWriteOnly = test::kWriteOnlyOpcode;
constexpr std::uint8_t kAcknowledge = test::kAcknowledgeOpcode;
constexpr std::uint8_t kCnp = 0x81;
constexpr std::uint16_t kVlan = 5;

/// A requester, its queue pair 17, and a responder, its queue pair 18.
class TaggedPackets : public testing::Test {
 protected:
  static wire::Packet packet(bool request, std::uint8_t opcode, std::uint32_t psn) {
    wire::Packet p = request ? test::packet(1, 2, opcode, 18, psn) : test::packet(2, 1, opcode, 17, psn);
    p.has_ip_id = true;
    if (opcode == kWriteOnly) {
      p.bth.ack_request = true;
      p.payload_bytes = 1024;
      p.headers = p.expected_headers = wire::kReth;
    }
    return p;
  }

  Observation see(wire::Packet p, std::uint16_t vlan = 0xFFFF) {
    p.network.vlan_outer = vlan;
    return tracker.on_packet(p, FrameId(0, ++frame), now, 1100);
  }
  /// And a microsecond later with another tag.
  void see_twice(const wire::Packet& p, std::uint16_t vlan, std::uint16_t other) {
    see(p, vlan);
    now = now + microseconds(1);
    see(p, other);
    now = now + microseconds(20);
  }
  /// A message and its acknowledgement, each seen twice.
  void exchange_twice(std::uint32_t psn, std::uint16_t vlan, std::uint16_t other) {
    see_twice(packet(true, kWriteOnly, psn), vlan, other);
    see_twice(packet(false, kAcknowledge, psn), vlan, other);
  }
  void exchange(std::uint32_t psn, std::uint16_t vlan) {
    see(packet(true, kWriteOnly, psn), vlan);
    now = now + microseconds(5);
    see(packet(false, kAcknowledge, psn), vlan);
    now = now + microseconds(20);
  }
  std::size_t connections_with_data(const std::vector<ConnectionCounts>& all) const {
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const ConnectionCounts& c) {
      return c.a_to_b->requests.packets > 0 || (c.b_to_a && c.b_to_a->requests.packets > 0);
    }));
  }

  Tracker tracker;
  std::uint64_t frame = 0;
  Nanos now = seconds(1'700'000'000);
};

TEST_F(TaggedPackets, AreCopiesWhereTheMirrorTagsThem) {
  for (std::uint32_t psn = 100; psn < 120; ++psn) exchange_twice(psn, 0xFFFF, kVlan);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->requests.duplicate_packets, 20U);
  EXPECT_EQ(connections[0].a_to_b->requests.retransmitted_original_seen, 0U);
  EXPECT_EQ(connections[0].paired_by, PairedBy::kAck);
}

TEST_F(TaggedPackets, AreCopiesWhicheverOfTwoTagsComesFirst) {
  for (std::uint32_t psn = 100; psn < 120; ++psn)
    exchange_twice(psn, psn % 2 == 0 ? 7 : kVlan, psn % 2 == 0 ? kVlan : 7);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->requests.duplicate_packets, 20U);
}

TEST_F(TaggedPackets, AreAnotherNetworkWhereTheySayOtherThings) {
  for (std::uint32_t psn = 0; psn < 20; ++psn) {
    exchange(100 + psn, 0xFFFF);
    exchange(9'000 + psn, kVlan);
  }
  EXPECT_EQ(connections_with_data(tracker.finish()), 2U);
}

TEST_F(TaggedPackets, AreAnotherNetworkWhereTheyComeLater) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn, 0xFFFF);
  now = now + milliseconds(10);
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn, kVlan);
  EXPECT_EQ(connections_with_data(tracker.finish()), 2U);
}

TEST_F(TaggedPackets, AreForgottenWithTheirConnection) {
  for (std::uint32_t use = 0; use < 20; ++use) {  // one queue pair used again and again, each time far away
    for (std::uint32_t psn = 0; psn < 3; ++psn) {
      see_twice(packet(true, kWriteOnly, use * 700'000 + psn), 0xFFFF, kVlan);
    }
  }
  std::uint64_t packets = 0;
  std::uint64_t copies = 0;
  for (const auto& c : tracker.finish()) {
    packets += c.a_to_b->requests.packets;
    copies += c.a_to_b->requests.duplicate_packets;
  }
  EXPECT_EQ(packets, 120U);
  EXPECT_EQ(copies, 60U);
}

wire::Packet datagram_of(wire::Packet p) {
  p.headers = p.expected_headers = wire::kDeth;
  p.deth.src_qp = Qpn{17};
  p.payload_bytes = 256;
  return p;
}

TEST_F(TaggedPackets, OfDatagramsAreCopies) {
  for (std::uint32_t psn = 100; psn < 120; ++psn) see_twice(datagram_of(packet(true, 0x64, psn)), 0xFFFF, kVlan);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->frames, 40U);
  EXPECT_EQ(connections[0].a_to_b->requests.duplicate_packets, 20U);
}

TEST_F(TaggedPackets, OfDatagramsAreAnotherNetworkWhereTheySayOtherThings) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) {
    see(datagram_of(packet(true, 0x64, psn)));
    see(datagram_of(packet(true, 0x64, 9'000 + psn)), kVlan);
  }
  EXPECT_EQ(tracker.finish().size(), 2U);
}

TEST_F(TaggedPackets, OfDatagramsWithoutACountAreNoCopies) {
  for (int i = 0; i < 20; ++i) {
    see(datagram_of(packet(true, 0x64, 0)));
    now = now + microseconds(1);
  }
  EXPECT_LE(tracker.finish().at(0).a_to_b->requests.duplicate_packets, 3U);
}

TEST_F(TaggedPackets, OfSetUpsAreOneSetUp) {
  wire::Packet request = packet(true, 0x64, 1);
  request.bth.dest_qp = Qpn{1};
  std::vector<std::uint8_t> mad(256, 0);
  mad[0] = 1;      // base version
  mad[1] = 0x07;   // communication management
  mad[2] = 2;      // class version
  mad[3] = 3;      // Send
  mad[17] = 0x10;  // REQ
  request.payload = mad;
  see_twice(request, 0xFFFF, kVlan);
  ASSERT_EQ(tracker.set_ups().size(), 1U);
}

TEST_F(TaggedPackets, OfCnpsBelongToTheOnlyConnectionOfThatQueuePair) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn, 0xFFFF);
  see(packet(false, kCnp, 0), kVlan);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  ASSERT_TRUE(connections[0].a_to_b->congestion);
  EXPECT_EQ(connections[0].a_to_b->congestion->cnps, 1U);
  EXPECT_EQ(connections[0].b_to_a->cnps_elsewhere, 1U);
  EXPECT_EQ(connections[0].b_to_a->cnps_elsewhere_in->vlan_outer, kVlan);
}

TEST_F(TaggedPackets, OfCnpsBelongToItAlsoWhenTheyComeFirst) {
  see(packet(false, kCnp, 0), kVlan);
  now = now + microseconds(50);
  see(packet(false, kCnp, 0), kVlan);
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn, 0xFFFF);
  now = now + microseconds(50);
  see(packet(false, kCnp, 0), kVlan);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  ASSERT_TRUE(connections[0].b_to_a->congestion);
  EXPECT_EQ(connections[0].b_to_a->congestion->cnps, 3U);
  EXPECT_EQ(connections[0].a_to_b->cnps_elsewhere, 3U);
}

TEST_F(TaggedPackets, OfCnpsBelongToItAtTheEndAtLast) {
  see(packet(false, kCnp, 0), kVlan);
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn, 0xFFFF);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->cnps_elsewhere, 1U);
}

TEST_F(TaggedPackets, OfCnpsStayUnmatchedWhereTwoConnectionsFit) {
  for (std::uint32_t psn = 0; psn < 10; ++psn) {
    exchange(100 + psn, 0xFFFF);
    exchange(9'000 + psn, 7);
  }
  see(packet(false, kCnp, 0), kVlan);
  EXPECT_EQ(tracker.finish().size(), 3U);
}

/// Two connections with the same numbers, of which one has a VLAN: that there is a second one shows only later.
TEST_F(TaggedPackets, OfCnpsAreThoseOfTheConnectionThatShowsUpThereLater) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn, 0xFFFF);
  see(packet(false, kCnp, 0), kVlan);
  now = now + milliseconds(1);
  see(packet(false, kCnp, 0), kVlan);
  now = now + milliseconds(1);
  for (std::uint32_t psn = 0; psn < 10; ++psn) {
    exchange(110 + psn, 0xFFFF);
    exchange(9'000 + psn, kVlan);
  }
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_FALSE(connections[0].a_to_b->congestion);
  EXPECT_EQ(connections[0].b_to_a->cnps, 0U);
  EXPECT_EQ(connections[0].b_to_a->cnps_elsewhere, 0U);
  EXPECT_EQ(connections[0].b_to_a->acks, 20U);
  EXPECT_EQ(connections[0].b_to_a->frames, 20U);
  EXPECT_EQ(connections[1].paired_by, PairedBy::kAck);
  ASSERT_TRUE(connections[1].b_to_a->congestion);
  EXPECT_EQ(connections[1].b_to_a->congestion->cnps, 2U);
  EXPECT_EQ(connections[1].a_to_b->cnps, 2U);
  EXPECT_EQ(connections[1].a_to_b->acks, 10U);
  EXPECT_EQ(connections[1].first_frame, FrameId(0, 21)) << "the first of the CNPs";
}

TEST_F(TaggedPackets, OfCnpsStayWhereTheOtherVlanHoldsCopies) {
  exchange(100, 0xFFFF);
  see(packet(false, kCnp, 0), kVlan);
  now = now + microseconds(50);
  for (std::uint32_t psn = 101; psn < 110; ++psn) exchange_twice(psn, 0xFFFF, kVlan);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->congestion->cnps, 1U);
  EXPECT_EQ(connections[0].b_to_a->cnps, 1U);
  EXPECT_EQ(connections[0].b_to_a->cnps_elsewhere, 1U);
}

TEST_F(TaggedPackets, OfCnpsThatComeFirstBeginTheirConnection) {
  see(packet(false, kCnp, 0), kVlan);
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn, 0xFFFF);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].first_frame, FrameId(0, 1));
  EXPECT_EQ(connections[0].a_to_b->first_frame, FrameId(0, 1));
  EXPECT_EQ(connections[0].a_to_b->cnps, 1U) << "a is whose packet was seen first";
}

TEST_F(TaggedPackets, OfCnpsAreCopiesWhereTheDataIsThereTwice) {
  for (std::uint32_t psn = 100; psn < 120; ++psn) exchange_twice(psn, 0xFFFF, kVlan);
  see_twice(packet(false, kCnp, 0), 0xFFFF, kVlan);  // IP identification 0, as adapters send them
  now = now + microseconds(50);
  see_twice(packet(false, kCnp, 0), 0xFFFF, kVlan);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->congestion->cnps, 2U);
  EXPECT_EQ(connections[0].b_to_a->cnps_elsewhere, 0U);
  ASSERT_EQ(tracker.cnp_pacing().size(), 1U);
  EXPECT_GE(tracker.cnp_pacing()[0].qp_gap, microseconds(50));
}

TEST_F(TaggedPackets, OfCnpsAreEachTheirOwnWhereTheDataIsThereOnce) {
  for (std::uint32_t psn = 100; psn < 120; ++psn) exchange(psn, 0xFFFF);
  for (int i = 0; i < 4; ++i) {
    see(packet(false, kCnp, 0));
    now = now + microseconds(4);
  }
  EXPECT_EQ(tracker.finish()[0].a_to_b->congestion->cnps, 4U);
}

}  // namespace
}  // namespace rocetop::track
