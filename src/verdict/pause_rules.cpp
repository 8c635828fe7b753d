// SPDX-License-Identifier: BSD-3-Clause
// Pause: classes that are stopped for a noticeable share of time, and pause without end. How long a pause lasts without
// an XON depends on the link's speed; where that is not known, the least it can be is what counts.
#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::PauseCounts;
using track::PausingPort;

std::string class_name(std::size_t c) {
  return c == track::kAllClasses ? "all classes (802.3x)" : fmt::format("class {}", c);
}

std::string mac_text(const std::array<std::uint8_t, 6>& m) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", m[0], m[1], m[2], m[3], m[4], m[5]);
}

double share_of(Nanos part, Nanos whole) {
  return whole.count > 0 ? static_cast<double>(part.count) / static_cast<double>(whole.count) : 0.0;
}

/// Connections whose data passed in pauses far less than it would if it were spread evenly.
struct StoodStill {
  std::vector<std::uint32_t> ids;
  std::vector<IpAddress> senders;
};

StoodStill stood_still(const Docket& docket, std::size_t c, double paused_share) {
  StoodStill out;
  docket.each_direction([&](const DirectionView& v) {
    const auto& d = *v.direction;
    const std::uint64_t data = d.requests.packets + d.responses.packets;
    if (data < docket.thresholds().class_packets || paused_share <= 0) return;
    const auto is_class = [&](const auto& entry) { return entry.first == c; };
    if (c != track::kAllClasses && !d.priorities.empty() &&
        std::none_of(d.priorities.begin(), d.priorities.end(), is_class))
      return;  // tagged, and of other classes
    std::uint64_t within = d.data_while_paused[c == track::kAllClasses ? 0 : c];
    const double even = paused_share * static_cast<double>(data);
    if (static_cast<double>(within) > docket.thresholds().stood_still * even) return;
    if (out.ids.size() < 100) out.ids.push_back(v.connection->id);
    if (std::find(out.senders.begin(), out.senders.end(), d.src) == out.senders.end() && out.senders.size() < 64)
      out.senders.push_back(d.src);
  });
  return out;
}

void paused(Docket& docket, const PausingPort& port, std::size_t c, Nanos span) {
  const PauseCounts& counts = port.classes[c];
  const Nanos certain = counts.paused.value_or(counts.paused_least);
  const double least = share_of(certain, span);
  const double most = share_of(counts.paused.value_or(counts.paused_most), span);
  const StoodStill still = stood_still(docket, c, most);
  const Thresholds& t = docket.thresholds();
  // Between the bounds, senders that stood still meanwhile tell.
  const bool often = counts.xoff_frames >= t.storm_frames;
  if (least < t.paused_share && (most < t.paused_share || still.ids.empty() || !often)) return;
  Finding& f = docket.add("pfc.paused", Severity::kWarning, counts.paused ? Confidence::kHigh : Confidence::kMedium);
  const std::string how_much = counts.paused || percent(least) == percent(most)
                                   ? percent(least)
                                   : fmt::format("{} to {}", percent(least), percent(most));
  f.title = fmt::format("{} paused for {} of the time by {} ({})", class_name(c), how_much, mac_text(port.mac),
                        plural(counts.xoff_frames, "XOFF frame"));
  f.explanation = fmt::format(
      "{} told its neighbour on this link {} times to stop, for {} in all.{} Pause prevents loss and moves congestion "
      "back towards the senders: everything in the class on that link waits, whoever the slow receiver is.{}",
      mac_text(port.mac), counts.xoff_frames,
      counts.paused ? short_duration(*counts.paused)
                    : fmt::format("{} to {}", short_duration(counts.paused_least), short_duration(counts.paused_most)),
      counts.paused ? ""
                    : " The link's speed is not known, so how long a pause lasts without an XON is between bounds.",
      still.ids.empty() ? "" : fmt::format(" {} stood still meanwhile.", plural(still.ids.size(), "connection")));
  f.next_steps = {
      "follow the pause downstream: the port that is paused most without pausing others is next to the "
      "slow receiver or the full link",
      "look at rx_prio*_pause and tx_prio*_pause of the hosts, and PFC counters of the switch ports"};
  if (!counts.paused) f.next_steps.emplace_back("say how fast the link is: --link-speed 100G");
  f.connections = still.ids;
  f.hosts = still.senders;
  cite(f, counts.first_xoff, counts.first_time);
  date(f, counts.last_time);
  f.values = {{"class", c == track::kAllClasses ? -1.0 : static_cast<double>(c)},
              {"paused_ratio_min", least},
              {"paused_ratio_max", most},
              {"xoff_frames", static_cast<double>(counts.xoff_frames)},
              {"xon_frames", static_cast<double>(counts.xon_frames)}};
}

void storm(Docket& docket, const PausingPort& port, std::size_t c) {
  const PauseCounts& counts = port.classes[c];
  const Thresholds& t = docket.thresholds();
  if (counts.longest_stretch < t.storm_time || counts.stretch_frames < t.storm_frames) return;
  Finding& f = docket.add("pfc.storm", Severity::kCritical, counts.paused ? Confidence::kHigh : Confidence::kLow);
  f.title = fmt::format("pause storm: {} stopped without a break for {} by {} ({} XOFF, no XON)", class_name(c),
                        short_duration(counts.longest_stretch), mac_text(port.mac), counts.stretch_frames);
  f.explanation =
      "Each pause was renewed before it was over, and none was taken back. A congested buffer drains within a "
      "millisecond and says so; a port that pauses on and on does not drain at all: a hung adapter or host, a broken "
      "driver, or a deadlock of pauses in a loop. What it stops spreads through the fabric.";
  const double span =
      static_cast<double>((docket.evidence().capture.last_time - docket.evidence().capture.first_time).count);
  const StoodStill still =
      stood_still(docket, c, span > 0 ? static_cast<double>(counts.longest_stretch.count) / span : 0);
  f.connections = still.ids;
  f.hosts = still.senders;
  f.next_steps = {fmt::format("find the port with MAC address {}: is its host hung?", mac_text(port.mac)),
                  "turn on the PFC watchdog of the switches, and stall detection of the adapters"};
  cite(f, counts.stretch_first);
  cite(f, counts.stretch_last);
  date(f, counts.first_time, counts.last_time);
  f.values = {{"class", c == track::kAllClasses ? -1.0 : static_cast<double>(c)},
              {"stretch_ns", static_cast<double>(counts.longest_stretch.count)},
              {"xoff_frames", static_cast<double>(counts.stretch_frames)}};
}

}  // namespace

void judge_pauses(Docket& docket) {
  const CaptureEvidence& capture = docket.evidence().capture;
  const Nanos span = capture.last_time - capture.first_time;
  for (const PausingPort& port : capture.pauses) {
    for (std::size_t c = 0; c < track::kPauseClasses; ++c) {
      if (port.classes[c].xoff_frames == 0) continue;
      storm(docket, port, c);
      paused(docket, port, c, span);
    }
  }
}

}  // namespace rocetop::verdict
