// SPDX-License-Identifier: BSD-3-Clause
// What the tracker does for who watches without end: the state as it is now, and forgetting what is over, so that
// memory follows the connections that live and not the time that went by. Not needed to read a capture to its end.
#include <algorithm>
#include <utility>

#include "track/tracker.h"

namespace rocetop::track {
namespace {

/// Entries of lists that ended before `before` leave them, counted as not listed; the budget has them back.
void shorten(SpaceCounts& counts, Nanos before, bool wanted, ListBudget& budget) {
  const auto is_filling = [&](const auto& list) { return wanted || list.size() >= budget.per_list / 2; };
  if (!is_filling(counts.missing) && !is_filling(counts.episodes)) return;
  const auto runs = std::erase_if(counts.missing, [&](const MissingRun& run) { return run.seen_at_time < before; });
  const auto episodes = std::erase_if(counts.episodes, [&](const Episode& e) { return e.first_time < before; });
  counts.missing_omitted += runs;
  counts.episodes_omitted += episodes;
  budget.left += runs + episodes;
}

/// While it is open whether a queue pair is used again, the packets since then are in no count: in another connection
/// they would count as something else.
const Connection& beyond_doubt(const Connection& connection) {
  return connection.suspicion ? *connection.suspicion->before : connection;
}

std::size_t listed(const SpaceCounts& space) { return space.missing.size() + space.episodes.size(); }

}  // namespace

std::vector<ConnectionCounts> Tracker::connections(const std::function<void()>& meanwhile) const {
  // Sorted before they are copied: they are large.
  struct Place {
    std::uint32_t id;
    const ConnectionCounts* finished;
    const Connection* live;
  };
  std::vector<Place> places;
  places.reserve(finished_.size() + live_);
  for (const ConnectionCounts& counts : finished_) places.push_back({counts.id, &counts, nullptr});
  for (const auto& connection : connections_) {
    if (!connection || connection->id == 0 || is_noise(*connection)) continue;
    places.push_back({connection->id, nullptr, connection.get()});
  }
  std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.id < y.id; });
  std::vector<ConnectionCounts> out;
  out.reserve(places.size());
  for (const Place& place : places) {
    constexpr std::size_t kFewMilliseconds = 1'024;
    if (meanwhile && out.size() % kFewMilliseconds == kFewMilliseconds - 1) meanwhile();
    if (place.live) {
      out.push_back(beyond_doubt(*place.live).counts());
    } else {
      out.push_back(*place.finished);
    }
  }
  return out;
}

void Tracker::forget_silent(Nanos since) {
  const auto is_silent = [&](const ConnectionCounts& c) { return c.last_time < since; };
  for (const ConnectionCounts& c : finished_) {
    if (!is_silent(c)) continue;
    ++silent_;
    say_gone(c);
  }
  std::erase_if(finished_, is_silent);
  for (ConnectionIndex i = 0; i < connections_.size(); ++i) {
    if (!connections_[i] || connections_[i]->last_time() >= since) continue;
    ++silent_;
    forget(i);
  }
}

void Tracker::make_room_in_lists(Nanos before) {
  const bool everywhere = context_.lists.left <= context_.limits.listed_total / 2;
  for (auto& connection : connections_) {
    if (!connection) continue;
    for (std::size_t i = 0; i < connection->side_count(); ++i) {
      Side& side = connection->side(i);
      shorten(side.requests.counts(), before, everywhere, context_.lists);
      shorten(side.responses.counts(), before, everywhere, context_.lists);
      if (!side.veroce) continue;
      shorten(side.veroce.use().requests.counts(), before, everywhere, context_.lists);
      shorten(side.veroce.use().responses.counts(), before, everywhere, context_.lists);
    }
  }
  management_.make_room(before);
}

/// As Connection::is_stray().
bool Tracker::was_stray(const ConnectionCounts& counts) {
  return !counts.b_to_a && counts.a_to_b->frames <= 2 && counts.paired_by == PairedBy::kNone;
}

/// What its lists took is free again.
void Tracker::give_back_lists(const ConnectionCounts& counts) {
  for (const auto* direction : {&counts.a_to_b, &counts.b_to_a}) {
    if (*direction) context_.lists.left += listed((*direction)->requests) + listed((*direction)->responses);
  }
}

void Tracker::give_back_lists(const Connection& connection) {
  for (std::size_t i = 0; i < connection.side_count(); ++i) {
    const Side& side = connection.side(i);
    context_.lists.left += listed(side.requests.counts()) + listed(side.responses.counts());
    if (!side.veroce) continue;
    context_.lists.left += listed(side.veroce->requests.counts()) + listed(side.veroce->responses.counts());
  }
}

void Tracker::say_gone(const ConnectionCounts& counts) {
  give_back_lists(counts);
  if (was_stray(counts)) {
    ++told_strays_;
    told_stray_packets_ += counts.a_to_b->frames;
  }
  if (gone_) gone_(counts);
}

/// Ends a connection that nobody wants to see any more. Noise was in no sum before, and comes into none now: it is
/// counted by itself.
void Tracker::forget(ConnectionIndex index) {
  Connection& connection = *connections_[index];
  detach(connection, index);
  const bool was_noise = is_noise(connection);
  if (connection.is_stray()) count_stray(connection.side(0).frames());
  const ConnectionCounts counts = connection.finish(context_);
  was_noise ? give_back_lists(counts) : say_gone(counts);
  drop(index);
}

/// Of those that ended, the first quarter.
void Tracker::forget_ended() {
  const std::size_t quarter = std::min(finished_.size(), finished_.size() / 4 + 1);
  for (std::size_t i = 0; i < quarter; ++i) say_gone(finished_[i]);
  evicted_ += quarter;
  finished_.erase(finished_.begin(), finished_.begin() + static_cast<std::ptrdiff_t>(quarter));
}

}  // namespace rocetop::track
