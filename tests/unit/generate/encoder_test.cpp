// SPDX-License-Identifier: BSD-3-Clause
// The encoder against frames that real stacks sent: the same fields must give the same bytes, ICRC included.
#include "generate/encoder.h"

#include <gtest/gtest.h>

#include <string>

#include "generate/cm_encoder.h"

namespace rocetop::generate {
namespace {

std::string hex(const FrameBytes& bytes, std::size_t first = 0) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = first; i < bytes.size(); ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  return out;
}

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

PacketSpec from_a_to_b() {
  PacketSpec packet;
  packet.src = ip("192.0.2.1");
  packet.dst = ip("192.0.2.2");
  return packet;
}

TEST(Encode, EqualsACompareSwapOfSoftRoce) {
  PacketSpec packet = from_a_to_b();
  packet.ip_id = 0x9BE5;
  packet.udp_src = 0xC1B9;
  packet.opcode = 0x13;
  packet.dest_qp = Qpn{0x15};
  packet.ack_request = true;
  packet.psn = Psn{0x39EEF1};
  packet.atomic = AtomicEthSpec{0x559B5F5AE000, 0x6BD, 0, 0};
  EXPECT_EQ(hex(encode(packet)),
            "020000000002020000000001080045000048"
            "9be5400040111abcc0000201c0000202c1b912b700340000"
            "1300ffff000000158039eef10000559b5f5ae000000006bd"
            "00000000000000000000000000000000ed8edc14");
}

TEST(Encode, EqualsAnAcknowledgementOfSoftRoceOverIpv6) {
  PacketSpec packet;
  std::swap(packet.mac_src, packet.mac_dst);
  packet.src = ip("2001:db8::2");
  packet.dst = ip("2001:db8::1");
  packet.dscp = 26;
  packet.ecn = 2;
  packet.udp_src = 0xCB64;
  packet.set(Opcode::kAcknowledge);
  packet.dest_qp = Qpn{0x36};
  packet.psn = Psn{0x15A705};
  packet.aeth = AethSpec{0x1F, Msn{1}};
  EXPECT_EQ(hex(encode(packet)),
            "02000000000102000000000286dd66a00000001c1140"
            "20010db800000000000000000000000220010db8000000000000000000000001"
            "cb6412b7001c00001100ffff000000360015a7051f000001da729309");
}

TEST(Encode, EqualsACongestionNotificationOfAnAdapter) {
  PacketSpec packet;
  packet.mac_dst = {0xE4, 0x1D, 0x2D, 0xAB, 0x2B, 0xC2};
  packet.mac_src = {0x7C, 0xFE, 0x90, 0x64, 0x3B, 0x32};
  packet.src = ip("10.0.17.1");
  packet.dst = ip("10.0.18.1");
  packet.dscp = 48;
  packet.ecn = 2;
  packet.ip_id = 0x718C;
  packet.udp_src = 0;
  packet.dest_qp = Qpn{0x118};
  packet.psn = Psn{77};  // what make_cnp() must forget
  packet.ack_request = true;
  EXPECT_EQ(hex(encode(make_cnp(packet))),
            "e41d2dab2bc27cfe90643b32080045c2003c718c400040119161"
            "0a0011010a001201000012b7002800008100ffff400001180000000000000000000000000000000000000000"
            "82fd002a");
}

TEST(Encode, WritesHeadersInWireOrder) {
  PacketSpec packet = from_a_to_b();
  packet.set(Opcode::kWriteOnlyImmediate);
  packet.solicited = true;
  packet.migration = true;
  packet.fecn = true;
  packet.dest_qp = Qpn{0x010203};
  packet.psn = Psn{0xFFFFFF};
  packet.immediate = 0xAABBCCDD;
  packet.reth = RethSpec{0x1122334455667788, 0x99, 5};
  packet.payload = {1, 2, 3, 4, 5};
  const std::string bytes = hex(encode(packet), 42);
  EXPECT_EQ(bytes.substr(0, bytes.size() - 8),
            "0bf0ffff8001020300ffffff"
            "11223344556677880000009900000005"
            "aabbccdd"
            "0102030405000000");
}

TEST(Encode, TagsVlan) {
  PacketSpec packet = from_a_to_b();
  packet.vlan = 100;
  EXPECT_EQ(hex(encode(packet)).substr(24, 12), "810000640800");
}

TEST(Encode, IcrcIgnoresWhatRoutersChange) {
  PacketSpec packet = from_a_to_b();
  packet.payload.assign(16, 7);
  const auto icrc = [](const PacketSpec& p) {
    const std::string bytes = hex(encode(p));
    return bytes.substr(bytes.size() - 8);
  };
  const std::string before = icrc(packet);
  packet.ecn = 3;
  packet.dscp = 8;
  packet.hop_limit = 1;
  packet.becn = true;
  EXPECT_EQ(icrc(packet), before);
  packet.bad_icrc = true;
  EXPECT_NE(icrc(packet), before);
  packet.bad_icrc = false;
  packet.payload.back() = 8;
  EXPECT_NE(icrc(packet), before);
}

TEST(MakeCm, PlacesTheFieldsOfAReq) {
  CmSpec message;
  message.transaction_id = 0x0102030405060708;
  message.local_comm_id = 0xA1A2A3A4;
  message.qpn = Qpn{0x17F};
  message.starting_psn = Psn{0xA81519};
  message.path_mtu = 2048;
  message.transport_type = 1;
  const FrameBytes frame = encode(make_cm(from_a_to_b(), message));
  ASSERT_EQ(frame.size(), 14U + 20 + 8 + 12 + 8 + 256 + 4);
  const std::string mad = hex(frame, 62);
  EXPECT_EQ(mad.substr(0, 48), "010702030000000001020304050607080010000000000000");
  const auto at = [&](std::size_t offset, std::size_t octets) { return mad.substr((24 + offset) * 2, octets * 2); };
  EXPECT_EQ(at(0, 4), "a1a2a3a4");
  EXPECT_EQ(at(8, 8), "0000000001064853");
  EXPECT_EQ(at(32, 3), "00017f");
  EXPECT_EQ(at(43, 1), "02");
  EXPECT_EQ(at(44, 4), "a8151907");
  EXPECT_EQ(at(50, 1), "47");
  EXPECT_EQ(at(56, 16), "00000000000000000000ffffc0000201");
  EXPECT_EQ(at(95, 1), "70");
}

TEST(MakeCm, PlacesTheFieldsOfTheOthers) {
  CmSpec message;
  message.local_comm_id = 1;
  message.remote_comm_id = 2;
  message.qpn = Qpn{0x12};
  message.starting_psn = Psn{5};
  const auto mad = [&](CmType type) {
    message.type = type;
    return hex(encode(make_cm(from_a_to_b(), message)), 62 + 24);
  };
  EXPECT_EQ(mad(CmType::kRep).substr(0, 56),
            "0000000100000002000000000000120000000000000005000000"
            "00e0");
  EXPECT_EQ(mad(CmType::kRej).substr(0, 24), "00000001000000020000001c");
  EXPECT_EQ(mad(CmType::kDreq).substr(0, 24), "000000010000000200001200");
  EXPECT_EQ(mad(CmType::kRtu).substr(0, 24), "000000010000000200000000");
  EXPECT_EQ(mad(CmType::kDrep).substr(0, 24), "000000010000000200000000");
}

}  // namespace
}  // namespace rocetop::generate
