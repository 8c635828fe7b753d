// SPDX-License-Identifier: BSD-3-Clause
// The congestion loop, link by link: marks, CNPs, the sender's reaction. Each rule says what was measured and at which
// capture point; what a tap in another place would show is not guessed.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/loop.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::CongestionCounts;
using track::DirectionCounts;

std::string gigabits(double bits_per_second) {
  return bits_per_second >= 1e9   ? fmt::format("{:.1f} Gb/s", bits_per_second / 1e9)
         : bits_per_second >= 1e6 ? fmt::format("{:.1f} Mb/s", bits_per_second / 1e6)
                                  : fmt::format("{:.1f} kb/s", bits_per_second / 1e3);
}

double as_double(std::uint64_t n) { return static_cast<double>(n); }

/// CNPs by who sent them and to whom, for whichever queue pair.
using CnpsByPair = std::map<std::pair<IpAddress, IpAddress>, std::uint64_t>;

CnpsByPair cnps_by_pair(const Docket& docket) {
  CnpsByPair cnps;
  docket.each_direction([&](const DirectionView& v) {
    if (v.direction->cnps > 0) cnps[{v.direction->src, v.direction->dst}] += v.direction->cnps;
  });
  return cnps;
}

struct ElsewhereCnps {
  std::uint64_t total = 0;             ///< of that receiver
  std::uint64_t to_these_senders = 0;  ///< … for other queue pairs of the senders that got none
};

ElsewhereCnps cnps_elsewhere(const CnpsByPair& cnps, const IpAddress& receiver,
                             const std::vector<DirectionView>& flows) {
  ElsewhereCnps out;
  for (const auto& [hosts, n] : cnps) {
    if (hosts.first != receiver) continue;
    out.total += n;
    const bool same = std::any_of(flows.begin(), flows.end(),
                                  [&](const DirectionView& v) { return v.direction->src == hosts.second; });
    out.to_these_senders += same ? n : 0;
  }
  return out;
}

/// Whether a host answers marks is a setting of the host: one finding a receiver.
void marks_without_cnp(Docket& docket, const LoopReader& loops) {
  std::map<IpAddress, std::vector<DirectionView>> by_receiver;
  docket.each_direction([&](const DirectionView& v) {
    if (loops.marks_unanswered(v)) by_receiver[v.direction->dst].push_back(v);
  });
  const CnpsByPair cnps = by_receiver.empty() ? CnpsByPair{} : cnps_by_pair(docket);
  for (const auto& [receiver, flows] : by_receiver) {
    const ElsewhereCnps elsewhere = cnps_elsewhere(cnps, receiver, flows);
    std::uint64_t marked = 0;
    std::uint64_t data = 0;
    const bool veroce = std::any_of(flows.begin(), flows.end(), [](const auto& v) { return v.is_veroce(); });
    Finding& f = docket.add("ecn.marks_without_cnp", Severity::kWarning, docket.lowered(Confidence::kHigh));
    f.hosts.push_back(receiver);
    for (const DirectionView& v : flows) {
      const CongestionCounts& c = *v.direction->congestion;
      marked += c.ce_packets;
      data += data_packets(*v.direction);
      name_flow(f, v);
      cite(f, c.first_ce, c.first_ce_time);
      date(f, c.last_ce_time);
    }
    const double share = as_double(marked) / as_double(std::max<std::uint64_t>(data, 1));
    const std::string of = flows.size() == 1 ? path_name(flows[0]) : plural(flows.size(), "connection");
    f.title = elsewhere.total == 0
                  ? fmt::format("{} marked CE ({}) and not one CNP came back from {}, {}", plural(marked, "packet"),
                                percent(share), receiver.to_string(), of)
                  : fmt::format("{} marked CE ({}) and none of the {} of {} named {}, {}", plural(marked, "packet"),
                                percent(share), plural(elsewhere.total, "CNP"), receiver.to_string(),
                                flows.size() == 1 ? "this queue pair" : "these queue pairs", of);
    f.explanation = fmt::format(
        "Switches signalled congestion on data to {}, the way back was captured, and no CNP for it passed{}. The "
        "senders "
        "cannot slow down for them; while that lasts, queues fill until packets are dropped or paused.",
        receiver.to_string(), veroce ? ", nor an acknowledgement with BECN" : "");
    if (elsewhere.total > 0) {
      f.explanation += fmt::format(
          " Its notification point is on: {} it sent named other queue pairs{}. It leaves these out, or names the "
          "wrong ones.",
          plural(elsewhere.total, "CNP"),
          elsewhere.to_these_senders > 0 ? fmt::format(", {} of them of the same sender{}", elsewhere.to_these_senders,
                                                       flows.size() == 1 ? "" : "s")
                                         : std::string());
    }
    f.next_steps = {
        elsewhere.total > 0
            ? fmt::format("on {}: which queue pairs do its CNPs name? Compare np_ecn_marked_roce_packets with "
                          "np_cnp_sent, and rp_cnp_ignored on the senders",
                          receiver.to_string())
            : fmt::format("on {}: is the notification point on (ecn/roce_np/enable, or the vendor's tool)? Compare "
                          "np_ecn_marked_roce_packets with np_cnp_sent",
                          receiver.to_string()),
        "CNPs in a class of their own may take another path: capture where both directions and all classes "
        "pass"};
    f.ruled_out = {"a capture of one direction: packets back to the senders were captured",
                   "pacing: marks went on for longer than any turn of a connection would take"};
    f.values = {{"ce_packets", as_double(marked)},
                {"ce_ratio", share},
                {"cnps_for_others", as_double(elsewhere.total)},
                {"cnps_for_others_of_sender", as_double(elsewhere.to_these_senders)}};
  }
}

