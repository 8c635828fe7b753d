// SPDX-License-Identifier: BSD-3-Clause
// BTH, extension headers and payload, field by field.
#include <gtest/gtest.h>

#include "frame.h"
#include "wire/opcode.h"

namespace rocetop::wire::test {
namespace {

Result decode_roce(std::uint8_t opcode, std::string_view rest, std::uint8_t pad = 0) {
  return decode_frame(LinkType::kIpv4, ipv4(17, udp(4791, roce(opcode, hex(rest), pad))));
}

TEST(Bth, EveryField) {
  const Frame packet = hex("E6 C0 ABCD BF 123456 C5 FEDCBA") + zeros(4);
  const Result result = decode_frame(LinkType::kIpv4, ipv4(17, udp(4791, packet)));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  const Bth& bth = result->packet.bth;
  EXPECT_EQ(bth.opcode, 0xE6);
  EXPECT_EQ(bth.transport(), Transport::kVendor7);
  EXPECT_EQ(bth.operation(), 0x06);
  EXPECT_TRUE(bth.solicited);
  EXPECT_TRUE(bth.migration);
  EXPECT_EQ(bth.pad, 0);
  EXPECT_EQ(bth.p_key, 0xABCD);
  EXPECT_TRUE(bth.fecn);
  EXPECT_FALSE(bth.becn);
  EXPECT_EQ(bth.dest_qp, Qpn{0x123456});
  EXPECT_TRUE(bth.ack_request);
  EXPECT_EQ(bth.reserved7, 0x45);
  EXPECT_EQ(bth.psn, Psn{0xFEDCBA});
}

TEST(Bth, VersionMustBeZero) {
  const Result result = decode_frame(LinkType::kIpv4, ipv4(17, udp(4791, bth(0x04, 0, 1) + zeros(4))));
  EXPECT_EQ(result->kind, FrameKind::kUndecodable);
  EXPECT_EQ(result->reason, Undecodable::kBadVersion);
}

TEST(Extension, WriteOnlyWithImmediate) {
  const Result result = decode_roce(0x0B, "1122334455667788 99AABBCC 00000005  DEADBEEF  0102030405 000000", 3);
  const Packet& packet = result->packet;
  EXPECT_EQ(packet.headers, kReth | kImmDt);
  EXPECT_EQ(packet.reth.virtual_address, 0x1122334455667788u);
  EXPECT_EQ(packet.reth.r_key, 0x99AABBCCu);
  EXPECT_EQ(packet.reth.dma_length, 5u);
  EXPECT_EQ(packet.immediate, 0xDEADBEEFu);
  EXPECT_EQ(packet.payload_bytes, 5u);
  EXPECT_EQ(Frame(packet.payload.begin(), packet.payload.end()), hex("0102030405"));
}

TEST(Extension, Acknowledge) {
  const Result result = decode_roce(0x11, "60 ABCDEF");
  EXPECT_EQ(result->packet.headers, std::uint32_t{kAeth});
  EXPECT_EQ(result->packet.aeth.syndrome, 0x60);
  EXPECT_EQ(result->packet.aeth.msn, Msn{0xABCDEF});
  EXPECT_EQ(result->packet.payload_bytes, 0u);
}

TEST(Extension, Atomics) {
  const Result request = decode_roce(0x13, "1122334455667788 99AABBCC 0000000000000001 0000000000000002");
  EXPECT_EQ(request->packet.headers, std::uint32_t{kAtomicEth});
  EXPECT_EQ(request->packet.atomic.virtual_address, 0x1122334455667788u);
  EXPECT_EQ(request->packet.atomic.r_key, 0x99AABBCCu);
  EXPECT_EQ(request->packet.atomic.swap_or_add, 1u);
  EXPECT_EQ(request->packet.atomic.compare, 2u);
  const Result reply = decode_roce(0x12, "1F000003 8877665544332211");
  EXPECT_EQ(reply->packet.headers, kAeth | kAtomicAckEth);
  EXPECT_EQ(reply->packet.aeth.msn, Msn{3});
  EXPECT_EQ(reply->packet.atomic_original, 0x8877665544332211u);
}

TEST(Extension, SendWithInvalidate) {
  const Result result = decode_roce(0x17, "00001234 0102");
  EXPECT_EQ(result->packet.headers, std::uint32_t{kIeth});
  EXPECT_EQ(result->packet.invalidate_r_key, 0x1234u);
  EXPECT_EQ(result->packet.payload_bytes, 2u);
}

TEST(Extension, UnreliableDatagram) {
  const Result result = decode_roce(0x65, "80010000 00 000001  00000007  0A0B");
  EXPECT_EQ(result->packet.headers, kDeth | kImmDt);
  EXPECT_EQ(result->packet.deth.q_key, 0x80010000u);
  EXPECT_EQ(result->packet.deth.src_qp, Qpn{1});
  EXPECT_EQ(result->packet.immediate, 7u);
  EXPECT_EQ(result->packet.payload_bytes, 2u);
}

TEST(Extension, XrcRequestsNameTheSrq) {
  const Result request = decode_roce(0xAB, "00000055  1122334455667788 99AABBCC 00000001  DEADBEEF 00");
  EXPECT_EQ(request->packet.headers, kXrceth | kReth | kImmDt);
  EXPECT_EQ(request->packet.xrc_srq, Qpn{0x55});
  EXPECT_EQ(request->packet.reth.r_key, 0x99AABBCCu);
  EXPECT_EQ(request->packet.payload_bytes, 1u);
  EXPECT_EQ(decode_roce(0xB1, "1F000003")->packet.headers, std::uint32_t{kAeth}) << "replies do not";
}

TEST(Extension, FlushHasFethBeforeReth) {
  const Result result = decode_roce(0x1C, "00000012  1122334455667788 99AABBCC 00000100");
  EXPECT_EQ(result->packet.headers, kFeth | kReth);
  EXPECT_EQ(result->packet.feth, 0x12u);
  EXPECT_EQ(result->packet.reth.dma_length, 0x100u);
  EXPECT_EQ(result->packet.payload_bytes, 0u);
}

TEST(Extension, AtomicWriteCarriesEightBytes) {
  const Result result = decode_roce(0x1D, "1122334455667788 99AABBCC 00000008  0102030405060708");
  EXPECT_EQ(result->packet.headers, std::uint32_t{kReth});
  EXPECT_EQ(result->packet.payload_bytes, 8u);
}

TEST(Extension, ReliableDatagram) {
  const Result result = decode_roce(0x4A, "00000033  11111111 00 000044  1122334455667788 99AABBCC 00000001  00");
  EXPECT_EQ(result->packet.headers, kRdeth | kDeth | kReth);
  EXPECT_EQ(result->packet.ee_context, 0x33u);
  EXPECT_EQ(result->packet.deth.src_qp, Qpn{0x44});
  EXPECT_EQ(result->packet.reth.dma_length, 1u);
  EXPECT_EQ(result->packet.payload_bytes, 1u);
}

TEST(Extension, WhatDoesNotFitReliableDatagramIsRaw) {
  const Result result = decode_roce(0x51, "0102");
  ASSERT_EQ(result->kind, FrameKind::kRoce) << "DC shares the opcodes, not the headers";
  EXPECT_EQ(result->packet.expected_headers, 0u);
  EXPECT_EQ(result->packet.payload_bytes, 2u);
}

TEST(Extension, UnknownOpcodeIsRaw) {
  const Result result = decode_roce(0xC5, "0102030405");
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(result->packet.expected_headers, 0u);
  EXPECT_EQ(result->packet.payload_bytes, 5u);
}

TEST(Extension, PadOfAnUnknownOpcodeThatDoesNotFit) {
  EXPECT_EQ(decode_roce(0xC5, "01020304", 3)->packet.payload_bytes, 1u);
  const Result result = decode_roce(0xC5, "0102", 3);
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(result->packet.payload_bytes, 2u);
}

TEST(Cnp, ReservedBytesAreNoPayload) {
  for (const std::string_view reserved : {"00000000000000000000000000000000", ""}) {
    const Result result = decode_roce(0x81, reserved);
    ASSERT_EQ(result->kind, FrameKind::kRoce);
    EXPECT_TRUE(result->packet.is_cnp());
    EXPECT_EQ(result->packet.payload_bytes, 0u);
    EXPECT_TRUE(result->packet.payload.empty());
  }
}

TEST(Veroce, BthOnly) {
  const Frame packet = bth(0x06, 2, 6) + zeros(24) + hex("11223344");
  const Result result = decode_frame(LinkType::kIpv4, ipv4(17, udp(4794, packet)));
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_EQ(result->packet.protocol, Protocol::kVeroce);
  EXPECT_EQ(result->packet.bth.version, 6);
  EXPECT_EQ(result->packet.headers, 0u);
  EXPECT_EQ(result->packet.expected_headers, 0u);
  EXPECT_EQ(result->packet.payload_bytes, 24u);
  EXPECT_EQ(result->packet.icrc, IcrcStatus::kUnchecked) << "its rules are not confirmed, so a mismatch proves nothing";
  EXPECT_EQ(result->packet.icrc_value, 0x44332211u);
}

TEST(Veroce, MatchingIcrcIsGood) {
  const Frame packet = with_icrc(ipv4(17, udp(4794, roce(0x06, zeros(24)))), 28);
  EXPECT_EQ(decode_frame(LinkType::kIpv4, packet)->packet.icrc, IcrcStatus::kGood);
}

TEST(RoceV1, GrhMustBeOne) {
  EXPECT_EQ(decode_frame(LinkType::kEthernet, ethernet(0x8915, grh(roce(4, {}), 17)))->reason, Undecodable::kBadGrh);
  Frame version = grh(roce(4, {}));
  version[0] = 0x45;
  EXPECT_EQ(decode_frame(LinkType::kEthernet, ethernet(0x8915, version))->reason, Undecodable::kBadGrh);
}

}  // namespace
}  // namespace rocetop::wire::test
