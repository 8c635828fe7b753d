// SPDX-License-Identifier: BSD-3-Clause
#include "track/veroce_facts.h"

namespace rocetop::track {
namespace {

using wire::Role;
using wire::VeroceShape;

Role role_of(const wire::VeroceOpcode& opcode) {
  if (opcode.acknowledges()) return Role::kAcknowledge;
  if (opcode.sequenced) return opcode.space == wire::VeroceSpace::kResponses ? Role::kResponse : Role::kRequest;
  return opcode.shape == VeroceShape::kCnp ? Role::kCnp : Role::kUnknown;
}

}  // namespace

VeroceFacts take_veroce_facts(const wire::Packet& packet, PacketFacts& facts) {
  VeroceFacts out;
  const wire::VeroceHeaders& headers = packet.veroce;
  const wire::VeroceOpcode opcode = wire::veroce_opcode(packet.bth.opcode);
  if (headers.check != wire::VeroceCheck::kPassed || !opcode.known()) {
    facts.role = Role::kUnknown;
    facts.position = wire::Position::kNone;
    return out;
  }
  facts.role = role_of(opcode);
  facts.position = opcode.position;
  out.shape = opcode.shape;
  out.space = opcode.space;
  out.sequenced = opcode.sequenced;
  out.retransmit = opcode.sequenced && headers.retransmit;
  out.flag_failed = headers.retransmit_confidence == wire::LayoutConfidence::kFailed;
  out.flag_certain = !out.flag_failed && headers.retransmit_confidence != wire::LayoutConfidence::kAssumed;
  out.trimmed = headers.trimmed && packet.icrc != wire::IcrcStatus::kBad;  // switches make the ICRC right again
  out.becn = packet.bth.becn && opcode.acknowledges();
  out.has_msn = packet.has(wire::kMsneth);
  if (out.has_msn) out.msn = Msn{headers.msn};
  if (out.is_sack()) {
    facts.syndrome &= 0x1F;  // only the credits of a SACK's syndrome mean something
    if (packet.has(wire::kSacketh)) {
      out.sack_start = headers.sack.start;
      out.sack_length = headers.sack.valid_length;
      out.received = headers.sack.bitmap;
    }
  }
  if (out.shape == VeroceShape::kRtt && packet.bth.opcode == wire::kVeroceRttResponse) {
    if (packet.has(wire::kRtteth)) out.host_took = headers.rtt.host_delay();
    out.probe = headers.rtt_beyond_tap;
  }
  return out;
}

}  // namespace rocetop::track