void cnp_without_marks(Docket& docket, const LoopReader& loops, const DirectionView& v) {
  const DirectionCounts& d = *v.direction;
  if (v.is_veroce()) return;  // its receivers may find congestion by other signs than marks
  if (!d.congestion) return;
  const CongestionCounts& c = *d.congestion;
  const std::uint64_t cnps = c.cnps - std::min(c.cnps, c.fast_cnps);
  if (cnps < docket.thresholds().bare_cnps || c.ce_packets > 0) return;
  const bool with_naks = as_double(c.cnps_with_nak) >= docket.thresholds().with_nak_share * as_double(cnps);
  // Where the tap is before the queue that marks, no mark says nothing.
  if (!with_naks && d.tap != track::Tap::kNearDestination && !loops.marks_seen_towards(d.dst)) return;
  Finding& f = docket.add(
      "ecn.cnp_without_marks", Severity::kWarning,
      docket.lowered(with_naks || d.tap == track::Tap::kNearDestination ? Confidence::kHigh : Confidence::kLow), v);
  f.title = fmt::format("{} for data that was not marked once{}, {}", plural(cnps, "CNP"),
                        with_naks ? ", sent together with NAKs" : "", path_name(v));
  f.explanation =
      with_naks ? fmt::format(
                      "{} of the {} went out within {} of a PSN sequence error NAK of {}: adapters under slow restart "
                      "tell the sender to slow down after a loss. Loss, not a marked queue, makes this connection "
                      "slow.",
                      c.cnps_with_nak, plural(cnps, "CNP"), short_duration(track::kWithNak), d.dst.to_string())
                : fmt::format("{} asks the sender to slow down, and no packet that passed here, near it, was marked.",
                              d.dst.to_string());
  f.next_steps = with_naks
                     ? std::vector<std::string>{"find the loss: the CNPs end with it",
                                                fmt::format("compare roce_slow_restart_cnps with np_cnp_sent on {}",
                                                            d.dst.to_string())}
                     : std::vector<std::string>{
                           fmt::format("compare np_cnp_sent with np_ecn_marked_roce_packets on {}", d.dst.to_string()),
                           "capture on the receiver's own link, if the marks may be set after this capture point"};
  cite(f, c.first_cnp_without_ce, c.first_cnp_time);
  date(f, c.last_cnp_time);
  cite(f, c.first_nak_with_cnp, c.first_nak_with_cnp_time);
  f.values = {{"cnps", as_double(cnps)}, {"cnps_with_nak", as_double(c.cnps_with_nak)}};
}

