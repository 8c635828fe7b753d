// SPDX-License-Identifier: BSD-3-Clause
// Every link type and encapsulation leads to the same packet, and says what was on the way.
#include <gtest/gtest.h>

#include "frame.h"

namespace rocetop::wire::test {
namespace {

TEST(Encapsulation, EachLeadsToThePacket) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const Result result = decode_frame(sample.link_type, sample.frame);
    const Packet& packet = result->packet;
    ASSERT_EQ(result->kind, FrameKind::kRoce) << reason_name(result->reason);
    EXPECT_EQ(packet.bth.opcode, 0x04);
    EXPECT_EQ(packet.bth.dest_qp, Qpn{0x12});
    EXPECT_EQ(packet.bth.psn, Psn{0x345678});
    EXPECT_EQ(packet.payload_bytes, 8u);
    EXPECT_EQ(Frame(packet.payload.begin(), packet.payload.end()), hex("0123456789ABCDEF"));
    EXPECT_FALSE(packet.truncated);
    EXPECT_EQ(packet.icrc, sample.icrc);
    EXPECT_EQ(packet.network, sample.network);
  }
}

TEST(Encapsulation, LayersAreListedInOrder) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    const Result result = decode_frame(sample.link_type, sample.frame);
    const Packet& packet = result->packet;
    ASSERT_EQ(packet.layer_count, sample.layers.size());
    for (std::size_t i = 0; i < sample.layers.size(); ++i) {
      EXPECT_EQ(packet.layers[i].kind, sample.layers[i].kind) << "layer " << i;
      EXPECT_EQ(packet.layers[i].value, sample.layers[i].value) << "layer " << i;
      EXPECT_GE(packet.layers[i].offset, packet.layers[i == 0 ? 0 : i - 1].offset);
    }
  }
}

TEST(Encapsulation, LayersKnowTheirOffsets) {
  const Frame frame = ethernet(0x8100, vlan_tag(1, 0x0800, send_only()));
  const Result result = decode_frame(LinkType::kEthernet, frame);
  ASSERT_EQ(result->packet.layer_count, 4);
  EXPECT_EQ(result->packet.layers[0].offset, 0);
  EXPECT_EQ(result->packet.layers[1].offset, 14);
  EXPECT_EQ(result->packet.layers[2].offset, 18);
  EXPECT_EQ(result->packet.layers[3].offset, 38);
}

TEST(Encapsulation, FieldsComeFromTheInnermostIp) {
  const Frame tunnelled = ethernet(0x86DD, ipv6(4, send_only()));
  const Result result = decode_frame(LinkType::kEthernet, tunnelled);
  const Packet& packet = result->packet;
  EXPECT_EQ(packet.src.to_string(), "192.0.2.1");
  EXPECT_EQ(packet.dst.to_string(), "192.0.2.2");
  EXPECT_EQ(packet.udp_src, 49152);
  EXPECT_EQ(packet.udp_dst, 4791);
  EXPECT_EQ(packet.dscp(), 26);
  EXPECT_EQ(packet.ecn(), Ecn::kEct1);
  EXPECT_EQ(packet.hop_limit, 64);
  EXPECT_TRUE(packet.has_ip_id);
  EXPECT_EQ(packet.ip_id, 0xABCD);
}

TEST(Encapsulation, Ipv6Fields) {
  const Result result =
      decode_frame(LinkType::kEthernet, ethernet(0x0800, ipv4(41, ipv6(17, udp(4791, roce(0x04, {}))))));
  const Packet& packet = result->packet;
  EXPECT_EQ(packet.src.to_string(), "2001:db8::1");
  EXPECT_EQ(packet.dst.to_string(), "2001:db8::2");
  EXPECT_EQ(packet.traffic_class, 0x69);
  EXPECT_EQ(packet.hop_limit, 63);
  EXPECT_FALSE(packet.has_ip_id) << "the outer header's must not shine through";
  EXPECT_FALSE(packet.destination_options);
}

TEST(Encapsulation, RoceV1HasGidsAndNoPorts) {
  const Frame inner = ethernet(0x8915, grh(roce(0x04, {})));
  const Result result =
      decode_frame(LinkType::kEthernet, ethernet(0x0800, ipv4(17, udp(4789, hex("0800000000138800") + inner))));
  const Packet& packet = result->packet;
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(packet.protocol, Protocol::kRoceV1);
  EXPECT_EQ(packet.src.to_string(), "192.0.2.1");
  EXPECT_EQ(packet.udp_src, 0);
  EXPECT_EQ(packet.udp_dst, 0);
  EXPECT_FALSE(packet.has_ip_id);
  EXPECT_EQ(packet.traffic_class, 0x69);
}

