// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/veroce_frame.h"

#include <algorithm>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint32_t kRKey = 0x1234;

bool is_write(Opcode opcode) { return opcode >= Opcode::kWriteFirst && opcode <= Opcode::kWriteOnlyImmediate; }

bool has_order(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSendMiddle:
    case Opcode::kSendLast:
    case Opcode::kSendLastImmediate:
    case Opcode::kSendLastInvalidate:
    case Opcode::kWriteMiddle:
    case Opcode::kWriteLast:
    case Opcode::kWriteLastImmediate:
    case Opcode::kReadResponseMiddle:
    case Opcode::kReadResponseLast:
      return true;
    default:
      return false;
  }
}

bool has_notice(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSendLastImmediate:
    case Opcode::kSendOnlyImmediate:
    case Opcode::kWriteLastImmediate:
    case Opcode::kWriteOnlyImmediate:
    case Opcode::kSendLastInvalidate:
    case Opcode::kSendOnlyInvalidate:
      return true;
    default:
      return false;
  }
}

/// MSNETH, and what follows it but for POETH and AETH.
std::uint32_t request_bytes(Opcode opcode, const VeroceWire& wire) {
  const std::uint32_t own = wire.plain ? 0 : 4;  // MSNETH and RQETH are veRoCE's
  const std::uint32_t notice = has_notice(opcode) ? 4 : 0;
  if (opcode == Opcode::kReadRequest) return own + 16;
  if (opcode == Opcode::kFetchAdd) return own + 28;
  if (!is_write(opcode)) return own + own + notice;
  const bool starts = opcode == Opcode::kWriteFirst || !has_order(opcode);
  const std::uint32_t reth = starts || (wire.reth_in_every_write && !wire.plain) ? 16 : 0;
  return own + reth + notice + (notice == 0 ? 0 : own);
}

void add_sack(const Packet& packet, VerocePacket& out, const VeroceWire& wire) {
  const std::uint32_t acknowledged = wire_psn(packet.sequence).value;
  out.sack_received = {acknowledged};
  std::uint32_t highest = 0;
  for (std::uint32_t i = 0; i < kSackBits; ++i) {
    if (!packet.veroce.received[i]) continue;
    highest = i + 1;
    out.sack_received.push_back(wire_psn(packet.sequence + 1 + i).value);
  }
  out.sack_length = std::min(highest + 1 - wire.sack_starts_after, kSackBits);
}

}  // namespace

std::uint32_t veroce_header_bytes(const Packet& packet, const VerocePlan& plan) {
  const VeroceWire& wire = plan.wire;
  const std::uint32_t order = wire.plain ? 0 : 4;
  std::uint32_t bytes = wire.extra_bytes;
  switch (packet.kind) {
    case PacketKind::kRequest:
      return bytes + request_bytes(packet.opcode, wire) + (has_order(packet.opcode) ? order : 0);
    case PacketKind::kResponse:
      bytes += order;  // MSNETH
      if (packet.opcode == Opcode::kAtomicAcknowledge) return bytes + 12;
      if (!wire.plain || packet.opcode != Opcode::kReadResponseMiddle) bytes += 4;
      return bytes + (has_order(packet.opcode) ? order : 0);
    case PacketKind::kAck:
    case PacketKind::kNak:
      return bytes + 4 + order;
    case PacketKind::kSack:
      return bytes + 4 + order + 20;
    case PacketKind::kRtt:
      return bytes + 20;
    default:
      return bytes;
  }
}

std::uint32_t veroce_zero_bytes(const Packet& packet, const VerocePlan& plan) {
  if (packet.veroce.trimmed) return 0;
  return packet.kind == PacketKind::kCnp ? plan.cnp_body : (packet.payload + 3) / 4 * 4;
}

VerocePacket veroce_packet(const Packet& packet, const VerocePlan& plan, const PacketSpec& addresses) {
  VerocePacket out;
  out.base = addresses;
  out.base.udp_src = packet.udp_src;
  out.base.opcode = static_cast<std::uint8_t>(packet.opcode);
  out.base.dscp = packet.dscp;
  out.base.ecn = packet.ecn;
  out.base.ip_id = packet.ip_id;
  out.base.becn = packet.kind == PacketKind::kCnp || packet.veroce.becn;
  out.base.ack_request = packet.ack_request;
  out.base.psn = wire_psn(packet.sequence);
  out.base.bad_icrc = packet.damaged;
  const VeroceFields& own = packet.veroce;
  out.retransmit = packet.resent;
  out.trimmed = own.trimmed;
  out.msn = packet.msn & kMask24;
  out.packet_order = own.order;
  out.rq_msn = own.rq_msn & kMask24;
  out.reth = {packet.address, kRKey, packet.dma_length};
  out.aeth = {packet.syndrome, Msn{packet.kind == PacketKind::kResponse ? own.asked_msn : packet.msn}};
  out.atomic = {packet.address, kRKey, 1, 0};
  out.atomic_original = own.asked_msn;  // each adds 1
  out.own = own.notice;
  if (packet.kind == PacketKind::kSack) add_sack(packet, out, plan.wire);
  if (packet.kind == PacketKind::kRtt) out.rtt = {own.rtt[0], own.rtt[1], own.rtt[2], own.rtt[3], 0};
  return out;
}

}  // namespace rocetop::generate::sim
