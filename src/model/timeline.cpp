// SPDX-License-Identifier: BSD-3-Clause
#include "model/timeline.h"

#include <algorithm>
#include <unordered_map>

namespace rocetop::model {
namespace {

constexpr std::array<std::string_view, kMarks> kWords = {"new",
                                                         "resent_nak",
                                                         "resent_rnr",
                                                         "resent_timeout",
                                                         "resent_read_restart",
                                                         "resent_spurious",
                                                         "resent_sack",
                                                         "resent_unknown",
                                                         "reordered",
                                                         "duplicate",
                                                         "ack",
                                                         "sequence_nak",
                                                         "fatal_nak",
                                                         "rnr_nak",
                                                         "cnp",
                                                         "fast_cnp",
                                                         "other",
                                                         "gap",
                                                         "ce",
                                                         "told_by_switch",
                                                         "round_trip"};

constexpr std::array<std::string_view, kPathMarks> kPathWords = {"sent", "resent", "lost",        "trimmed",
                                                                 "ce",   "cnp",    "slow_signal", "probe"};

}  // namespace

std::string_view word(PathMark mark) { return kPathWords[static_cast<std::size_t>(mark)]; }

PathSeries& PathTimeline::use(PathMark mark, std::size_t limit) {
  for (PathSeries& one : marks) {
    if (one.mark == mark) return one;
  }
  return marks.emplace_back(PathSeries{mark, Series(limit)});
}

const Series* PathTimeline::find(PathMark mark) const {
  for (const PathSeries& one : marks) {
    if (one.mark == mark) return &one.series;
  }
  return nullptr;
}

void PathTimeline::absorb(const PathTimeline& other) {
  for (const PathSeries& one : other.marks) use(one.mark, kPathCells).series.absorb(one.series, kPathCells);
}

PathTimeline* PathTimelines::find(std::uint16_t udp_src) {
  for (PathTimeline& path : paths) {
    if (path.udp_src == udp_src) return &path;
  }
  return nullptr;
}

PathTimeline& PathTimelines::use(std::uint16_t udp_src) {
  if (PathTimeline* known = find(udp_src)) return *known;
  PathTimeline& added = paths.emplace_back();
  added.udp_src = udp_src;
  return added;
}

void PathTimelines::absorb(PathTimelines&& other) {
  for (PathTimeline& path : other.paths) {
    if (PathTimeline* same = find(path.udp_src)) {
      same->absorb(path);
    } else {
      paths.push_back(std::move(path));
    }
  }
  others.absorb(other.others);
}

std::string_view word(Mark mark) { return kWords[static_cast<std::size_t>(mark)]; }

Mark resent(track::Cause cause) {
  switch (cause) {
    case track::Cause::kNak:
      return Mark::kResentNak;
    case track::Cause::kRnr:
      return Mark::kResentRnr;
    case track::Cause::kTimeout:
      return Mark::kResentTimeout;
    case track::Cause::kReadRestart:
      return Mark::kResentReadRestart;
    case track::Cause::kSpurious:
      return Mark::kResentSpurious;
    case track::Cause::kSack:
      return Mark::kResentSack;
    case track::Cause::kUnknown:
      break;
  }
  return Mark::kResentUnknown;
}

bool ConnectionTimeline::in_full() const {
  for (const DirectionTimeline& direction : directions) {
    for (const MarkedSeries& marked : direction.marks) {
      if (marked.series.binned()) return false;
    }
  }
  return true;
}

void ConnectionTimeline::restrict_to(std::size_t cells_a_series) {
  for (DirectionTimeline& direction : directions) {
    for (MarkedSeries& marked : direction.marks) marked.series.restrict_to(cells_a_series);
    direction.paths.each_series([&](Series& series) { series.restrict_to(cells_a_series); });
  }
}

MarkedSeries& series_of(std::vector<MarkedSeries>& marks, Mark mark, track::SpaceName space, std::size_t limit) {
  for (MarkedSeries& marked : marks) {
    if (marked.mark == mark && marked.space == space) return marked;
  }
  return marks.emplace_back(MarkedSeries{mark, space, Series(limit)});
}

std::size_t ConnectionTimeline::cells() const {
  std::size_t n = 0;
  for (const DirectionTimeline& direction : directions) {
    for (const MarkedSeries& marked : direction.marks) n += marked.series.cells().size();
    direction.paths.each_series([&](const Series& series) { n += series.cells().size(); });
  }
  return n;
}

std::size_t ConnectionTimeline::series() const {
  std::size_t n = 0;
  for (const DirectionTimeline& direction : directions) {
    n += direction.marks.size();
    direction.paths.each_series([&](const Series&) { ++n; });
  }
  return n;
}

void Timeline::fit(std::size_t most_cells, std::size_t most_connections, const std::vector<std::uint32_t>& order) {
  std::unordered_map<std::uint32_t, std::size_t> rank;
  for (std::size_t i = 0; i < order.size(); ++i) rank.emplace(order[i], i);
  std::vector<std::pair<std::size_t, ConnectionTimeline*>> ranked;
  for (ConnectionTimeline& connection : connections) {
    const auto found = rank.find(connection.id);
    if (found != rank.end()) ranked.emplace_back(found->second, &connection);
  }
  std::sort(ranked.begin(), ranked.end());
  for (std::size_t i = most_connections; i < ranked.size(); ++i) draw_with_others(*ranked[i].second);
  ranked.resize(std::min(ranked.size(), most_connections));

  std::size_t cells = 0;
  std::size_t series = 1;
  for (const auto& [place, connection] : ranked) {
    cells += connection->cells();
    series += connection->series();
  }
  std::size_t room = cells <= most_cells ? most_cells : most_cells / 2;
  std::vector<ConnectionTimeline> kept;
  for (const auto& [place, connection] : ranked) {
    const std::size_t wanted = connection->cells();
    if (wanted <= room) {
      room -= wanted;
    } else {
      connection->restrict_to(most_cells / 2 / series);
    }
    kept.push_back(std::move(*connection));
  }
  std::sort(kept.begin(), kept.end(), [](const auto& x, const auto& y) { return x.id < y.id; });
  connections = std::move(kept);
}

void Timeline::draw_with_others(const ConnectionTimeline& connection) {
  ++other_connections;
  for (const DirectionTimeline& direction : connection.directions) {
    for (const MarkedSeries& marked : direction.marks) {
      series_of(others, marked.mark, marked.space, kOtherCells).series.absorb(marked.series, kOtherCells);
    }
  }
}

}  // namespace rocetop::model
