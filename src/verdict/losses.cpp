// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/losses.h"

#include <algorithm>
#include <set>

namespace rocetop::verdict {

using track::Cause;
using track::Episode;
using track::MissingRun;
using track::Outcome;

namespace {

bool holds(const MissingRun& run, Psn psn) {
  return serial_difference(psn.value, run.first_psn.value) >= 0 &&
         serial_difference(run.last_psn.value, psn.value) >= 0;
}

bool overlap(const Episode& e, const MissingRun& run) {
  return serial_difference(e.first_psn.value, run.last_psn.value) <= 0 &&
         serial_difference(run.first_psn.value, e.last_psn.value) <= 0;
}

/// Packets of a gap: a READ request is one, and takes the PSNs of all its responses.
std::uint64_t packets_of(const track::SpaceCounts& space, const MissingRun& run) {
  std::uint64_t unseen = 0;
  for (const Episode& e : space.episodes) unseen += overlap(e, run) ? e.unseen_packets : 0;
  return unseen == 0 ? run.psns() : std::min(run.psns(), unseen);
}

}  // namespace

Filled filled(const track::SpaceCounts& space, const MissingRun& run) {
  if (run.outcome != Outcome::kRetransmitted) return Filled::kByResends;
  for (const Episode& e : space.episodes) {
    const bool came_later = !e.first_psn_seen && e.first_psn_late && e.first_psn == run.first_psn && run.psns() == 1;
    if (!e.may_be_late && !came_later) continue;
    if (overlap(e, run)) return e.first_psn_late ? Filled::kByLate : Filled::kMaybeByLate;
  }
  return Filled::kByResends;
}

bool is_whole(const CaptureEvidence& capture) {
  return capture.capture_missed_packets == 0 && capture.dropped_reported.value_or(0) == 0;
}

bool proves_loss(const Episode& e, const Thresholds& thresholds) {
  if (e.first_psn_acked || e.first_psn_late) return false;
  if (e.cause == Cause::kSack) return true;
  return (e.cause == Cause::kNak && e.named_by_nak) || (e.cause == Cause::kTimeout && e.wait >= thresholds.early_wait);
}

bool is_proven(const Docket& docket, const DirectionView& v, const track::SpaceCounts& space, const MissingRun& run) {
  if (is_whole(docket.evidence().capture)) return true;
  if (v.is_veroce()) {
    // Both spaces have resends of their own, each of what was asked for or ran into the timer.
    return std::any_of(space.episodes.begin(), space.episodes.end(), [&](const Episode& e) {
      return overlap(e, run) && e.unseen_packets > 0 && proves_loss(e, docket.thresholds());
    });
  }
  const bool of_requests = &space == &v.direction->requests;
  if (!of_requests && !v.opposite) return true;
  const std::vector<Episode>& episodes = of_requests ? space.episodes : v.opposite->requests.episodes;
  return std::any_of(episodes.begin(), episodes.end(), [&](const Episode& e) {
    if (!holds(run, e.first_psn)) return false;
    return of_requests ? proves_loss(e, docket.thresholds()) && !e.first_psn_seen
                       : e.cause != Cause::kSpurious && e.cause != Cause::kRnr;
  });
}

namespace {

/// veRoCE: what had passed the tap, and a SACK showed as not received. Packet Drop NAKs are for what was trimmed. A PSN
/// that is lost again when it is resent is lost once here: its losses come as long after each other as recovery takes.
void add_selective(const DirectionView& v, std::vector<Loss>& losses) {
  for (const auto* space : {&v.direction->requests, &v.direction->responses}) {
    for (const Episode& e : space->episodes) {
      const std::uint32_t others = e.unseen_packets + e.wasted_packets + e.repeated_packets;
      if (e.cause != Cause::kSack || e.first_psn_acked || e.first_psn_bad_icrc || e.packets <= others) continue;
      losses.push_back({e.first_time - e.wait, e.packets - others, e.trigger_frame, v, false, false, false});
    }
  }
}

}  // namespace

std::vector<Loss> losses_of(const Docket& docket) {
  std::vector<Loss> losses;
  docket.each_direction([&](const DirectionView& v) {
    const bool uc = v.connection->transport == wire::Transport::kUc;
    for (const auto* space : {&v.direction->requests, &v.direction->responses}) {
      for (const MissingRun& run : space->missing) {
        if (run.outcome != Outcome::kRetransmitted && !(uc && run.outcome == Outcome::kUnresolved)) continue;
        if (docket.evidence().capture.is_behind_hole(run.seen_at)) continue;
        const Filled by = filled(*space, run);
        if (by == Filled::kByLate || (!uc && !is_proven(docket, v, *space, run))) continue;
        losses.push_back(
            {run.seen_at_time, packets_of(*space, run), run.seen_at, v, true, uc, by == Filled::kMaybeByLate});
      }
    }
    if (v.is_veroce()) return add_selective(v, losses);
    for (const Episode& e : v.direction->requests.episodes) {
      const bool behind_tap = e.cause == track::Cause::kNak && e.named_by_nak && e.first_psn_seen &&
                              !e.first_psn_late && !e.first_psn_behind_gap && !e.first_psn_acked &&
                              !e.first_psn_bad_icrc;
      if (behind_tap) losses.push_back({e.first_time - e.wait, 1, e.trigger_frame, v, false, false, false});
    }
  });
  std::sort(losses.begin(), losses.end(),
            [](const Loss& a, const Loss& b) { return a.time != b.time ? a.time < b.time : a.frame < b.frame; });
  return losses;
}

Nanos time_to_lose_in(std::span<const Loss> losses) {
  Nanos longest;
  std::set<const track::DirectionCounts*> known;
  for (const Loss& loss : losses) {
    const track::DirectionCounts& d = *loss.view.direction;
    if (!known.insert(&d).second) continue;
    Nanos sending = std::max(d.last_time - d.first_time, Nanos{});  // clocks step back
    for (const auto* space : {&d.requests, &d.responses}) {
      for (const Episode& e : space->episodes) {
        const bool waited = e.cause == Cause::kTimeout || e.cause == Cause::kRnr || e.cause == Cause::kUnknown;
        if (waited) sending = sending - std::clamp(e.silence, Nanos{}, sending);
      }
    }
    longest = std::max(longest, sending);
  }
  return longest;
}

bool stands_out(std::span<const Loss> event, std::size_t all, Nanos time, const Docket& docket) {
  const Thresholds& t = docket.thresholds();
  const auto span = static_cast<double>(time.count);
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
