// SPDX-License-Identifier: BSD-3-Clause
// Side: everything one end of a connection sends: its counts, its requests and its responses.
#pragma once

#include <utility>
#include <vector>

#include "base/lazy.h"
#include "track/congestion.h"
#include "track/context.h"
#include "track/counts.h"
#include "track/flow_key.h"
#include "track/packet_facts.h"
#include "track/rate_meter.h"
#include "track/request_space.h"
#include "track/response_space.h"

namespace rocetop::track {

struct Side {
  /// Packets in a row with one value: counted here, beside what every packet touches, until the value changes.
  struct Row {
    std::uint64_t packets = 0;
    std::uint8_t value = 0;
  };

  /// The same for what says which class and path a packet took: DSCP, 802.1p class and TTL together.
  struct PathRow {
    std::uint64_t packets = 0;
    std::uint8_t dscp = 0;
    std::uint8_t priority = wire::kNoPriority;
    std::uint8_t hop_limit = 0;

    bool is_of(const PacketFacts& p) const {
      return dscp == p.dscp() && priority == p.priority && hop_limit == p.hop_limit;
    }
  };

  // What every packet touches heads its cache lines: with a thousand queue pairs, waiting for them is most of the work.
  alignas(64) Row opcode_row;
  PathRow path_row;
  Lazy<Congestion> congestion;  ///< of its data, from the first CE or CNP on
  RateMeter rate;               ///< of its data
  alignas(64) DirectionTraffic counts;
  alignas(64) RequestSpace requests;
  ResponseSpace responses;
  PacketFacts last_ack;
  FrameId last_sequence_nak;  ///< that it sent
  Nanos last_sequence_nak_time;
  FlowKey key;                    ///< of every packet of this side …
  std::vector<FlowKey> also;      ///< … and those of the same packets, or of its CNPs, in other VLANs
  std::vector<PacketFacts> held;  ///< replies that wait for pairing, oldest first

  Side() {
    counts.dscp_of.fill(kNoDscp);
    counts.first_dscp_of.fill(kNoDscp);
  }

  /// Counts what needs no sequence number: frames, bytes, opcodes, ECN, ICRC, NAK codes.
  void count(const PacketFacts& packet);
  /// The counts with everything in them; `counts` alone lacks the newest run of one opcode and one DSCP.
  DirectionTraffic total() const;
  /// A data packet's part in rates and congestion. `idle_before`: tells how long the sender had nothing to do since the
  /// time it is given, that of the data packet before; called only where somebody wants to know.
  template <typename IdleBefore>
  void watch_data(const PacketFacts& packet, Context& context, IdleBefore&& idle_before) {
    if (counts.first_data_time.count == 0) counts.first_data_time = packet.time;
    const Nanos before = std::exchange(counts.last_data_time, packet.time);
    const bool moved = rate.add(packet.time, packet.wire_bytes);
    if (packet.paused_classes != 0) [[unlikely]] {
      count_paused(packet.paused_classes);
    }
    if (!packet.is_marked() && !congestion) [[likely]] {
      return;
    }
    if (congestion.use().on_data(packet, idle_before(before), moved, rate)) {
      context.receivers.on_sign(key.hosts.src, key.hosts.dst, packet.frame, packet.time);
    }
  }
  /// Whether this acknowledgement is one more copy of the last one: a mirror's or the network's. A receiver answers
  /// each duplicate with an equal ACK of its own, with a new IP id where it counts them, and not within the same
  /// moment.
  bool is_copied_ack(const PacketFacts& packet);
  /// Whether it has sent this very packet within kCopyWindow, in whatever network: a mirror shows it at two places.
  bool has_just_sent(const PacketFacts& packet) const;
  /// Whether most of its data is in the capture twice.
  bool is_captured_twice() const {
    const SpaceCounts& q = requests.counts();
    const SpaceCounts& r = responses.counts();
    return (q.duplicate_packets + r.duplicate_packets) * 4 > q.packets + r.packets;
  }
  /// History slots in use.
  std::size_t slots() const { return requests.slots() + responses.slots(); }
  /// False for a bad ICRC where this side's ICRCs mean something. (A capture on the sender may show ICRCs that the
  /// adapter fills in later; then all are bad, and none says anything about delivery.)
  bool delivered(const PacketFacts& packet) const {
    return packet.icrc != wire::IcrcStatus::kBad || counts.icrc[static_cast<std::size_t>(wire::IcrcStatus::kGood)] == 0;
  }

 private:
  void count_paused(std::uint8_t classes);
  void note_dscp(const PacketFacts& packet);
  void add_path_row(DirectionTraffic& to) const;
};

}  // namespace rocetop::track
