// SPDX-License-Identifier: BSD-3-Clause
// What connections share: a receiver that many senders overrun at once, a bottleneck that is divided unfairly, UDP
// source ports that ECMP spreads by.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/losses.h"
#include "verdict/messages_view.h"
#include "verdict/rules.h"
#include "verdict/standstill.h"

namespace rocetop::verdict {
namespace {

using track::DirectionCounts;
using track::ReceiverCounts;

/// Directions to one receiver whose data was congested.
struct Shared {
  std::vector<DirectionView> flows;
  std::uint64_t ce = 0;
  std::uint64_t cnps = 0;
};

/// Asked to slow down, or marked; CNPs that went out with NAKs tell of a loss.
bool was_told_of_congestion(const DirectionCounts& d) {
  return d.congestion && (d.congestion->ce_packets > 0 || d.congestion->cnps > d.congestion->cnps_with_nak);
}

std::map<IpAddress, Shared> by_receiver(const Docket& docket) {
  std::map<IpAddress, Shared> out;
  docket.each_direction([&](const DirectionView& v) {
    if (!was_told_of_congestion(*v.direction)) return;
    Shared& s = out[v.direction->dst];
    s.flows.push_back(v);
    s.ce += v.direction->congestion->ce_packets;
    s.cnps += v.direction->congestion->cnps;
  });
  return out;
}

void add_flows(Finding& f, const std::vector<DirectionView>& flows, const IpAddress& receiver) {
  f.hosts.push_back(receiver);
  for (const DirectionView& v : flows) name_flow(f, v);
  std::sort(f.connections.begin(), f.connections.end());
  f.connections.erase(std::unique(f.connections.begin(), f.connections.end()), f.connections.end());
}

/// Whether it was told.
bool incast(Docket& docket, const ReceiverCounts& r, const Shared& shared) {
  if (r.most_at_once < docket.thresholds().incast_senders) return false;
  if (shared.ce + shared.cnps < docket.thresholds().incast_signs) return false;
  Finding& f = docket.add("incast", Severity::kWarning, docket.lowered(Confidence::kHigh));
  f.title = fmt::format("{} hosts overran {} at once: {} marked CE, {}", r.most_at_once, r.host.to_string(),
                        plural(shared.ce, "packet"), plural(shared.cnps, "CNP"));
  f.explanation = fmt::format(
      "Within {} data of {} hosts to {} was marked, or answered by CNPs. Together they offer more than its port takes: "
      "the queue before it fills, whatever congestion control does about it later.",
      short_duration(track::kAtOnce), r.most_at_once, r.host.to_string());
  f.next_steps = {
      fmt::format("stagger the senders of {}, or let fewer of them send at a time (the collective's algorithm, "
                  "READs in flight of a storage client)",
                  r.host.to_string()),
      "look at the queue and ECN counters of the switch port that leads to it"};
  add_flows(f, shared.flows, r.host);
  cite(f, r.frame, r.time);
  f.values = {{"senders", static_cast<double>(r.most_at_once)},
              {"ce_packets", static_cast<double>(shared.ce)},
              {"cnps", static_cast<double>(shared.cnps)}};
  return true;
}

/// Several hosts' packets to one receiver lost at one moment: the queue before it was full for all of them.
bool incast_by_loss(Docket& docket, const IpAddress& receiver, std::span<const Loss> losses) {
  const Thresholds& t = docket.thresholds();
  std::map<IpAddress, std::size_t> senders;  // in the window
  std::span<const Loss> most;
  std::size_t most_senders = 0;
  for (std::size_t begin = 0, end = 0; end < losses.size(); ++end) {
    ++senders[losses[end].view.direction->src];
    for (; losses[end].time - losses[begin].time > track::kAtOnce; ++begin) {
      const auto left = senders.find(losses[begin].view.direction->src);
      if (--left->second == 0) senders.erase(left);
    }
    if (senders.size() < most_senders || senders.size() < t.incast_senders) continue;
    if (senders.size() == most_senders && end + 1 - begin <= most.size()) continue;
    most_senders = senders.size();
    most = losses.subspan(begin, end + 1 - begin);
  }
  if (most.empty() || !stands_out(most, losses.size(), time_to_lose_in(losses), docket)) return false;
  std::uint64_t packets = 0;
  for (const Loss& loss : most) packets += loss.packets;
  if (packets < t.incast_signs) return false;
  Finding& f = docket.add("incast", Severity::kWarning, docket.lowered(Confidence::kMedium));
  f.title = fmt::format("{} hosts lost {} on the way to {} at once", most_senders, plural(packets, "packet"),
                        receiver.to_string());
  f.explanation = fmt::format(
      "Within {} packets of {} hosts to {} were lost, and few at other times. What they share is the way to its port: "
      "together they offer more than it takes, and the queue before it overflows. No mark or CNP tells of it here; a "
      "link that failed for that moment looks the same.",
      short_duration(track::kAtOnce), most_senders, receiver.to_string());
  f.next_steps = {fmt::format("stagger the senders of {}, or let fewer of them send at a time", receiver.to_string()),
                  "look at the drop counters and the buffer of the switch port that leads to it; turn on ECN there"};
  std::vector<DirectionView> flows;
  for (const Loss& loss : most) {
    flows.push_back(loss.view);
    cite(f, loss.frame, loss.time);
  }
  add_flows(f, flows, receiver);
  f.values = {{"senders", static_cast<double>(most_senders)}, {"lost_packets", static_cast<double>(packets)}};
  return true;
}

/// Several hosts that send to one receiver stood still in the same pauses.
void incast_by_pause(Docket& docket, const PausedClass& paused, std::set<IpAddress>& told) {
  std::map<IpAddress, std::vector<DirectionView>> by_receiver;
  for (const DirectionView& v : paused.still) by_receiver[v.direction->dst].push_back(v);
  for (const auto& [receiver, flows] : by_receiver) {
    std::set<IpAddress> senders;
    Nanos from;
    Nanos until = Nanos::max();
    for (const DirectionView& v : flows) {
      senders.insert(v.direction->src);
      from = std::max(from, v.direction->first_data_time);
      until = std::min(until, v.direction->last_data_time);
    }
    if (senders.size() < docket.thresholds().incast_senders || until <= from || told.contains(receiver)) continue;
    told.insert(receiver);
    Finding& f = docket.add("incast", Severity::kWarning, docket.lowered(Confidence::kLow));
    f.title = fmt::format("{} hosts that send to {} at a time stood still in the same pauses", senders.size(),
                          receiver.to_string());
    f.explanation = fmt::format(
        "Their class was paused for {} of the time or more, and hardly any of their data passed meanwhile. Together "
        "they offer more than the port of {} takes; or it takes less than its port could, because the host itself is "
        "slow.",
        percent(paused.least), receiver.to_string());
    f.next_steps = {fmt::format("stagger the senders of {}, or let fewer of them send at a time", receiver.to_string()),
                    fmt::format("who pauses: the port of {} itself (tx_prio*_pause), or the switch before it?",
                                receiver.to_string())};
    add_flows(f, flows, receiver);
    cite(f, paused.counts().first_xoff, paused.counts().first_time);
    date(f, paused.counts().last_time);
    f.values = {{"senders", static_cast<double>(senders.size())}, {"paused_ratio_min", paused.least}};
  }
}

/// Bits per second of a direction's payload while it sent.
double rate_of(const DirectionCounts& d) {
  const Nanos lasted = d.last_data_time - d.first_data_time;
  const auto bytes = static_cast<double>(d.requests.payload_bytes + d.responses.payload_bytes);
  return lasted.count > 0 ? bytes * 8e9 / static_cast<double>(lasted.count) : 0.0;
}

/// Share of the time in which the sender had nothing to do; a responder's work is what the other side asks for.
double idle_share(const DirectionView& v) {
  const bool asks = v.direction->requests.payload_bytes >= v.direction->responses.payload_bytes;
  if (!asks && !v.opposite) return 1.0;
  return host_share(asks ? *v.direction : *v.opposite);
}

/// Flows that had work all the time and sent together for long enough to compare.
std::vector<DirectionView> comparable(const Thresholds& t, const Shared& shared) {
  std::vector<DirectionView> out;
  Nanos longest;
  for (const DirectionView& v : shared.flows) {
    const DirectionCounts& d = *v.direction;
    if (v.is_veroce()) continue;  // over several paths: a mark on one of them is no sign of a shared bottleneck
    // One message at a time: what such a sender gets is its round trip's doing, not the bottleneck's.
    if (d.congestion->rest_ratio() >= t.rest_share) continue;
    if (idle_share(v) >= t.idle_share || d.requests.packets + d.responses.packets < t.class_packets / 4) continue;
    longest = std::max(longest, d.last_data_time - d.first_data_time);
    out.push_back(v);
  }
  std::erase_if(out, [&](const DirectionView& v) {
    const Nanos lasted = v.direction->last_data_time - v.direction->first_data_time;
    return static_cast<double>(lasted.count) < t.shared_time * static_cast<double>(longest.count);
  });
  return out;
}

void unfair(Docket& docket, const IpAddress& receiver, const Shared& shared) {
  const Thresholds& t = docket.thresholds();
  const std::vector<DirectionView> flows = comparable(t, shared);
  if (flows.size() < 2) return;
  double sum = 0;
  double squares = 0;
  const DirectionView* fastest = &flows[0];
  const DirectionView* slowest = &flows[0];
  for (const DirectionView& v : flows) {
    const double rate = rate_of(*v.direction);
    sum += rate;
    squares += rate * rate;
    if (rate > rate_of(*fastest->direction)) fastest = &v;
    if (rate < rate_of(*slowest->direction)) slowest = &v;
  }
  const double index = squares > 0 ? sum * sum / (static_cast<double>(flows.size()) * squares) : 1.0;
  const double high = rate_of(*fastest->direction);
  const double low = rate_of(*slowest->direction);
  if (index >= t.fair_index || high < t.unfair_ratio * low) return;
  Finding& f = docket.add("unfair", Severity::kWarning, docket.lowered(Confidence::kMedium));
  f.title =
      fmt::format("connections to {} share its congested port unfairly: {:.1f} to {:.1f} Gb/s (Jain's index {:.2f})",
                  receiver.to_string(), low / 1e9, high / 1e9, index);
  f.explanation = fmt::format(
      "{} had work all the time and were congested on the way to the same receiver. {} got {:.1f} times the rate of "
      "{}.",
      plural(flows.size(), "connection"), path_name(*fastest), low > 0 ? high / low : 0.0, path_name(*slowest));
  f.next_steps = {"compare the congestion control settings of the fastest and the slowest sender",
                  "do they take the same queue? Look at DSCP, at the hops (TTL), and at who gets CNPs"};
  f.ruled_out = {
      "different offered loads: connections with pauses of their own, or that send one message at a time and "
      "wait for its answer, were left out"};
  add_flows(f, flows, receiver);
  cite(f, slowest->direction->congestion->first_ce, slowest->direction->congestion->first_ce_time);
  cite(f, slowest->direction->congestion->first_cnp, slowest->direction->congestion->first_cnp_time);
  date(f, slowest->direction->last_data_time);
  f.values = {{"jain_index_ratio", index},
              {"slowest_bits_per_second", low},
              {"fastest_bits_per_second", high},
              {"compared_connections", static_cast<double>(flows.size())}};
}

/// Source ports of the connections of one host pair, by direction.
void entropy(Docket& docket) {
  struct Pair {
    std::set<std::uint16_t> ports;
    std::set<std::uint32_t> queue_pairs;  // one that is used again takes its old path again, and no other's
    std::vector<std::uint32_t> ids;
    FrameId frame;
    Nanos time;
  };
  std::map<std::pair<IpAddress, IpAddress>, Pair> pairs;
  docket.each_direction([&](const DirectionView& v) {
    const DirectionCounts& d = *v.direction;
    if (v.is_veroce()) return;  // spreads each connection by itself
    // A port that changes spreads by itself; and a direction of CNPs and a few replies is not worth spreading.
    if (d.udp_src == 0 || d.requests.packets + d.responses.packets == 0) return;
    Pair& p = pairs[{d.src, d.dst}];
    if (d.dst_qpn && !p.queue_pairs.insert(d.dst_qpn->value).second) return;
    p.ports.insert(d.udp_src);
    if (d.udp_src_varies) p.ports.insert(static_cast<std::uint16_t>(d.udp_src + 1));
    p.ids.push_back(v.connection->id);
    if (!p.frame) {
      p.frame = d.first_frame;
      p.time = d.first_time;
    }
  });
  const Thresholds& t = docket.thresholds();
  for (const auto& [hosts, p] : pairs) {
    if (p.ids.size() < t.entropy_connections || p.ports.size() * t.connections_a_port > p.ids.size()) continue;
    Finding& f = docket.add("ecmp.low_entropy", Severity::kWarning, Confidence::kHigh);
    f.title = fmt::format("{} from {} to {} use {}", plural(p.ids.size(), "connection"), hosts.first.to_string(),
                          hosts.second.to_string(),
                          p.ports.size() == 1 ? fmt::format("the same UDP source port, {}", *p.ports.begin())
                                              : plural(p.ports.size(), "UDP source port"));
    f.explanation =
        "Switches spread flows over paths by their addresses and ports. These connections differ in nothing that "
        "switches hash: all of them take the same path, and share its worst link.";
    f.next_steps = {
        "let the adapter derive the source port from the queue pairs (rdma_set flow label, or a port range "
        "per queue pair; NCCL_IB_QPS_PER_CONNECTION and NCCL_IB_SPLIT_DATA_ON_QPS do not help with one port)",
        "or hash on the destination QP in the switches, where they can"};
    cite(f, p.frame, p.time);
    f.connections = p.ids;
    if (f.connections.size() > kConnectionsNamed) f.connections.resize(kConnectionsNamed);
    f.hosts = {hosts.first, hosts.second};
    f.values = {{"connections", static_cast<double>(p.ids.size())},
                {"udp_source_ports", static_cast<double>(p.ports.size())}};
  }
}

}  // namespace

void judge_sharing(Docket& docket) {
  const auto receivers = by_receiver(docket);
  std::set<IpAddress> told;
  for (const ReceiverCounts& r : docket.evidence().capture.receivers) {
    const auto shared = receivers.find(r.host);
    if (shared != receivers.end() && incast(docket, r, shared->second)) told.insert(r.host);
  }
  std::map<IpAddress, std::vector<Loss>> losses;
  for (const Loss& loss : losses_of(docket)) {
    if (!loss.may_be_late) losses[loss.view.direction->dst].push_back(loss);
  }
  for (const auto& [host, list] : losses) {
    if (!told.contains(host) && incast_by_loss(docket, host, list)) told.insert(host);
  }
  for (const PausedClass& paused : paused_classes(docket)) {
    if (paused.noticeable) incast_by_pause(docket, paused, told);
  }
  for (const auto& [host, shared] : receivers) unfair(docket, host, shared);
  entropy(docket);
}

}  // namespace rocetop::verdict
