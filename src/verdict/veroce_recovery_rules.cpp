// SPDX-License-Identifier: BSD-3-Clause
// How veRoCE's selective retransmission does: what waited for the timer, what was resent for nothing, what the SACK
// bitmap could not hold, what switches trimmed.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"
#include "verdict/veroce_recovery.h"
#include "wire/sack_bitmap.h"

namespace rocetop::verdict {
namespace {

using track::Cause;
using track::Episode;
using track::SpaceCounts;
using track::VeroceRecovery;

double real(std::uint64_t n) { return static_cast<double>(n); }

std::string times(std::uint64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", grouped(n)); }

/// The timer's work in both sequence spaces.
struct Timeouts {
  std::uint64_t episodes = 0;
  std::uint64_t packets = 0;
  std::uint64_t of_responses = 0;  ///< episodes
  std::vector<const Episode*> list;
  std::vector<Nanos> waits;  ///< of the listed ones, ascending
  Nanos waited;
};

Timeouts timeouts_of(const track::DirectionCounts& d) {
  constexpr auto kTimeout = static_cast<std::size_t>(Cause::kTimeout);
  Timeouts t;
  for (const SpaceCounts* space : {&d.requests, &d.responses}) {
    t.episodes += space->episodes_by_cause[kTimeout];
    for (const Episode& e : space->episodes) {
      if (e.cause != Cause::kTimeout) continue;
      t.list.push_back(&e);
      t.waits.push_back(e.wait);
      t.waited = t.waited + e.wait;
      t.packets += e.packets;
    }
  }
  t.of_responses = d.responses.episodes_by_cause[kTimeout];
  std::sort(t.waits.begin(), t.waits.end());
  return t;
}

std::string wait_range(const std::vector<Nanos>& ascending) {
  if (ascending.size() == 1) return short_duration(ascending.front());
  return fmt::format("{} to {}, median {}", short_duration(ascending.front()), short_duration(ascending.back()),
                     short_duration(ascending[ascending.size() / 2]));
}

void by_timeout(Docket& docket, const DirectionView& v) {
  const Timeouts t = timeouts_of(*v.direction);
  if (t.episodes == 0) return;
  const std::string sender = v.direction->src.to_string();
  const RecoveryCost cost = recovery_cost(*v.direction);
  Finding& f = docket.add("veroce.timeout_recovery", Severity::kWarning, docket.weighed(Confidence::kHigh), v);
  f.title = t.waits.empty() ? fmt::format("{} waited for its timer {}, {}", sender, times(t.episodes), path_name(v))
                            : fmt::format("{} waited for its timer {}, {} in all, {}", sender, times(t.episodes),
                                          short_duration(t.waited), path_name(v));
  f.explanation =
      fmt::format("{} went again because the timer ran out; no SACK or NAK that the capture holds had asked for {}.",
                  plural(t.packets, "packet"), t.packets == 1 ? "it" : "them");
  if (!t.waits.empty()) f.explanation += fmt::format(" Waits since the packet was last sent: {}.", wait_range(t.waits));
  f.explanation +=
      " A SACK needs a later packet that arrives: where the last packet of what was under way is lost, as of a lone "
      "message, none can come and the timer is all there is. A lost SACK or acknowledgement looks the same, and so do "
      "gaps no deeper than what the receiver tolerates before it sends SACKs.";
  if (t.of_responses > 0)
    f.explanation += fmt::format(" {} of them in answers to READs or atomics.", grouped(t.of_responses));
  f.explanation += recovery_text(cost);
  if (t.list.size() < t.episodes)
    f.explanation += fmt::format(" Packets and waits are of the first {}.", grouped(t.list.size()));
  f.next_steps = {"find the loss first (veroce.path_lossy, the loss findings of this connection)",
                  "keep several messages under way, so that a later packet tells of a lost one; or a shorter timer"};
  f.ruled_out = {"SACK and NAK: none named these PSNs since they were last sent"};
  for (const Episode* e : t.list) cite(f, *e);
  f.values = {{"episodes", real(t.episodes)}, {"timeout_packets", real(t.packets)}};
  if (!t.waits.empty()) {
    f.values.emplace_back("wait_min_ns", static_cast<double>(t.waits.front().count));
    const std::size_t middle = t.waits.size() / 2;
    f.values.emplace_back("wait_median_ns", static_cast<double>(t.waits[middle].count));
    f.values.emplace_back("wait_max_ns", static_cast<double>(t.waits.back().count));
    f.values.emplace_back("waited_ns", static_cast<double>(t.waited.count));
  }
  add_recovery_values(f, cost);
}

void spurious(Docket& docket, const DirectionView& v) {
  const Thresholds& t = docket.thresholds();
  const RecoveryCost cost = recovery_cost(*v.direction);
  const std::uint64_t all = cost.resent_packets;  // of which one may be needless in two ways
  const std::uint64_t needless = std::min(cost.needless, all);
  if (needless < t.needless_resends || real(needless) < t.needless_share * real(all)) return;
  const auto& veroce = *v.direction->veroce;
  const std::uint64_t told = veroce.requests.needless + veroce.responses.needless;
  Finding& f = docket.add("veroce.spurious", Severity::kWarning, docket.weighed(Confidence::kHigh), v);
  f.title = fmt::format("{} sent again of which the receiver had {} ({}), {}", plural(all, "packet"), grouped(needless),
                        percent(real(needless) / real(all)), path_name(v));
  f.explanation = fmt::format(
      "{} been told as received, by an acknowledgement or a SACK, before being sent again; {} answered sooner than any "
      "round trip, or followed by the original, which was late and not lost. Late packets that were taken for lost, or "
      "replies lost between here and {}, make such resends.",
      plural(told, "packet had", "packets had"),
      plural(needless - std::min(told, needless), "resend was", "resends were"), v.direction->src.to_string());
  f.explanation += recovery_text(cost);
  f.next_steps = {
      "do the paths differ in delay (veroce.path_slow)? The receiver's threshold for SACKs should exceed what spraying "
      "reorders",
      fmt::format("look for drops of acknowledgements on the way to {}; is its timer too short for the path?",
                  v.direction->src.to_string())};
  f.ruled_out = {"data loss: the receiver had these packets"};
  for (const VeroceRecovery* recovery : {&veroce.requests, &veroce.responses}) {
    if (recovery->needless_frames) cite(f, *recovery->needless_frames);
  }
  f.values = {{"needless_packets", real(needless)},
              {"told_as_received_packets", real(told)},
              {"needless_ratio", real(needless) / real(all)}};
  add_recovery_values(f, cost);
}

void reorder_window(Docket& docket, const DirectionView& v) {
  const auto& veroce = *v.direction->veroce;
  std::uint64_t full = 0;
  std::uint64_t beyond = 0;
  std::uint32_t depth = 0;
  FrameId deepest;
  for (const VeroceRecovery* recovery : {&veroce.requests, &veroce.responses}) {
    full += recovery->full_bitmaps;
    beyond += recovery->beyond_window;
    if (recovery->reorder_depth < depth) continue;
    depth = recovery->reorder_depth;
    deepest = recovery->reorder_depth_frame;
  }
  const bool deep = depth >= wire::kSackBitmapBits;
  // A gap that only the tap sees may be the capture's.
  if (full == 0 && !deep) return;
  // A hole that stays open, as its resends are lost too, fills a bitmap as well.
  Finding& f = docket.add("veroce.reorder_window", Severity::kWarning,
                          docket.weighed(deep ? Confidence::kHigh : Confidence::kMedium), v);
  f.title =
      deep
          ? fmt::format("reordering as deep as the SACK bitmap of {} PSNs, {}", wire::kSackBitmapBits, path_name(v))
          : fmt::format("the SACK bitmap of {} PSNs was full {}, {}", wire::kSackBitmapBits, times(full), path_name(v));
  f.explanation = fmt::format(
      "{} full, {} passed more than a bitmap ahead of a PSN that had not, and the latest packet to arrive was {} PSNs "
      "behind the newest. A receiver drops what its bitmap cannot hold, and the sender must send it again: such "
      "resends pass here as losses behind the capture point.",
      plural(full, "SACK bitmap was", "SACK bitmaps were"), plural(beyond, "packet"), depth);
  if (!deep) {
    f.explanation +=
        " No original came as late here: a PSN that was lost more than once keeps its place in the bitmap as long.";
  }
  f.explanation += recovery_text(recovery_cost(*v.direction));
  f.next_steps = {
      "is one path much slower than the others (veroce.path_slow)? Let the sender leave it",
      "less in flight, or fewer paths: at most a bitmap's worth between the oldest gap and the newest packet"};
  for (const VeroceRecovery* recovery : {&veroce.requests, &veroce.responses}) {
    if (recovery->full_bitmap_frames) cite(f, *recovery->full_bitmap_frames);
  }
  if (deep || f.frames.empty()) cite(f, deepest);
  if (!f.first_time) date(f, v.direction->first_time, v.direction->last_time);
  f.values = {{"full_sack_bitmaps", real(full)},
              {"packets_beyond_bitmap", real(beyond)},
              {"reorder_depth_max_packets", real(depth)}};
}

/// Packets of a path that a switch trimmed, before the tap or behind it.
std::uint64_t trimmed_of(const track::VerocePath& path) { return path.trimmed + path.asked_by_nak; }

/// The path that was trimmed most, where there is one.
const track::VerocePath* most_trimmed(const track::VeroceDirection& veroce) {
  const auto most = std::max_element(
      veroce.paths.begin(), veroce.paths.end(),
      [](const track::VerocePath& a, const track::VerocePath& b) { return trimmed_of(a) < trimmed_of(b); });
  return most != veroce.paths.end() && trimmed_of(*most) > 0 ? &*most : nullptr;
}

void trimmed(Docket& docket, const DirectionView& v) {
  const auto& veroce = *v.direction->veroce;
  const std::uint64_t naks = veroce.requests.packet_drop_naks + veroce.responses.packet_drop_naks;
  if (veroce.trimmed == 0 && naks == 0) return;
  const bool seen = veroce.trimmed > 0;
  const bool many = std::max(veroce.trimmed, naks) >= docket.thresholds().trimmed_packets;
  Finding& f = docket.add("veroce.trimmed", many ? Severity::kWarning : Severity::kInfo,
                          seen ? Confidence::kHigh : Confidence::kMedium, v);
  const bool one = veroce.trimmed == 1;
  f.title = seen
                ? fmt::format("{} lost {} payload to a switch, {} for {}, {}", plural(veroce.trimmed, "packet"),
                              one ? "its" : "their", plural(naks, "Packet Drop NAK"), one ? "it" : "them", path_name(v))
                : fmt::format("{}: packets trimmed behind the capture point, {}", plural(naks, "Packet Drop NAK"),
                              path_name(v));
  f.explanation =
      seen ? fmt::format(
                 "A switch between {} and the capture point cut off their payload instead of dropping them, because a "
                 "queue was full; the receiver asks for each by a Packet Drop NAK (syndrome 0x60), which costs one "
                 "round trip.",
                 v.direction->src.to_string())
           : fmt::format(
                 "No packet passed the capture point without its payload, but {} asked for packets by Packet Drop NAKs "
                 "(syndrome 0x60), which receivers send for trimmed packets: a queue between the capture point and {} "
                 "was full.",
                 v.direction->dst.to_string(), v.direction->dst.to_string());
  if (const auto* path = most_trimmed(veroce)) {
    f.explanation += fmt::format(" Path {} (UDP source port) was trimmed most: {} of {}.", path->udp_src,
                                 grouped(trimmed_of(*path)), plural(path->packets, "packet"));
  }
  f.explanation += recovery_text(recovery_cost(*v.direction));
  f.next_steps = {"look at the queues of the switches on the way: which trims, and how long is it full?",
                  "are senders told to slow down? Compare CE marks, CNPs and the number of senders to this receiver"};
  if (veroce.trimmed_frames) cite(f, *veroce.trimmed_frames);
  for (const SpaceCounts* space : {&v.direction->requests, &v.direction->responses}) {
    for (const Episode& e : space->episodes) {
      if (e.cause == Cause::kNak) cite(f, e);
    }
  }
  if (!f.first_time) date(f, v.direction->first_time, v.direction->last_time);
  f.values = {{"trimmed_packets", real(veroce.trimmed)}};
  add_recovery_values(f, recovery_cost(*v.direction));
}

}  // namespace

void judge_veroce_recovery(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    if (!v.is_veroce()) return;
    by_timeout(docket, v);
    if (!v.direction->veroce) return;
    spurious(docket, v);
    reorder_window(docket, v);
    trimmed(docket, v);
  });
}

}  // namespace rocetop::verdict
