// SPDX-License-Identifier: BSD-3-Clause
// From a scenario, or from frames, to what the tracker says about it: generate -> wire -> track, nothing in between.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "generate/encoder.h"
#include "track/counts.h"
#include "track/fast_cnp_log.h"
#include "track/limits.h"
#include "track/observation.h"
#include "track/pause_log.h"
#include "track/receiver_log.h"

namespace rocetop::test {

struct TrackerRun {
  std::vector<track::ConnectionCounts> connections;  ///< by id
  std::vector<track::Observation> observations;      ///< one a frame; empty ones of pause frames
  std::vector<track::Resolution> resolutions;        ///< in the order in which they were told
  std::vector<std::uint32_t> final_connections;  ///< one a frame: the number by which its connection went at the end
  std::vector<track::CmRejection> rejections;
  std::vector<track::CmSetUp> set_ups;
  std::vector<track::ReceiverCounts> receivers;
  std::vector<track::CnpPacing> cnp_pacing;
  std::vector<track::FastCnpCounts> fast_cnps;
  std::vector<track::PausingPort> pauses;
  std::uint64_t stray_damaged_packets = 0;
};

/// Frame n (from 1) is frames[n - 1] of file 0. A frame that decodes as neither RoCE nor a pause frame fails the
/// running test. `link_speed`: bits per second, for the pauses.
TrackerRun track_frames(std::span<const generate::TimedFrame> frames, std::optional<std::uint64_t> link_speed = {},
                        const track::Limits& limits = {});

/// The same for a scenario's frames; a scenario that does not parse fails the running test.
TrackerRun track_scenario(std::string_view scenario, std::optional<std::uint64_t> link_speed = {});

/// The run's only connection; none or several fail the running test.
const track::ConnectionCounts& only(const TrackerRun& run);

/// What A sent and what B sent, in a scenario with one connection; empty where there was nothing.
struct Directions {
  track::DirectionCounts a;
  track::DirectionCounts b;
};
Directions directions_of(std::string_view scenario);

}  // namespace rocetop::test
