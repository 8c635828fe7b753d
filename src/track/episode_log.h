// SPDX-License-Identifier: BSD-3-Clause
// EpisodeLog: the one episode that is open in a space, and the record of the closed ones.
#pragma once

#include <vector>

#include "track/context.h"
#include "track/counts.h"
#include "track/packet_facts.h"

namespace rocetop::track {

class EpisodeLog {
 public:
  struct Open {
    Episode episode;
    Sequence first = 0;
    Sequence next = 0;               ///< the PSN after the newest resent one
    Sequence last = 0;               ///< highest PSN resent
    Sequence received_at_start = 0;  ///< everything up to here was acknowledged at the tap when it began
    bool began_with_read = false;
    bool goes_back = true;    ///< everything from the first one on is resent; veRoCE resends single PSNs
    bool unanswered = false;  ///< a READ or atomic among the resent had not been answered in full when it was resent
  };

  bool is_open() const { return !open_.empty(); }
  Open& open() { return open_.front(); }
  const Open& open() const { return open_.front(); }

  void begin(const Open& open);
  /// One resent packet of the open episode, whose PSNs end at `last`.
  void add(Sequence last, const PacketFacts& packet, bool wasted, bool unseen, const Context& context);
  /// The first reply was seen: where the sender had gone back after silence, it was no unseen NAK but the timer.
  void replies_are_captured(SpaceCounts& counts);
  /// Counts and lists the open episode as it stands; tells the sink about its frames.
  void end(SpaceCounts& counts, Context& context);

 private:
  static constexpr std::size_t kFramesMost = 1 << 16;  // frames remembered per episode, for the sink only

  std::vector<Open> open_;  // none or one; out of the way of the packets that find none
  std::vector<FrameId> frames_;
};

}  // namespace rocetop::track
