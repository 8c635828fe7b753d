// SPDX-License-Identifier: BSD-3-Clause
#include "model/host_pairs.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "track/directions.h"

namespace rocetop::model {
namespace {

struct Gathered {
  HostPair pair;
  std::map<std::uint16_t, PortUse> ports;
  std::map<std::uint8_t, std::uint64_t> hop_limits;
  std::vector<double> rates;
};

/// What every direction has.
void count(HostPair& pair, const track::DirectionCounts& d) {
  pair.packets += d.frames;
  pair.bytes_on_wire += d.bytes_on_wire;
  for (const track::SpaceCounts* s : {&d.requests, &d.responses}) {
    pair.retransmitted += s->retransmitted_original_seen + s->retransmitted_original_unseen;
    pair.missing += s->missing_packets[static_cast<std::size_t>(track::Outcome::kRetransmitted)] +
                    s->missing_packets[static_cast<std::size_t>(track::Outcome::kUnresolved)];
    pair.reordered += s->reordered_packets;
  }
  pair.naks += std::accumulate(d.naks.begin(), d.naks.end(), std::uint64_t{0});
  pair.rnr_naks += d.rnr_naks;
  pair.ce_packets += d.ecn[static_cast<std::size_t>(wire::Ecn::kCe)];
  pair.cnps += d.cnps;
  pair.fast_cnps += d.fast_cnps;
}

/// What only data says.
void add_data(Gathered& g, const track::DirectionCounts& d) {
  const std::uint64_t data = d.requests.packets + d.responses.packets;
  const std::uint64_t bytes = d.requests.payload_bytes + d.responses.payload_bytes;
  ++g.pair.connections;
  g.pair.data_packets += data;
  g.pair.payload_bytes += bytes;
  PortUse& port = g.ports[d.udp_src];
  port.udp_src = d.udp_src;
  ++port.connections;
  port.data_packets += data;
  port.reordered_packets += d.requests.reordered_packets + d.responses.reordered_packets;
  for (const auto& [ttl, frames] : d.hop_limits) g.hop_limits[ttl] += frames;
  const Nanos lasted = d.last_data_time - d.first_data_time;
  if (lasted.count > 0) g.rates.push_back(static_cast<double>(bytes) / static_cast<double>(lasted.count));
}

}  // namespace

void HostPair::add(const HostPair& other) {
  for (const auto member :
       {&HostPair::connections, &HostPair::packets, &HostPair::bytes_on_wire, &HostPair::data_packets,
        &HostPair::payload_bytes, &HostPair::retransmitted, &HostPair::missing, &HostPair::reordered, &HostPair::naks,
        &HostPair::rnr_naks, &HostPair::ce_packets, &HostPair::cnps, &HostPair::fast_cnps}) {
    this->*member += other.*member;
  }
}

std::optional<double> jain_index(const std::vector<double>& rates) {
  double sum = 0;
  double squares = 0;
  for (const double rate : rates) {
    sum += rate;
    squares += rate * rate;
  }
  if (rates.size() < 2 || squares <= 0) return std::nullopt;
  return sum * sum / (static_cast<double>(rates.size()) * squares);
}

std::vector<HostPair> host_pairs(const std::vector<track::ConnectionCounts>& connections) {
  std::map<std::pair<IpAddress, IpAddress>, Gathered> gathered;
  track::each_direction(connections, [&](const track::DirectionCounts& d) {
    Gathered& g = gathered[{d.src, d.dst}];
    g.pair.src = d.src;
    g.pair.dst = d.dst;
    count(g.pair, d);
    if (d.requests.packets + d.responses.packets != 0) add_data(g, d);
  });
  std::vector<HostPair> out;
  out.reserve(gathered.size());
  for (auto& [hosts, g] : gathered) {
    for (const auto& [port, use] : g.ports) g.pair.ports.push_back(use);
    std::stable_sort(g.pair.ports.begin(), g.pair.ports.end(),
                     [](const PortUse& a, const PortUse& b) { return a.data_packets > b.data_packets; });
    g.pair.hop_limits.assign(g.hop_limits.begin(), g.hop_limits.end());
    g.pair.jain_index = jain_index(g.rates);
    out.push_back(std::move(g.pair));
  }
  std::stable_sort(out.begin(), out.end(), [](const HostPair& a, const HostPair& b) {
    return a.payload_bytes != b.payload_bytes ? a.payload_bytes > b.payload_bytes : a.bytes_on_wire > b.bytes_on_wire;
  });
  return out;
}

}  // namespace rocetop::model
