// SPDX-License-Identifier: BSD-3-Clause
// Peers that do not answer. Only where the capture would have shown an answer.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/number_text.h"
#include "base/time_text.h"
#include "track/directions.h"
#include "verdict/rules.h"
#include "wire/plain_frame.h"

namespace rocetop::verdict {
namespace {

using track::Cause;
using track::Episode;

/// Going back again and again to the same PSN since the last acknowledgement. A sender that moved on to others, or to
/// new data, had its answers: the capture just does not show them.
Nanos last_unanswered_time(const track::DirectionCounts& d) {
  Nanos last;
  for (const Episode& e : d.requests.episodes) last = std::max(last, e.first_time);
  return last;
}

struct Unanswered {
  std::uint64_t resends = 0;
  bool moved_on = false;
  bool lacks_replies = false;   ///< the sender acted on replies that the capture does not hold
  std::uint64_t since_one = 0;  ///< resends since it last did
};

/// Whether a resend without a reply at the tap, the first one or not, shows that its sender had one. What follows the
/// acknowledged PSN was never received: the first resend begins with it, and of RoCEv2, which goes back as a whole,
/// each.
bool shows_reply_before(const DirectionView& v, const Episode& e, bool is_first) {
  const auto acked = v.direction->last_acked_psn;
  return (is_first || !v.is_veroce()) && acked && serial_difference(e.first_psn.value, acked->value) > 1;
}
/// … had one just now: by timer veRoCE's senders do not resend as soon as when told.
bool shows_reply_now(const DirectionView& v, const Episode& e) {
  return v.is_veroce() && e.cause == Cause::kUnknown && v.direction->last_reply_time;
}

/// Whether the capture may have missed that the peer did answer. Not to the end of many resends: whoever gets a reply
/// does not repeat the same PSN, so the reply to the last one alone can have been missed.
bool is_doubtful(const Docket& docket, const Unanswered& unanswered) {
  constexpr std::uint64_t kResendsSure = 3;
  return (docket.weighed(Confidence::kHigh) == Confidence::kLow || unanswered.lacks_replies) &&
         unanswered.since_one < kResendsSure;
}

Unanswered unanswered_of(const DirectionView& v) {
  const auto& d = *v.direction;
  Unanswered u;
  const Episode* first = nullptr;
  // Any answer is one: a READ asked for again is answered with PSNs that had been acknowledged before.
  for (const Episode& e : d.requests.episodes) {
    const bool by_timer = e.cause == Cause::kTimeout || e.cause == Cause::kUnknown || e.cause == Cause::kReadRestart;
    if (!by_timer || (d.last_reply_time && e.first_time <= *d.last_reply_time)) continue;
    if (!first) first = &e;
    u.moved_on = u.moved_on || serial_difference(e.first_psn.value, first->last_psn.value) > 0;
    const bool now = shows_reply_now(v, e);
    u.lacks_replies = u.lacks_replies || now || shows_reply_before(v, e, u.resends == 0);
    u.since_one = now ? 0 : u.since_one + 1;
    ++u.resends;
  }
  if (first && d.last_new_request_time > first->first_time + milliseconds(1) && u.resends > 0) {
    u.moved_on = u.moved_on || d.last_new_request_time > last_unanswered_time(d);
  }
  // Episodes that are not listed may have been answered long ago: they count for nothing here.
  return u;
}

bool has_data(const track::DirectionCounts& d) { return d.requests.packets > 0; }

/// Hosts that sent anything: a capture that shows a host's other packets would show its replies.
std::set<IpAddress> heard_hosts(const Evidence& evidence) {
  std::set<IpAddress> heard;
  track::each_direction(evidence.connections, [&](const track::DirectionCounts& d) {
    if (d.frames > 0) heard.insert(d.src);
  });
  return heard;
}

/// Hosts between which replies passed that no connection could be found for: they may be anybody's.
std::set<std::pair<IpAddress, IpAddress>> loose_replies(const Evidence& evidence) {
  std::set<std::pair<IpAddress, IpAddress>> loose;
  for (const auto& c : evidence.connections) {
    if (c.a_to_b && c.b_to_a) continue;
    const auto& d = c.a_to_b ? c.a_to_b : c.b_to_a;
    if (d && (d->acks > 0 || d->rnr_naks > 0 || d->naks[0] > 0 || d->responses.packets > 0))
      loose.insert({d->src, d->dst});
  }
  return loose;
}

bool any_reply(const Evidence& evidence) {
  return std::any_of(evidence.connections.begin(), evidence.connections.end(), [](const auto& c) {
    return c.a_to_b && c.b_to_a && (c.transport == wire::Transport::kRc || c.transport == wire::Transport::kXrc);
  });
}

void silent(Docket& docket, const DirectionView& v, const Unanswered& unanswered, Nanos waited) {
  const auto& d = *v.direction;
  const std::uint64_t resends = unanswered.resends;
  const bool doubtful = is_doubtful(docket, unanswered);
  Finding& f = docket.add("peer.silent", doubtful ? Severity::kWarning : Severity::kCritical,
                          doubtful ? Confidence::kLow : docket.lowered(Confidence::kHigh), v);
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
            "the path is cut. The capture cannot tell these apart.");
  if (doubtful && unanswered.lacks_replies) {
    f.explanation += fmt::format(
        " But {} resent what it would not have without a reply: the capture misses some, and may have missed all.",
        d.src.to_string());
  } else if (doubtful) {
    f.explanation += fmt::format(" But the capture is {} complete: it may have missed the replies.",
                                 percent(docket.evidence().capture.completeness));
  }
  f.next_steps = {
      fmt::format("is {} up, and its process? Is the QP in error (rdma resource show qp)?", d.dst.to_string()),
      fmt::format("try the path from {} to {} and back with the same UDP source port ({})", d.src.to_string(),
                  d.dst.to_string(), d.udp_src)};
  if (!doubtful) f.ruled_out = {"capture of one direction only: replies of this peer are in the capture"};
  cite(f, d.last_ack_frame, d.last_ack_time);
  date(f, d.last_request_time);
  for (const Episode& e : d.requests.episodes) {
    if (!d.last_reply_time || e.first_time > *d.last_reply_time) cite(f, e);
  }
  f.values = {{"resends", static_cast<double>(resends)},
              {"waited_ns", static_cast<double>(waited.count)},
              {"unacknowledged_packets", static_cast<double>(d.unacknowledged_packets)}};
}

void unreachable(Docket& docket, const DirectionView& v, const Unanswered& unanswered, Nanos waited) {
  const auto& d = *v.direction;
  const std::uint64_t resends = unanswered.resends;
  const bool doubtful = is_doubtful(docket, unanswered);
  Finding& f = docket.add("peer.unreachable", doubtful ? Severity::kWarning : Severity::kCritical,
                          doubtful ? Confidence::kLow : docket.lowered(Confidence::kMedium), v);
  f.title = fmt::format("{} never answered: {} and {}, {}", d.dst.to_string(), plural(d.requests.packets, "packet"),
                        plural(resends, "resend"), path_name(v));
  f.explanation = fmt::format(
      "Nothing came back on this connection in {}, while the capture does show replies of others. The destination does "
      "not "
      "receive, has no such queue pair, or its replies take a path that is cut or not captured.",
      short_duration(waited));
  f.next_steps = {
      fmt::format("check routing, ARP/ND and filters of UDP {} between {} and {}",
                  v.is_veroce() ? wire::kVerocePort : wire::kRoceV2Port, d.src.to_string(), d.dst.to_string()),
      fmt::format("does QP {} exist on {}?", d.dst_qpn ? d.dst_qpn->value : 0, d.dst.to_string())};
  f.ruled_out = {"capture of one direction only: other connections show both directions"};
  cite(f, d.first_frame, d.first_time);
  date(f, d.last_request_time);
  for (const Episode& e : d.requests.episodes) cite(f, e);
  f.values = {{"resends", static_cast<double>(resends)}, {"waited_ns", static_cast<double>(waited.count)}};
}

/// Something was left over, nobody asked again, and the capture went on. True of whoever stops in mid-message, which
/// needs no resend to be seen.
void stopped(Docket& docket, const DirectionView& v) {
  const auto& d = *v.direction;
  using track::LeftOver;
  const auto transport = v.connection->transport;
  if (transport != wire::Transport::kRc && transport != wire::Transport::kXrc) return;
  if (d.left_over == LeftOver::kNothing || v.connection->ended_early || unanswered_of(v).resends > 0) return;
  const bool refused = d.first_fatal_nak || (v.opposite && v.opposite->first_fatal_nak);
  const bool not_ready = v.opposite && v.opposite->last_rnr_nak && v.opposite->last_rnr_nak_time > d.last_request_time;
  if (refused || not_ready) return;
  const bool answers = v.opposite && (v.opposite->acks > 0 || v.opposite->responses.packets > 0);
  if (d.left_over != LeftOver::kMessage && !answers) return;
  const Nanos last = std::max(d.last_request_time, d.last_reply_time.value_or(Nanos{}));
  const Nanos quiet = docket.evidence().capture.last_time - last;
  if (quiet < docket.thresholds().silent_time) return;
  const bool own = d.left_over == LeftOver::kMessage;
  const bool read = d.left_over == LeftOver::kRead;
  const std::string who = own ? d.src.to_string() : d.dst.to_string();
  // A requester whose answer did not come asks again. That this one did not, says as much for the capture having missed
  // the answer.
  Finding& f = own ? docket.add("stream.stopped", Severity::kWarning, docket.weighed(Confidence::kMedium), v)
                   : docket.add("stream.stopped", Severity::kInfo, Confidence::kLow, v);
  f.title = fmt::format("{} stopped {}, and nobody asked again in {}, {}", who,
                        own    ? "in the middle of a message"
                        : read ? "in the middle of a READ's answer"
                               : "before it answered",
                        short_duration(quiet), path_name(v));
  f.explanation = fmt::format(
      "{} Nothing more came on this connection to the end of the capture, which goes on for {}: no resend, no error. "
      "Longer than the timers in use: a process or a queue pair ended without a word, a pause never ended, or the rest "
      "takes a path that is not captured.{}",
      own ? "The last request packet is not the last of its message; an adapter has the whole message and does not "
            "stop there by itself."
      : read
          ? "Some responses of a READ came, and then none. If the rest came and the capture missed it, all is well."
          : "The last request asked for an answer, and none came. If it came and the capture missed it, all is well.",
      short_duration(quiet),
      d.unacknowledged_packets > 0 ? fmt::format(" {} not acknowledged.", plural(d.unacknowledged_packets, "PSN"))
                                   : "");
  f.next_steps = {fmt::format("is the process on {} alive? Look at its log, and at the state of its queue pair", who),
                  fmt::format("is {} alive, which should have noticed?", own ? d.dst.to_string() : d.src.to_string()),
                  "did the flow move to another path? Capture where all paths pass"};
  cite(f, d.last_ack_frame, d.last_ack_time);
  cite(f, d.last_request_frame, d.last_request_time);
  date(f, last);
  f.values = {{"quiet_ns", static_cast<double>(quiet.count)},
              {"unacknowledged_packets", static_cast<double>(d.unacknowledged_packets)}};
}

}  // namespace

