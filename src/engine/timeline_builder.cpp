// SPDX-License-Identifier: BSD-3-Clause
#include "engine/timeline_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/path_recorder.h"

namespace rocetop::engine {
namespace {

using model::DirectionTimeline;
using model::Mark;
using model::MarkedSeries;
using track::SpaceName;

constexpr std::int64_t kWrap = std::int64_t{1} << 24;

bool plots_own_psns(const MarkedSeries& marked) { return marked.space == SpaceName::kRequests; }
bool plots_other_psns(const MarkedSeries& marked) { return !plots_own_psns(marked) && model::has_psns(marked.mark); }

MarkedSeries* find(DirectionTimeline& direction, Mark mark, SpaceName space) {
  for (MarkedSeries& marked : direction.marks) {
    if (marked.mark == mark && marked.space == space) return &marked;
  }
  return nullptr;
}

/// What a packet is in a connection that began with it, if it was taken for a part of the one before: its PSNs repeat
/// nothing and jump over nothing.
std::optional<Mark> in_another(Mark mark) {
  if (mark == Mark::kGap) return std::nullopt;
  const bool repeat = mark > Mark::kNew && mark <= Mark::kDuplicate;
  return repeat ? Mark::kNew : mark;
}

/// Each piece extended its PSNs to 64 bits by itself: the multiple of 2^24 that brings the series of `piece` which
/// `belongs` chooses next to `anchor`, at the moment the first of them begins.
template <typename Belongs>
std::int64_t shift_to(const model::Series& anchor, const DirectionTimeline& piece, Belongs belongs) {
  const model::Cell* first = nullptr;
  for (const MarkedSeries& marked : piece.marks) {
    if (!belongs(marked) || marked.series.cells().empty()) continue;
    const model::Cell& cell = marked.series.cells().front();
    if (first == nullptr || cell.first_time < first->first_time) first = &cell;
  }
  if (first == nullptr || anchor.cells().empty()) return 0;
  auto near = std::upper_bound(anchor.cells().begin(), anchor.cells().end(), first->first_time,
                               [](Nanos t, const model::Cell& c) { return t < c.first_time; });
  if (near != anchor.cells().begin()) --near;
  const std::int64_t distance = near->low - first->low;
  const std::int64_t wraps = (distance + (distance < 0 ? -kWrap / 2 : kWrap / 2)) / kWrap;
  return wraps * kWrap;
}

template <typename Belongs>
void move(DirectionTimeline& piece, std::int64_t shift, Belongs belongs) {
  for (MarkedSeries& marked : piece.marks) {
    if (shift != 0 && belongs(marked)) marked.series.move(shift);
  }
}

void absorb(DirectionTimeline& into, DirectionTimeline&& piece) {
  for (MarkedSeries& marked : piece.marks) {
    if (MarkedSeries* same = find(into, marked.mark, marked.space)) {
      same->series.absorb(marked.series);
    } else {
      into.marks.push_back(std::move(marked));
    }
  }
  into.paths.absorb(std::move(piece.paths));
  into.told.absorb(std::move(piece.told));
}

std::uint64_t packets(const DirectionTimeline& piece) {
  std::uint64_t n = 0;
  for (const MarkedSeries& marked : piece.marks) n += marked.series.packets();
  return n;
}

/// The pieces as one; the largest says where its own PSNs are.
DirectionTimeline join(std::vector<DirectionTimeline>& pieces) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return packets(a) > packets(b); });
  DirectionTimeline whole = std::move(pieces.front());
  for (MarkedSeries& marked : whole.marks) marked.series.sort();
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (const MarkedSeries* anchor = find(whole, Mark::kNew, SpaceName::kRequests)) {
      move(pieces[i], shift_to(anchor->series, pieces[i], plots_own_psns), plots_own_psns);
    }
    absorb(whole, std::move(pieces[i]));
  }
  return whole;
}

/// Moves the replies in `replies` to the PSNs of `requests`.
void align(DirectionTimeline& requests, DirectionTimeline& replies) {
  if (const MarkedSeries* anchor = find(requests, Mark::kNew, SpaceName::kRequests)) {
    move(replies, shift_to(anchor->series, replies, plots_other_psns), plots_other_psns);
  }
}

}  // namespace

TimelineBuilder::TimelineBuilder(const model::Snapshot& snapshot) {
  for (const track::ConnectionCounts& c : snapshot.connections) {
    if (c.a_to_b) announce(c.id, *c.a_to_b);
    if (c.b_to_a) announce(c.id, *c.b_to_a);
  }
}

