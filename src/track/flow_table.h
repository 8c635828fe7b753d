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

  /// Asks for the memory that find() will touch.
  void fetch(std::size_t hash) const { near_.fetch(hash); }

  /// `hash` is FlowKeyHash's of `key`.
  Flow find(const FlowKey& key, std::size_t hash) {
    return near_.find(key, hash, [&] { return flows_.find(key, hash); }, flows_.end());
  }
  Flow find(const FlowKey& key) { return find(key, FlowKeyHash{}(key)); }

  /// The same for a plain key; `hash` is PlainKeyHash's.
  void fetch_plain(std::size_t hash) const { plain_.fetch(hash); }
  Flow find(const PlainKey& key, std::size_t hash) {
    return plain_.find(key, hash, [&] { return flows_.find(key.full()); }, flows_.end());
  }

  void put(const FlowKey& key, const Flow& flow) {
    ++version_;
    flows_.insert_or_assign(key, flow);
    if (flows_.size() * kSpare > near_.size() && near_.size() < kNearMost) {
      near_.grow();
      plain_.grow();
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

  /// The same for a plain key, in half of one.
  class alignas(kCacheLine / 2) PlainNear {
   public:
    PlainNear() = default;
    PlainNear(const PlainKey& key, const Flow& flow) : key_(key), flow_(flow) {}

    bool is_of(const PlainKey& key) const { return key_ == key && flow_; }
    Flow flow() const { return flow_; }

   private:
    PlainKey key_;
    Flow flow_;  // without a connection: nothing here
  };
  static_assert(sizeof(PlainNear) == kCacheLine / 2);

  static constexpr std::size_t kSpare = 4;           // entries a flow: two rarely want one place
  static constexpr std::size_t kNearLeast = 64;      // entries
  static constexpr std::size_t kNearMost = 1 << 15;  // … 2 MiB

  /// What was looked up last, in sets of kWays entries.
  template <typename Entry>
  class Cache {
   public:
    void fetch(std::size_t hash) const { fetch_lines(&entries_[place(hash)], kWays * sizeof(Entry)); }

    /// `look_up` gives an iterator of the table, or `none`.
    template <typename Key, typename LookUp, typename Iterator>
    Flow find(const Key& key, std::size_t hash, LookUp&& look_up, const Iterator& none) {
      Entry* set = &entries_[place(hash)];
      for (std::size_t way = 0; way < kWays; ++way) {
        if (set[way].is_of(key)) return set[way].flow();
      }
      const auto found = look_up();
      if (found == none) return {};
      std::copy_backward(set, set + kWays - 1, set + kWays);
      set[0] = Entry(key, found->second);
      return found->second;
    }
    template <typename Key>
    void forget(const Key& key, std::size_t hash) {
      Entry* set = &entries_[place(hash)];
      std::replace_if(set, set + kWays, [&](const Entry& entry) { return entry.is_of(key); }, Entry{});
    }

    std::size_t size() const { return entries_.size(); }
    /// Twice as many entries, all empty.
    void grow() {
      entries_.assign(entries_.size() * 2, {});
      mask_ = entries_.size() - 1;
    }

   private:
    static constexpr std::size_t kWays = 2;
    std::size_t place(std::size_t hash) const { return hash * kWays & mask_; }

    std::vector<Entry> entries_ = std::vector<Entry>(kNearLeast);  // a power of two
    std::size_t mask_ = kNearLeast - 1;                            // its size less one
  };

  void forget(const FlowKey& key) {
    near_.forget(key, FlowKeyHash{}(key));
    if (const auto plain = PlainKey::of(key)) plain_.forget(*plain, PlainKeyHash{}(*plain));
  }

  tsl::robin_map<FlowKey, Flow, FlowKeyHash> flows_;
  Cache<Near> near_;
  Cache<PlainNear> plain_;  // as large
  std::uint64_t version_ = 1;
};

}  // namespace rocetop::track
