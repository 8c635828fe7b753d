// SPDX-License-Identifier: BSD-3-Clause
// Every veRoCE packet takes on the wire what its frame has, under every layout; and paths take turns by their weights.
#include "generate/sim/veroce_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "generate/sim/frame_writer.h"
#include "generate/sim/paths.h"
#include "generate/sim/random.h"
#include "generate/sim/veroce_options.h"

namespace rocetop::generate::sim {
namespace {

struct Kind {
  PacketKind kind;
  std::initializer_list<int> opcodes;
};
const Kind kKinds[] = {{PacketKind::kRequest, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 22, 23}},
                       {PacketKind::kResponse, {13, 14, 15, 16, 18}},
                       {PacketKind::kAck, {0x11, 0x19}},
                       {PacketKind::kNak, {0x11, 0x19}},
                       {PacketKind::kSack, {0x18, 0x1E}},
                       {PacketKind::kRtt, {0x82, 0x83}},
                       {PacketKind::kCnp, {0x81}},
                       {PacketKind::kSlowPath, {0x84}}};

Plan plan_with(std::string_view layout, bool v4 = true) {
  Plan plan;
  plan.nodes.resize(2);
  plan.nodes[0].ip = *IpAddress::parse(v4 ? "192.0.2.1" : "2001:db8::1");
  plan.nodes[1].ip = *IpAddress::parse(v4 ? "192.0.2.2" : "2001:db8::2");
  ConnectionPlan connection;
  connection.b = 1;
  connection.protocol = Protocol::kVeroce;
  const std::string text = "layout=" + std::string(layout);
  Option option{{text}, "layout", std::string_view(text).substr(7)};
  EXPECT_FALSE(set_layout(connection.veroce, option));
  plan.connections.push_back(connection);
  return plan;
}

/// One of each kind and opcode, whole and trimmed.
std::vector<Packet> all_packets(const ConnectionPlan& connection, bool v4) {
  std::vector<Packet> packets;
  for (const Kind& kind : kKinds) {
    for (const int opcode : kind.opcodes) {
      for (const bool trimmed : {false, true}) {
        Packet packet;
        packet.kind = kind.kind;
        packet.opcode = static_cast<Opcode>(opcode);
        packet.veroce.there = true;
        packet.veroce.received[5] = true;
        packet.payload = packet.is_data() && opcode < 12 ? 1'021 : 0;
        packet.wire_bytes = wire_bytes(packet, connection, v4);
        if (trimmed && !packet.is_trimmable()) continue;
        if (trimmed) packet.trim();
        packets.push_back(packet);
      }
    }
  }
  return packets;
}

TEST(VeroceFrame, TakesTheRoomThatWasReckonedWithUnderEveryLayout) {
  for (const std::string& layout : layout_words()) {
    const Plan plan = plan_with(layout);
    FrameWriter writer(plan);
    for (const Packet& packet : all_packets(plan.connections[0], true)) {
      std::uint32_t wire_length = 0;
      writer.write(packet, 65'535, wire_length);
      EXPECT_EQ(packet.wire_bytes, std::max(wire_length, 60U) + 24)
          << layout << " opcode " << static_cast<int>(packet.opcode);
    }
  }
}

TEST(VeroceFrame, HasTheBytesOfTheEncoderUnderEveryLayout) {
  Random random(4794, 0);
  for (const std::string& layout : layout_words()) {
    for (const bool v4 : {true, false}) {
      const Plan plan = plan_with(layout, v4);
      FrameWriter writer(plan);
      for (Packet packet : all_packets(plan.connections[0], v4)) {
        packet.sender = static_cast<std::uint32_t>(random.below(2));
        packet.udp_src = static_cast<std::uint16_t>(random.next());
        packet.dscp = static_cast<std::uint8_t>(random.below(64));
        packet.ecn = static_cast<std::uint8_t>(random.below(4));
        packet.ip_id = static_cast<std::uint16_t>(random.next());
        packet.resent = random.below(2) == 0;
        packet.veroce.becn = random.below(2) == 0;
        packet.ack_request = random.below(2) == 0;
        packet.damaged = random.below(4) == 0;
        packet.syndrome = static_cast<std::uint8_t>(random.next());
        packet.sequence = static_cast<Sequence>(random.next() >> 8);
        packet.msn = static_cast<std::uint32_t>(random.next());
        packet.veroce.order = static_cast<std::uint32_t>(random.next());
        const FrameBytes wanted = encode_veroce(writer.veroce_spec(packet), plan.connections[0].veroce.wire);
        std::uint32_t wire_length = 0;
        const auto written = writer.write(packet, 65'535, wire_length);
        ASSERT_EQ(FrameBytes(written.begin(), written.end()), wanted)
            << layout << " opcode " << static_cast<int>(packet.opcode);
        ASSERT_EQ(wire_length, wanted.size());
      }
    }
  }
}

TEST(Paths, TakeTurnsByTheirWeights) {
  ConnectionPlan plan;
  plan.control = CongestionControl::kNone;
  plan.veroce.ports = {50'001, 50'002, 50'003};
  plan.veroce.weights = {3, 1, 1};
  Paths paths(plan, 0, 1e9);
  std::map<std::uint16_t, int> sent;
  for (int i = 0; i < 50; ++i) ++sent[paths.next(0)];
  EXPECT_EQ(sent[50'001], 30);
  EXPECT_EQ(sent[50'002], 10);
  EXPECT_EQ(sent[50'003], 10);
}

TEST(Paths, AreOfConsecutivePortsWhereNoneIsNamed) {
  VerocePlan plan;
  plan.paths = 3;
  EXPECT_EQ(path_ports(plan, 0xFFFE), (std::vector<std::uint16_t>{0xFFFE, 0xFFFF, 0xC000}));
}

TEST(Paths, ACnpHoldsItsOwnPathBackAndNoOther) {
  ConnectionPlan plan;
  plan.veroce.ports = {50'001, 50'002};
  Paths paths(plan, 0, 1e9);
  std::map<std::uint16_t, int> sent;
  Time now = 0;
  for (int i = 0; i < 100; ++i) {
    now = paths.free_at(now);
    paths.on_cnp(50'002, now);
    const std::uint16_t port = paths.next(now);
    ++sent[port];
    paths.on_sent(port, 1'000, now);
    now += 8'000'000;  // what 1,000 bytes take at 1 Gb/s
  }
  EXPECT_LT(sent[50'002] * 2, sent[50'001]);
  EXPECT_GT(sent[50'002], 5);
}

}  // namespace
}  // namespace rocetop::generate::sim
