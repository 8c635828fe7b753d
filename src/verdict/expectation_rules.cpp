// SPDX-License-Identifier: BSD-3-Clause
// Expectations that do not hold, one finding a kind of expectation and sending host. Where nothing was said, nothing is
// judged.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number_text.h"
#include "verdict/loop.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::DirectionCounts;

/// What of one host contradicts one expectation.
struct Violation {
  std::uint64_t packets = 0;
  std::uint64_t of = 0;
  std::vector<std::uint32_t> ids;
  std::vector<IpAddress> peers;
  std::map<std::uint32_t, std::uint64_t> seen;  // value -> packets
  FrameId frame;
  Nanos time;
};
using Violations = std::map<IpAddress, Violation>;

void add(Violations& to, const DirectionView& v, std::uint64_t packets, std::uint64_t of, std::uint32_t value) {
  Violation& x = to[v.direction->src];
  x.of += of;
  if (packets == 0) return;
  x.packets += packets;
  x.seen[value] += packets;
  if (x.ids.empty() || x.ids.back() != v.connection->id) x.ids.push_back(v.connection->id);
  if (std::find(x.peers.begin(), x.peers.end(), v.direction->dst) == x.peers.end() && x.peers.size() < 63)
    x.peers.push_back(v.direction->dst);
  if (!x.frame) {
    x.frame = v.direction->first_frame;
    x.time = v.direction->first_time;
  }
}

