// SPDX-License-Identifier: BSD-3-Clause
// Senders that ask nothing of the wire for most of the time: neither the network nor the peer can make them faster.
#include <fmt/format.h>

#include <map>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/messages_view.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

/// Smaller messages are signalling, whose pauses are nobody's loss.
constexpr std::uint64_t kLargeMessage = 32 * 1024;  // smaller ones are requests, heartbeats, control

/// Time in which a host had something outstanding, over all its connections: an upper bound, for they may overlap.
using BusyByHost = std::map<IpAddress, Nanos>;

BusyByHost busy_hosts(const Docket& docket) {
  BusyByHost busy;
  docket.each_direction([&](const DirectionView& v) {
    const auto& time = v.direction->messages.time;
    Nanos& sum = busy[v.direction->src];
    sum = sum + (time.wall - time.host);
  });
  return busy;
}

void limited(Docket& docket, const DirectionView& v, const BusyByHost& busy) {
  const Thresholds& t = docket.thresholds();
  const auto& time = v.direction->messages.time;
  const double share = host_share(*v.direction);
  if (time.wall.count <= 0 || share < t.host_limited_share) return;
  const auto main = main_messages(*v.direction);
  if (!main || main->counts->complete < t.host_messages) return;
  if (main->counts->bytes < main->counts->complete * kLargeMessage) return;
  const Histogram& idle = main->counts->idle_ns;
  // Most messages must have come after a pause: not one long one, or bursts with pauses between.
  if (idle.count() * 2 < main->counts->complete || idle.percentile(0.5) < t.host_idle.count) return;
  // A peer that sends messages of its own may be what is waited for.
  if (v.opposite && complete_messages(*v.opposite) * 2 >= main->counts->complete) return;
  const Nanos others = busy.at(v.direction->src);
  if (static_cast<double>(others.count) > (1 - t.host_limited_share) * static_cast<double>(time.wall.count)) return;

  Finding& f = docket.add("host.limited", Severity::kWarning,
                          v.direction->tap == track::Tap::kNearDestination ? Confidence::kLow : Confidence::kMedium, v);
  f.title = fmt::format("{} leaves the wire idle: nothing outstanding for {} of the time, {}",
                        v.direction->src.to_string(), percent(share), path_name(v));
  f.explanation = fmt::format(
      "{} of {} bytes on average took {} each (median), and after each of them nothing was asked of the network for {} "
      "(median). This connection waited neither for the network nor for its peer meanwhile; what its host waited for, "
      "another connection included, is not on this wire. Seen far "
      "from the sender, each pause holds one round trip as well.",
      plural(main->counts->complete, "message"), main->counts->bytes / main->counts->complete,
      short_duration(Nanos{main->counts->completion_ns.percentile(0.5)}), short_duration(Nanos{idle.percentile(0.5)}));
  f.next_steps = {
      fmt::format("on {}: what does the application do between two messages? Keep several messages posted "
                  "at a time; look at its CPU, its storage, its GPU",
                  v.direction->src.to_string())};
  f.ruled_out = {"a slow peer or network: no request was outstanding in these pauses"};
  cite(f, v.direction->first_frame, v.direction->first_time);
  cite(f, v.direction->last_request_frame, v.direction->last_request_time);
  f.values = {{"host_ratio", share},
              {"messages", static_cast<double>(main->counts->complete)},
              {"idle_p50_ns", static_cast<double>(idle.percentile(0.5))},
              {"completion_p50_ns", static_cast<double>(main->counts->completion_ns.percentile(0.5))}};
}

}  // namespace

void judge_hosts(Docket& docket) {
  const BusyByHost busy = busy_hosts(docket);
  docket.each_direction([&](const DirectionView& v) { limited(docket, v, busy); });
}

}  // namespace rocetop::verdict
