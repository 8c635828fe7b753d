// SPDX-License-Identifier: BSD-3-Clause
// FlowTable: which side of which connection packets with a key belong to. A hash table, and before it two arrays that
// hold what was looked up last and can be asked for before they are needed: one for keys of every kind, an entry a
// cache line, and one for plain keys, half of that. Whoever looks up ahead of time can tell by version() whether the
// answer still holds.
#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/prefetch.h"
#include "track/flow_key.h"
#include "track/pairing.h"

namespace rocetop::track {

class Connection;

class FlowTable {
 public:
  struct Flow {
    Connection* connection = nullptr;  ///< null: there is no such flow
    ConnectionIndex index = 0;
    std::uint32_t side = 0;  // no padding, so that it is copied in whole words

    explicit operator bool() const { return connection != nullptr; }
  };

  FlowTable() : near_(kNearLeast), plain_(kNearLeast), mask_(kNearLeast - 1) {}

  /// Asks for the memory that find() will touch.
  void fetch(std::size_t hash) const { fetch_lines(set_of(hash), kWays * sizeof(Near)); }

  /// `hash` is FlowKeyHash's of `key`.
  Flow find(const FlowKey& key, std::size_t hash) {
    Near* set = set_of(hash);
    for (std::size_t way = 0; way < kWays; ++way) {
      if (set[way].is_of(key)) return set[way].flow();
    }
    const auto found = flows_.find(key, hash);
    if (found == flows_.end()) return {};
    std::copy_backward(set, set + kWays - 1, set + kWays);
    set[0] = Near(key, found->second);
    return found->second;
  }
  Flow find(const FlowKey& key) { return find(key, FlowKeyHash{}(key)); }

  /// The same for a plain key; `hash` is PlainKeyHash's.
  void fetch_plain(std::size_t hash) const { fetch_lines(plain_set_of(hash), kCacheLine); }
  Flow find(const PlainKey& key, std::size_t hash) {
    PlainNear* set = plain_set_of(hash);
    for (std::size_t way = 0; way < kWays; ++way) {
      if (set[way].key == key && set[way].flow) return set[way].flow;
    }
    const auto found = flows_.find(key.full());
    if (found == flows_.end()) return {};
    std::copy_backward(set, set + kWays - 1, set + kWays);
    set[0] = {key, found->second};
    return found->second;
  }

  void put(const FlowKey& key, const Flow& flow) {
    ++version_;
    flows_.insert_or_assign(key, flow);
    if (flows_.size() * kSpare > near_.size() && near_.size() < kNearMost) {
      near_.assign(near_.size() * 2, {});
      plain_.assign(near_.size(), {});
      mask_ = near_.size() - 1;
    } else {
      forget(key);
    }
  }
  void erase(const FlowKey& key) {
    ++version_;
    flows_.erase(key);
    forget(key);
  }

  /// Another one after every change: what was found before means nothing any more.
  std::uint64_t version() const { return version_; }

 private:
  /// Key and flow, packed into a cache line.
  class alignas(kCacheLine) Near {
   public:
    Near() = default;
    Near(const FlowKey& key, const Flow& flow)
        : src_(key.hosts.src),
          dst_(key.hosts.dst),
          network_(key.hosts.network),
          dst_qpn_(key.dst_qpn),
          src_qpn_(key.src_qpn),
          index_(flow.index),
          protocol_(key.hosts.protocol),
          datagram_(key.datagram),
          side_(static_cast<std::uint8_t>(flow.side)),
          connection_(flow.connection) {}

    bool is_of(const FlowKey& key) const {
      return dst_qpn_ == key.dst_qpn &&
             ((src_.low() ^ key.hosts.src.low()) | (dst_.low() ^ key.hosts.dst.low())) == 0 &&
             ((src_.high() ^ key.hosts.src.high()) | (dst_.high() ^ key.hosts.dst.high())) == 0 &&
             network_ == key.hosts.network && src_qpn_ == key.src_qpn && protocol_ == key.hosts.protocol &&
             datagram_ == key.datagram && connection_;
    }
    Flow flow() const { return {connection_, index_, side_}; }

   private:
    IpAddress src_, dst_;
    wire::NetworkKey network_;
    Qpn dst_qpn_, src_qpn_;
    ConnectionIndex index_ = 0;
    wire::Protocol protocol_ = wire::Protocol::kRoceV2;
    bool datagram_ = false;
    std::uint8_t side_ = 0;
    Connection* connection_ = nullptr;  // null: nothing here
  };
  static_assert(sizeof(Near) == kCacheLine);

  struct alignas(kCacheLine / 2) PlainNear {
    PlainKey key;
    Flow flow;  // without a connection: nothing here
  };
  static_assert(sizeof(PlainNear) == kCacheLine / 2);

  static constexpr std::size_t kWays = 2;
  static constexpr std::size_t kSpare = 4;           // entries a flow: two rarely want one place
  static constexpr std::size_t kNearLeast = 64;      // entries
  static constexpr std::size_t kNearMost = 1 << 15;  // … 2 MiB

  Near* set_of(std::size_t hash) { return &near_[hash * kWays & mask_]; }
  const Near* set_of(std::size_t hash) const { return &near_[hash * kWays & mask_]; }
  PlainNear* plain_set_of(std::size_t hash) { return &plain_[hash * kWays & mask_]; }
  const PlainNear* plain_set_of(std::size_t hash) const { return &plain_[hash * kWays & mask_]; }
  void forget(const FlowKey& key) {
    Near* set = set_of(FlowKeyHash{}(key));
    std::replace_if(set, set + kWays, [&](const Near& near) { return near.is_of(key); }, Near{});
    const auto plain = PlainKey::of(key);
    if (!plain) return;
    PlainNear* plain_set = plain_set_of(PlainKeyHash{}(*plain));
    std::replace_if(
        plain_set, plain_set + kWays, [&](const PlainNear& near) { return near.key == *plain; }, PlainNear{});
  }

  tsl::robin_map<FlowKey, Flow, FlowKeyHash> flows_;
  std::vector<Near> near_;        // sets of kWays entries; a power of two
  std::vector<PlainNear> plain_;  // as many
  std::size_t mask_ = 0;          // its size less one
  std::uint64_t version_ = 1;
};

}  // namespace rocetop::track