TEST(Encapsulation, DestinationOptionsAreNoted) {
  const Frame options = hex("11 00 0104 00000000");
  const Result result = decode_frame(LinkType::kIpv6, ipv6(60, options + udp(4791, roce(0x81, zeros(16)))));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_TRUE(result->packet.destination_options);
}

TEST(Encapsulation, WhatTheOuterIpHadIsForgotten) {
  const Frame first_fragment_with_options = hex("2C 00 0104 00000000") + hex("04 00 0001 00000007");
  const Frame v4 = ipv6(60, first_fragment_with_options + send_only());
  Frame inner_v6 = first_fragment_with_options + ipv6(17, udp(4791, roce(0x04, {})));
  inner_v6[8] = 41;
  for (const Frame& frame : {v4, ipv6(60, inner_v6)}) {
    const Result result = decode_frame(LinkType::kIpv6, frame);
    ASSERT_EQ(result->kind, FrameKind::kRoce);
    EXPECT_FALSE(result->packet.destination_options);
    EXPECT_FALSE(result->packet.fragment);
    EXPECT_TRUE(result->ip_fragment) << "but the frame did hold a fragment";
  }
}

TEST(Encapsulation, NestingHasALimit) {
  Frame frame = ethernet(0x8100, {});
  for (int i = 0; i < 60; ++i) frame = frame + vlan_tag(1, 0x8100, {});
  const Result deep = decode_frame(LinkType::kEthernet, frame);
  EXPECT_EQ(deep->kind, FrameKind::kOther);
  EXPECT_TRUE(deep->too_deep);
  EXPECT_EQ(deep->packet.layer_count, kMaxLayers);

  Frame nested = send_only();
  for (std::size_t i = 0; i < kMaxLayers - 2; ++i) nested = ipv4(4, nested);
  EXPECT_EQ(decode_frame(LinkType::kIpv4, nested)->kind, FrameKind::kRoce);
  const Result one_more = decode_frame(LinkType::kIpv4, ipv4(4, nested));
  EXPECT_EQ(one_more->kind, FrameKind::kOther);
  EXPECT_TRUE(one_more->too_deep);
  EXPECT_FALSE(decode_frame(LinkType::kIpv4, send_only())->too_deep);
}

TEST(Encapsulation, OtherTraffic) {
  const Frame roce_packet = roce(0x04, zeros(8));
  EXPECT_EQ(decode_frame(LinkType::kEthernet, ethernet(0x0806, zeros(46)))->kind, FrameKind::kOther) << "ARP";
  EXPECT_EQ(decode_frame(LinkType::kEthernet, ethernet(0x0040, hex("AAAA03") + zeros(61)))->kind, FrameKind::kOther)
      << "LLC";
  EXPECT_EQ(decode_frame(LinkType::kIpv4, ipv4(6, udp(4791, roce_packet)))->kind, FrameKind::kOther) << "TCP";
  EXPECT_EQ(decode_frame(LinkType::kIpv4, ipv4(17, udp(53, roce_packet)))->kind, FrameKind::kOther);
  EXPECT_EQ(decode_frame(LinkType::kIpv4, ipv4(17, udp(4789, hex("00000000 00138800") + ethernet(0x0800, send_only()))))
                ->kind,
            FrameKind::kOther)
      << "VXLAN without the I flag";
  EXPECT_EQ(decode_frame(LinkType::kIpv4, ipv4(47, hex("0001 880B") + send_only()))->kind, FrameKind::kOther) << "PPTP";
  EXPECT_EQ(decode_frame(LinkType::kIpv4, ipv4(47, hex("4000 0800 00000000") + send_only()))->kind, FrameKind::kOther);
  EXPECT_EQ(decode_frame(static_cast<LinkType>(105), ethernet(0x0800, send_only()))->kind, FrameKind::kOther);
  EXPECT_EQ(decode_frame(LinkType::kNull, hex("07000000") + send_only())->kind, FrameKind::kOther);
  EXPECT_EQ(decode_frame(LinkType::kErf, hex("0000000000000000 01 04 0060 0000 0050") + send_only())->kind,
            FrameKind::kOther);
  EXPECT_EQ(decode_frame(LinkType::kInfiniband, hex("0000 0007 000A 0009") + zeros(32))->kind, FrameKind::kOther)
      << "raw";
}

TEST(Encapsulation, PortsCanBeAdded) {
  const Frame frame = ipv4(17, udp(5000, roce(0x04, zeros(8))));
  EXPECT_EQ(decode_frame(LinkType::kIpv4, frame)->kind, FrameKind::kOther);
  DecodeOptions options;
  options.roce_ports = {4999, 5000};
  const Result result = decode_frame(LinkType::kIpv4, frame, 0, options);
  EXPECT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(result->packet.protocol, Protocol::kRoceV2);
}

}  // namespace
}  // namespace rocetop::wire::test
