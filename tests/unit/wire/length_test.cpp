// SPDX-License-Identifier: BSD-3-Clause
// Lengths: what the headers claim, what was captured, and what follows when they disagree.
#include <gtest/gtest.h>

#include "frame.h"

namespace rocetop::wire::test {
namespace {

constexpr std::uint8_t kWriteFirstOpcode = 0x06;
const Frame kReth = hex("0000000011223344 00000099 00000400");

Frame write_first() { return ipv4(17, udp(4791, roce(kWriteFirstOpcode, kReth + Frame(1024, 0x5A)))); }
Frame prefix(const Frame& frame, std::size_t n) {
  return Frame(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(n));
}

void expect_undecodable(const Frame& ip, Undecodable reason) {
  const Result result = decode_frame(LinkType::kRaw, ip);
  EXPECT_EQ(result->kind, FrameKind::kUndecodable);
  EXPECT_EQ(reason_name(result->reason), reason_name(reason));
}

TEST(Length, SnapLengthCutsThePayload) {
  const Result result = decode_frame(LinkType::kIpv4, prefix(write_first(), 100), 1084);
  const Packet& packet = result->packet;
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_TRUE(packet.truncated);
  EXPECT_EQ(packet.payload_bytes, 1024u) << "by the lengths, not by what was captured";
  EXPECT_EQ(packet.payload.size(), 100u - 20 - 8 - 12 - 16);
  EXPECT_TRUE(packet.has(Header::kReth));
  EXPECT_EQ(packet.icrc, IcrcStatus::kUnchecked);
}

TEST(Length, SnapLengthCutsTheIcrc) {
  const Frame whole = send_only();
  const Result result =
      decode_frame(LinkType::kIpv4, prefix(whole, whole.size() - 1), static_cast<std::uint32_t>(whole.size()));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_TRUE(result->packet.truncated);
  EXPECT_EQ(result->packet.payload.size(), 8u);
  EXPECT_EQ(result->packet.icrc, IcrcStatus::kUnchecked);
  EXPECT_EQ(result->packet.icrc_value, 0u);
}

TEST(Length, SnapLengthCutsAnExtensionHeader) {
  const Result result = decode_frame(LinkType::kIpv4, prefix(write_first(), 20 + 8 + 12 + 15));
  const Packet& packet = result->packet;
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(packet.headers, 0u);
  EXPECT_EQ(packet.expected_headers, std::uint32_t{Header::kReth});
  EXPECT_EQ(packet.payload_bytes, 1024u);
  EXPECT_TRUE(packet.payload.empty());
}

TEST(Length, SnapLengthCutsTheBth) {
  expect_undecodable(prefix(write_first(), 20 + 8 + 11), Undecodable::kCutBeforeBth);
  expect_undecodable(prefix(write_first(), 20 + 4), Undecodable::kCutBeforeBth);  // the port is all there is
  EXPECT_EQ(decode_frame(LinkType::kRaw, prefix(write_first(), 20 + 3))->kind, FrameKind::kOther);
  expect_undecodable(prefix(ipv6(17, udp(4791, roce(4, zeros(8)))), 40 + 8 + 11), Undecodable::kCutBeforeBth);
}

TEST(Length, CutGrhIsRoceAllTheSame) {
  const Result result = decode_frame(LinkType::kEthernet, prefix(ethernet(0x8915, grh(roce(4, {}))), 50));
  EXPECT_EQ(result->kind, FrameKind::kUndecodable);
  EXPECT_EQ(result->reason, Undecodable::kCutBeforeBth);
}

TEST(Length, EthernetPaddingAndFcsAreNotPayload) {
  // An ACK's frame is padded to 60 bytes and may be followed by an FCS.
  const Frame ack = with_icrc(ipv4(17, udp(4791, roce(0x11, hex("1F000001")))), 28);
  for (const std::size_t trailer : {0, 4, 12, 16}) {
    const Result result = decode_frame(LinkType::kEthernet, ethernet(0x0800, ack) + Frame(trailer, 0xEE));
    ASSERT_EQ(result->kind, FrameKind::kRoce);
    EXPECT_EQ(result->packet.payload_bytes, 0u);
    EXPECT_EQ(result->packet.icrc, IcrcStatus::kGood);
    EXPECT_FALSE(result->packet.truncated);
  }
}

TEST(Length, UdpShorterThanIpEndsThePacket) {
  const Frame packet = udp(4791, roce(4, zeros(8))) + zeros(6);
  const Result result = decode_frame(LinkType::kIpv4, ipv4(17, packet));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(result->packet.payload_bytes, 8u);
}

TEST(Length, UdpWithoutRoom) {
  for (const int length : {0, 7, 8, 8 + 12, 8 + 15}) {
    expect_undecodable(ipv4(17, udp(4791, roce(0x04, zeros(8)), length)), Undecodable::kShortUdp);
  }
  EXPECT_EQ(decode_frame(LinkType::kRaw, ipv4(17, udp(4791, roce(0x04, zeros(8)), 8 + 16)))->kind, FrameKind::kRoce);
  expect_undecodable(ipv4(17, udp(4791, {}), {.total_length = 24}), Undecodable::kShortUdp);
}

TEST(Length, NoRoomForTheOpcodesHeaders) {
  expect_undecodable(ipv4(17, udp(4791, roce(kWriteFirstOpcode, zeros(15)))), Undecodable::kShortUdp);
  expect_undecodable(ipv4(17, udp(4791, roce(0x11, zeros(3)))), Undecodable::kShortUdp);
  EXPECT_EQ(decode_frame(LinkType::kRaw, ipv4(17, udp(4791, roce(0x11, zeros(4)))))->kind, FrameKind::kRoce);
}

TEST(Length, NoRoomForThePad) {
  expect_undecodable(ipv4(17, udp(4791, roce(0x04, zeros(2), 3))), Undecodable::kShortUdp);
  const Result result = decode_frame(LinkType::kRaw, ipv4(17, udp(4791, roce(0x04, zeros(8), 3))));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(result->packet.payload_bytes, 5u);
}

TEST(Length, UdpLongerThanIp) {
  expect_undecodable(ipv4(17, udp(4791, roce(0x04, zeros(8)), 60)), Undecodable::kLengthMismatch);
  expect_undecodable(ipv6(17, udp(4791, roce(0x04, zeros(8)), 60)), Undecodable::kLengthMismatch);
}

TEST(Length, IpLengthZeroMeansTheFramesEnd) {
  const Frame datagram = udp(4791, roce(0x04, zeros(8)));
  EXPECT_EQ(decode_frame(LinkType::kRaw, ipv4(17, datagram, {.total_length = 0}))->packet.payload_bytes, 8u);
  EXPECT_EQ(decode_frame(LinkType::kRaw, ipv6(17, datagram, 0))->packet.payload_bytes, 8u);
  expect_undecodable(ipv4(17, udp(4791, roce(0x04, zeros(8)), 60), {.total_length = 0}), Undecodable::kLengthMismatch);
}

TEST(Length, IpHeaderLies) {
  const Frame datagram = udp(4791, roce(0x04, zeros(8)));
  EXPECT_EQ(decode_frame(LinkType::kRaw, ipv4(17, datagram, {.total_length = 19}))->kind, FrameKind::kOther);
  Frame short_header =
      prefix(ipv4(17, {}, {.total_length = 16 + 32}), 16) + datagram;  // 4 words, where 5 are the least
  short_header[0] = 0x44;
  EXPECT_EQ(decode_frame(LinkType::kRaw, short_header)->kind, FrameKind::kOther);
  Frame long_header = ipv4(17, {});
  long_header[0] = 0x4F;
  long_header[3] = 60;
  EXPECT_EQ(decode_frame(LinkType::kRaw, long_header)->kind, FrameKind::kOther);
}

TEST(Length, MirrorThatCutsTheFrameIsTruncationNotAFault) {
  // The switch mirrored 68 bytes of the frame, and its own headers are true.
  const Frame inner = prefix(ethernet(0x0800, write_first()), 68);
  const Frame fcs = hex("11223344");
  const Frame mirrored = ethernet(0x0800, ipv4(47, hex("1000 88BE 00000001 1064 6465 00000005") + inner)) + fcs;
  const Result result = decode_frame(LinkType::kEthernet, mirrored);
  const Packet& packet = result->packet;
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_TRUE(packet.truncated);
  EXPECT_EQ(packet.payload_bytes, 1024u);
  EXPECT_FALSE(packet.has(Header::kReth)) << "14 of its 16 bytes are there, and the FCS is none of them";
  EXPECT_TRUE(packet.payload.empty());
}

TEST(Length, MirrorThatCutsIpv6) {
  const Frame whole = ethernet(0x86DD, ipv6(17, udp(4791, roce(kWriteFirstOpcode, kReth + Frame(1024, 0x5A)))));
  const Frame outer_payload = hex("0000 88BE") + prefix(whole, 88);  // 14 bytes of the RETH
  for (const Frame& mirrored : {ethernet(0x0800, ipv4(47, outer_payload)), ethernet(0x86DD, ipv6(47, outer_payload))}) {
    const Result result = decode_frame(LinkType::kEthernet, mirrored + hex("11223344"));
    ASSERT_EQ(result->kind, FrameKind::kRoce);
    EXPECT_TRUE(result->packet.truncated);
    EXPECT_FALSE(result->packet.has(Header::kReth));
  }
}

TEST(Length, IpLengthZeroEndsWithTheOuterPacket) {
  const Frame inner = ipv4(17, udp(4791, roce(0x04, zeros(8)), 8 + 24 + 4), {.total_length = 0});
  const Result result = decode_frame(LinkType::kEthernet, ethernet(0x0800, ipv4(4, inner)) + hex("11223344"));
  EXPECT_EQ(result->kind, FrameKind::kUndecodable);
  EXPECT_EQ(result->reason, Undecodable::kLengthMismatch) << "the FCS is not its payload";
}

TEST(Length, FirstFragmentIsDecoded) {
  const Frame whole = udp(4791, roce(kWriteFirstOpcode, kReth + Frame(1024, 0x5A)));
  const Result result = decode_frame(LinkType::kIpv4, ipv4(17, prefix(whole, 512), {.fragment = 0x2000}));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_TRUE(result->ip_fragment);
  EXPECT_TRUE(result->packet.fragment);
  EXPECT_FALSE(result->packet.truncated) << "the rest travels in other frames";
  EXPECT_EQ(result->packet.payload_bytes, 1024u);
  EXPECT_EQ(result->packet.icrc, IcrcStatus::kUnchecked);

  const Frame fragment = ipv4(17, prefix(whole, 512), {.fragment = 0x2000});
  const Result cut = decode_frame(LinkType::kIpv4, prefix(fragment, 128), static_cast<std::uint32_t>(fragment.size()));
  EXPECT_TRUE(cut->packet.truncated) << "a fragment can be cut as well";
}

TEST(Length, LaterFragmentHasNoPorts) {
  const Result v4 = decode_frame(LinkType::kIpv4, ipv4(17, udp(4791, roce(4, zeros(8))), {.fragment = 0x0040}));
  EXPECT_EQ(v4->kind, FrameKind::kOther);
  EXPECT_TRUE(v4->ip_fragment);
  const Result v6 = decode_frame(LinkType::kIpv6, ipv6(44, hex("11 00 0201 00000007") + udp(4791, roce(4, zeros(8)))));
  EXPECT_EQ(v6->kind, FrameKind::kOther);
  EXPECT_TRUE(v6->ip_fragment);
}

TEST(Length, EveryFragmentOffsetCounts) {
  for (std::uint32_t bit = 1; bit <= 0x1000; bit <<= 1) {
    const auto offset = static_cast<std::uint16_t>(bit);
    const Result v4 = decode_frame(LinkType::kIpv4, ipv4(17, udp(4791, roce(4, zeros(8))), {.fragment = offset}));
    EXPECT_EQ(v4->kind, FrameKind::kOther) << bit;
    EXPECT_TRUE(v4->ip_fragment) << bit;
    const Result v6 =
        decode_frame(LinkType::kIpv6, ipv6(44, hex("1100") + be16(bit << 3) + be32(7) + udp(4791, roce(4, zeros(8)))));
    EXPECT_EQ(v6->kind, FrameKind::kOther) << bit;
    EXPECT_TRUE(v6->ip_fragment) << bit;
  }
}

TEST(Length, AtomicFragmentIsWhole) {
  const Result result =
      decode_frame(LinkType::kIpv6, ipv6(44, hex("11 00 0000 00000007") + udp(4791, roce(4, zeros(8)))));
  EXPECT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_FALSE(result->ip_fragment);
}

TEST(Length, DontFragmentIsNoFragment) {
  const Result result = decode_frame(LinkType::kIpv4, ipv4(17, udp(4791, roce(4, zeros(8))), {.fragment = 0x4000}));
  EXPECT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_FALSE(result->ip_fragment);
}

TEST(Length, Ipv6ExtensionsBeyondThePayload) {
  // The header claims 2 KiB.
  EXPECT_EQ(decode_frame(LinkType::kIpv6, ipv6(60, hex("11 FF 0104 00000000") + udp(4791, roce(4, zeros(8)))))->kind,
            FrameKind::kOther);
  Frame chain;
  for (int i = 0; i < 200; ++i) chain = chain + hex("3C 00 0104 00000000");
  EXPECT_EQ(decode_frame(LinkType::kIpv6, ipv6(60, chain))->kind, FrameKind::kOther);
}

TEST(Length, InfinibandLengthIsInWords) {
  const Frame packet = roce(0x04, zeros(8));
  EXPECT_EQ(decode_frame(LinkType::kInfiniband, hex("0002 0007 0001 0009") + packet)->kind, FrameKind::kOther);
  const Result result = decode_frame(LinkType::kInfiniband, hex("0002 0007 0003 0009") + packet);
  EXPECT_EQ(result->kind, FrameKind::kUndecodable);
  EXPECT_EQ(result->reason, Undecodable::kShortUdp);
}

TEST(Length, GrhLongerThanItsLrh) {
  const Frame packet = grh(roce(0x04, zeros(8)));  // 16 words
  const Result result = decode_frame(LinkType::kInfiniband, hex("0003 0007 0011 0009") + packet);
  EXPECT_EQ(result->kind, FrameKind::kUndecodable);
  EXPECT_EQ(result->reason, Undecodable::kLengthMismatch);
  EXPECT_EQ(decode_frame(LinkType::kInfiniband, hex("0003 0007 0012 0009") + packet)->kind, FrameKind::kRoce);
}

TEST(Length, EveryReasonHasAName) {
  for (std::size_t i = 0; i < kUndecodableCount; ++i)
    EXPECT_NE(reason_name(static_cast<Undecodable>(i)), "unknown") << i;
  EXPECT_EQ(reason_name(static_cast<Undecodable>(kUndecodableCount)), "unknown");
}

TEST(Length, OldFrameLeavesNothingBehind) {
  // One Decoded is used for all frames.
  Decoded out;
  const Frame tunnelled = ethernet(0x8100, vlan_tag(9, 0x0800, ipv4(17, udp(4791, roce(0x12, zeros(12))))));
  decode(LinkType::kEthernet, tunnelled, static_cast<std::uint32_t>(tunnelled.size()), {}, out);
  ASSERT_EQ(out.packet.headers, Header::kAeth | Header::kAtomicAckEth);
  const Frame optional = ethernet(0x86DD, ipv6(60, hex("11 00 0104 00000000") + udp(4791, roce(0x81, {}))));
  decode(LinkType::kEthernet, optional, static_cast<std::uint32_t>(optional.size()), {}, out);
  ASSERT_TRUE(out.packet.destination_options);
  const Frame other = ethernet(0x8915, grh(roce(0x07, zeros(4))));
  decode(LinkType::kEthernet, other, static_cast<std::uint32_t>(other.size()), {}, out);
  EXPECT_EQ(out.packet.headers, 0u);
  EXPECT_FALSE(out.packet.destination_options);
  EXPECT_EQ(out.packet.network, NetworkKey{});
  EXPECT_EQ(out.packet.layer_count, 2);
  EXPECT_EQ(out.packet.udp_dst, 0);
  decode(LinkType::kEthernet, Bytes{}, 0, {}, out);
  EXPECT_EQ(out.kind, FrameKind::kOther);
  EXPECT_EQ(out.packet.layer_count, 0);
  EXPECT_EQ(out.packet.payload_bytes, 0u);
}

}  // namespace
}  // namespace rocetop::wire::test
