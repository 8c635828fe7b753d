// SPDX-License-Identifier: BSD-3-Clause
// Senders that ask nothing of the wire for most of the time: neither the network nor the peer can make them faster.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/messages_view.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

/// Smaller messages are signalling, whose pauses are nobody's loss.
constexpr std::uint64_t kDataMessage = 32 * 1024;  // smaller ones are requests, heartbeats, control

/// What a host does on all its connections.
struct HostLoad {
  Nanos busy;                     ///< something was outstanding: an upper bound, for connections may overlap
  std::uint64_t connections = 0;  ///< with data of the host, or for it
};
using BusyByHost = std::map<IpAddress, HostLoad>;

BusyByHost busy_hosts(const Docket& docket) {
  BusyByHost busy;
  docket.each_direction([&](const DirectionView& v) {
    const auto& time = v.direction->messages.time;
    HostLoad& load = busy[v.direction->src];
    load.busy = load.busy + (time.wall - time.host);
    const auto sends = [](const track::DirectionCounts* d) {
      return d && d->requests.packets + d->responses.packets > 0;
    };
    load.connections += sends(v.direction) || sends(v.opposite) ? 1 : 0;
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
  if (main->counts->bytes < main->counts->complete * kDataMessage) return;
  const Histogram& idle = main->counts->idle_ns;
  // Most messages must have come after a pause: not one long one, or bursts with pauses between.
  if (idle.count() * 2 < main->counts->complete || idle.percentile(0.5) < t.host_idle.count) return;
  // A peer that sends messages of its own may be what is waited for.
  if (v.opposite && complete_messages(*v.opposite) * 2 >= main->counts->complete) return;
  const HostLoad& load = busy.at(v.direction->src);
  if (static_cast<double>(load.busy.count) > (1 - t.host_limited_share) * static_cast<double>(time.wall.count)) return;

  const std::uint64_t others = load.connections - std::min<std::uint64_t>(load.connections, 1);
  const bool unsure = v.direction->tap == track::Tap::kNearDestination || others > 0;
  Finding& f = docket.add("host.limited", Severity::kWarning, unsure ? Confidence::kLow : Confidence::kMedium, v);
  f.title = fmt::format("{} asks nothing of the wire here: nothing outstanding for {} of the time, {}",
                        v.direction->src.to_string(), percent(share), path_name(v));
  f.explanation = fmt::format(
      "{} of {} bytes on average took {} each (median), and after each of them nothing was asked of the network for {} "
      "(median). No request of this connection was on its way meanwhile. What the host waited for cannot be known from "
      "packets: its application, storage or GPU, or something that another host had to do first. {} Seen far from the "
      "sender, each pause holds one round trip as well.",
      plural(main->counts->complete, "message"), main->counts->bytes / main->counts->complete,
      short_duration(Nanos{main->counts->completion_ns.percentile(0.5)}), short_duration(Nanos{idle.percentile(0.5)}),
      others > 0 ? fmt::format("It has {} more in this capture, and may have waited for data or for a turn there.",
                               plural(others, "connection"))
                 : "Connections that are not captured here count among these.");
  f.next_steps = {
      fmt::format("on {}: what does the application do between two messages? Keep several messages posted "
                  "at a time; look at its CPU, its storage, its GPU",
                  v.direction->src.to_string())};
  f.ruled_out = {"a slow peer or network on this connection: no request was outstanding in these pauses"};
  cite(f, v.direction->first_frame, v.direction->first_time);
  cite(f, v.direction->last_request_frame, v.direction->last_request_time);
  f.values = {{"host_ratio", share},
              {"other_connections", static_cast<double>(others)},
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
