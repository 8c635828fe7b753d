// SPDX-License-Identifier: BSD-3-Clause
#include "model/pair_ledger.h"

#include <algorithm>

#include "track/directions.h"

namespace rocetop::model {
namespace {

/// Pairs that are remembered for each that may have a row: what is gone comes back.
constexpr std::size_t kEntriesPerRow = 4;
/// Pairs without a row that are told apart, so that each is counted as limited once.
constexpr std::size_t kWithoutRowMost = 100'000;

std::size_t index(wire::Protocol protocol) { return static_cast<std::size_t>(protocol); }

/// The DSCP of the first packet that was counted in a space, which stays the same; kDscps where there was none.
std::size_t class_of(const track::DirectionCounts& direction, wire::Role role) {
  return std::min<std::size_t>(direction.first_dscp_of[static_cast<std::size_t>(role)], kDscps);
}

/// What T grew by, of which `level` is in rows.
template <typename Amounts>
Amounts rise_of(const Amounts& gone, const Amounts& live, Amounts& level) {
  Amounts all = gone;
  add(all, live);
  return raise(level, all);
}

}  // namespace

PairLedger::Key PairLedger::key_of(const track::ConnectionCounts& connection, const track::DirectionCounts& direction) {
  return {connection.protocol, direction.src, direction.dst};
}

// ---------------------------------------------------------------------------------------------- pairs

/// Of the entries that have neither a row nor a connection, and nothing that is not in rows yet, the least recently
/// active leave: an eighth at once, as they are looked for among all.
bool PairLedger::make_room() {
  if (entries_.size() < options_.pairs_most * kEntriesPerRow) return true;
  if (is_full_) return false;
  std::vector<Entries::iterator> idle;
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    const Entry& entry = it->second;
    if (!entry.has_row && !entry.is_live && !entry.was_live && !entry.is_touched) idle.push_back(it);
  }
  is_full_ = idle.empty();
  if (is_full_) return false;
  const auto leaving = idle.begin() + static_cast<std::ptrdiff_t>(idle.size() / 8);
  std::nth_element(idle.begin(), leaving, idle.end(),
                   [](const auto& x, const auto& y) { return x->second.last_active < y->second.last_active; });
  for (auto it = idle.begin(); it <= leaving; ++it) entries_.erase(*it);
  return true;
}

/// A row for a pair that is not of the rest yet, if there is a place.
PairLedger::Entry* PairLedger::open(const Key& key) {
  if (!has_place() || !make_room()) return nullptr;
  Entry& entry = entries_[key];
  entry.has_row = true;
  entry.last_active = now_;
  ++rows_;
  return &entry;
}

/// Null: the pair is one of the rest.
PairLedger::Entry* PairLedger::find_or_open(const Key& key) {
  const auto known = entries_.find(key);
  if (known != entries_.end()) return &known->second;
  if (were_without_row_.count(key) != 0) return nullptr;
  return open(key);
}

void PairLedger::on_gone(const track::ConnectionCounts& connection) {
  ++gone_connections_;
  track::each_direction_of(connection, [&](const track::DirectionCounts& d) {
    seen_[index(connection.protocol)] = true;
    add_to_classes(d, &Class::gone);
    const Key key = key_of(connection, d);
    Entry* entry = find_or_open(key);
    if (entry == nullptr) {
      count_limited(key, were_without_row_);
    } else {
      entry->is_touched = true;
    }
    add((entry ? entry->account : rest_[index(key.protocol)]).gone, d);
  });
}

/// A pair that is not known yet and finds no place.
void PairLedger::count_limited(const Key& key, std::set<Key>& into) {
  if (were_without_row_.count(key) == 0 && into.count(key) == 0) ++pairs_limited_;
  if (into.size() < kWithoutRowMost) into.insert(key);
}

void PairLedger::add_to_classes(const track::DirectionCounts& d, ClassAmounts Class::* part) {
  const std::size_t requests = class_of(d, wire::Role::kRequest);
  const std::size_t responses = class_of(d, wire::Role::kResponse);
  if (requests < kDscps) add(classes_[requests].*part, d.requests);
  if (responses < kDscps) add(classes_[responses].*part, d.responses);
}

