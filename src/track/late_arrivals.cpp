// SPDX-License-Identifier: BSD-3-Clause
#include "track/late_arrivals.h"

#include <utility>

namespace rocetop::track {

void LateArrivals::were_reordered(SpaceCounts& counts, Context& context) {
  for (const Late& late : late_) {
    ++counts.reordered_packets;
    settle(late, Outcome::kReordered, counts, context);
    if (context.sink) {
      context.sink->on_resolution({late.packet.frame, Resolution::Fate::kReordered, Cause::kUnknown, {}, {}});
    }
  }
  late_.clear();
}

std::vector<LateArrivals::Late> LateArrivals::were_resent(SpaceCounts& counts, Context& context) {
  for (const Late& late : late_) {
    ++counts.retransmitted_original_unseen;
    counts.retransmitted_bytes += late.packet.payload_bytes;
    settle(late, Outcome::kRetransmitted, counts, context);
  }
  return std::exchange(late_, {});
}

void LateArrivals::settle(const Late& late, Outcome outcome, SpaceCounts& counts, Context& context) {
  MissingPsns::settle_run(late.run, outcome, counts, context);
  for (const MissingPsns::Run& run : late.more_runs) MissingPsns::settle_run(run, outcome, counts, context);
}

}  // namespace rocetop::track