void judge_peers(Docket& docket) {
  const Evidence& evidence = docket.evidence();
  const auto heard = heard_hosts(evidence);
  const auto loose = loose_replies(evidence);
  const bool replies_captured = any_reply(evidence);
  const Thresholds& t = docket.thresholds();
  docket.each_direction([&](const DirectionView& v) {
    stopped(docket, v);
    const auto& d = *v.direction;
    const auto transport = v.connection->transport;
    if ((transport != wire::Transport::kRc && transport != wire::Transport::kXrc) || !has_data(d)) return;
    if (d.unacknowledged_packets == 0 || (v.opposite && v.opposite->first_fatal_nak)) return;
    const Unanswered unanswered = unanswered_of(v);
    if (unanswered.moved_on) return;
    const std::uint64_t resends = unanswered.resends;
    const Nanos since = d.last_ack_frame ? d.last_ack_time : d.first_time;
    const Nanos waited = std::max(d.last_request_time - since, Nanos{});  // clocks step back
    if (resends < t.silent_resends && !(resends > 0 && waited >= t.silent_time)) return;
    const bool answered =
        v.opposite && (v.opposite->acks > 0 || v.opposite->responses.packets > 0 || v.opposite->rnr_naks > 0);
    if (answered && v.opposite->rnr_naks > 0 && v.opposite->last_time > since && v.opposite->acks == 0) return;
    if (answered) {
      silent(docket, v, unanswered, waited);
    } else if ((replies_captured || heard.count(d.dst) > 0) && loose.count({d.dst, d.src}) == 0) {
      unreachable(docket, v, unanswered, waited);
    }
  });
}

}  // namespace rocetop::verdict
