// SPDX-License-Identifier: BSD-3-Clause
// Side: everything one end of a connection sends: its counts, its requests and its responses.
#pragma once

#include <array>
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
#include "track/veroce_side.h"

namespace rocetop::track {

struct Side {
  /// Packets in a row that are alike, and the last of them in a row with one opcode: counted here, beside what every
  /// packet touches, until one differs.
  struct Row {
    std::uint64_t alike = 0;  ///< PathFacts::as_number()
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
    FrameId last_frame;
    Nanos last_time;
    std::uint64_t opcode_packets = 0;
    std::uint8_t opcode = 0;
    std::uint8_t transport = 0;  ///< what `operations` counts, opcode >> 5
    bool path_mtu_told = false;  ///< the path MTU of this direction is known: nothing to learn from a Middle

    bool empty() const { return packets == 0; }
    PathFacts path() const { return std::bit_cast<PathFacts>(alike); }
    bool goes_on_with(const PacketFacts& p) const { return p.as_number() == alike && packets != 0; }
    void add(const PacketFacts& p) {
      ++packets;
      ++opcode_packets;
      bytes += p.wire_bytes;
      last_frame = p.frame;
      last_time = p.time;
    }
  };

  // What every packet touches heads its cache lines: with a thousand queue pairs, waiting for them is most of the work.
  alignas(64) Row row;
  Lazy<Congestion> congestion;                 ///< of its data, from the first CE or CNP on
  RateMeter rate;                              ///< of its data
  std::array<std::uint32_t, 32> operations{};  ///< packets by the low five bits of the opcode, before the row
  /// What acknowledgements touch; of a side that sends datagrams, the newest of these.
  struct Replies {
    /// The newest NAKs and RNR NAKs: what comes between one and its copy is more than one reply where a mirror is slow.
    struct Naks {
      struct Nak {
        Nanos time;
        Psn psn;
        Msn msn;
        std::uint16_t ip_id = 0;
        std::uint8_t syndrome = 0;
      };
      std::array<Nak, 8> newest;
      std::size_t count = 0;  // ever; the next one takes the place of the oldest
    };

    std::uint64_t acks = 0;
    Nanos last_time;  ///< of the last acknowledgement, whatever it said
    bool any = false;
    std::uint8_t last_syndrome = 0;
    std::uint8_t psn_repeats = 0;  ///< datagrams in a row with the PSN of the one before
    std::uint16_t last_ip_id = 0;
    Psn last_psn;
    Msn last_msn;
    FrameId last_sequence_nak;
    Nanos last_sequence_nak_time;
    Lazy<Naks> naks;
  };
  alignas(64) Replies replies;
  alignas(64) RequestSpace requests;
  ResponseSpace responses;
  alignas(64) DirectionTraffic counts;
  FlowKey key;                    ///< of every packet of this side …
  std::vector<FlowKey> also;      ///< … and those of the same packets, or of its CNPs, in other VLANs
  std::vector<PacketFacts> held;  ///< replies that wait for pairing, oldest first
  /// CNPs of another VLAN that are taken for its own. A connection with the same numbers may still show up there, and
  /// then they were that one's: until then, or the end, they are not counted among its packets.
  struct Lodgers {
    FlowKey name;  ///< one of `also`
    std::vector<PacketFacts> cnps;
  };
  Lazy<Lodgers> lodgers;
  Lazy<VeroceSide> veroce;  ///< of a veRoCE connection, in place of `requests`, `responses` and `held`

  Side() {
    counts.dscp_of.fill(kNoDscp);
    counts.first_dscp_of.fill(kNoDscp);
  }

