// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/plan_check.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint64_t kUnderWayMost = std::uint64_t{1} << 26;  // PSNs of all connections together
constexpr std::uint64_t kAskedMost = std::uint64_t{1} << 20;     // messages that applications keep under way

bool joins(const LinkPlan& link, std::size_t a, std::size_t b) {
  return (link.a == a && link.b == b) || (link.a == b && link.b == a);
}

Failure check_hosts(const Plan& plan) {
  std::vector<std::size_t> links(plan.nodes.size());
  for (const LinkPlan& link : plan.links) {
    ++links[link.a];
    ++links[link.b];
  }
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (!plan.nodes[i].host || links[i] == 1) continue;
    return Error{"host " + plan.nodes[i].name + " has " + std::to_string(links[i]) + " links, not one", ""};
  }
  return std::nullopt;
}

/// Nodes that links join are of one group, of which each is known by one.
Failure check_ways(const Plan& plan) {
  std::vector<std::size_t> group(plan.nodes.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
  };
  for (const LinkPlan& link : plan.links) group[root(link.a)] = root(link.b);
  for (const ConnectionPlan& connection : plan.connections) {
    if (root(connection.a) == root(connection.b)) continue;
    return Error{"there is no way from " + plan.nodes[connection.a].name + " to " + plan.nodes[connection.b].name,
                 "link them, or their switches."};
  }
  return std::nullopt;
}

Failure check_faults(const Plan& plan) {
  for (const FaultPlan& fault : plan.faults) {
    const auto here = [&](const LinkPlan& link) { return joins(link, fault.from_node, fault.to_node); };
    if (std::any_of(plan.links.begin(), plan.links.end(), here)) continue;
    return Error{"there is no link from " + plan.nodes[fault.from_node].name + " to " + plan.nodes[fault.to_node].name +
                     " for a fault",
                 ""};
  }
  return std::nullopt;
}

/// Nobody could tell two of one name apart.
Failure check_names(const Plan& plan) {
  std::set<IpAddress> addresses;
  for (const NodePlan& node : plan.nodes) {
    if (node.host && !addresses.insert(node.ip).second) return Error{node.ip.to_string() + " is of two hosts", ""};
  }
  std::set<std::pair<std::size_t, Qpn>> queue_pairs;
  for (const ConnectionPlan& connection : plan.connections) {
    for (const auto& [host, qpn] : {std::pair{connection.a, connection.qpn_a}, {connection.b, connection.qpn_b}}) {
      if (queue_pairs.insert({host, qpn}).second) continue;
      return Error{"host " + plan.nodes[host].name + " has two queue pairs " + std::to_string(qpn.value),
                   "Those without qp= count from 256."};
    }
  }
  return std::nullopt;
}

/// Protocols differ in what they know.
Failure check_protocols(const Plan& plan) {
  for (const ConnectionPlan& connection : plan.connections) {
    const std::string between = plan.nodes[connection.a].name + "/" + plan.nodes[connection.b].name + ": ";
    if (!connection.is_veroce()) {
      if (connection.veroce == VerocePlan{}) continue;
      return Error{between + "an option that only veRoCE has", "protocol=veroce with it."};
    }
    if (connection.unreliable || connection.receives != 0 || connection.reorder != 0) {
      return Error{between + "uc, receives= and reorder= are not for veRoCE", ""};
    }
    const VerocePlan& own = connection.veroce;
    const std::size_t paths = own.ports.empty() ? own.paths : own.ports.size();
    if (!own.weights.empty() && own.weights.size() != paths) {
      return Error{between + "weights= has to name one for each path", ""};
    }
  }
  return std::nullopt;
}

/// What a simulation has under way is what it keeps in memory.
Failure check_size(const Plan& plan) {
  std::vector<std::uint64_t> psns(plan.connections.size());
  for (std::size_t i = 0; i < psns.size(); ++i) psns[i] = plan.connections[i].window;
  std::uint64_t asked = 0;
  for (const FlowPlan& flow : plan.flows) {
    const std::uint32_t path_mtu = plan.connections[flow.connection].path_mtu;
    psns[flow.connection] = std::max<std::uint64_t>(psns[flow.connection], flow.bytes / path_mtu + 1);
    asked += flow.depth;
  }
  if (std::accumulate(psns.begin(), psns.end(), std::uint64_t{0}) > kUnderWayMost || asked > kAskedMost) {
    return Error{"the scenario has too much under way at a time", "Less of count=, window=, size= or depth=."};
  }
  return std::nullopt;
}

}  // namespace

Failure check(const Plan& plan) {
  for (const auto part : {check_hosts, check_names, check_ways, check_faults, check_protocols, check_size}) {
    if (auto failure = part(plan)) return failure;
  }
  return std::nullopt;
}

}  // namespace rocetop::generate::sim