void cnp_without_slowdown(Docket& docket, const LoopReader& loops, const DirectionView& v) {
  if (!loops.takes_no_notice(v)) return;
  const DirectionCounts& d = *v.direction;
  const CongestionCounts& c = *d.congestion;
  Finding& f = docket.add("ecn.cnp_without_slowdown", Severity::kWarning, docket.lowered(Confidence::kHigh), v);
  f.title = fmt::format("{} and the sender did not slow down: {} to {} throughout, {}", plural(c.cnps, "CNP"),
                        gigabits(c.lowest_bps), gigabits(c.highest_bps), path_name(v));
  f.explanation = fmt::format(
      "{} got CNPs for {} and its rate stayed flat. It had something to send nearly all the time ({} idle, {} waiting "
      "for answers included), and this capture shows its own rate, not its share of a queue. Its reaction point is "
      "off, "
      "or something between took the CNPs away.",
      d.src.to_string(), short_duration(c.last_cnp_time - c.first_cnp_time), percent(c.idle_ratio()),
      percent(c.rest_ratio()));
  f.next_steps = {fmt::format("on {}: is the reaction point on? (ecn/roce_rp enable files, or the vendor's tool); "
                              "compare rp_cnp_handled with rp_cnp_ignored",
                              d.src.to_string()),
                  "do CNPs reach the adapter? Their DSCP may map to a class that is dropped or never served"};
  f.ruled_out = {"an application that offers less than it may send: there was always something outstanding",
                 "a rate held down by a queue before the capture point: no packet here is marked"};
  cite(f, c.first_cnp, c.first_cnp_time);
  f.values = {{"cnps", as_double(c.cnps)},
              {"lowest_bits_per_second", c.lowest_bps},
              {"highest_bits_per_second", c.highest_bps},
              {"idle_ratio", c.idle_ratio()},
              {"rest_ratio", c.rest_ratio()}};
}

/// Connections to one receiver swing together: one finding.
void oscillation(Docket& docket) {
  std::map<IpAddress, std::vector<DirectionView>> by_receiver;
  docket.each_direction([&](const DirectionView& v) {
    if (v.direction->loop == track::Loop::kOscillating) by_receiver[v.direction->dst].push_back(v);
  });
  for (const auto& [receiver, flows] : by_receiver) {
    const auto worst = std::max_element(flows.begin(), flows.end(), [](const DirectionView& a, const DirectionView& b) {
      return a.direction->congestion->swing_depth < b.direction->congestion->swing_depth;
    });
    const CongestionCounts& c = *worst->direction->congestion;
    const Nanos period{static_cast<std::int64_t>(c.swing_ns)};
    Finding& f = docket.add("ecn.oscillation", Severity::kWarning, docket.lowered(Confidence::kMedium));
    f.title = flows.size() == 1
                  ? fmt::format("the rate swings by {} every {}, {}", percent(c.swing_depth), short_duration(period),
                                path_name(*worst))
                  : fmt::format("the rates of {} to {} swing by up to {} every {}", plural(flows.size(), "connection"),
                                receiver.to_string(), percent(c.swing_depth), short_duration(period));
    f.explanation = fmt::format(
        "{}: {} swings with marks or CNPs in each; the rate falls by {} of its peak on average and comes back, every "
        "{} (spread {}). Measured over the time in which the sender had something to send: the loop reacts too hard or "
        "too late.",
        path_name(*worst), c.swings, percent(c.swing_depth), short_duration(period), percent(c.swing_spread));
    f.next_steps = {"look at the marking thresholds (Kmin, Kmax, Pmax): a steep curve marks everything at once",
                    "look at the senders' rate decrease and increase parameters, and at the CNP gap"};
    f.ruled_out = {fmt::format("applications, READs and storage that pause: {} of the time, left out of these rates",
                               percent(c.rest_ratio()))};
    f.hosts.push_back(receiver);
    for (const DirectionView& v : flows) name_flow(f, v);
    cite(f, c.first_ce, c.first_ce_time);
    cite(f, c.first_cnp, c.first_cnp_time);
    f.values = {{"period_ns", c.swing_ns},
                {"amplitude_ratio", c.swing_depth},
                {"period_spread_ratio", c.swing_spread},
                {"swings", as_double(c.swings)}};
  }
}

/// v is the data's direction; the CNPs travel the other way.
void cnp_class(Docket& docket, const DirectionView& v) {
  if (!v.opposite || v.opposite->cnps == 0) return;
  const auto dscp = [](const DirectionCounts& d, wire::Role role) { return d.dscp_of[static_cast<std::size_t>(role)]; };
  const std::uint8_t cnp = dscp(*v.opposite, wire::Role::kCnp);
  const std::uint8_t request = dscp(*v.direction, wire::Role::kRequest);
  const std::uint8_t data = request != track::kNoDscp ? request : dscp(*v.direction, wire::Role::kResponse);
  if (data == track::kNoDscp || data != cnp) return;
  // Tagged frames may tell the classes apart by their priority: one that data does not have may be the CNPs'.
  const auto& of_data = v.direction->priorities;
  const auto is_of_data = [&](const auto& entry) {
    return std::any_of(of_data.begin(), of_data.end(), [&](const auto& e) { return e.first == entry.first; });
  };
  const auto& of_way_back = v.opposite->priorities;
  if (!of_data.empty() && !std::all_of(of_way_back.begin(), of_way_back.end(), is_of_data)) return;
  Finding& f = docket.add("ecn.cnp_class", Severity::kWarning, Confidence::kHigh, v);
  f.title = fmt::format("CNPs ride in the data's own class (DSCP {}), {}", cnp, path_name(v));
  f.explanation =
      "A CNP that waits in the queue it complains about, or is paused with it, comes late: the sender slows down after "
      "the queue has overflowed. It should have a class of its own, served first.";
  f.next_steps = {fmt::format("on {}: give CNPs their own DSCP and priority (48 and 6 are common; cnp_dscp and "
                              "cnp_802p_prio under ecn/roce_np)",
                              v.direction->dst.to_string()),
                  "map that class to a strict-priority queue on every switch"};
  cite(f, v.opposite->first_cnp, v.opposite->first_cnp_time);
  f.values = {{"cnp_dscp", static_cast<double>(cnp)},
              {"data_dscp", static_cast<double>(data)},
              {"cnps", as_double(v.opposite->cnps)}};
}

