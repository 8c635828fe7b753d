// SPDX-License-Identifier: BSD-3-Clause
// VeroceSide: what one end of a veRoCE connection sends, beyond what every side counts: two sequence spaces, paths,
// messages; and the signals of the other end about its paths.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "track/cnp_copy.h"
#include "track/path_log.h"
#include "track/selective_space.h"
#include "track/veroce_counts.h"
#include "track/veroce_facts.h"
#include "track/veroce_messages.h"
#include "wire/veroce_opcode.h"

namespace rocetop::track {

struct VeroceSide {
  using Held = std::pair<PacketFacts, VeroceFacts>;

  SelectiveSpace requests{SpaceName::kRequests};
  SelectiveSpace responses{SpaceName::kResponses};
  VeroceMessages messages;  ///< of its requests
  PathLog paths;
  Histogram host_delay_ns;  ///< what the other end took for its RTT Responses
  std::uint64_t trimmed = 0;
  Lazy<FrameSample> trimmed_frames;
  std::uint64_t rtt_requests = 0;
  std::uint64_t raw_packets = 0;
  std::vector<Held> held;  ///< what it said about the other side's packets and paths, before that was known

  /// A packet of this side; `delivered` and the result as in SelectiveSpace.
  bool on_packet(const PacketFacts& packet, const VeroceFacts& more, bool delivered, Context& context,
                 Observation& observation);
  /// What the other side says of this one's packets and paths.
  void on_reply(const PacketFacts& reply, const VeroceFacts& more, Context& context, Observation& observation);

  SelectiveSpace& space(wire::VeroceSpace which) {
    return which == wire::VeroceSpace::kResponses ? responses : requests;
  }
  const SelectiveSpace& space(wire::VeroceSpace which) const {
    return which == wire::VeroceSpace::kResponses ? responses : requests;
  }
  /// How well an acknowledgement of the other side, which names one of the two spaces, fits what was sent.
  Fit fits(const PacketFacts& reply) const;
  /// Whether it has sent this very packet, which takes a PSN, within kCopyWindow.
  bool has_just_sent(const PacketFacts& packet) const;
  /// Whether its IP identifications differ from packet to packet, `packet` included; of the first few, whether they
  /// may.
  bool ids_count(const PacketFacts& packet) {
    constexpr std::uint32_t kFew = 16;
    ids_count_ = ids_count_ || (packet.has_ip_id && ids_alike_ > 0 && packet.ip_id != last_ip_id_);
    last_ip_id_ = packet.ip_id;
    ids_alike_ = std::min(ids_alike_ + 1, kFew);
    return is_told_by_id(packet) && (ids_count_ || ids_alike_ < kFew);
  }
  /// Whether most of its data is in the capture twice.
  bool is_captured_twice() const {
    const SpaceCounts& a = requests.counts();
    const SpaceCounts& b = responses.counts();
    return (a.duplicate_packets + b.duplicate_packets) * 4 > a.packets + b.packets;
  }
  bool all_acknowledged() const {
    return (!requests.started() || requests.all_acknowledged()) &&
           (!responses.started() || responses.all_acknowledged());
  }
  std::size_t slots() const { return requests.slots() + responses.slots() + messages.slots(); }
  std::size_t open_runs_claimed() const { return requests.open_runs_claimed() + responses.open_runs_claimed(); }
  void finish(Context& context);
  VeroceDirection counts() const;

 private:
  bool ids_count_ = false;
  std::uint16_t last_ip_id_ = 0;
  std::uint32_t ids_alike_ = 0;  // packets with one identification, before the first that differed
};

}  // namespace rocetop::track
