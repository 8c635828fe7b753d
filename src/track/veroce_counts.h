// SPDX-License-Identifier: BSD-3-Clause
// What the tracker found out about one direction of a veRoCE connection beyond what every direction has: paths, and how
// selective retransmission went. Plain data. A path is a UDP source port: senders spread a connection's packets over
// several (reference: third-party readings of the veRoCE specification v2.0.4).
#pragma once

#include <cstdint>
#include <vector>

#include "base/frame_id.h"
#include "base/histogram.h"
#include "base/lazy.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "track/frame_sample.h"

namespace rocetop::track {

/// What one direction sent over one path, and what the other end said of that path.
struct VerocePath {
  std::uint16_t udp_src = 0;
  std::uint64_t packets = 0;  ///< that take a PSN: first transmissions and resends
  std::uint64_t bytes_on_wire = 0;
  std::uint64_t ce_packets = 0;  ///< of these
  std::uint64_t resent = 0;      ///< of these: resends
  std::uint64_t trimmed = 0;     ///< of these: payload cut off on the way
  /// Of these: packets that passed the tap here and were asked for again, or ran into the timer, and nothing says that
  /// they arrived.
  std::uint64_t lost = 0;
  std::uint64_t asked_by_nak = 0;  ///< of these: whole at the tap, and a Packet Drop NAK asked for them again
  std::uint64_t late = 0;          ///< of these: first transmissions that packets with higher PSNs had overtaken
  Histogram late_ns;               ///< how long after the first packet that had overtaken them
  std::uint64_t cnps = 0;          ///< of the other end, with this UDP source port
  std::uint64_t slow_signals = 0;  ///< Slow-Packet Signals of the other end, with this UDP source port
  /// RTT Request to RTT Response at the tap, less what the responding host took: from the tap to the responder and
  /// back.
  Histogram probe_ns;
  Lazy<FrameSample> losses;   ///< the packets that `lost` counts
  Lazy<FrameSample> signals;  ///< the Slow-Packet Signals
};

/// One sequence space of a direction: how its losses were told and made good.
struct VeroceRecovery {
  std::uint64_t acks = 0;              ///< of the other end about this space: neither SACK nor NAK
  std::uint64_t sacks = 0;             ///< … SACKs
  std::uint64_t packet_drop_naks = 0;  ///< … NAKs with syndrome 0x60, Packet Drop
  std::uint64_t becn_replies = 0;      ///< of these three: with BECN, which answers marks as a CNP does
  std::uint64_t holes_told = 0;        ///< PSNs that a SACK showed as not received while later ones were, each once
  std::uint64_t resent_psns = 0;       ///< PSNs sent again at least once
  std::uint64_t second_round = 0;      ///< resends of PSNs that had been resent before
  std::uint64_t needless = 0;          ///< resends of PSNs that a reply had told as received before
  /// Resends of what was not lost, as the tap could see afterwards: answered sooner than any round trip, or the
  /// original passed after them.
  std::uint64_t early_answers = 0;
  std::uint64_t unflagged_resends = 0;  ///< repeats of a PSN without the Retrans flag that are no copies
  std::uint64_t flagged_resends = 0;    ///< … with it
  std::uint32_t reorder_depth = 0;      ///< the most PSNs by which a first transmission was behind the highest one
  FrameId reorder_depth_frame;          ///< … and that packet
  std::uint64_t beyond_window = 0;      ///< packets more than a SACK bitmap ahead of a PSN that the tap had not seen
  /// Out-of-order depth, highest received PSN less the acknowledged one, as SACKs tell it.
  Histogram sack_depth;
  std::uint64_t full_bitmaps = 0;  ///< SACKs whose depth leaves no room in the bitmap
  Lazy<FrameSample> full_bitmap_frames;
  Lazy<FrameSample> needless_frames;  ///< the resends of `needless` and `early_answers`
};

struct VeroceDirection {
  VeroceRecovery requests;
  VeroceRecovery responses;
  std::vector<VerocePath> paths;        ///< ascending by port; at most kVerocePaths
  std::uint64_t packets_elsewhere = 0;  ///< over more paths than are kept
  std::uint64_t lost_elsewhere = 0;     ///< of these: as VerocePath::lost
  std::uint64_t trimmed = 0;            ///< packets whose payload was cut off on the way
  Lazy<FrameSample> trimmed_frames;
  std::uint64_t rtt_requests = 0;  ///< RTT probes sent in this direction
  std::uint64_t raw_packets = 0;   ///< that fit no layout: counted as frames, followed in nothing
  Histogram host_delay_ns;         ///< what the other host took for its RTT Responses, by its own stamps
};

/// Paths told apart in one direction: a port for each of the paths that adapters spread over, and many to spare.
inline constexpr std::size_t kVerocePaths = 256;

}  // namespace rocetop::track