void TimelineBuilder::announce(std::uint32_t id, const track::DirectionCounts& d) {
  by_key_[{d.src, d.dst, d.dst_qpn ? d.dst_qpn->value : 0}].push_back(targets_.size());
  targets_.push_back({id, d.first_frame, d.last_frame, &d, {}});
}

/// Of the connections that used these queue pairs: the one of that time, else the one of that number, else the first.
TimelineBuilder::Target* TimelineBuilder::target_of(std::vector<std::size_t>& candidates, std::uint32_t id,
                                                    FrameId frame) {
  Target* numbered = nullptr;
  Target* timely = nullptr;
  for (const std::size_t i : candidates) {
    Target& target = targets_[i];
    const bool contains = target.first <= frame && frame <= target.last;
    if (target.id == id) numbered = &target;
    if (target.id == id && contains) return &target;
    if (contains) timely = &target;
  }
  return timely ? timely : numbered ? numbered : &targets_[candidates.front()];
}

void TimelineBuilder::add(std::uint32_t id, DirectionTimeline piece) {
  const auto found = by_key_.find({piece.src, piece.dst, piece.dst_qpn ? piece.dst_qpn->value : 0});
  if (found == by_key_.end()) return;  // evicted: the report says how many
  std::vector<std::size_t>& candidates = found->second;
  if (candidates.size() == 1) {
    targets_[candidates.front()].pieces.push_back(std::move(piece));
    return;
  }
  // A queue pair used again: every cell to the connection of its time.
  std::map<Target*, DirectionTimeline> parts;
  for (MarkedSeries& marked : piece.marks) {
    for (const model::Cell& cell : marked.series.cells()) {
      Target* target = target_of(candidates, id, cell.frame);
      const std::optional<Mark> mark = target->id == id ? marked.mark : in_another(marked.mark);
      if (!mark) continue;
      DirectionTimeline& part = parts[target];
      MarkedSeries* into = find(part, *mark, marked.space);
      if (!into) into = &part.marks.emplace_back(MarkedSeries{*mark, marked.space, marked.series.without_cells()});
      into->series.add(cell);
    }
  }
  const auto split = [&](model::PathTimelines& from, model::PathTimelines DirectionTimeline::* member) {
    const auto each_cell = [&](const model::PathTimeline& path, auto&& into) {
      for (const model::PathSeries& one : path.marks) {
        for (const model::Cell& cell : one.series.cells()) {
          model::PathTimelines& part = parts[target_of(candidates, id, cell.frame)].*member;
          into(part).use(one.mark, model::kPathCells).series.add(cell);
        }
      }
    };
    for (const model::PathTimeline& path : from.paths)
      each_cell(path, [&](auto& part) -> auto& { return part.use(path.udp_src); });
    each_cell(from.others, [](auto& part) -> auto& { return part.others; });
  };
  split(piece.paths, &DirectionTimeline::paths);
  split(piece.told, &DirectionTimeline::told);
  for (auto& [target, part] : parts) {
    part.src = piece.src;
    part.dst = piece.dst;
    part.dst_qpn = piece.dst_qpn;
    target->pieces.push_back(std::move(part));
  }
}

/// What each end sent over its paths, and what the other said of them.
void TimelineBuilder::choose_paths(model::ConnectionTimeline& connection, const std::vector<const Counts*>& counts) {
  std::vector<DirectionTimeline>& ends = connection.directions;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    model::PathTimelines told = ends.size() == 2 ? std::exchange(ends[1 - i].told, {}) : model::PathTimelines{};
    model::PathTimelines own = std::exchange(ends[i].paths, {});
    if (counts[i]->veroce) ends[i].paths = paths_to_draw(std::move(own), std::move(told), *counts[i]->veroce);
  }
  for (DirectionTimeline& end : ends) end.told = {};
}

model::Timeline TimelineBuilder::build() {
  model::Timeline timeline;
  std::vector<std::vector<const Counts*>> counts;  // by connection and direction
  for (Target& target : targets_) {
    if (target.pieces.empty()) continue;
    if (timeline.connections.empty() || timeline.connections.back().id != target.id) {
      timeline.connections.push_back({target.id, {}});
      counts.emplace_back();
    }
    counts.back().push_back(target.counts);
    timeline.connections.back().directions.push_back(join(target.pieces));
  }
  for (model::ConnectionTimeline& c : timeline.connections) {
    if (c.directions.size() != 2) continue;
    align(c.directions[0], c.directions[1]);
    align(c.directions[1], c.directions[0]);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) choose_paths(timeline.connections[i], counts[i]);
  return timeline;
}

}  // namespace rocetop::engine
