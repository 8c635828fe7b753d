// SPDX-License-Identifier: BSD-3-Clause
// The fast way to the bytes of a frame gives what the plain one gives.
#include "generate/sim/frame_writer.h"

#include <gtest/gtest.h>

#include "generate/sim/random.h"

namespace rocetop::generate::sim {
namespace {

Plan plan_with(const char* a, const char* b, bool unreliable) {
  Plan plan;
  for (const char* ip : {a, b}) {
    NodePlan node;
    node.ip = *IpAddress::parse(ip);
    plan.nodes.push_back(node);
  }
  ConnectionPlan connection;
  connection.b = 1;
  connection.qpn_a = Qpn{0x123456};
  connection.qpn_b = Qpn{0xFEDCBA};
  connection.unreliable = unreliable;
  plan.connections.push_back(connection);
  return plan;
}

/// Any packet that a simulation may send: kind, opcode and the rest agree.
Packet any_packet(Random& random) {
  constexpr Opcode kRequests[] = {Opcode::kSendFirst,  Opcode::kSendMiddle, Opcode::kSendLast,    Opcode::kSendOnly,
                                  Opcode::kWriteFirst, Opcode::kWriteLast,  Opcode::kReadRequest, Opcode::kFetchAdd};
  constexpr Opcode kResponses[] = {Opcode::kReadResponseFirst, Opcode::kReadResponseMiddle, Opcode::kReadResponseLast,
                                   Opcode::kReadResponseOnly, Opcode::kAtomicAcknowledge};
  Packet packet;
  packet.kind = static_cast<PacketKind>(random.below(6));  // a pause is no packet of a queue pair
  packet.opcode = Opcode::kAcknowledge;
  if (packet.kind == PacketKind::kRequest) packet.opcode = kRequests[random.below(std::size(kRequests))];
  if (packet.kind == PacketKind::kResponse) packet.opcode = kResponses[random.below(std::size(kResponses))];
  if (packet.kind == PacketKind::kCnp) packet.opcode = Opcode::kCnp;
  const bool has_payload = packet.is_data() && packet.opcode != Opcode::kReadRequest &&
                           packet.opcode != Opcode::kFetchAdd && packet.opcode != Opcode::kAtomicAcknowledge;
  packet.payload = has_payload ? static_cast<std::uint32_t>(random.below(4'097)) : 0;
  packet.sender = static_cast<std::uint32_t>(random.below(2));
  packet.dscp = static_cast<std::uint8_t>(random.below(64));
  packet.ecn = static_cast<std::uint8_t>(random.below(4));
  packet.ip_id = static_cast<std::uint16_t>(random.next());
  packet.ack_request = packet.kind == PacketKind::kRequest && random.below(2) == 1;
  packet.damaged = random.below(4) == 0;
  packet.syndrome = static_cast<std::uint8_t>(random.next());
  packet.msn = static_cast<std::uint32_t>(random.next());
  packet.sequence = packet.kind == PacketKind::kCnp ? 0 : static_cast<Sequence>(random.next() >> 8);
  packet.address = random.next();
  packet.dma_length = static_cast<std::uint32_t>(random.next());
  return packet;
}

void compare(const Plan& plan) {
  FrameWriter writer(plan);
  Random random(4791, 0);
  for (int i = 0; i < 2'000; ++i) {
    const Packet packet = any_packet(random);
    const FrameBytes wanted = encode(writer.spec(packet));
    std::uint32_t wire_length = 0;
    const auto written = writer.write(packet, 262'144, wire_length);
    ASSERT_EQ(FrameBytes(written.begin(), written.end()), wanted) << "packet " << i;
    ASSERT_EQ(wire_length, wanted.size());
    const auto cut = writer.write(packet, 64, wire_length);
    ASSERT_EQ(FrameBytes(cut.begin(), cut.end()),
              FrameBytes(wanted.begin(), wanted.begin() + std::ptrdiff_t(cut.size())));
    ASSERT_EQ(wire_length, wanted.size());
    ASSERT_EQ(wire_bytes(packet, plan.connections[0], plan.nodes[0].ip.is_v4()),
              std::max<std::size_t>(wanted.size(), 60) + 24);
  }
}

TEST(FrameWriter, GivesTheBytesOfTheEncoderForIpv4) { compare(plan_with("192.0.2.1", "192.0.2.2", false)); }
TEST(FrameWriter, GivesTheBytesOfTheEncoderForIpv6) { compare(plan_with("2001:db8::1", "2001:db8::2", false)); }
TEST(FrameWriter, GivesTheBytesOfTheEncoderForUnreliableConnections) {
  compare(plan_with("192.0.2.1", "198.51.100.2", true));
}

}  // namespace
}  // namespace rocetop::generate::sim
