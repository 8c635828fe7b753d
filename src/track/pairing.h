// SPDX-License-Identifier: BSD-3-Clause
// Pairing: which unpaired side the replies of an unpaired side answer. BTH carries only the destination QP, so the two
// directions are joined by acknowledgement matching: a reply's PSN falls where exactly one opposite side expects one.
// Equal UDP source ports, and the port that Linux derives from the two QPNs, break ties only: many adapters use one
// port for everything, and Soft-RoCE hashes its own QPN alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
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
  /// At most `windows_most` places are noted, of at most `hosts_most` pairs of hosts it is remembered in which VLANs
  /// they talk.
  Pairing(std::size_t windows_most, std::size_t hosts_most) : windows_most_(windows_most), hosts_most_(hosts_most) {}

  /// An unpaired side sent requests with PSNs first..last (wire bits): remember where its window is. Once too many are
  /// remembered, all those go of connections that do not wait any more, and all of them where that is too few.
  template <typename Waits>
  void note_requests(const HostPair& hosts, ConnectionIndex connection, Psn first, Psn last, Waits&& waits) {
    if (noted_ >= windows_most_) {
      sweep(waits);
      if (noted_ >= windows_most_ / 2) forget_windows();
    }
    note(hosts, connection, first, last);
  }

  /// The unpaired connection that `reply`, sent by `replier` along `hosts`, answers, when that is beyond reasonable
  /// doubt. `resolve` maps an index to a connection that is still unpaired, or null.
  template <typename Resolve>
  std::optional<ConnectionIndex> find(const HostPair& hosts, const Connection& replier, ConnectionIndex replier_index,
                                      const PacketFacts& reply, Resolve&& resolve);

  static constexpr std::uint32_t bucket_of(Psn psn) { return psn.value >> kBucketBits; }

  void forget(ConnectionIndex connection) { hits_.erase(connection); }

  /// Places forgotten at the limit: connections that were there may stay unpaired.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  static constexpr std::uint32_t kBucketBits = 12;
  static constexpr std::size_t kCandidatesMost = 512;  ///< per bucket looked at
  using Bucket = std::vector<ConnectionIndex>;

  /// How a reply fits the sides that it may answer.
  struct Fits {
    std::vector<ConnectionIndex> exact;
    std::vector<ConnectionIndex> in_window;
    std::vector<ConnectionIndex> same_port;     ///< of these
    std::vector<ConnectionIndex> common_start;  ///< of these: first seen at PSN 0, as every queue pair of NCCL
    bool some_left_out = false;                 ///< there were more than are looked at
    bool tagged_otherwise = false;              ///< in one direction packets carry a VLAN tag, in the other none

    bool empty() const { return exact.empty() && in_window.empty(); }
    bool hold(ConnectionIndex index) const;
  };
  /// What one replier's replies said about one candidate.
  struct Hit {
    ConnectionIndex candidate = 0;
    std::uint32_t fits = 0;  ///< 2 for each reply that it expected, 1 for each in its window
    std::uint32_t misfits = 0;
  };
  struct Hits {
    std::optional<Psn> last_psn;  ///< a repeated reply says nothing new
    std::vector<Hit> list;
  };

  void note(const HostPair& hosts, ConnectionIndex connection, Psn first, Psn last);
  template <typename Waits>
  void sweep(Waits&& waits);
  void forget_windows();
  Bucket* bucket(const HostPair& hosts, Psn psn);
  /// Networks in which `hosts` would be the same two but for a VLAN tag.
  std::vector<wire::NetworkKey> tagged_otherwise(const HostPair& hosts) const;
  std::optional<ConnectionIndex> weigh(ConnectionIndex replier, Psn psn, const Fits& fits);

  std::size_t windows_most_;
  std::size_t hosts_most_;
  std::size_t noted_ = 0;  // entries in the buckets of windows_
  std::uint64_t forgotten_ = 0;
  std::unordered_map<HostPair, std::unordered_map<std::uint32_t, Bucket>, HostPairHash> windows_;
  std::unordered_map<HostPair, std::vector<wire::NetworkKey>, HostPairHash> networks_;  // by hosts without VLAN tags
  std::unordered_map<ConnectionIndex, Hits> hits_;                                      // per replier
};

template <typename Waits>
void Pairing::sweep(Waits&& waits) {
  noted_ = 0;
  for (auto pair = windows_.begin(); pair != windows_.end();) {
    auto& buckets = pair->second;
    for (auto at = buckets.begin(); at != buckets.end();) {
      Bucket& list = at->second;
      std::erase_if(list, [&](ConnectionIndex index) { return !waits(index); });
      noted_ += list.size();
      at = list.empty() ? buckets.erase(at) : std::next(at);
    }
    pair = buckets.empty() ? windows_.erase(pair) : std::next(pair);
  }
}

template <typename Resolve>
std::optional<ConnectionIndex> Pairing::find(const HostPair& hosts, const Connection& replier,
                                             ConnectionIndex replier_index, const PacketFacts& reply,
                                             Resolve&& resolve) {
  Fits fits;
  const auto look = [&](const HostPair& requests, Psn psn) {
    Bucket* candidates = bucket(requests, psn);
    if (!candidates) return;
    std::size_t kept = 0;
    std::size_t looked_at = 0;
    for (std::size_t i = 0; i < candidates->size(); ++i) {
      const ConnectionIndex index = (*candidates)[i];
      if (looked_at >= kCandidatesMost) {
        fits.some_left_out = true;
        (*candidates)[kept++] = index;
        continue;
      }
      const Connection* connection = resolve(index);
      // Paired or gone, or its number is another's by now: leaves the bucket.
      if (!connection || !(connection->side(0).key.hosts == requests)) continue;
      (*candidates)[kept++] = index;
      ++looked_at;
      if (index == replier_index || fits.hold(index)) continue;
      const Side& sender = connection->side(0);
      const Fit fit = sender.fits(reply);
      if (fit == Fit::kNone) continue;
      (fit == Fit::kExact ? fits.exact : fits.in_window).push_back(index);
      if (sender.first_request().value == 0) fits.common_start.push_back(index);
      const Qpn own = *replier.side(0).counts.dst_qpn;
      if (sender.uses_port(reply.udp_src) || reply.udp_src == linux_udp_port(own, *sender.counts.dst_qpn)) {
        fits.same_port.push_back(index);
      }
    }
    noted_ -= candidates->size() - kept;
    candidates->resize(kept);
  };
  const auto look_around = [&](const HostPair& requests) {
    look(requests, reply.psn);
    const Psn before{reply.psn.value - 1};
    if (bucket_of(before) != bucket_of(reply.psn)) look(requests, before);
  };
  HostPair requests = hosts.reversed();
  look_around(requests);
  if (fits.empty()) {
    for (const wire::NetworkKey& network : tagged_otherwise(requests)) {
      requests.network = network;
      fits.tagged_otherwise = true;
      look_around(requests);
    }
  }
  if (fits.empty() && hits_.empty()) return std::nullopt;
  return weigh(replier_index, reply.psn, fits);
}

}  // namespace rocetop::track
