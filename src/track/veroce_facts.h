// SPDX-License-Identifier: BSD-3-Clause
// VeroceFacts: what the tracker needs of a veRoCE packet beyond PacketFacts, small enough to keep and to replay. Whose
// PSNs a packet takes, or names, is here: under veRoCE READ responses have PSNs of their own.
#pragma once

#include <cstdint>
#include <optional>

#include "base/nanos.h"
#include "base/psn.h"
#include "track/packet_facts.h"
#include "wire/veroce.h"
#include "wire/veroce_opcode.h"

namespace rocetop::track {

struct VeroceFacts {
  wire::VeroceShape shape = wire::VeroceShape::kUnknown;  ///< kUnknown: raw, nothing of it is followed
  wire::VeroceSpace space = wire::VeroceSpace::kNone;
  bool sequenced = false;     ///< takes a PSN
  bool retransmit = false;    ///< Retrans flag
  bool flag_certain = false;  ///< packets have shown that the flag stands where it is read
  bool flag_failed = false;   ///< … or that it does not
  bool trimmed = false;
  bool becn = false;               ///< of what acknowledges: BECN
  bool has_passed = false;         ///< the same packet passed a moment ago: a copy, or sent again
  bool is_copy = false;            ///< of a packet that has just passed: says nothing new
  bool has_msn = false;            ///< MSNETH
  std::uint8_t sack_length = 0;    ///< bits of `received` that mean something; 0: none
  Msn msn;                         ///< MSNETH
  Psn sack_start;                  ///< PSN of the first bit
  wire::SackBitmap received;       ///< SACKETH
  std::optional<Nanos> probe;      ///< of an RTT Response: from the tap to the responder and back
  std::optional<Nanos> host_took;  ///< … what its host took

  bool is_sack() const { return shape == wire::VeroceShape::kSack; }
  bool is_probe_request() const { return shape == wire::VeroceShape::kRtt && !host_took; }
};

/// Sets all of the result, and what of `facts` is another thing under veRoCE: its role, and what an AETH means.
VeroceFacts take_veroce_facts(const wire::Packet& packet, PacketFacts& facts);

}  // namespace rocetop::track
