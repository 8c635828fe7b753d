// SPDX-License-Identifier: BSD-3-Clause
#include "track/pairing.h"

#include <algorithm>

namespace rocetop::track {
namespace {

constexpr std::size_t kHitsMost = 512;      // candidates remembered per replier
constexpr std::uint32_t kFitsLeast = 4;     // Hit::fits: two different replies that a side expected
constexpr std::uint32_t kMisfitsLeast = 2;  // … and that speak against every other, more than against it
constexpr std::uint32_t kForgiven = 16;     // Hit::fits that outweigh a misfit
constexpr std::size_t kNetworksMost = 16;   // of two hosts, told apart by VLAN tags
constexpr std::size_t kBucketMost = 4096;   // sides noted in one bucket: more are not told apart by PSN
constexpr std::uint32_t kBucketsMost = 64;  // of one READ's PSNs

bool contains(const std::vector<ConnectionIndex>& list, ConnectionIndex index) {
  return std::find(list.begin(), list.end(), index) != list.end();
}

/// A tag with VLAN id 0 carries a priority only.
bool is_tagged(const wire::NetworkKey& n) {
  const auto counts = [](std::uint16_t id) { return id != 0xFFFF && id != 0; };
  return counts(n.vlan_outer) || counts(n.vlan_inner);
}

HostPair without_tags(HostPair hosts) {
  hosts.network.vlan_outer = wire::NetworkKey{}.vlan_outer;
  hosts.network.vlan_inner = wire::NetworkKey{}.vlan_inner;
  return hosts;
}

}  // namespace

std::uint16_t linux_udp_port(Qpn a, Qpn b) {
  std::uint64_t label = std::uint64_t{a.value} * b.value;
  label ^= label >> 20;
  label ^= label >> 40;
  label &= 0xFFFFF;
  return static_cast<std::uint16_t>(0xC000 | ((label & 0x3FFF) ^ ((label & 0xFC000) >> 14)));
}

void Pairing::note(const HostPair& hosts, ConnectionIndex connection, Psn first, Psn last) {
  if (const HostPair untagged = without_tags(hosts); networks_.size() < hosts_most_ || networks_.count(untagged) != 0) {
    auto& networks = networks_[untagged];
    const bool known = std::find(networks.begin(), networks.end(), hosts.network) != networks.end();
    if (!known && networks.size() < kNetworksMost) networks.push_back(hosts.network);
  } else {
    ++forgotten_;
  }
  auto& buckets = windows_[hosts];
  std::uint32_t at = first.value >> kBucketBits;
  const std::uint32_t end = last.value >> kBucketBits;
  for (std::uint32_t i = 0; i < kBucketsMost; ++i) {
    Bucket& list = buckets[at];
    if (list.size() < kBucketMost && (list.empty() || list.back() != connection)) {
      list.push_back(connection);
      ++noted_;
    }
    if (at == end) return;
    at = (at + 1) & (kMask24 >> kBucketBits);
  }
}

void Pairing::forget_windows() {
  forgotten_ += noted_;
  noted_ = 0;
  windows_.clear();
}

Pairing::Bucket* Pairing::bucket(const HostPair& hosts, Psn psn) {
  const auto pair = windows_.find(hosts);
  if (pair == windows_.end()) return nullptr;
  const auto found = pair->second.find(psn.value >> kBucketBits);
  return found == pair->second.end() ? nullptr : &found->second;
}

bool Pairing::Fits::hold(ConnectionIndex index) const { return contains(exact, index) || contains(in_window, index); }

/// A mirror, or a port that tags for one side only, shows one direction with a tag and the other without. Two different
/// tags are two networks.
std::vector<wire::NetworkKey> Pairing::tagged_otherwise(const HostPair& hosts) const {
  const auto found = networks_.find(without_tags(hosts));
  if (found == networks_.end()) return {};
  std::vector<wire::NetworkKey> others;
  for (const wire::NetworkKey& network : found->second) {
    if (!(network == hosts.network) && !(is_tagged(network) && is_tagged(hosts.network))) others.push_back(network);
  }
  return others;
}

/// One reply with exactly one side that expects it decides at once: where first PSNs are random a chance match is one
/// in 16 million per open PSN. Where every queue pair starts at the same PSN (NCCL: 0) several sides expect it, or one
/// whose own peer is not in the capture: then an equal port decides, or replies over time: one side that expected them,
/// while all others that ever did have been at odds with some. (At odds by accident is what the capture missed, or
/// shows out of order: a rare misfit of the right side is forgiven.)
std::optional<ConnectionIndex> Pairing::weigh(ConnectionIndex replier, Psn psn, const Fits& fits) {
  const bool sure_of_one = !fits.tagged_otherwise && fits.exact.size() == 1;
  if (sure_of_one &&
      (!contains(fits.common_start, fits.exact.front()) || contains(fits.same_port, fits.exact.front()))) {
    return fits.exact.front();
  }
  std::vector<ConnectionIndex> both;
  for (const ConnectionIndex index : fits.exact) {
    if (contains(fits.same_port, index)) both.push_back(index);
  }
  if (both.size() == 1 && !fits.tagged_otherwise) return both.front();

  const auto known = hits_.find(replier);
  if (known == hits_.end() && fits.empty()) return std::nullopt;
  Hits& hits = hits_[replier];
  if (hits.last_psn == psn || fits.some_left_out) return std::nullopt;
  hits.last_psn = psn;
  const auto worth = [&](ConnectionIndex index) {
    return contains(fits.exact, index) ? 2U : contains(fits.in_window, index) ? 1U : 0U;
  };
  for (const auto* list : {&fits.exact, &fits.in_window}) {
    for (const ConnectionIndex index : *list) {
      const bool is_known =
          std::any_of(hits.list.begin(), hits.list.end(), [&](const Hit& h) { return h.candidate == index; });
      if (!is_known && hits.list.size() < kHitsMost) hits.list.push_back({index, 0, 0});
    }
  }
  for (Hit& hit : hits.list) {
    const std::uint32_t fit = worth(hit.candidate);
    hit.fits += fit;
    hit.misfits += fit == 0 ? 1 : 0;
  }
  if (hits.list.size() >= kHitsMost) return std::nullopt;
  const auto best = std::max_element(hits.list.begin(), hits.list.end(), [](const Hit& a, const Hit& b) {
    return a.fits < b.fits || (a.fits == b.fits && a.misfits > b.misfits);
  });
  if (best == hits.list.end() || best->fits < kFitsLeast || best->misfits * kForgiven > best->fits) return std::nullopt;
  if (!fits.hold(best->candidate)) return std::nullopt;
  const bool alone = std::all_of(hits.list.begin(), hits.list.end(), [&](const Hit& h) {
    return &h == &*best || h.misfits >= best->misfits + kMisfitsLeast;
  });
  return alone ? std::optional(best->candidate) : std::nullopt;
}

}  // namespace rocetop::track
