// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/losses.h"

#include <algorithm>

namespace rocetop::verdict {

using track::Episode;
using track::MissingRun;
using track::Outcome;

Filled filled(const track::SpaceCounts& space, const MissingRun& run) {
  if (run.outcome != Outcome::kRetransmitted) return Filled::kByResends;
  const auto overlaps = [&](const Episode& e) {
    return serial_difference(e.first_psn.value, run.last_psn.value) <= 0 &&
           serial_difference(run.first_psn.value, e.last_psn.value) <= 0;
  };
  for (const Episode& e : space.episodes) {
    const bool came_later = !e.first_psn_seen && e.first_psn_late && e.first_psn == run.first_psn && run.psns() == 1;
    if (!e.may_be_late && !came_later) continue;
    if (overlaps(e)) return e.first_psn_late ? Filled::kByLate : Filled::kMaybeByLate;
  }
  return Filled::kByResends;
}

std::vector<Loss> losses_of(const Docket& docket) {
  std::vector<Loss> losses;
  docket.each_direction([&](const DirectionView& v) {
    const bool uc = v.connection->transport == wire::Transport::kUc;
    for (const auto* space : {&v.direction->requests, &v.direction->responses}) {
      for (const MissingRun& run : space->missing) {
        if (run.outcome != Outcome::kRetransmitted && !(uc && run.outcome == Outcome::kUnresolved)) continue;
        if (docket.evidence().capture.is_behind_hole(run.seen_at)) continue;
        const Filled by = filled(*space, run);
        if (by == Filled::kByLate) continue;
        losses.push_back({run.seen_at_time, run.psns(), run.seen_at, v, true, by == Filled::kMaybeByLate});
      }
    }
    for (const Episode& e : v.direction->requests.episodes) {
      const bool behind_tap = e.cause == track::Cause::kNak && e.named_by_nak && e.first_psn_seen &&
                              !e.first_psn_late && !e.first_psn_behind_gap && !e.first_psn_acked &&
                              !e.first_psn_bad_icrc;
      if (behind_tap) losses.push_back({e.first_time - e.wait, 1, e.trigger_frame, v, false, false});
    }
  });
  std::sort(losses.begin(), losses.end(),
            [](const Loss& a, const Loss& b) { return a.time != b.time ? a.time < b.time : a.frame < b.frame; });
  return losses;
}

bool stands_out(std::span<const Loss> event, std::size_t all, const Docket& docket) {
  const Thresholds& t = docket.thresholds();
  const auto& capture = docket.evidence().capture;
  const auto span = static_cast<double>((capture.last_time - capture.first_time).count);
  const auto window = static_cast<double>(t.burst_window.count);
  const auto inside = static_cast<double>(event.size());
  if (span >= (t.burst_over_even + 1) * window) {
    return inside >= t.burst_over_even * static_cast<double>(all) * window / span;
  }
  // Of a short capture the rest is little: its losses, or one that it might have had, against the event's own extent.
  const auto extent =
      static_cast<double>(std::max<std::int64_t>((event.back().time - event.front().time).count, 1'000));
  const double outside = std::max(static_cast<double>(all) - inside, 1.0);
  return span > extent && inside / extent >= t.burst_over_even * outside / (span - extent);
}

}  // namespace rocetop::verdict
