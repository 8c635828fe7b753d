// SPDX-License-Identifier: BSD-3-Clause
// Side: everything one end of a connection sends: its counts, its requests and its responses.
#pragma once

#include <vector>

#include "track/context.h"
#include "track/counts.h"
#include "track/packet_facts.h"
#include "track/request_space.h"
#include "track/response_space.h"

namespace rocetop::track {

struct Side {
  DirectionCounts counts;
  RequestSpace requests;
  ResponseSpace responses;
  std::vector<PacketFacts> held;  ///< replies that wait for pairing, oldest first

  std::uint32_t opcode_at = 0;  ///< where the last opcode and DSCP stand in their tables: the next are mostly the same
  std::uint32_t dscp_at = 0;

  /// Counts what needs no sequence number: frames, bytes, opcodes, ECN, ICRC, NAK codes.
  void count(const PacketFacts& packet);
  /// False for a bad ICRC where this side's ICRCs mean something. (A capture on the sender may show ICRCs that the
  /// adapter fills in later; then all are bad, and none says anything about delivery.)
  bool delivered(const PacketFacts& packet) const {
    return packet.icrc != wire::IcrcStatus::kBad || counts.icrc[static_cast<std::size_t>(wire::IcrcStatus::kGood)] == 0;
  }
};

}  // namespace rocetop::track