/// What the connections there are count.
void PairLedger::collect(const Snapshot& totals) {
  for (auto& [key, entry] : entries_) {
    entry.account.live = {};
    entry.was_live = entry.is_live;
    entry.is_live = false;
  }
  for (Account& rest : rest_) rest.live = {};
  for (Class& c : classes_) c.live = {};
  std::set<Key> without_row;
  track::each_direction(totals.connections, [&](const auto& connection, const track::DirectionCounts& d) {
    seen_[index(connection.protocol)] = true;
    add_to_classes(d, &Class::live);
    const Key key = key_of(connection, d);
    if (Entry* entry = find_or_open(key)) {
      entry->is_live = true;
      return add(entry->account.live, d);
    }
    count_limited(key, without_row);
    add(rest_[index(key.protocol)].live, d);
  });
  were_without_row_ = std::move(without_row);
}

void PairLedger::book(const Key& key, Entry& entry) {
  const PairAmounts rise = rise_of(entry.account.gone, entry.account.live, entry.account.level);
  entry.is_touched = false;
  if (rise.packets > 0) {
    entry.last_active = now_;
    if (!entry.has_row && has_place()) {
      entry.has_row = true;
      ++rows_;
    } else if (!entry.has_row && !entry.is_limited) {
      ++pairs_limited_;
    }
    entry.is_limited = !entry.has_row;
  }
  add(entry.has_row ? entry.row : rest_rows_[index(key.protocol)], rise);
  add(protocols_[index(key.protocol)], rise);
  if (entry.has_row && !entry.is_live && now_ - entry.last_active >= options_.silent) {
    entry.has_row = false;
    --rows_;
    is_full_ = false;
  }
}

/// What T grew by goes to the rows.
void PairLedger::book() {
  for (auto& [key, entry] : entries_) book(key, entry);
  for (std::size_t p = 0; p < kProtocols; ++p) {
    const PairAmounts rise = rise_of(rest_[p].gone, rest_[p].live, rest_[p].level);
    add(rest_rows_[p], rise);
    add(protocols_[p], rise);
  }
  for (Class& c : classes_) {
    add(c.row, rise_of(c.gone, c.live, c.level));
  }
}

/// Places that became free go to pairs of the rest. What was counted of them before stays where it is.
void PairLedger::promote(const Snapshot& totals) {
  if (!has_place() || were_without_row_.empty()) return;
  std::map<Key, PairAmounts> promoted;
  for (const Key& key : were_without_row_) {
    if (rows_ + promoted.size() >= options_.pairs_most) break;
    promoted.emplace(key, PairAmounts{});
  }
  track::each_direction(totals.connections, [&](const auto& connection, const track::DirectionCounts& d) {
    const auto found = promoted.find(key_of(connection, d));
    if (found != promoted.end()) add(found->second, d);
  });
  for (const auto& [key, live] : promoted) {
    Entry* entry = open(key);
    if (entry == nullptr) return;
    were_without_row_.erase(key);
    PairAmounts& rest = rest_[index(key.protocol)].level;
    entry->is_live = true;
    entry->account.level = part_of(rest, live);
    take_away(rest, entry->account.level);
  }
}

// ---------------------------------------------------------------------------------------------- connections

void PairLedger::update_connections(const Snapshot& totals, const std::vector<ConnectionTotals>& recent) {
  const auto activity = [&](std::size_t i) { return i < recent.size() ? recent[i].bytes_on_wire : 0; };
  std::vector<std::size_t> others;
  std::map<std::uint32_t, ConnectionEntry> kept;
  std::set<std::uint32_t> without_row;
  for (std::size_t i = 0; i < totals.connections.size(); ++i) {
    const std::uint32_t id = totals.connections[i].id;
    const auto known = connections_.find(id);
    if (known == connections_.end()) {
      if (activity(i) > 0) {
        others.push_back(i);
      } else if (connections_without_row_.count(id) != 0) {
        without_row.insert(id);
      }
      continue;
    }
    ConnectionEntry entry = known->second;
    if (activity(i) > 0) entry.last_active = now_;
    if (now_ - entry.last_active < options_.silent) kept.emplace(known->first, entry);
  }
  const std::size_t places = options_.connections_most - std::min(options_.connections_most, kept.size());
  const auto busier = [&](std::size_t x, std::size_t y) {
    return activity(x) != activity(y) ? activity(x) > activity(y) : x < y;
  };
  const std::size_t chosen = std::min(places, others.size());
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(chosen), others.end(), busier);
  for (std::size_t n = 0; n < others.size(); ++n) {
    const std::uint32_t id = totals.connections[others[n]].id;
    if (n < chosen) {
      kept.emplace(id, ConnectionEntry{{}, now_});
    } else {
      connections_limited_ += connections_without_row_.count(id) == 0 ? 1 : 0;
      without_row.insert(id);
    }
  }
  connections_ = std::move(kept);
  connections_without_row_ = std::move(without_row);
}

