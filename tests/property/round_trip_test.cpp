// SPDX-License-Identifier: BSD-3-Clause
// Encoder against decoder: two tables of the same specification, written apart. What was encoded must be decoded, and a
// cut frame must be decoded as far as it goes or refused with a reason.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "generate/cm_encoder.h"
#include "generate/encoder.h"
#include "wire/cm.h"
#include "wire/decode.h"

namespace rocetop {
namespace {

using generate::PacketSpec;

/// Headers behind the BTH, as the specification's opcode table (IBTA vol. 1, table 38) lists them.
struct Row {
  std::uint8_t operation;
  std::string_view headers;
  bool payload;
};
constexpr Row kRcRows[] = {
    {0x00, "", true},   {0x01, "", true},   {0x02, "", true},   {0x03, "I", true},   {0x04, "", true},
    {0x05, "I", true},  {0x06, "R", true},  {0x07, "", true},   {0x08, "", true},    {0x09, "I", true},
    {0x0A, "R", true},  {0x0B, "RI", true}, {0x0C, "R", false}, {0x0D, "A", true},   {0x0E, "", true},
    {0x0F, "A", true},  {0x10, "A", true},  {0x11, "A", false}, {0x12, "AO", false}, {0x13, "T", false},
    {0x14, "T", false}, {0x16, "K", true},  {0x17, "K", true},  {0x1C, "FR", false},
};
constexpr std::uint8_t kLastUcOperation = 0x0B;

std::vector<std::uint8_t> any_bytes(std::size_t most) {
  const std::size_t size = *rc::gen::inRange<std::size_t>(0, most + 1);
  return *rc::gen::container<std::vector<std::uint8_t>>(size, rc::gen::arbitrary<std::uint8_t>());
}

Qpn any_qpn() { return Qpn{*rc::gen::inRange<std::uint32_t>(2, 1U << 24)}; }

IpAddress any_address(bool v4) {
  const auto bytes = *rc::gen::container<std::array<std::uint8_t, 16>>(rc::gen::arbitrary<std::uint8_t>());
  if (v4) return IpAddress::v4(bytes.data());
  std::array<std::uint8_t, 16> global = bytes;
  global[0] = 0x20;  // not an IPv4-mapped one
  return IpAddress::v6(global.data());
}

void add_header(PacketSpec& p, char header) {
  switch (header) {
    case 'R':
      p.reth = generate::RethSpec{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint32_t>(),
                                  *rc::gen::arbitrary<std::uint32_t>()};
      break;
    case 'A':
      p.aeth = generate::AethSpec{*rc::gen::arbitrary<std::uint8_t>(), Msn{*rc::gen::arbitrary<std::uint32_t>()}};
      break;
    case 'T':
      p.atomic = generate::AtomicEthSpec{*rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint32_t>(),
                                         *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::arbitrary<std::uint64_t>()};
      break;
    case 'O':
      p.atomic_original = *rc::gen::arbitrary<std::uint64_t>();
      break;
    case 'I':
      p.immediate = *rc::gen::arbitrary<std::uint32_t>();
      break;
    case 'K':
      p.invalidate_r_key = *rc::gen::arbitrary<std::uint32_t>();
      break;
    case 'F':
      p.feth = *rc::gen::inRange<std::uint32_t>(0, 64);
      break;
    case 'D':
      p.deth = generate::DethSpec{*rc::gen::arbitrary<std::uint32_t>(), any_qpn()};
      break;
    default:
      RC_FAIL("no such header");
  }
}

void choose_opcode(PacketSpec& p) {
  const Row row = *rc::gen::elementOf(std::vector<Row>(std::begin(kRcRows), std::end(kRcRows)));
  const auto transport = *rc::gen::inRange(0, 4);
  if (transport == 3) {
    const bool immediate = *rc::gen::arbitrary<bool>();
    p.opcode = immediate ? 0x65 : 0x64;
    for (const char header : std::string_view(immediate ? "DI" : "D")) add_header(p, header);
    p.payload = any_bytes(300);
    return;
  }
  const bool uc = transport == 1 && row.operation <= kLastUcOperation;
  const bool xrc = transport == 2 && row.operation <= 0x17;
  p.opcode = static_cast<std::uint8_t>(row.operation | (uc ? 0x20 : xrc ? 0xA0 : 0));
  const bool reply = row.operation >= 0x0D && row.operation <= 0x12;
  if (xrc && !reply) p.xrc_srq = any_qpn();
  for (const char header : row.headers) add_header(p, header);
  if (row.payload) p.payload = any_bytes(300);
}

PacketSpec any_packet() {
  const bool v4 = *rc::gen::arbitrary<bool>();
  PacketSpec p;
  p.src = any_address(v4);
  p.dst = any_address(v4);
  if (*rc::gen::arbitrary<bool>()) p.vlan = *rc::gen::inRange<std::uint16_t>(1, 4095);  // 0 is a priority, no VLAN
  p.dscp = *rc::gen::inRange<std::uint8_t>(0, 64);
  p.ecn = *rc::gen::inRange<std::uint8_t>(0, 4);
  p.hop_limit = *rc::gen::arbitrary<std::uint8_t>();
  p.ip_id = *rc::gen::arbitrary<std::uint16_t>();
  p.udp_src = *rc::gen::arbitrary<std::uint16_t>();
  p.solicited = *rc::gen::arbitrary<bool>();
  p.migration = *rc::gen::arbitrary<bool>();
  p.p_key = *rc::gen::arbitrary<std::uint16_t>();
  p.fecn = *rc::gen::arbitrary<bool>();
  p.becn = *rc::gen::arbitrary<bool>();
  p.dest_qp = any_qpn();
  p.ack_request = *rc::gen::arbitrary<bool>();
  p.psn = Psn{*rc::gen::arbitrary<std::uint32_t>()};
  choose_opcode(p);
  p.bad_icrc = *rc::gen::inRange(0, 8) == 0;
  return p;
}

wire::Decoded decode(Bytes bytes, std::size_t wire_length) {
  wire::Decoded out;
  wire::decode(LinkType::kEthernet, bytes, static_cast<std::uint32_t>(wire_length), {}, out);
  return out;
}

void check_network(const PacketSpec& sent, const wire::Packet& got) {
  RC_ASSERT(got.src == sent.src);
  RC_ASSERT(got.dst == sent.dst);
  RC_ASSERT(got.network.vlan_outer == sent.vlan.value_or(0xFFFF));
  RC_ASSERT(got.udp_src == sent.udp_src);
  RC_ASSERT(got.udp_dst == sent.udp_dst);
  RC_ASSERT(got.dscp() == sent.dscp);
  RC_ASSERT(static_cast<int>(got.ecn()) == sent.ecn);
  RC_ASSERT(got.hop_limit == sent.hop_limit);
  RC_ASSERT(got.has_ip_id == sent.src.is_v4());
  if (got.has_ip_id) RC_ASSERT(got.ip_id == sent.ip_id);
}

void check_bth(const PacketSpec& sent, const wire::Bth& got) {
  RC_ASSERT(got.opcode == sent.opcode);
  RC_ASSERT(got.solicited == sent.solicited);
  RC_ASSERT(got.migration == sent.migration);
  RC_ASSERT(got.pad == (4 - sent.payload.size() % 4) % 4);
  RC_ASSERT(got.p_key == sent.p_key);
  RC_ASSERT(got.fecn == sent.fecn);
  RC_ASSERT(got.becn == sent.becn);
  RC_ASSERT(got.dest_qp == sent.dest_qp);
  RC_ASSERT(got.ack_request == sent.ack_request);
  RC_ASSERT(got.psn == sent.psn);
}

// A header is compared when the decoder says it is there; `complete`: then it must be exactly the ones that were sent.
void check_headers(const PacketSpec& sent, const wire::Packet& got, bool complete) {
  const auto check = [&](wire::Header header, bool was_sent, auto equal) {
    if (got.has(header)) RC_ASSERT(was_sent);
    if (complete) RC_ASSERT(got.has(header) == was_sent);
    if (got.has(header)) RC_ASSERT(equal());
  };
  check(wire::kReth, sent.reth.has_value(), [&] {
    return got.reth.virtual_address == sent.reth->virtual_address && got.reth.r_key == sent.reth->r_key &&
           got.reth.dma_length == sent.reth->dma_length;
  });
  check(wire::kAeth, sent.aeth.has_value(),
        [&] { return got.aeth.syndrome == sent.aeth->syndrome && got.aeth.msn == sent.aeth->msn; });
  check(wire::kAtomicEth, sent.atomic.has_value(), [&] {
    return got.atomic.virtual_address == sent.atomic->virtual_address && got.atomic.r_key == sent.atomic->r_key &&
           got.atomic.swap_or_add == sent.atomic->swap_or_add && got.atomic.compare == sent.atomic->compare;
  });
  check(wire::kAtomicAckEth, sent.atomic_original.has_value(),
        [&] { return got.atomic_original == *sent.atomic_original; });
  check(wire::kImmDt, sent.immediate.has_value(), [&] { return got.immediate == *sent.immediate; });
  check(wire::kIeth, sent.invalidate_r_key.has_value(), [&] { return got.invalidate_r_key == *sent.invalidate_r_key; });
  check(wire::kDeth, sent.deth.has_value(),
        [&] { return got.deth.q_key == sent.deth->q_key && got.deth.src_qp == sent.deth->src_qp; });
  check(wire::kXrceth, sent.xrc_srq.has_value(), [&] { return got.xrc_srq == *sent.xrc_srq; });
  check(wire::kFeth, sent.feth.has_value(), [&] { return got.feth == *sent.feth; });
}

RC_GTEST_PROP(RoundTrip, WhatWasEncodedIsDecoded, (bool trailing_fcs)) {
  const PacketSpec sent = any_packet();
  generate::FrameBytes frame = generate::encode(sent);
  if (trailing_fcs) frame.insert(frame.end(), {0xDE, 0xAD, 0xBE, 0xEF});
  const wire::Decoded decoded = decode(frame, frame.size());
  RC_ASSERT(decoded.kind == wire::FrameKind::kRoce);
  const wire::Packet& got = decoded.packet;
  check_network(sent, got);
  check_bth(sent, got.bth);
  check_headers(sent, got, true);
  RC_ASSERT(got.payload_bytes == sent.payload.size());
  RC_ASSERT(std::equal(got.payload.begin(), got.payload.end(), sent.payload.begin(), sent.payload.end()));
  RC_ASSERT(!got.truncated);
  RC_ASSERT(got.icrc == (sent.bad_icrc ? wire::IcrcStatus::kBad : wire::IcrcStatus::kGood));
}

RC_GTEST_PROP(RoundTrip, EveryCutIsDecodedAsFarAsItGoesOrRefused, ()) {
  const PacketSpec sent = any_packet();
  const generate::FrameBytes frame = generate::encode(sent);
  for (std::size_t captured = 0; captured < frame.size(); ++captured) {
    // A buffer of its own, so that a sanitizer sees a read behind its end.
    const generate::FrameBytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(captured));
    const wire::Decoded decoded = decode(cut, frame.size());
    if (decoded.kind == wire::FrameKind::kUndecodable) {
      RC_ASSERT(decoded.reason == wire::Undecodable::kCutBeforeBth);
    }
    if (decoded.kind != wire::FrameKind::kRoce) continue;
    RC_ASSERT(decoded.packet.truncated);
    RC_ASSERT(decoded.packet.icrc == wire::IcrcStatus::kUnchecked);
    check_bth(sent, decoded.packet.bth);
    check_headers(sent, decoded.packet, false);
    RC_ASSERT(decoded.packet.payload_bytes == sent.payload.size());
    RC_ASSERT(decoded.packet.payload.size() <= sent.payload.size());
  }
}

// Lengths that lie: the frame really ends here, though its IP and UDP headers promise more.
RC_GTEST_PROP(RoundTrip, AFrameShorterThanItsHeadersSayIsNoCompletePacket, ()) {
  const generate::FrameBytes frame = generate::encode(any_packet());
  const std::size_t length = *rc::gen::inRange<std::size_t>(0, frame.size());
  const generate::FrameBytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(length));
  const wire::Decoded decoded = decode(cut, cut.size());
  if (decoded.kind == wire::FrameKind::kRoce) RC_ASSERT(decoded.packet.icrc != wire::IcrcStatus::kGood);
}

