// SPDX-License-Identifier: BSD-3-Clause
// LateArrivals: missing PSNs of a space that arrived without a sign that the sender had gone back. What follows
// decides: something new, and the network had reordered them; something seen before, and they were the first of a
// resend.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "track/context.h"
#include "track/counts.h"
#include "track/missing.h"
#include "track/packet_facts.h"

namespace rocetop::track {

class LateArrivals {
 public:
  struct Late {
    PacketFacts packet;
    MissingPsns::Run run;                     ///< the PSNs that the packet filled
    Sequence last = 0;                        ///< the last PSN it takes
    std::vector<MissingPsns::Run> more_runs;  ///< … and filled, where a READ takes PSNs of several runs
  };

  /// A reordering depth beyond this is a sender going back.
  static constexpr std::size_t kMost = 64;

  bool empty() const { return late_.empty(); }
  bool full() const { return late_.size() >= kMost; }
  const Late& newest() const { return late_.back(); }
  void hold(Late late) { late_.push_back(std::move(late)); }

  /// The network had reordered them.
  void were_reordered(SpaceCounts& counts, Context& context);
  /// The sender had gone back. Gives them, in the order they came.
  std::vector<Late> were_resent(SpaceCounts& counts, Context& context);

 private:
  static void settle(const Late& late, Outcome outcome, SpaceCounts& counts, Context& context);

  std::vector<Late> late_;
};

}  // namespace rocetop::track
