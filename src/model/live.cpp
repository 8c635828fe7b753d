// SPDX-License-Identifier: BSD-3-Clause
#include "model/live.h"

#include <algorithm>

#include "base/growth.h"

namespace rocetop::model {
namespace {

ConnectionTotals sum_of_all(const Snapshot& snapshot) {
  ConnectionTotals out = snapshot.gone;
  for (const auto& connection : snapshot.connections) out = sum(out, totals(connection));
  return out;
}

}  // namespace

std::string_view word(LinkState state) {
  switch (state) {
    case LinkState::kUp:
      return "up";
    case LinkState::kDown:
      return "down";
    case LinkState::kAbsent:
      return "absent";
  }
  return "";
}

double per_second(std::uint64_t count, Nanos duration) {
  return duration.count <= 0 ? 0.0 : static_cast<double>(count) * 1e9 / static_cast<double>(duration.count);
}

/// Two directions that were joined meanwhile count as what was added to the one that is left, for one interval.
void add_interval(LiveSnapshot& now, const LiveSnapshot* before, Nanos duration) {
  static const LiveSnapshot nothing;
  const Snapshot& old = before ? before->totals : nothing.totals;
  const CaptureCounts& capture = now.totals.capture;
  Interval& out = now.interval;
  out = {};
  out.duration = duration;
  out.frames = growth(old.capture.frames, capture.frames);
  out.roce_frames = growth(old.capture.roce_frames, capture.roce_frames);
  out.bytes_on_wire = growth(old.capture.bytes_on_wire, capture.bytes_on_wire);
  out.dropped = growth(old.capture.dropped_reported.value_or(0), capture.dropped_reported.value_or(0));
  out.pfc_frames = growth(old.capture.pfc_frames, capture.pfc_frames);
  out.pauses = growth(old.capture.pause_802_3x.xoff_frames, capture.pause_802_3x.xoff_frames);
  out.sum = since(sum_of_all(old), sum_of_all(now.totals), duration);
  now.recent.clear();
  now.recent.reserve(now.totals.connections.size());
  auto then = old.connections.begin();
  for (const auto& connection : now.totals.connections) {
    while (then != old.connections.end() && then->id < connection.id) ++then;
    const bool known = then != old.connections.end() && then->id == connection.id;
    now.recent.push_back(since(known ? totals(*then) : ConnectionTotals{}, totals(connection), duration));
    out.active += now.recent.back().frames != 0 ? 1 : 0;
  }
}

}  // namespace rocetop::model
