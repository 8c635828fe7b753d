// SPDX-License-Identifier: BSD-3-Clause
#include "track/cnp_log.h"

#include <algorithm>

#include "track/cnp_copy.h"

namespace rocetop::track {
namespace {

Nanos or_none(Nanos least) { return least == Nanos::max() ? Nanos{} : least; }

void lower(Nanos& to, Nanos value) {
  if (value.count > 0 && (to.count == 0 || value < to)) to = value;
}

}  // namespace

void CnpLog::Gaps::add(Nanos now, std::uint64_t within) {
  if (cnps > 0 && now >= last) {
    least = std::min(least, now - last);
    if (within != last_within) least_across = std::min(least_across, now - last);
  }
  last = now;
  last_within = within;
  ++cnps;
}

template <typename Map, typename Key>
CnpLog::Gaps* CnpLog::find(Map& map, const Key& key) const {
  const auto found = map.find(key);
  if (found != map.end()) return &found.value();
  if (map.size() >= most_) return nullptr;
  return &map.insert({key, Gaps{}}).first.value();
}

void CnpLog::on_cnp(const HostPair& hosts, const PacketFacts& cnp, Qpn dst_qpn) {
  if (cnp.destination_options) return;  // a switch's own
  Gaps* qp = find(by_qp_, FlowKey{hosts, dst_qpn, {}, false});
  if (qp == nullptr) return;
  const bool copy = qp->cnps > 0 && is_cnp_copy(cnp, qp->last_ip_id, qp->last);
  qp->last_ip_id = cnp.ip_id;
  if (copy) return;
  const std::uint64_t pair = HostPairHash{}(hosts);
  qp->add(cnp.time, 0);
  if (Gaps* g = find(by_pair_, hosts)) g->add(cnp.time, dst_qpn.value);
  if (Gaps* g = find(by_destination_, hosts.dst)) g->add(cnp.time, pair);
  if (Gaps* g = find(by_sender_, hosts.src)) g->add(cnp.time, pair);
}

std::vector<CnpPacing> CnpLog::finish() const {
  tsl::robin_map<IpAddress, CnpPacing, IpAddressHash> senders;
  for (const auto& [host, gaps] : by_sender_) {
    CnpPacing& p = senders[host];
    p.src = host;
    p.cnps = gaps.cnps;
    p.port_gap = or_none(gaps.least);
    p.port_gap_across = or_none(gaps.least_across);
  }
  for (const auto& [key, gaps] : by_qp_) lower(senders[key.hosts.src].qp_gap, or_none(gaps.least));
  for (const auto& [hosts, gaps] : by_pair_) {
    CnpPacing& p = senders[hosts.src];
    lower(p.pair_gap, or_none(gaps.least));
    lower(p.pair_gap_across, or_none(gaps.least_across));
    const auto destination = by_destination_.find(hosts.dst);
    if (destination == by_destination_.end()) continue;
    lower(p.destination_gap, or_none(destination->second.least));
    lower(p.destination_gap_across, or_none(destination->second.least_across));
  }
  std::vector<CnpPacing> out;
  for (const auto& [host, pacing] : senders) {
    if (pacing.cnps > 0) out.push_back(pacing);
  }
  std::sort(out.begin(), out.end(),
            [](const CnpPacing& a, const CnpPacing& b) { return a.cnps != b.cnps ? a.cnps > b.cnps : a.src < b.src; });
  return out;
}

}  // namespace rocetop::track
