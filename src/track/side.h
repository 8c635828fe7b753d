// SPDX-License-Identifier: BSD-3-Clause
// Side: everything one end of a connection sends: its counts, its requests and its responses.
#pragma once

#include <vector>

#include "track/context.h"
#include "track/counts.h"
#include "track/flow_key.h"
#include "track/packet_facts.h"
#include "track/request_space.h"
#include "track/response_space.h"

namespace rocetop::track {

struct Side {
  /// Packets in a row with one value: counted here, beside what every packet touches, until the value changes.
  struct Row {
    std::uint64_t packets = 0;
    std::uint8_t value = 0;
  };

  RequestSpace requests;
  Row opcode_row;
  Row dscp_row;
  DirectionCounts counts;
  ResponseSpace responses;
  PacketFacts last_ack;
  FlowKey key;                    ///< of every packet of this side
  std::vector<PacketFacts> held;  ///< replies that wait for pairing, oldest first

  /// Counts what needs no sequence number: frames, bytes, opcodes, ECN, ICRC, NAK codes.
  void count(const PacketFacts& packet);
  /// The counts with everything in them; `counts` alone lacks the newest run of one opcode and one DSCP.
  DirectionCounts total() const;
  /// Whether this acknowledgement is one more copy of the last one: a mirror's or the network's. A receiver answers
  /// each duplicate with an equal ACK of its own, with a new IP id where it counts them, and not within the same
  /// moment.
  bool is_copied_ack(const PacketFacts& packet);
  /// History slots in use.
  std::size_t slots() const { return requests.slots() + responses.slots(); }
  /// False for a bad ICRC where this side's ICRCs mean something. (A capture on the sender may show ICRCs that the
  /// adapter fills in later; then all are bad, and none says anything about delivery.)
  bool delivered(const PacketFacts& packet) const {
    return packet.icrc != wire::IcrcStatus::kBad || counts.icrc[static_cast<std::size_t>(wire::IcrcStatus::kGood)] == 0;
  }
};

}  // namespace rocetop::track
