// SPDX-License-Identifier: BSD-3-Clause
// Evidence: everything the rules may look at. Plain references to what was tracked, and the facts of the capture
// itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "track/counts.h"
#include "track/fast_cnp_log.h"
#include "track/frame_sample.h"
#include "track/hole_log.h"
#include "track/pause_log.h"
#include "track/receiver_log.h"
#include "verdict/expectations.h"

namespace rocetop::verdict {

/// Facts about the capture as a whole.
struct CaptureEvidence {
  std::uint64_t roce_frames = 0;
  std::uint64_t truncated_frames = 0;
  track::FrameSample truncated;
  std::optional<std::uint32_t> snap_length;
  std::uint64_t capture_missed_packets = 0;
  double completeness = 1.0;
  std::optional<std::uint64_t> dropped_reported;
  std::uint64_t ip_fragments = 0;
  track::FrameSample fragments;
  Nanos first_time;
  Nanos last_time;
  std::uint64_t evicted_connections = 0;
  std::uint64_t duplicated_frames = 0;  ///< copies that the capture holds of the same frame on another interface
  std::vector<track::CaptureHole> holes;
  std::vector<track::PausingPort> pauses;
  std::vector<track::ReceiverCounts> receivers;
  std::vector<track::FastCnpCounts> fast_cnps;
  std::uint64_t veroce_frames = 0;           ///< to veRoCE's port, without those that are plain RoCEv2
  std::uint64_t veroce_raw_frames = 0;       ///< of these, that fit no layout
  std::uint64_t veroce_unknown_opcodes = 0;  ///< of those, for their opcode
  track::FrameSample veroce_raw;
  bool partial = false;                     ///< a filter, -c, --from or --to kept frames out
  std::uint64_t rejections_omitted = 0;     ///< CM rejections beyond what is kept
  std::uint64_t stray_damaged_packets = 0;  ///< wrong ICRC, and a queue pair that nothing else was sent to

  /// Whether what this frame jumped over went on while nothing was captured: no loss of the network.
  bool is_behind_hole(FrameId frame) const {
    return std::any_of(holes.begin(), holes.end(), [&](const track::CaptureHole& hole) {
      return std::binary_search(hole.jumps.begin(), hole.jumps.end(), frame);
    });
  }
};

struct Evidence {
  CaptureEvidence capture;
  const std::vector<track::ConnectionCounts>& connections;
  const std::vector<track::CmRejection>& rejections;
  std::vector<track::CmSetUp> set_ups = {};
  Expectations expectations = {};
};

}  // namespace rocetop::verdict
