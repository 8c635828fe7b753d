// SPDX-License-Identifier: BSD-3-Clause
#include "track/late_arrivals.h"

#include <utility>

namespace rocetop::track {

void LateArrivals::were_reordered(SpaceCounts& counts, Context& context) {
  for (const Late& late : late_) {
    ++counts.reordered_packets;
    MissingPsns::settle_run(late.run, Outcome::kReordered, counts, context.lists);
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
    MissingPsns::settle_run(late.run, Outcome::kRetransmitted, counts, context.lists);
  }
  return std::exchange(late_, {});
}

}  // namespace rocetop::track
