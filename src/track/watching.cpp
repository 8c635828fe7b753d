// SPDX-License-Identifier: BSD-3-Clause
// What the tracker does for who watches without end: the state as it is now, and forgetting what is over, so that
// memory follows the connections that live and not the time that went by. Not needed to read a capture to its end.
#include <algorithm>
#include <utility>

#include "track/tracker.h"

namespace rocetop::track {
namespace {

/// Entries of lists that ended before `before` leave them, counted as not listed; the budget has them back.
void forget_listed(SpaceCounts& counts, Nanos before, ListBudget& budget) {
  const auto runs = std::erase_if(counts.missing, [&](const MissingRun& run) { return run.seen_at_time < before; });
  const auto episodes = std::erase_if(counts.episodes, [&](const Episode& e) { return e.first_time < before; });
  counts.missing_omitted += runs;
  counts.episodes_omitted += episodes;
  budget.left += runs + episodes;
}

std::size_t listed(const std::optional<DirectionCounts>& direction) {
  if (!direction) return 0;
  const auto of = [](const SpaceCounts& space) { return space.missing.size() + space.episodes.size(); };
  return of(direction->requests) + of(direction->responses);
}

}  // namespace

std::vector<ConnectionCounts> Tracker::connections() const {
  const bool without_strays = strays_are_noise();
  std::vector<ConnectionCounts> out;
  out.reserve(finished_.size() + live_);
  out = finished_;
  for (const auto& connection : connections_) {
    if (!connection || connection->id == 0 || (without_strays && connection->is_stray())) continue;
    out.push_back(connection->counts());
  }
  std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.id < y.id; });
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

void Tracker::forget_listed(Nanos before) {
  for (auto& connection : connections_) {
    if (!connection) continue;
    for (std::size_t i = 0; i < connection->side_count(); ++i) {
      Side& side = connection->side(i);
      track::forget_listed(side.requests.counts(), before, context_.lists);
      track::forget_listed(side.responses.counts(), before, context_.lists);
    }
  }
  management_.forget(before);
}

/// What its lists took is free again.
void Tracker::say_gone(const ConnectionCounts& counts) {
  context_.lists.left += listed(counts.a_to_b) + listed(counts.b_to_a);
  if (gone_) gone_(counts);
}

/// Ends a connection that nobody wants to see any more.
void Tracker::forget(ConnectionIndex index) {
  Connection& connection = *connections_[index];
  detach(connection, index);
  if (connection.is_stray()) count_stray(connection.side(0).frames());
  say_gone(connection.finish(context_));
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
