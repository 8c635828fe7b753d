// SPDX-License-Identifier: BSD-3-Clause
// What veRoCE's opcodes are. Those of InfiniBand's RC keep number and name and get other headers; six are its own. All
// others are unknown here, also those of other transports and InfiniBand's FLUSH and ATOMIC WRITE: what follows their
// BTH under veRoCE is not public.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/opcode.h"

namespace rocetop::wire {

enum VeroceOpcodeNumber : std::uint8_t {
  kVeroceSack = 0x18,          ///< b000_11000
  kVeroceAckResponse = 0x19,   ///< b000_11001: acknowledges READ responses and atomic acknowledgements
  kVeroceSackResponse = 0x1E,  ///< b000_11110
  kVeroceCnp = 0x81,           ///< as in RoCEv2
  kVeroceRttRequest = 0x82,
  kVeroceRttResponse = 0x83,
  kVeroceSlowPath = 0x84,  ///< "Slow-Packet Signal"
};

/// What follows the BTH.
enum class VeroceShape : std::uint8_t {
  kUnknown,
  kSend,
  kSendImmediate,
  kSendInvalidate,
  kWrite,
  kWriteImmediate,
  kReadRequest,
  kReadResponse,
  kAtomic,
  kAtomicAck,
  kAck,
  kSack,
  kCnp,
  kRtt,
  kSlowPath,
};

/// Whose PSNs a packet takes, or names.
enum class VeroceSpace : std::uint8_t { kNone, kRequests, kResponses };

struct VeroceOpcode {
  std::string_view name;        ///< "RC RDMA WRITE First", "SACK"
  std::string_view short_name;  ///< for one-line output
  VeroceShape shape = VeroceShape::kUnknown;
  Position position = Position::kNone;
  VeroceSpace space = VeroceSpace::kNone;  ///< of requests and responses: theirs; of acknowledgements: what they name
  bool sequenced = false;                  ///< takes a PSN: has the Retrans flag
  bool known() const { return shape != VeroceShape::kUnknown; }
  bool acknowledges() const { return shape == VeroceShape::kAck || shape == VeroceShape::kSack; }
};

VeroceOpcode veroce_opcode(std::uint8_t opcode);

}  // namespace rocetop::wire
