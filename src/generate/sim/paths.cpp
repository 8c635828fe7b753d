// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/paths.h"

#include <algorithm>

#include "base/check.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::uint32_t kFirstEntropyPort = 0xC000;
constexpr std::uint32_t kEntropyPorts = 0x4000;

}  // namespace

std::vector<std::uint16_t> path_ports(const VerocePlan& plan, std::uint16_t first) {
  if (!plan.ports.empty()) return plan.ports;
  std::vector<std::uint16_t> ports;
  ports.reserve(plan.paths);
  for (std::uint32_t i = 0; i < plan.paths; ++i) {
    ports.push_back(static_cast<std::uint16_t>(kFirstEntropyPort | (first + i) % kEntropyPorts));
  }
  return ports;
}

Paths::Paths(const ConnectionPlan& plan, std::uint16_t first_port, double line)
    : controlled_(plan.control == CongestionControl::kDcqcn && !plan.ignores_cnps),
      ports_(path_ports(plan.veroce, first_port)) {
  const auto weight_of = [&](std::size_t i) {
    return i < plan.veroce.weights.size() ? std::int64_t{plan.veroce.weights[i]} : 1;
  };
  std::int64_t all = 0;
  for (std::size_t i = 0; i < ports_.size(); ++i) all += weight_of(i);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const double share = static_cast<double>(weight_of(i)) / static_cast<double>(all);
    paths_.push_back({weight_of(i), 0, Dcqcn(line * share), 0});
  }
}

Time Paths::free_at(Time now) const {
  Time earliest = kNever;
  for (const Path& path : paths_) earliest = std::min(earliest, std::max(now, path.free_at));
  return earliest;
}

/// Smooth weighted round robin: each gains its weight, the one ahead goes and falls back by all weights.
std::uint16_t Paths::next(Time now) {
  Path* best = nullptr;
  std::int64_t all = 0;
  for (Path& path : paths_) {
    if (path.free_at > now) continue;
    path.turn += path.weight;
    all += path.weight;
    if (best == nullptr || path.turn > best->turn) best = &path;
  }
  ROCETOP_CHECK(best != nullptr);
  best->turn -= all;
  return ports_[static_cast<std::size_t>(best - paths_.data())];
}

Paths::Path* Paths::find(std::uint16_t port) {
  const auto found = std::find(ports_.begin(), ports_.end(), port);
  return found == ports_.end() ? nullptr : &paths_[static_cast<std::size_t>(found - ports_.begin())];
}

void Paths::on_sent(std::uint16_t port, std::uint32_t bytes, Time now) {
  Path* const path = find(port);
  if (path == nullptr || !controlled_) return;
  path->control.on_sent(now, bytes);
  if (!path->control.limits()) return;
  path->free_at = now + static_cast<Time>(bytes * 8 / path->control.rate(now) * 1e12);
}

void Paths::on_cnp(std::uint16_t port, Time now) {
  Path* const path = find(port);
  if (path != nullptr && controlled_) path->control.on_cnp(now);
}

}  // namespace rocetop::generate::sim