std::vector<ConnectionRow> PairLedger::connection_rows(const Snapshot& totals) {
  std::vector<ConnectionRow> out;
  for (const track::ConnectionCounts& c : totals.connections) {
    const auto found = connections_.find(c.id);
    if (found == connections_.end()) continue;
    ConnectionTotals& level = found->second.level;
    level = sum(level, since(level, model::totals(c), {}));
    out.push_back({c.id, c.protocol, c.a_ip, c.a_qpn, c.b_ip, c.b_qpn, level});
  }
  return out;
}

// ---------------------------------------------------------------------------------------------- all of it

std::shared_ptr<const LedgerRows> PairLedger::advance(const Snapshot& totals,
                                                      const std::vector<ConnectionTotals>& recent, Nanos now) {
  now_ = now;
  is_full_ = false;
  collect(totals);
  book();
  promote(totals);
  book_pauses(totals);
  connections_in_all_ =
      std::max(connections_in_all_, connections_before_ + gone_connections_ + std::uint64_t{totals.connections.size()});
  auto out = std::make_shared<LedgerRows>();
  if (options_.connections_most > 0) {
    update_connections(totals, recent);
    out->connections = connection_rows(totals);
  }
  fill(*out);
  return out;
}

void PairLedger::book_pauses(const Snapshot& totals) {
  std::array<PauseAmounts, track::kPauseClasses> now;
  for (const track::PausingPort& port : totals.pauses) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      const track::PauseCounts& counts = port.classes[i];
      const Nanos paused = counts.paused.value_or(counts.paused_least);
      now[i].paused_ns += static_cast<std::uint64_t>(std::max<std::int64_t>(paused.count, 0));
    }
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    const PauseCounts& frames = i < totals.capture.pfc.size() ? totals.capture.pfc[i] : totals.capture.pause_802_3x;
    now[i].frames = {frames.xoff_frames, frames.xon_frames};
    add(pauses_[i], raise(pause_levels_[i], now[i]));
  }
}

void PairLedger::fill(LedgerRows& out) const {
  for (const auto& [key, entry] : entries_) {
    if (entry.has_row) out.pairs.push_back({key.protocol, false, key.src, key.dst, entry.row});
  }
  for (std::size_t p = 0; p < kProtocols; ++p) {
    if (!seen_[p] && p != index(wire::Protocol::kRoceV2)) continue;
    out.pairs.push_back({static_cast<wire::Protocol>(p), true, {}, {}, rest_rows_[p]});
  }
  out.protocols = protocols_;
  out.seen = seen_;
  for (std::size_t i = 0; i < kDscps; ++i) out.classes[i] = classes_[i].row;
  out.pauses = pauses_;
  out.connections_in_all = connections_in_all_;
  out.pairs_limited = pairs_limited_;
  out.connections_limited = connections_limited_;
}

void PairLedger::begin_again() {
  for (auto& [key, entry] : entries_) {
    entry.account = {};
    entry.is_live = entry.was_live = entry.is_touched = false;
  }
  for (Account& rest : rest_) rest = {};
  for (Class& c : classes_) c.gone = c.live = c.level = {};
  pause_levels_ = {};
  connections_before_ = connections_in_all_;
  gone_connections_ = 0;
  connections_.clear();
  connections_without_row_.clear();
  is_full_ = false;
}

}  // namespace rocetop::model
