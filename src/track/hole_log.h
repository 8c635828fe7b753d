// SPDX-License-Identifier: BSD-3-Clause
// HoleLog: times in which the capture holds nothing although the connections went on: a file of a ring that is missing,
// a capture that stood still. Neither gaps of single connections nor a quiet network: there the PSNs go on, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "track/counts.h"
#include "track/packet_facts.h"

namespace rocetop::track {

/// Nothing was captured between two frames, and most of those that sent data before and after went on meanwhile.
struct CaptureHole {
  FrameId before;
  FrameId after;
  Nanos from;
  Nanos to;
  std::uint64_t jumped = 0;    ///< directions that went on
  std::uint64_t psns = 0;      ///< that they went on by, as far as they are listed
  std::uint64_t uc_jumps = 0;  ///< jumps of UC, which nobody asks to resend: one alone is a loss as well
  std::vector<FrameId> jumps;  ///< the first packets behind it, of each that did; ascending
};

class HoleLog {
 public:
  /// Silences shorter than this are not looked at: hosts pause for longer, mirrors batch for as long.
  static constexpr Nanos kShortest = milliseconds(1);

  /// Nothing was captured from the one packet to the other.
  void on_silence(FrameId before, Nanos from, FrameId after, Nanos to);
  /// `packet` skipped `psns` PSNs of a space whose last packet passed at `last`.
  void on_jump(Nanos last, const PacketFacts& packet, std::uint64_t psns);

  /// Those silences that are holes, by time. A heuristic: at least half of what was sending jumped, by more than a
  /// stray loss, and what was jumped over was not sent again.
  std::vector<CaptureHole> finish(const std::vector<ConnectionCounts>& connections) const;

 private:
  static constexpr std::size_t kSilencesMost = 64;  // those with the fewest jumps make room
  static constexpr std::size_t kJumpsMost = 4'096;  // kept of one

  std::vector<CaptureHole> silences_;
};

}  // namespace rocetop::track
