// SPDX-License-Identifier: BSD-3-Clause
#include "track/pairing.h"

#include <algorithm>

namespace rocetop::track {
namespace {

constexpr std::size_t kHitsMost = 64;       // candidates remembered per replier
constexpr std::size_t kBucketMost = 4096;   // sides noted in one bucket: more are not told apart by PSN
constexpr std::uint32_t kBucketsMost = 64;  // of one READ's PSNs

bool contains(const std::vector<ConnectionIndex>& list, ConnectionIndex index) {
  return std::find(list.begin(), list.end(), index) != list.end();
}

}  // namespace

std::uint16_t linux_udp_port(Qpn a, Qpn b) {
  std::uint64_t label = std::uint64_t{a.value} * b.value;
  label ^= label >> 20;
  label ^= label >> 40;
  label &= 0xFFFFF;
  return static_cast<std::uint16_t>(0xC000 | ((label & 0x3FFF) ^ ((label & 0xFC000) >> 14)));
}

void Pairing::note_requests(const HostPair& hosts, ConnectionIndex connection, Psn first, Psn last) {
  auto& buckets = windows_[hosts];
  std::uint32_t at = first.value >> kBucketBits;
  const std::uint32_t end = last.value >> kBucketBits;
  for (std::uint32_t i = 0; i < kBucketsMost; ++i) {
    Bucket& list = buckets[at];
    if (list.size() < kBucketMost && (list.empty() || list.back() != connection)) list.push_back(connection);
    if (at == end) return;
    at = (at + 1) & (kMask24 >> kBucketBits);
  }
}

Pairing::Bucket* Pairing::bucket(const HostPair& hosts, Psn psn) {
  const auto pair = windows_.find(hosts);
  if (pair == windows_.end()) return nullptr;
  const auto found = pair->second.find(psn.value >> kBucketBits);
  return found == pair->second.end() ? nullptr : &found->second;
}

/// One reply with exactly one side that expects it decides at once: where first PSNs are random a chance match is one
/// in 16 million per open PSN. Where every queue pair starts at the same PSN (NCCL: 0) several sides expect it, and
/// ports decide, or one side that fits at least twice and clearly more often than any other. What would fool it: the
/// only two halves of different connections in the capture, both from PSN 0.
std::optional<ConnectionIndex> Pairing::weigh(ConnectionIndex replier, const std::vector<ConnectionIndex>& exact,
                                              const std::vector<ConnectionIndex>& in_window,
                                              const std::vector<ConnectionIndex>& same_port) {
  if (exact.size() == 1) return exact.front();
  std::vector<ConnectionIndex> both;
  for (const ConnectionIndex index : exact) {
    if (contains(same_port, index)) both.push_back(index);
  }
  if (both.size() == 1) return both.front();

  auto& hits = hits_[replier];
  const auto add = [&](ConnectionIndex index, bool is_exact) {
    auto at = std::find_if(hits.begin(), hits.end(), [&](const Hit& h) { return h.candidate == index; });
    if (at == hits.end()) {
      if (hits.size() >= kHitsMost) return;
      at = hits.insert(hits.end(), Hit{index, 0, 0});
    }
    ++(is_exact ? at->exact : at->in_window);
  };
  for (const ConnectionIndex index : exact) add(index, true);
  if (exact.empty()) {
    for (const ConnectionIndex index : in_window) add(index, false);
  }
  const auto score = [](const Hit& h) { return 2 * h.exact + h.in_window; };
  const Hit* best = nullptr;
  std::uint32_t second = 0;
  for (const Hit& h : hits) {
    if (!best || score(h) > score(*best)) {
      second = best ? score(*best) : 0;
      best = &h;
    } else {
      second = std::max(second, score(h));
    }
  }
  if (best && score(*best) >= 2 && score(*best) >= second + 2) return best->candidate;
  return std::nullopt;
}

}  // namespace rocetop::track