/// Connections whose only packets are CNPs, and CNPs for queue pairs that were seen to send no data.
void unmatched(Docket& docket) {
  std::set<std::pair<IpAddress, IpAddress>> open;  // hosts with data whose own queue pair is not known
  std::set<IpAddress> senders;                     // hosts of which data was captured
  for (const auto& c : docket.evidence().connections) {
    if (c.transport == wire::Transport::kUd || c.transport == wire::Transport::kCnp) continue;
    const auto& d = c.a_to_b ? *c.a_to_b : *c.b_to_a;
    if (!(c.a_to_b && c.b_to_a)) open.insert({d.src, d.dst});
    for (const auto* side : {&c.a_to_b, &c.b_to_a}) {
      if (*side && data_packets(**side) > 0) senders.insert((*side)->src);
    }
  }
  std::uint64_t cnps = 0;
  std::vector<std::uint32_t> ids;
  std::set<IpAddress> hosts;
  std::vector<std::pair<FrameId, Nanos>> frames;
  bool data_seen = false;  // of a host that got such CNPs
  std::set<std::pair<IpAddress, std::uint32_t>> targets;
  const auto add = [&](const track::ConnectionCounts& c, const DirectionCounts& d) {
    cnps += d.cnps;
    ids.push_back(c.id);
    hosts.insert(d.src);
    hosts.insert(d.dst);
    data_seen = data_seen || senders.contains(d.dst);
    frames.emplace_back(d.first_cnp, d.first_cnp_time);
    if (d.dst_qpn) targets.insert({d.dst, d.dst_qpn->value});
  };
  for (const auto& c : docket.evidence().connections) {
    if (c.transport == wire::Transport::kUd) continue;
    if (c.transport == wire::Transport::kCnp) {
      const auto& d = c.a_to_b ? *c.a_to_b : *c.b_to_a;
      if (d.cnps > d.fast_cnps && !open.contains({d.dst, d.src})) add(c, d);
      continue;
    }
    if (!c.a_to_b || !c.b_to_a) continue;
    for (const auto& [d, about] : {std::pair{&*c.a_to_b, &*c.b_to_a}, {&*c.b_to_a, &*c.a_to_b}}) {
      if (d->cnps > d->fast_cnps && about->frames > 0 && data_packets(*about) == 0) add(c, *d);
    }
  }
  if (cnps == 0) return;
  Finding& f = docket.add("cnp.unmatched", data_seen ? Severity::kWarning : Severity::kInfo,
                          docket.lowered(data_seen ? Confidence::kMedium : Confidence::kLow));
  f.title = fmt::format("{} for {} that send{} nothing here", plural(cnps, "CNP"), plural(targets.size(), "queue pair"),
                        targets.size() == 1 ? "s" : "");
  f.explanation =
      "A CNP names the queue pair whose data was marked. No data of these queue pairs passed here: their data takes "
      "another path than the CNPs, they are gone, or the CNPs name the wrong ones.";
  f.next_steps = {"capture where data and CNPs of these hosts both pass",
                  "compare rp_cnp_ignored on the hosts that get them: an adapter ignores CNPs for queue pairs it does "
                  "not have"};
  std::sort(ids.begin(), ids.end());
  if (ids.size() > kConnectionsNamed) ids.resize(kConnectionsNamed);
  f.connections = ids;
  for (const IpAddress& host : hosts) {
    name_host(f, host);
  }
  for (const auto& [frame, time] : frames) cite(f, frame, time);
  f.values = {{"cnps", as_double(cnps)}, {"queue_pairs", static_cast<double>(targets.size())}};
}

