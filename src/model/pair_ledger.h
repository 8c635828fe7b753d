// SPDX-License-Identifier: BSD-3-Clause
// PairLedger: what metrics count, so that no counter ever goes back: not when connections are forgotten or joined, not
// when a pair of hosts gets a row of its own or loses it, and not when more is known of what was counted before.
//
// Of each pair of hosts, in each direction, T is the sum over the connections there are and those that are gone. At
// each snapshot what T grew by is added to the row of the pair, or to the row of the rest where the pair has none. So
// the sum of all rows, with those that left, is everything, and rows only grow. Where a count is corrected (an episode
// of unknown cause was a timeout after all) the sum over the causes stays right, and what was told stays told.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "base/ip_address.h"
#include "base/nanos.h"
#include "model/ledger_amounts.h"
#include "model/snapshot.h"
#include "model/totals.h"

namespace rocetop::model {

struct LedgerOptions {
  std::size_t pairs_most = 100;      ///< rows of pairs of hosts
  std::size_t connections_most = 0;  ///< rows of single connections
  Nanos silent = seconds(600);       ///< a row leaves when nothing was seen of it for so long
};

/// The row of a pair of hosts, one way: what `src` sent to `dst`.
struct PairRow {
  wire::Protocol protocol = wire::Protocol::kRoceV2;
  bool is_rest = false;  ///< of all pairs that have no row; src and dst say nothing
  IpAddress src;
  IpAddress dst;
  PairAmounts amounts;
};

/// The row of a connection.
struct ConnectionRow {
  std::uint32_t id = 0;
  wire::Protocol protocol = wire::Protocol::kRoceV2;
  IpAddress a_ip;
  std::optional<Qpn> a_qpn;
  IpAddress b_ip;
  std::optional<Qpn> b_qpn;
  ConnectionTotals amounts;
};

/// All rows at one moment.
struct LedgerRows {
  std::vector<PairRow> pairs;              ///< those with a row, by protocol and address; then the rest, by protocol
  std::vector<ConnectionRow> connections;  ///< by id
  std::array<PairAmounts, kProtocols> protocols;  ///< by wire::Protocol: of all pairs, shown or not
  std::array<bool, kProtocols> seen{};            ///< by wire::Protocol: something of it came
  std::array<ClassAmounts, kDscps> classes;       ///< by DSCP
  std::array<PauseAmounts, track::kPauseClasses> pauses;
  std::uint64_t connections_in_all = 0;
  std::uint64_t pairs_limited = 0;        ///< pairs that came and found no place
  std::uint64_t connections_limited = 0;  ///< connections that came and found no place, where there are rows of them
};

class PairLedger {
 public:
  explicit PairLedger(const LedgerOptions& options) : options_(options) {}

  /// A connection was forgotten (track::Tracker::tell_gone): it is in no later snapshot.
  void on_gone(const track::ConnectionCounts& connection);
  /// Everything as of `now`. `recent`: by index of totals.connections, what was added to each since the last snapshot.
  std::shared_ptr<const LedgerRows> advance(const Snapshot& totals, const std::vector<ConnectionTotals>& recent,
                                            Nanos now);
  /// The analysis begins again with nothing. Rows go on from where they are.
  void begin_again();

 private:
  struct Key {
    wire::Protocol protocol = wire::Protocol::kRoceV2;
    IpAddress src;
    IpAddress dst;

    friend bool operator<(const Key& x, const Key& y) {
      return std::tie(x.protocol, x.src, x.dst) < std::tie(y.protocol, y.src, y.dst);
    }
  };
  /// What T is made of, and how much of it is in rows.
  struct Account {
    PairAmounts gone;
    PairAmounts live;   // as of the snapshot
    PairAmounts level;  // of T, that is in rows
  };
  struct Entry {
    Account account;
    PairAmounts row;
    Nanos last_active;
    bool has_row = false;
    bool is_live = false;   // the snapshot has a connection of it
    bool was_live = false;  // … the one before had: what it counted there may not be forgotten while this is collected
    bool is_touched = false;  // something of it is gone that is not in rows yet
    bool is_limited = false;  // it came back, and found no place
  };
  struct Class {
    ClassAmounts gone;
    ClassAmounts live;
    ClassAmounts level;
    ClassAmounts row;
  };
  struct ConnectionEntry {
    ConnectionTotals level;
    Nanos last_active;
  };

  static Key key_of(const track::ConnectionCounts& connection, const track::DirectionCounts& direction);
  bool has_place() const { return rows_ < options_.pairs_most; }
  bool make_room();
  Entry* open(const Key& key);
  Entry* find_or_open(const Key& key);
  void count_limited(const Key& key, std::set<Key>& into);
  void add_to_classes(const track::DirectionCounts& direction, ClassAmounts Class::* part);
  void collect(const Snapshot& totals);
  void book();
  void book(const Key& key, Entry& entry);
  void promote(const Snapshot& totals);
  void book_pauses(const Snapshot& totals);
  void update_connections(const Snapshot& totals, const std::vector<ConnectionTotals>& recent);
  std::vector<ConnectionRow> connection_rows(const Snapshot& totals);
  void fill(LedgerRows& out) const;

  const LedgerOptions options_;
  using Entries = std::map<Key, Entry>;
  Entries entries_;       // pairs that have a row or had one
  bool is_full_ = false;  // of pairs that cannot leave before the next advance()
  std::size_t rows_ = 0;  // of these, that have one
  // All others, together.
  std::array<Account, kProtocols> rest_;
  std::array<PairAmounts, kProtocols> rest_rows_;
  std::set<Key> were_without_row_;  // those of them that the last snapshot had, and that came and went since

  std::array<PairAmounts, kProtocols> protocols_;
  std::array<bool, kProtocols> seen_{};
  std::array<Class, kDscps> classes_;
  std::array<PauseAmounts, track::kPauseClasses> pause_levels_;
  std::array<PauseAmounts, track::kPauseClasses> pauses_;
  std::map<std::uint32_t, ConnectionEntry> connections_;  // that have a row
  std::set<std::uint32_t> connections_without_row_;       // as of the last snapshot
  std::uint64_t gone_connections_ = 0;
  std::uint64_t connections_before_ = 0;  // of the analyses before this one
  std::uint64_t connections_in_all_ = 0;
  std::uint64_t pairs_limited_ = 0;
  std::uint64_t connections_limited_ = 0;
  Nanos now_;
};

}  // namespace rocetop::model
