// SPDX-License-Identifier: BSD-3-Clause
// From a scenario, or from frames, to what the tracker says about it: generate -> wire -> track, nothing in between.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "generate/encoder.h"
#include "track/counts.h"
#include "track/limits.h"
#include "track/observation.h"
#include "track/receiver_log.h"

namespace rocetop::test {

struct TrackerRun {
  std::vector<track::ConnectionCounts> connections;  ///< by id
  std::vector<track::Observation> observations;      ///< one a frame
  std::vector<track::Resolution> resolutions;        ///< in the order in which they were told
  std::vector<track::CmRejection> rejections;
  std::vector<track::CmSetUp> set_ups;
  std::vector<track::ReceiverCounts> receivers;
  std::vector<track::CnpPacing> cnp_pacing;
  std::uint64_t stray_damaged_packets = 0;
};

/// Frame n (from 1) is frames[n - 1] of file 0. A frame that does not decode as RoCE fails the running test.
TrackerRun track_frames(std::span<const generate::TimedFrame> frames, const track::Limits& limits = {});

/// The same for a scenario's frames; a scenario that does not parse fails the running test.
TrackerRun track_scenario(std::string_view scenario);

}  // namespace rocetop::test
