// SPDX-License-Identifier: BSD-3-Clause
// Pairing: which unpaired side the replies of an unpaired side answer. BTH carries only the destination QP, so the two
// directions are joined by acknowledgement matching: a reply's PSN falls where exactly one opposite side expects one.
// Equal UDP source ports, and the port that Linux derives from the two QPNs, break ties only: many adapters use one
// port for everything, and Soft-RoCE hashes its own QPN alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "track/connection.h"
#include "track/flow_key.h"

namespace rocetop::track {

using ConnectionIndex = std::uint32_t;

/// UDP source port that rdma-core and the Linux kernel derive from two QPNs when nothing else was asked for; symmetric.
std::uint16_t linux_udp_port(Qpn a, Qpn b);

class Pairing {
 public:
  /// An unpaired side sent requests with PSNs first..last (wire bits): remember where its window is.
  void note_requests(const HostPair& hosts, ConnectionIndex connection, Psn first, Psn last);

  /// The unpaired connection that `reply`, sent by `replier` along `hosts`, answers, when that is beyond reasonable
  /// doubt. `resolve` maps an index to a connection that is still unpaired, or null.
  template <typename Resolve>
  std::optional<ConnectionIndex> find(const HostPair& hosts, const Connection& replier, ConnectionIndex replier_index,
                                      const PacketFacts& reply, Resolve&& resolve);

  static constexpr std::uint32_t bucket_of(Psn psn) { return psn.value >> kBucketBits; }

  void forget(ConnectionIndex connection) { hits_.erase(connection); }

 private:
  static constexpr std::uint32_t kBucketBits = 12;
  static constexpr std::size_t kCandidatesMost = 256;  ///< per bucket looked at; more are not told apart by PSN anyway
  using Bucket = std::vector<ConnectionIndex>;

  struct Hit {
    ConnectionIndex candidate = 0;
    std::uint32_t exact = 0;
    std::uint32_t in_window = 0;
  };

  Bucket* bucket(const HostPair& hosts, Psn psn);
  std::optional<ConnectionIndex> weigh(ConnectionIndex replier, const std::vector<ConnectionIndex>& exact,
                                       const std::vector<ConnectionIndex>& in_window,
                                       const std::vector<ConnectionIndex>& same_port);

  std::unordered_map<HostPair, std::unordered_map<std::uint32_t, Bucket>, HostPairHash> windows_;
  std::unordered_map<ConnectionIndex, std::vector<Hit>> hits_;  // per replier
};

template <typename Resolve>
std::optional<ConnectionIndex> Pairing::find(const HostPair& hosts, const Connection& replier,
                                             ConnectionIndex replier_index, const PacketFacts& reply,
                                             Resolve&& resolve) {
  std::vector<ConnectionIndex> exact;
  std::vector<ConnectionIndex> in_window;
  std::vector<ConnectionIndex> same_port;
  const auto look = [&](Psn psn) {
    Bucket* candidates = bucket(hosts.reversed(), psn);
    if (!candidates) return;
    std::size_t kept = 0;
    std::size_t looked_at = 0;
    for (std::size_t i = 0; i < candidates->size(); ++i) {
      const ConnectionIndex index = (*candidates)[i];
      if (looked_at >= kCandidatesMost) {
        (*candidates)[kept++] = index;
        continue;
      }
      const Connection* connection = resolve(index);
      if (!connection) continue;  // paired or gone: leaves the bucket
      (*candidates)[kept++] = index;
      ++looked_at;
      if (index == replier_index || std::find(exact.begin(), exact.end(), index) != exact.end() ||
          std::find(in_window.begin(), in_window.end(), index) != in_window.end()) {
        continue;
      }
      const auto fit = connection->side(0).requests.fits(reply);
      if (fit == RequestSpace::Fit::kNone) continue;
      (fit == RequestSpace::Fit::kExact ? exact : in_window).push_back(index);
      const DirectionCounts& theirs = connection->side(0).counts;
      const Qpn own = *replier.side(0).counts.dst_qpn;
      if (theirs.udp_src == reply.udp_src || reply.udp_src == linux_udp_port(own, *theirs.dst_qpn)) {
        same_port.push_back(index);
      }
    }
    candidates->resize(kept);
  };
  look(reply.psn);
  if (const Psn before{reply.psn.value - 1}; before.value >> kBucketBits != reply.psn.value >> kBucketBits)
    look(before);
  if (exact.empty() && in_window.empty()) return std::nullopt;
  return weigh(replier_index, exact, in_window, same_port);
}

}  // namespace rocetop::track
