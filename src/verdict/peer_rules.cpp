// SPDX-License-Identifier: BSD-3-Clause
// Peers that do not answer. Only where the capture would have shown an answer.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/time_text.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::Cause;
using track::Episode;

/// Resends since the last acknowledgement, up to the end.
std::uint64_t unanswered_resends(const track::DirectionCounts& d) {
  std::uint64_t n = 0;
  for (const Episode& e : d.requests.episodes) {
    if ((e.cause == Cause::kTimeout || e.cause == Cause::kUnknown || e.cause == Cause::kReadRestart) &&
        (!d.last_ack_frame || e.first_time > d.last_ack_time)) {
      ++n;
    }
  }
  return n + d.requests.episodes_omitted;
}

bool has_data(const track::DirectionCounts& d) { return d.requests.packets > 0; }

/// Hosts that sent anything: a capture that shows a host's other packets would show its replies.
std::set<IpAddress> heard_hosts(const Evidence& evidence) {
  std::set<IpAddress> heard;
  for (const auto& c : evidence.connections) {
    for (const auto* d : {&c.a_to_b, &c.b_to_a}) {
      if (*d && (*d)->frames > 0) heard.insert((*d)->src);
    }
  }
  return heard;
}

bool any_reply(const Evidence& evidence) {
  return std::any_of(evidence.connections.begin(), evidence.connections.end(), [](const auto& c) {
    return c.a_to_b && c.b_to_a && (c.transport == wire::Transport::kRc || c.transport == wire::Transport::kXrc);
  });
}

void silent(Docket& docket, const DirectionView& v, std::uint64_t resends, Nanos waited) {
  const auto& d = *v.direction;
  Finding& f = docket.add("peer.silent", Severity::kCritical, docket.weighed(Confidence::kHigh), v);
  f.title = fmt::format("{} stopped answering: {} without a reply over {}, {}", d.dst.to_string(),
                        plural(resends, "resend"), short_duration(waited), path_name(v));
  const bool peer_talks =
      v.opposite && v.opposite->last_time > d.last_ack_time && v.opposite->last_time >= d.last_request_time;
  f.explanation = fmt::format(
      "The last PSN acknowledged is {} of {} sent; after that nothing acknowledged anything to the end of the "
      "connection. {}",
      d.last_acked_psn ? std::to_string(d.last_acked_psn->value) : "none",
      d.requests.highest_psn ? std::to_string(d.requests.highest_psn->value) : "none",
      peer_talks
          ? "The peer did send other packets meanwhile, so it is alive: its acknowledgements, or the data, get lost."
          : "Nothing else came from the peer on this connection: it is gone, its queue pair is, or one direction of "
            "the "
            "path is cut. The capture cannot tell these apart.");
  f.next_steps = {
      fmt::format("is {} up, and its process? Is the QP in error (rdma resource show qp)?", d.dst.to_string()),
      fmt::format("try the path from {} to {} and back with the same UDP source port ({})", d.src.to_string(),
                  d.dst.to_string(), d.udp_src)};
  f.ruled_out = {"capture of one direction only: replies of this peer are in the capture"};
  cite(f, d.last_ack_frame);
  for (const Episode& e : d.requests.episodes) {
    if (!d.last_ack_frame || e.first_time > d.last_ack_time) cite(f, e.first_frame);
  }
  f.values = {{"resends", static_cast<double>(resends)},
              {"waited_ns", static_cast<double>(waited.count)},
              {"unacknowledged_packets", static_cast<double>(d.unacknowledged_packets)}};
}

void unreachable(Docket& docket, const DirectionView& v, std::uint64_t resends, Nanos waited) {
  const auto& d = *v.direction;
  Finding& f = docket.add("peer.unreachable", Severity::kCritical, docket.weighed(Confidence::kMedium), v);
  f.title = fmt::format("{} never answered: {} and {}, {}", d.dst.to_string(), plural(d.requests.packets, "packet"),
                        plural(resends, "resend"), path_name(v));
  f.explanation = fmt::format(
      "Nothing came back on this connection in {}, while the capture does show replies of others. The destination does "
      "not "
      "receive, has no such queue pair, or its replies take a path that is cut or not captured.",
      short_duration(waited));
  f.next_steps = {fmt::format("check routing, ARP/ND and filters of UDP 4791 between {} and {}", d.src.to_string(),
                              d.dst.to_string()),
                  fmt::format("does QP {} exist on {}?", d.dst_qpn ? d.dst_qpn->value : 0, d.dst.to_string())};
  f.ruled_out = {"capture of one direction only: other connections show both directions"};
  cite(f, d.first_frame);
  for (const Episode& e : d.requests.episodes) cite(f, e.first_frame);
  f.values = {{"resends", static_cast<double>(resends)}, {"waited_ns", static_cast<double>(waited.count)}};
}

}  // namespace

void judge_peers(Docket& docket) {
  const Evidence& evidence = docket.evidence();
  const auto heard = heard_hosts(evidence);
  const bool replies_captured = any_reply(evidence);
  const Thresholds& t = docket.thresholds();
  docket.each_direction([&](const DirectionView& v) {
    const auto& d = *v.direction;
    const auto transport = v.connection->transport;
    if ((transport != wire::Transport::kRc && transport != wire::Transport::kXrc) || !has_data(d)) return;
    if (d.unacknowledged_packets == 0 || (v.opposite && v.opposite->first_fatal_nak)) return;
    const std::uint64_t resends = unanswered_resends(d);
    const Nanos since = d.last_ack_frame ? d.last_ack_time : d.first_time;
    const Nanos waited = d.last_request_time - since;
    if (resends < t.silent_resends && !(resends > 0 && waited >= t.silent_time)) return;
    const bool answered =
        v.opposite && (v.opposite->acks > 0 || v.opposite->responses.packets > 0 || v.opposite->rnr_naks > 0);
    if (answered && v.opposite->rnr_naks > 0 && v.opposite->last_time > since && v.opposite->acks == 0) return;
    if (answered) {
      silent(docket, v, resends, waited);
    } else if (replies_captured || heard.count(d.dst) > 0) {
      unreachable(docket, v, resends, waited);
    }
  });
}

}  // namespace rocetop::verdict
