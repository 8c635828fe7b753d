// SPDX-License-Identifier: BSD-3-Clause
// ICRC: bytes of real adapters, the masks, and that a single changed bit shows.
#include <gtest/gtest.h>

#include "frame.h"

namespace rocetop::wire::test {
namespace {

// Captured from adapters; the bytes stand as a public test corpus quotes them (secdev/scapy, test/contrib/roce.uts).
// A CNP of a ConnectX-4 Lx:
constexpr std::string_view kCnp =
    "e41d2dab2bc27cfe90643b32080045c2003c718c40004011916"
    "10a0011010a001201"
    "000012b700280000 8100ffff40000118 00000000 00000000000000000000000000000000 82fd002a";
// RoCEv1, WRITE Only of one byte and its ACK:
constexpr std::string_view kWrite =
    "7cfe90753cd87cfe90753cd88915 6020000000281b40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002"
    "0a70ffff0000010a80a788bc 000055d4c0726000000047b300000005 00000000 01000000 e3d856bb";
constexpr std::string_view kWriteAck =
    "7cfe90753cd87cfe90753cd88915 6020000000141b40 00000000000000000000ffff0f000002 00000000000000000000ffff0f000002"
    "1140ffff0000010900a788c0 00000005 25f0c038";

IcrcStatus icrc_of(const Frame& ip) { return decode_frame(LinkType::kRaw, ip)->packet.icrc; }

TEST(Icrc, CnpOfAnAdapter) {
  const Result result = decode_frame(LinkType::kEthernet, hex(kCnp));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_TRUE(result->packet.is_cnp());
  EXPECT_TRUE(result->packet.bth.becn);
  EXPECT_EQ(result->packet.bth.dest_qp, Qpn{0x118});
  EXPECT_EQ(result->packet.udp_src, 0);
  EXPECT_EQ(result->packet.dscp(), 48);
  EXPECT_EQ(result->packet.icrc_value, 0x2a00fd82u);
  EXPECT_EQ(result->packet.icrc, IcrcStatus::kGood);
}

TEST(Icrc, RoceV1OfAnAdapter) {
  const Result write = decode_frame(LinkType::kEthernet, hex(kWrite));
  ASSERT_EQ(write->kind, FrameKind::kRoce);
  EXPECT_EQ(write->packet.protocol, Protocol::kRoceV1);
  EXPECT_EQ(write->packet.src.to_string(), "15.0.0.2");
  EXPECT_EQ(write->packet.reth.dma_length, 5u);
  EXPECT_EQ(write->packet.payload_bytes, 5u);
  EXPECT_EQ(write->packet.icrc, IcrcStatus::kGood);
  const Result ack = decode_frame(LinkType::kEthernet, hex(kWriteAck));
  EXPECT_EQ(ack->packet.aeth.msn, Msn{5});
  EXPECT_EQ(ack->packet.icrc, IcrcStatus::kGood);
}

TEST(Icrc, FieldsThatRoutersChangeAreMasked) {
  for (const std::size_t offset : {1, 8, 10, 11, 26, 27, 32}) {  // TOS, TTL, checksums, BTH byte 4
    Frame packet = send_only();
    packet[offset] ^= 0x5A;
    EXPECT_EQ(icrc_of(packet), IcrcStatus::kGood) << "offset " << offset;
  }
  const Frame v6 = with_icrc(ipv6(17, udp(4791, roce(0x04, zeros(8)))), 48);
  for (const std::size_t offset : {1, 2, 3, 7, 46, 47, 52}) {
    Frame packet = v6;
    packet[offset] ^= 0x5A;
    EXPECT_EQ(icrc_of(packet), IcrcStatus::kGood) << "offset " << offset;
  }
}

TEST(Icrc, EveryOtherBitIsCovered) {
  const Frame good = send_only();
  // Identification, addresses, source port, BTH (opcode kept), payload, ICRC itself.
  for (const std::size_t offset : {4, 5, 12, 15, 16, 19, 20, 21, 30, 33, 35, 36, 37, 39, 40, 47, 48, 51}) {
    for (int bit = 0; bit < 8; ++bit) {
      Frame packet = good;
      packet[offset] ^= static_cast<std::uint8_t>(1 << bit);
      EXPECT_EQ(icrc_of(packet), IcrcStatus::kBad) << "offset " << offset << " bit " << bit;
    }
  }
}

TEST(Icrc, OptionsAreCoveredAsTheyStand) {
  const Frame good = with_icrc(ipv4(17, udp(4791, roce(0x04, zeros(8))), {.options = hex("01010101")}), 32);
  EXPECT_EQ(icrc_of(good), IcrcStatus::kGood);
  Frame changed = good;
  changed[21] = 0x00;
  EXPECT_EQ(icrc_of(changed), IcrcStatus::kBad);
}

TEST(Icrc, LongPayloadAndPad) {
  Frame payload(4096, 0xA5);
  payload[1] = 0x5A;
  EXPECT_EQ(icrc_of(with_icrc(ipv4(17, udp(4791, roce(0x01, payload))), 28)), IcrcStatus::kGood);
  EXPECT_EQ(icrc_of(with_icrc(ipv4(17, udp(4791, roce(0x04, zeros(8), 3))), 28)), IcrcStatus::kGood);
}

TEST(Icrc, CanBeLeftOut) {
  DecodeOptions options;
  options.verify_icrc = false;
  Frame packet = send_only();
  packet.back() ^= 1;
  EXPECT_EQ(decode_frame(LinkType::kRaw, packet, 0, options)->packet.icrc, IcrcStatus::kUnchecked);
}

}  // namespace
}  // namespace rocetop::wire::test
