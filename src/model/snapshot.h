// SPDX-License-Identifier: BSD-3-Clause
// Snapshot: the whole state of an analysis at one moment, as plain data. Every face renders this and nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/nanos.h"
#include "model/totals.h"
#include "model/traffic_mix.h"
#include "track/counts.h"
#include "track/fast_cnp_log.h"
#include "track/hole_log.h"
#include "track/pause_log.h"
#include "track/receiver_log.h"
#include "track/veroce_layouts.h"
#include "verdict/finding.h"
#include "verdict/thresholds.h"
#include "wire/decode.h"

namespace rocetop::model {

struct PauseCounts {
  std::uint64_t xoff_frames = 0;
  std::uint64_t xon_frames = 0;
};

/// What could be made of frames to veRoCE's port.
struct VeroceCounts {
  std::array<std::uint64_t, wire::kVeroceChecks> frames{};  ///< by VeroceCheck; the first are those that are decoded
  std::uint64_t trimmed_frames = 0;                         ///< of the decoded ones, without their payload
  std::uint64_t plain_frames = 0;                           ///< RoCEv2's headers on veRoCE's port: analysed as RoCEv2

  std::uint64_t of(wire::VeroceCheck check) const { return frames[static_cast<std::size_t>(check)]; }
  std::uint64_t decoded() const { return of(wire::VeroceCheck::kPassed); }
  std::uint64_t all() const { return std::accumulate(frames.begin(), frames.end(), std::uint64_t{0}); }
  bool any() const { return plain_frames != 0 || all() != 0; }
};

struct CaptureCounts {
  std::uint64_t frames = 0;
  std::uint64_t roce_frames = 0;  ///< decodable or not
  std::uint64_t not_roce_frames = 0;
  std::uint64_t bytes_on_wire = 0;  ///< of all frames
  std::optional<Nanos> first_time;
  std::optional<Nanos> last_time;
  std::uint64_t truncated_frames = 0;       ///< cut by the snap length (or by a mirror), whatever they hold
  std::uint64_t truncated_roce_frames = 0;  ///< of these, RoCE packets
  std::array<std::uint64_t, wire::kUndecodableCount> undecodable{};
  std::uint64_t capture_missed_packets = 0;
  double completeness = 1.0;
  bool completeness_known = false;  ///< false where nothing was acknowledged: what the capture missed does not show
  std::array<PauseCounts, 8> pfc{};
  std::uint64_t pfc_frames = 0;
  PauseCounts pause_802_3x;
  std::uint64_t ip_fragments = 0;
  std::uint64_t native_infiniband_frames = 0;  ///< decoded, not tracked
  std::uint64_t rocev1_frames = 0;
  std::uint64_t veroce_frames = 0;  ///< without those that turned out to be plain RoCEv2
  VeroceCounts veroce;
  std::uint64_t management_frames = 0;     ///< QP 0 and 1
  std::uint64_t duplicated_frames = 0;     ///< copies made by the capture, left out of every other count of connections
  std::uint64_t backward_clock_steps = 0;  ///< frames stamped before their predecessor
  Nanos largest_backward_step;
  std::optional<std::uint64_t> dropped_reported;  ///< drops that the capture itself reports
  bool drops_are_unknowable = false;              ///< the capture came from a source that always reports zero
  std::optional<std::uint32_t> snap_length;       ///< the smallest, when one cut frames
  std::uint64_t one_way_connections = 0;
  std::uint64_t rejections_omitted = 0;     ///< CM rejections beyond what is kept: counted, not named
  std::uint64_t set_ups_omitted = 0;        ///< CM set-ups beyond what is kept
  std::uint64_t evicted_connections = 0;    ///< dropped from memory at the limit; their packets are in the totals
  std::uint64_t stray_connections = 0;      ///< a packet or two that nothing answered, more than are listed: noise
  std::uint64_t stray_packets = 0;          ///< of these
  std::uint64_t stray_damaged_packets = 0;  ///< wrong ICRC, and a queue pair that nothing else was sent to
  std::uint64_t unpaired_at_limit = 0;  ///< places at which sides wait for their counterpart, forgotten at the limit
};

/// What is wrong with an input, in the words of whoever read it.
struct InputProblem {
  std::string message;
  bool fatal = false;  ///< reading went no further
  bool limit = false;  ///< not a fault of the input: a limit of rocetop
};

/// Why a report is partial.
struct Parts {
  std::uint64_t filtered_frames = 0;  ///< kept out by the filter
  bool before = false;                ///< frames before --from were kept out
  bool after = false;                 ///< frames after --to or -c were, or may be
};

struct Snapshot {
  std::string rocetop_version;
  std::vector<std::string> files;
  bool partial = false;      ///< a filter, -c, --from/--to or an interruption kept frames from the analysis
  bool interrupted = false;  ///< somebody ended the reading
  Parts parts;
  std::vector<InputProblem> problems;
  std::optional<Nanos> start;      ///< of the input's first frame, analysed or not: offsets count from it
  verdict::Thresholds thresholds;  ///< that the findings were judged by
  Nanos judged_until;              ///< the last frame's time, or that of a clock that went on after it
  CaptureCounts capture;
  std::vector<track::ConnectionCounts> connections;  ///< by id
  ConnectionTotals gone;                             ///< of connections that were watched and are forgotten
  std::uint64_t silent_connections = 0;              ///< forgotten because nothing was seen of them for long
  TrafficMix mix;
  track::VeroceReport veroce;             ///< where something went to veRoCE's port
  std::vector<track::CaptureHole> holes;  ///< times of which the capture holds nothing, by time
  std::vector<track::PausingPort> pauses;
  std::vector<std::string> interface_names;      ///< by interface of `pauses`, where there are any; untrusted text
  std::vector<track::ReceiverCounts> receivers;  ///< hosts that were sent congested data, the most overrun first
  std::vector<track::CnpPacing> cnp_pacing;      ///< hosts that sent CNPs, those with the most first
  std::vector<track::FastCnpCounts> fast_cnps;   ///< by switch and data, the most frequent first
  std::uint64_t fast_cnps_omitted = 0;           ///< about more than is kept
  std::vector<verdict::Finding> findings;        ///< in the order to show them
};

}  // namespace rocetop::model
