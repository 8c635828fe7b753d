// SPDX-License-Identifier: BSD-3-Clause
// CnpLog: how CNPs are spaced across connections: what pacing by queue pair, IP pair, destination or sending port would
// keep apart. Whether an adapter paces at all, and by what, is read from the gaps; nothing about any adapter is
// assumed.
#pragma once

#include <tsl/robin_map.h>

#include <vector>

#include "track/congestion_counts.h"
#include "track/flow_key.h"
#include "track/packet_facts.h"

namespace rocetop::track {

class CnpLog {
 public:
  /// `most`: keys of one kind that are remembered; CNPs of further ones are left out.
  explicit CnpLog(std::size_t most) : most_(most) {}

  /// A CNP that is not known for a copy.
  void on_cnp(const HostPair& hosts, const PacketFacts& cnp, Qpn dst_qpn);

  /// One entry a sender, those with the most CNPs first.
  std::vector<CnpPacing> finish() const;

 private:
  struct Gaps {
    Nanos last;
    std::uint64_t last_within = 0;  // which finer key it was
    Nanos least = Nanos::max();
    Nanos least_across = Nanos::max();
    std::uint64_t cnps = 0;
    std::uint16_t last_ip_id = 0;

    void add(Nanos now, std::uint64_t within);
  };
  using PairMap = tsl::robin_map<HostPair, Gaps, HostPairHash>;
  using HostMap = tsl::robin_map<IpAddress, Gaps, IpAddressHash>;

  template <typename Map, typename Key>
  Gaps* find(Map& map, const Key& key) const;

  std::size_t most_;
  tsl::robin_map<FlowKey, Gaps, FlowKeyHash> by_qp_;
  PairMap by_pair_;
  HostMap by_destination_;
  HostMap by_sender_;
};

}  // namespace rocetop::track
