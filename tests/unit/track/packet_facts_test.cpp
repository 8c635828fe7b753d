// SPDX-License-Identifier: BSD-3-Clause
// The facts of a packet are the same whether they were taken from the decoded packet or straight from a plain frame,
// damaged or cut as it may be; and so are the keys of flows.
#include "track/packet_facts.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "generate/scenario.h"
#include "track/flow_key.h"
#include "wire/decode.h"

namespace rocetop::track {
namespace {

auto fields(const PacketFacts& f) {
  return std::tuple(f.as_number(), f.frame, f.time, f.wire_bytes, f.payload_bytes, f.read_bytes, f.read_address,
                    f.psn.value, f.msn.value, f.udp_dst, f.ip_id, f.opcode, f.syndrome, f.position, f.paused_classes,
                    f.has_aeth, f.has_reth, f.has_ip_id, f.ack_request, f.destination_options, f.headers_cut);
}

/// Nothing where the frame is not plain and common.
std::optional<PacketFacts> facts_of_plain(Bytes bytes, const wire::DecodeOptions& options) {
  wire::PlainFrame plain;
  if (!plain.take(bytes) || !plain.is_common()) return std::nullopt;
  PacketFacts out;
  take_facts(plain, wire::icrc_status(plain, options), FrameId(0, 7), milliseconds(9), 1500, out);
  return out;
}

/// Compares both ways where there are two. Returns whether there are.
bool expect_same(Bytes bytes) {
  const wire::DecodeOptions options;
  static wire::Decoded decoded;  // over what another frame left behind
  const auto plain = facts_of_plain(bytes, options);
  wire::decode(LinkType::kEthernet, bytes, static_cast<std::uint32_t>(bytes.size()), options, decoded);
  if (!plain) return false;
  EXPECT_EQ(decoded.kind, wire::FrameKind::kRoce);
  PacketFacts facts;
  take_facts(decoded.packet, FrameId(0, 7), milliseconds(9), 1500, facts);
  EXPECT_EQ(fields(*plain), fields(facts));
  return true;
}

std::vector<generate::TimedFrame> frames() {
  auto frames = generate::run_scenario(
      "W 100-102 imm | S 103-104 | R 105-107 | ACK 104 | RR 105-107 | AT 108 | ATA 108 | S 109 imm | NAK 109 | RNR "
      "109");
  EXPECT_TRUE(frames) << frames.error().message;
  return frames ? std::move(frames.value()) : std::vector<generate::TimedFrame>{};
}

TEST(PacketFacts, OfPlainFramesAreThoseOfDecodedPackets) {
  std::size_t same = 0;
  for (const auto& frame : frames()) same += expect_same(frame.bytes);
  EXPECT_GE(same, 12U);
}

TEST(PacketFacts, OfDamagedFramesAreTheSameToo) {
  const auto all = frames();
  ASSERT_FALSE(all.empty());
  std::mt19937 random(1);
  std::size_t same = 0;
  for (int round = 0; round < 50'000; ++round) {
    auto bytes = all[random() % all.size()].bytes;
    for (unsigned i = 0; i < random() % 3; ++i) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    if (random() % 2 == 0) bytes.resize(random() % (bytes.size() + 8));
    same += expect_same(bytes);
  }
  EXPECT_GT(same, 10'000U);
}

TEST(PacketFacts, AreNotTakenFromWhatTellsMore) {
  auto bytes = frames().front().bytes;
  ASSERT_TRUE(expect_same(bytes));
  constexpr std::size_t kOpcode = wire::PlainFrame::kBth;
  for (const int opcode : {0x64, 0xA4, 0x81, 0x1C, 0x45}) {  // UD, XRC, CNP, FLUSH, RD
    auto other = bytes;
    other[kOpcode] = static_cast<std::uint8_t>(opcode);
    EXPECT_FALSE(expect_same(other)) << opcode;
  }
  auto management = bytes;
  for (std::size_t i = 5; i < 8; ++i) management[kOpcode + i] = i == 7 ? 1 : 0;
  EXPECT_FALSE(expect_same(management));
}

TEST(PlainKey, IsTheFullKeyOfPlainFlowsAndOfNoOther) {
  const FlowKey key{
      {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.254"), {}}, Qpn{0xABCDEF}, {}, false};
  const auto plain = PlainKey::of(key);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->full(), key);
  auto other = key;
  other.hosts.network.vlan_outer = 5;
  EXPECT_FALSE(PlainKey::of(other));
  other = key;
  other.hosts.src = *IpAddress::parse("2001:db8::1");
  EXPECT_FALSE(PlainKey::of(other));
  other = key;
  other.hosts.protocol = wire::Protocol::kRoceV1;
  EXPECT_FALSE(PlainKey::of(other));
  other = key;
  other.datagram = true;
  EXPECT_FALSE(PlainKey::of(other));
}

}  // namespace
}  // namespace rocetop::track
