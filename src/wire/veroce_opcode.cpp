// SPDX-License-Identifier: BSD-3-Clause
#include "wire/veroce_opcode.h"

namespace rocetop::wire {
namespace {

VeroceShape shape_of(std::uint8_t opcode) {
  switch (opcode) {
    case kSendFirst:
    case kSendMiddle:
    case kSendLast:
    case kSendOnly:
      return VeroceShape::kSend;
    case kSendLastImmediate:
    case kSendOnlyImmediate:
      return VeroceShape::kSendImmediate;
    case kSendLastInvalidate:
    case kSendOnlyInvalidate:
      return VeroceShape::kSendInvalidate;
    case kWriteFirst:
    case kWriteMiddle:
    case kWriteLast:
    case kWriteOnly:
      return VeroceShape::kWrite;
    case kWriteLastImmediate:
    case kWriteOnlyImmediate:
      return VeroceShape::kWriteImmediate;
    case kReadRequest:
      return VeroceShape::kReadRequest;
    case kReadResponseFirst:
    case kReadResponseMiddle:
    case kReadResponseLast:
    case kReadResponseOnly:
      return VeroceShape::kReadResponse;
    case kCompareSwap:
    case kFetchAdd:
      return VeroceShape::kAtomic;
    case kAtomicAcknowledge:
      return VeroceShape::kAtomicAck;
    case kAcknowledge:
    case kVeroceAckResponse:
      return VeroceShape::kAck;
    case kVeroceSack:
    case kVeroceSackResponse:
      return VeroceShape::kSack;
    case kVeroceCnp:
      return VeroceShape::kCnp;
    case kVeroceRttRequest:
    case kVeroceRttResponse:
      return VeroceShape::kRtt;
    case kVeroceSlowPath:
      return VeroceShape::kSlowPath;
    default:
      return VeroceShape::kUnknown;
  }
}

/// Of the opcodes that InfiniBand has not; empty for others.
std::string_view own_name(std::uint8_t opcode) {
  switch (opcode) {
    case kVeroceSack:
      return "SACK";
    case kVeroceAckResponse:
      return "ACK_Rsp";
    case kVeroceSackResponse:
      return "SACK_Rsp";
    case kVeroceRttRequest:
      return "RTT Request";
    case kVeroceRttResponse:
      return "RTT Response";
    case kVeroceSlowPath:
      return "Slow Path";
    default:
      return {};
  }
}

VeroceSpace space_of(std::uint8_t opcode, VeroceShape shape) {
  switch (shape) {
    case VeroceShape::kUnknown:
    case VeroceShape::kCnp:
    case VeroceShape::kRtt:
      return VeroceSpace::kNone;
    case VeroceShape::kReadResponse:
    case VeroceShape::kAtomicAck:
      return VeroceSpace::kResponses;
    case VeroceShape::kAck:
    case VeroceShape::kSack:
      return opcode == kVeroceAckResponse || opcode == kVeroceSackResponse ? VeroceSpace::kResponses
                                                                           : VeroceSpace::kRequests;
    default:
      return VeroceSpace::kRequests;  // also what a Slow Path names; that it is never of responses is not known
  }
}

}  // namespace

VeroceOpcode veroce_opcode(std::uint8_t opcode) {
  const OpcodeFacts& facts = opcode_facts(opcode);
  VeroceOpcode out;
  out.name = out.short_name = own_name(opcode);
  if (out.name.empty()) {
    out.name = facts.name;
    out.short_name = facts.short_name;
  }
  out.shape = shape_of(opcode);
  if (!out.known()) return out;
  out.position = facts.position;
  out.space = space_of(opcode, out.shape);
  out.sequenced = out.shape >= VeroceShape::kSend && out.shape <= VeroceShape::kAtomicAck;
  return out;
}

}  // namespace rocetop::wire