  /// A packet that goes on with the row. (Of CNPs and acknowledgements more is counted.)
  void count_in_row(const PacketFacts& packet) {
    if (packet.opcode != row.opcode) change_opcode(packet.opcode);
    row.add(packet);
  }
  /// Counts what needs no sequence number: frames, bytes, opcodes, ECN, ICRC, NAK codes.
  void count(const PacketFacts& packet);
  /// The counts with everything in them; `counts` alone lacks the newest row.
  DirectionTraffic total() const;
  Nanos last_data_time() const { return !row.empty() && row.path().is_data() ? row.last_time : counts.last_data_time; }
  /// A data packet's part in rates and congestion. `pause_before`: tells what the sender did since the
  /// time it is given, `before`, that of the data packet before; called only where somebody wants to know.
  template <typename PauseBefore>
  void watch_data(const PacketFacts& packet, Nanos before, Context& context, PauseBefore&& pause_before) {
    const bool moved = rate.add(packet.time, packet.wire_bytes);
    if (packet.paused_classes != 0) [[unlikely]] {
      count_paused(packet.paused_classes);
    }
    if (!packet.is_marked() && !congestion) [[likely]] {
      return;
    }
    if (congestion.use().on_data(packet, pause_before(before), moved, rate)) {
      context.receivers.on_sign(key.hosts.src, key.hosts.dst, packet.frame, packet.time);
    }
  }
  /// Whether this acknowledgement is one more copy of the last one: a mirror's or the network's. A receiver answers
  /// each duplicate with an equal ACK of its own, with a new IP id where it counts them, and not within the same
  /// moment.
  bool is_copied_ack(const PacketFacts& packet);
  bool is_copied_nak(const PacketFacts& packet);
  /// The same of a datagram: each has a PSN of its own, unless its sender does not count them.
  bool is_copied_datagram(const PacketFacts& packet);
  /// Whether it has sent this very packet within kCopyWindow, in whatever network: a mirror shows it at two places.
  bool has_just_sent(const PacketFacts& packet) const;
  /// Whether most of its data is in the capture twice.
  bool is_captured_twice() const {
    if (veroce) return veroce->is_captured_twice();
    const SpaceCounts& r = responses.counts();
    return (requests.copies() + r.duplicate_packets) * 4 > requests.packets() + r.packets;
  }
  bool sends_requests() const { return requests.started() || (veroce && veroce->requests.started()); }
  /// Replies that wait for pairing and name a PSN.
  bool holds_replies() const;
  /// How well an acknowledgement of the other side fits its requests.
  Fit fits(const PacketFacts& reply) const { return veroce ? veroce->fits(reply) : requests.fits(reply); }
  Psn first_request() const { return wire_psn(veroce ? veroce->requests.first() : requests.first()); }
  /// Whether it has sent packets with this UDP source port.
  bool uses_port(std::uint16_t udp_src) const {
    return counts.udp_src == udp_src || (veroce && veroce->paths.uses(udp_src));
  }
  /// One of its CNPs travelled in `network`.
  void note_network_of_cnp(const wire::NetworkKey& network) {
    if (network == key.hosts.network) return;
    ++counts.cnps_elsewhere;
    counts.cnps_elsewhere_in = network;
  }
  std::uint64_t frames() const { return counts.frames + row.packets; }
  /// History slots in use.
  std::size_t slots() const { return requests.slots() + responses.slots() + (veroce ? veroce->slots() : 0); }
  std::size_t open_runs_claimed() const {
    return requests.open_runs_claimed() + responses.open_runs_claimed() + (veroce ? veroce->open_runs_claimed() : 0);
  }
  /// False for a bad ICRC where this side's ICRCs mean something. (A capture on the sender may show ICRCs that the
  /// adapter fills in later; then all are bad, and none says anything about delivery.)
  bool delivered(const PacketFacts& packet) const { return packet.icrc != wire::IcrcStatus::kBad || !has_good_icrcs(); }

 private:
  bool is_last_reply(const PacketFacts& packet) const;
  bool has_good_icrcs() const {
    return counts.icrc[static_cast<std::size_t>(wire::IcrcStatus::kGood)] != 0 ||
           (!row.empty() && row.path().icrc == wire::IcrcStatus::kGood);
  }
  void begin_row(const PacketFacts& packet);
  void change_opcode(std::uint8_t opcode);
  void end_opcode();
  void add_row(DirectionTraffic& to) const;
  void count_paused(std::uint8_t classes);
  void note_dscp(const PacketFacts& packet);
};

}  // namespace rocetop::track