template <typename List>
bool holds(const List& list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

template <typename List>
std::string wanted(const List& list) {
  return fmt::format("{}", fmt::join(list, " or "));
}

std::string seen_text(const Violation& x, bool values) {
  if (!values) return {};
  std::vector<std::uint32_t> list;
  for (const auto& [value, packets] : x.seen) {
    if (list.size() < 8) list.push_back(value);
  }
  return fmt::format(" (seen: {}{})", fmt::join(list, ", "), x.seen.size() > 8 ? ", …" : "");
}

void report(Docket& docket, const Violations& violations, std::string_view what, const std::string& expected,
            bool values, std::string_view step) {
  for (const auto& [host, x] : violations) {
    if (x.packets < docket.thresholds().violations) continue;
    const double share = static_cast<double>(x.packets) / static_cast<double>(std::max(x.of, x.packets));
    Finding& f = docket.add("expect.violated", Severity::kWarning, Confidence::kHigh);
    f.title = fmt::format("{} is not {} for {} ({}) from {}{}", what, expected, plural(x.packets, "packet"),
                          percent(share), host.to_string(), seen_text(x, values));
    f.explanation = fmt::format("Expected: {} {}. As seen at this capture point{}.", what, expected,
                                what == "the path MTU" ? "" : ": a device before it may have changed it");
    f.next_steps = {std::string(step)};
    f.hosts.push_back(host);
    f.hosts.insert(f.hosts.end(), x.peers.begin(), x.peers.end());
    f.connections = x.ids;
    if (f.connections.size() > 100) f.connections.resize(100);
    cite(f, x.frame, x.time);
    f.values = {{"violating_packets", static_cast<double>(x.packets)}, {"violating_ratio", share}};
  }
}

/// What was said and could not be looked at, in words.
using Unchecked = std::vector<std::string>;

bool looked_at(const Violations& violations) {
  return std::any_of(violations.begin(), violations.end(), [](const auto& entry) { return entry.second.of > 0; });
}

void dscps(Docket& docket, const Expectations& e, Unchecked& unchecked) {
  Violations data;
  Violations cnps;
  docket.each_direction([&](const DirectionView& v) {
    const DirectionCounts& d = *v.direction;
    const std::uint8_t cnp = d.dscp_of[static_cast<std::size_t>(wire::Role::kCnp)];
    const std::uint64_t rest = d.frames - std::min(d.frames, d.cnps);
    if (!e.data_dscps.empty()) {
      std::uint64_t left = d.cnps;  // of the CNPs' DSCP, those are not data
      for (const auto& [dscp, frames] : d.dscp) {
        const std::uint64_t theirs = dscp == cnp ? std::min(left, frames) : 0;
        left -= theirs;
        add(data, v, holds(e.data_dscps, dscp) ? 0 : frames - theirs, 0, dscp);
      }
      data[d.src].of += rest;
    }
    if (!e.cnp_dscps.empty() && d.cnps > 0) add(cnps, v, holds(e.cnp_dscps, cnp) ? 0 : d.cnps, d.cnps, cnp);
  });
  if (!e.data_dscps.empty() && !looked_at(data)) unchecked.emplace_back("dscp (no packet but CNPs)");
  if (!e.cnp_dscps.empty() && !looked_at(cnps)) unchecked.emplace_back("cnp-dscp (no CNP passed)");
  report(docket, data, "the DSCP", wanted(e.data_dscps), true,
         "look at the traffic class of the queue pairs (cma_roce_tos, adapter defaults) and at re-marking on the way");
  report(docket, cnps, "the CNPs' DSCP", wanted(e.cnp_dscps), true, "look at cnp_dscp of the notification point");
}

void ecn(Docket& docket, const Expectations& e, Unchecked& unchecked) {
  Violations violations;
  docket.each_direction([&](const DirectionView& v) {
    const std::uint64_t data = data_packets(*v.direction);
    const std::uint64_t off = std::min(data, data_with(*v.direction, wire::Ecn::kNotEct));
    if (data > 0) add(violations, v, *e.ecn ? off : data - off, data, 0);
  });
  if (!looked_at(violations)) unchecked.emplace_back("ecn (no data passed)");
  report(docket, violations, "ECN of data", *e.ecn ? "on" : "off", false,
         "look at the roce_rp and roce_np enable files, and at devices that clear or set the ECN bits");
}

void mtu(Docket& docket, const Expectations& e, Unchecked& unchecked) {
  Violations violations;
  docket.each_direction([&](const DirectionView& v) {
    const std::uint32_t of = v.direction->path_mtu;  // 0 where nothing that long was sent: it has no say
    const std::uint64_t data = data_packets(*v.direction);
    if (of != 0) add(violations, v, of == *e.path_mtu ? 0 : data, data, of);
  });
  if (!looked_at(violations)) unchecked.emplace_back("mtu (no message of more than one packet passed)");
  report(docket, violations, "the path MTU", std::to_string(*e.path_mtu), true,
         "look at the interface MTU of both ends, and at the path MTU the application asks for");
}

void ports(Docket& docket, const Expectations& e, Unchecked& unchecked) {
  Violations violations;
  docket.each_direction([&](const DirectionView& v) {
    if (v.connection->protocol == wire::Protocol::kRoceV1) return;
    const DirectionCounts& d = *v.direction;
    add(violations, v, holds(e.udp_ports, d.udp_dst) ? 0 : d.frames, d.frames, d.udp_dst);
  });
  if (!looked_at(violations)) unchecked.emplace_back("port (no RoCEv2 packet passed)");
  report(docket, violations, "the UDP port", wanted(e.udp_ports), true, "look at the adapter's RoCE UDP port");
}

void priorities(Docket& docket, const Expectations& e, Unchecked& unchecked) {
  Violations violations;
  docket.each_direction([&](const DirectionView& v) {
    const DirectionCounts& d = *v.direction;
    if (data_packets(d) == 0 || d.priorities.empty()) return;
    for (const auto& [priority, frames] : d.priorities) {
      add(violations, v, holds(e.priorities, priority) ? 0 : frames, frames, priority);
    }
  });
  if (!looked_at(violations)) unchecked.emplace_back("priority (no data with an 802.1Q tag passed)");
  report(docket, violations, "the 802.1p class", wanted(e.priorities), true,
         "look at the egress map of the VLAN interface and at the adapter's default priority");
}

std::string_view protocol_name(wire::Protocol protocol) {
  return protocol == wire::Protocol::kVeroce ? "veRoCE" : protocol == wire::Protocol::kRoceV1 ? "RoCEv1" : "RoCEv2";
}

/// Of reliable connections: datagrams may have no choice.
void protocols(Docket& docket, const Expectations& e, Unchecked& unchecked) {
  Violations violations;
  docket.each_direction([&](const DirectionView& v) {
    const wire::Protocol protocol = v.connection->protocol;
    const std::uint64_t data = data_packets(*v.direction);
    const bool reliable = v.connection->transport == wire::Transport::kRc;
    if (!reliable || protocol == wire::Protocol::kInfiniband || data == 0) return;
    const bool expected = std::find(e.protocols.begin(), e.protocols.end(), protocol) != e.protocols.end();
    add(violations, v, expected ? 0 : data, data, 0);
  });
  std::vector<std::string_view> names;
  names.reserve(e.protocols.size());
  for (const wire::Protocol protocol : e.protocols) names.push_back(protocol_name(protocol));
  if (!looked_at(violations)) unchecked.emplace_back("protocol (no data of a reliable connection passed)");
  report(docket, violations, "the protocol", wanted(names), false,
         "look at what the adapters and the connection manager of both ends offer, and at filters of UDP 4794");
}

/// Silence about an expectation must not read as "it holds".
void not_checked(Docket& docket, const Unchecked& unchecked) {
  if (unchecked.empty()) return;
  Finding& f = docket.add("expect.unchecked", Severity::kInfo, Confidence::kHigh);
  f.title = fmt::format("not checked: {}", fmt::join(unchecked, ", "));
  f.explanation = "The capture holds nothing that would show whether these expectations hold. The others were checked.";
  f.next_steps = {"capture for longer, where such packets pass, or with frames that keep their tags"};
  date(f, docket.evidence().capture.first_time, docket.evidence().capture.last_time);
  f.values = {{"unchecked_expectations", static_cast<double>(unchecked.size())}};
}

}  // namespace

void judge_expectations(Docket& docket) {
  const Expectations& e = docket.evidence().expectations;
  Unchecked unchecked;
  if (!e.data_dscps.empty() || !e.cnp_dscps.empty()) dscps(docket, e, unchecked);
  if (e.ecn) ecn(docket, e, unchecked);
  if (e.path_mtu) mtu(docket, e, unchecked);
  if (!e.udp_ports.empty()) ports(docket, e, unchecked);
  if (!e.priorities.empty()) priorities(docket, e, unchecked);
  if (!e.protocols.empty()) protocols(docket, e, unchecked);
  not_checked(docket, unchecked);
}

}  // namespace rocetop::verdict
