// SPDX-License-Identifier: BSD-3-Clause
// Pause: classes that are stopped for a noticeable share of time, and pause without end. How long a pause lasts without
// an XON depends on the link's speed; where that is not known, the least it can be is what counts.
#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"
#include "verdict/standstill.h"

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

void name_flows(Finding& f, const std::vector<DirectionView>& flows) {
  for (const DirectionView& v : flows) name_flow(f, v);
}

void paused(Docket& docket, const PausedClass& p) {
  if (!p.noticeable) return;
  const PauseCounts& counts = p.counts();
  const PausingPort& port = *p.port;
  const std::size_t c = p.c;
  const double least = p.least;
  const double most = p.most;
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
      p.still.empty() ? "" : fmt::format(" {} stood still meanwhile.", plural(p.still.size(), "connection")));
  f.next_steps = {
      "follow the pause downstream: the port that is paused most without pausing others is next to the "
      "slow receiver or the full link",
      "look at rx_prio*_pause and tx_prio*_pause of the hosts, and PFC counters of the switch ports"};
  if (!counts.paused) f.next_steps.emplace_back("say how fast the link is: --link-speed 100G");
  name_flows(f, p.still);
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
  name_flows(f, stood_still(docket, c, span > 0 ? static_cast<double>(counts.longest_stretch.count) / span : 0));
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
  for (const PausedClass& p : paused_classes(docket)) {
    storm(docket, *p.port, p.c);
    paused(docket, p);
  }
}

}  // namespace rocetop::verdict
