// SPDX-License-Identifier: BSD-3-Clause
// simulate(): carries out a plan and gives what the tap sees, in order of time, frame by frame. Memory follows what is
// under way, not what has passed.
#pragma once

#include <functional>
#include <span>

#include "generate/sim/plan.h"
#include "generate/sim/truth.h"

namespace rocetop::generate::sim {

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint64_t packets = 0;  ///< of the capture, after which it ends; 0: when the plan says
  std::uint32_t snap_length = 262'144;
  Nanos start;                        ///< of the clock of the capture
  std::function<bool()> interrupted;  ///< asked now and then, also while nothing passes the tap; or empty
};

/// A frame of the capture; bytes as far as the snap length lets. False: no more is wanted.
struct CapturedFrame {
  Nanos time;
  std::span<const std::uint8_t> bytes;
  std::uint32_t wire_length = 0;
};
using FrameSink = std::function<bool(const CapturedFrame&)>;

/// Frames in the capture. `truth` has begun; it is not ended where `sink` stopped.
std::uint64_t simulate(const Plan& plan, const RunOptions& options, const FrameSink& sink, Truth& truth);

}  // namespace rocetop::generate::sim