// Behind the UDP header the ICRC covers every bit but one byte of the BTH.
RC_GTEST_PROP(RoundTrip, AChangedByteIsNoticed, ()) {
  PacketSpec sent = any_packet();
  sent.bad_icrc = false;
  generate::FrameBytes frame = generate::encode(sent);
  const std::size_t bth = 14U + (sent.vlan ? 4 : 0) + (sent.src.is_v4() ? 20 : 40) + 8;
  const std::size_t where = *rc::gen::inRange<std::size_t>(bth, frame.size());
  RC_PRE(where != bth + 4);
  frame[where] ^= static_cast<std::uint8_t>(*rc::gen::inRange(1, 256));
  const wire::Decoded decoded = decode(frame, frame.size());
  RC_ASSERT(decoded.kind != wire::FrameKind::kOther);
  if (decoded.kind == wire::FrameKind::kRoce) RC_ASSERT(decoded.packet.icrc == wire::IcrcStatus::kBad);
}

RC_GTEST_PROP(RoundTrip, ConnectionManagement, ()) {
  using generate::CmType;
  generate::CmSpec sent;
  sent.type = *rc::gen::element(CmType::kReq, CmType::kRep, CmType::kRtu, CmType::kRej, CmType::kDreq, CmType::kDrep);
  sent.transaction_id = *rc::gen::arbitrary<std::uint64_t>();
  sent.local_comm_id = *rc::gen::arbitrary<std::uint32_t>();
  sent.remote_comm_id = *rc::gen::arbitrary<std::uint32_t>();
  sent.qpn = any_qpn();
  sent.starting_psn = Psn{*rc::gen::arbitrary<std::uint32_t>()};
  sent.path_mtu = *rc::gen::element(256U, 512U, 1024U, 2048U, 4096U);
  sent.local_ack_timeout = *rc::gen::inRange<std::uint8_t>(0, 32);
  sent.retry_count = *rc::gen::inRange<std::uint8_t>(0, 8);
  sent.rnr_retry_count = *rc::gen::inRange<std::uint8_t>(0, 8);
  sent.reject_reason = *rc::gen::arbitrary<std::uint16_t>();
  PacketSpec addressed;
  addressed.src = any_address(true);
  addressed.dst = any_address(true);
  const generate::FrameBytes frame = generate::encode(generate::make_cm(addressed, sent));
  const wire::Decoded decoded = decode(frame, frame.size());
  RC_ASSERT(decoded.kind == wire::FrameKind::kRoce);
  const auto got = wire::parse_cm(decoded.packet.payload);
  RC_ASSERT(got.has_value());
  RC_ASSERT(static_cast<int>(got->message) == static_cast<int>(sent.type));
  RC_ASSERT(got->complete);
  RC_ASSERT(got->transaction_id == sent.transaction_id);
  RC_ASSERT(got->local_comm_id == sent.local_comm_id);
  if (sent.type != CmType::kReq) RC_ASSERT(got->remote_comm_id == sent.remote_comm_id);
  if (sent.type == CmType::kReq || sent.type == CmType::kRep) {
    RC_ASSERT(got->qpn == sent.qpn);
    RC_ASSERT(got->starting_psn == sent.starting_psn);
    RC_ASSERT(got->rnr_retry_count == sent.rnr_retry_count);
  }
  if (sent.type == CmType::kReq) {
    RC_ASSERT(got->path_mtu == sent.path_mtu);
    RC_ASSERT(got->local_ack_timeout == sent.local_ack_timeout);
    RC_ASSERT(got->retry_count == sent.retry_count);
    RC_ASSERT(got->local_gid == addressed.src);
    RC_ASSERT(got->remote_gid == addressed.dst);
  }
  if (sent.type == CmType::kDreq) RC_ASSERT(got->qpn == sent.qpn);
  if (sent.type == CmType::kRej) RC_ASSERT(got->reject_reason == sent.reject_reason);
}

}  // namespace
}  // namespace rocetop
