// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/standstill.h"

#include <algorithm>

namespace rocetop::verdict {
namespace {

double share_of(Nanos part, Nanos whole) {
  return whole.count > 0 ? static_cast<double>(part.count) / static_cast<double>(whole.count) : 0.0;
}

}  // namespace

std::vector<DirectionView> stood_still(const Docket& docket, std::size_t c, double paused_share) {
  std::vector<DirectionView> out;
  const Thresholds& t = docket.thresholds();
  docket.each_direction([&](const DirectionView& v) {
    const auto& d = *v.direction;
    const std::uint64_t data = d.requests.packets + d.responses.packets;
    if (data < t.class_packets || paused_share <= 0) return;
    const auto is_class = [&](const auto& entry) { return entry.first == c; };
    if (c != track::kAllClasses && !d.priorities.empty() &&
        std::none_of(d.priorities.begin(), d.priorities.end(), is_class)) {
      return;  // tagged, and of other classes
    }
    const std::uint64_t within = d.data_while_paused[c == track::kAllClasses ? 0 : c];
    const double even = paused_share * static_cast<double>(data);
    if (static_cast<double>(within) <= t.stood_still * even) out.push_back(v);
  });
  return out;
}

std::vector<PausedClass> paused_classes(const Docket& docket) {
  const CaptureEvidence& capture = docket.evidence().capture;
  const Nanos span = capture.last_time - capture.first_time;
  const Thresholds& t = docket.thresholds();
  std::vector<PausedClass> out;
  for (const track::PausingPort& port : capture.pauses) {
    for (std::size_t c = 0; c < track::kPauseClasses; ++c) {
      const track::PauseCounts& counts = port.classes[c];
      if (counts.xoff_frames == 0) continue;
      PausedClass& p = out.emplace_back();
      p.port = &port;
      p.c = c;
      p.least = share_of(counts.paused.value_or(counts.paused_least), span);
      p.most = share_of(counts.paused.value_or(counts.paused_most), span);
      p.still = stood_still(docket, c, p.most);
      // Between the bounds, senders that stood still meanwhile tell.
      const bool often = counts.xoff_frames >= t.storm_frames;
      p.noticeable = p.least >= t.paused_share || (p.most >= t.paused_share && !p.still.empty() && often);
    }
  }
  return out;
}

}  // namespace rocetop::verdict