/// Directions with Not-ECT data that have something in common.
struct NotEct {
  std::vector<std::uint32_t> ids;
  std::vector<IpAddress> hosts;
  std::uint64_t packets = 0;
  std::uint64_t data = 0;
  std::uint64_t marked = 0;
  std::vector<std::pair<FrameId, Nanos>> firsts;  // of each direction
  Nanos last;
  std::string example;

  void add(const DirectionView& v) {
    ids.push_back(v.connection->id);
    // Requests that carry no payload are no queue's trouble.
    const std::uint64_t payload = payload_packets(*v.direction);
    packets += std::min(payload, data_with(*v.direction, wire::Ecn::kNotEct));
    data += payload;
    marked += data_with(*v.direction, wire::Ecn::kCe);
    firsts.emplace_back(v.direction->first_frame, v.direction->first_time);
    last = std::max(last, v.direction->last_time);
    if (example.empty()) example = path_name(v);
    for (const IpAddress& host : {v.direction->src, v.direction->dst}) {
      if (std::find(hosts.begin(), hosts.end(), host) == hosts.end() && hosts.size() < kHostsNamed)
        hosts.push_back(host);
    }
  }
};

void report_not_ect(Docket& docket, Severity severity, NotEct& g, const std::string& what,
                    const std::string& explanation) {
  if (g.packets < docket.thresholds().class_packets) return;
  std::sort(g.ids.begin(), g.ids.end());
  g.ids.erase(std::unique(g.ids.begin(), g.ids.end()), g.ids.end());
  Finding& f =
      docket.add("ecn.not_ect", severity, severity == Severity::kWarning ? Confidence::kMedium : Confidence::kHigh);
  f.title = fmt::format("{} {}, {}{}", plural(g.packets, "data packet"), what, g.example,
                        g.ids.size() > 1 ? fmt::format(" and {} more", g.ids.size() - 1) : "");
  f.explanation = explanation;
  f.next_steps = {
      "set ECT(0) for RoCE on the senders (roce_np/roce_rp enable files, or the traffic class of the "
      "queue pair), if ECN is meant to be on",
      "a device on the way may clear the ECN bits: compare with a capture on the sender"};
  for (const auto& [frame, time] : g.firsts) cite(f, frame, time);
  date(f, g.last);
  f.connections = g.ids;
  if (f.connections.size() > kConnectionsNamed) f.connections.resize(kConnectionsNamed);
  f.hosts = g.hosts;
  f.values = {{"not_ect_packets", as_double(g.packets)},
              {"data_packets", as_double(g.data)},
              {"ce_packets", as_double(g.marked)}};
}

/// Data that cannot be marked: one finding for what shows congestion by other signs, one for what is marked all the
/// same, one for the rest.
void not_ect(Docket& docket, const LoopReader& loops) {
  NotEct congested;
  NotEct marked;
  NotEct calm;
  docket.each_direction([&](const DirectionView& v) {
    if (!is_not_ect(*v.direction)) return;
    (data_with(*v.direction, wire::Ecn::kCe) > 0 ? marked : loops.queues_without_marks(v) ? congested : calm).add(v);
  });
  report_not_ect(
      docket, Severity::kWarning, congested, "cannot be marked (Not-ECT)",
      "There is congestion on their way: other data to the same receiver is marked, ports are paused, or packets are "
      "dropped as a full queue drops them. Switches can only drop or pause these packets, so the senders learn of it "
      "too late.");
  report_not_ect(
      docket, Severity::kInfo, marked, fmt::format("sent as Not-ECT, and {} marked CE all the same", marked.marked),
      "Only packets that offer it (ECT) may be marked CE (RFC 3168, 5), and hardly any of these flows does. A switch "
      "marks without regard to ECT, or a device before it clears the ECT of what is not marked yet. Whether receivers "
      "answer such marks, and other switches mark at all, is not certain.");
  report_not_ect(
      docket, Severity::kInfo, calm, "cannot be marked (Not-ECT)",
      "No mark, pause or full queue shows here (lost packets alone do not say why they were lost). When congestion "
      "comes, switches can only drop or pause these packets: congestion control by ECN (DCQCN) does not work for "
      "them.");
}

}  // namespace

void judge_congestion(Docket& docket) {
  const Evidence& e = docket.evidence();
  const LoopReader loops(e.connections, e.capture, docket.thresholds());
  docket.each_direction([&](const DirectionView& v) {
    cnp_without_marks(docket, loops, v);
    cnp_without_slowdown(docket, loops, v);
    cnp_class(docket, v);
  });
  marks_without_cnp(docket, loops);
  oscillation(docket);
  unmatched(docket);
  not_ect(docket, loops);
}

}  // namespace rocetop::verdict
