// SPDX-License-Identifier: BSD-3-Clause
// TimelineBuilder: gives what was observed under connection numbers of the moment to the connections of the finished
// snapshot. A direction may have had a number of its own until it was paired, and a queue pair used again is found out
// some packets late.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/frame_id.h"
#include "model/snapshot.h"
#include "model/timeline.h"

namespace rocetop::engine {

class TimelineBuilder {
 public:
  /// `snapshot` is to outlive it.
  explicit TimelineBuilder(const model::Snapshot& snapshot);

  /// What one end sent while the connection was called `id`.
  void add(std::uint32_t id, model::DirectionTimeline piece);
  model::Timeline build();

 private:
  using Key = std::tuple<IpAddress, IpAddress, std::uint32_t>;  // src, dst, dst_qpn
  /// A direction of a connection of the snapshot, with the pieces found for it.
  struct Target {
    std::uint32_t id = 0;
    FrameId first;
    FrameId last;
    const track::DirectionCounts* counts = nullptr;
    std::vector<model::DirectionTimeline> pieces;
  };

  using Counts = track::DirectionCounts;
  static void choose_paths(model::ConnectionTimeline& connection, const std::vector<const Counts*>& counts);
  void announce(std::uint32_t id, const track::DirectionCounts& direction);
  Target* target_of(std::vector<std::size_t>& candidates, std::uint32_t id, FrameId frame);

  std::vector<Target> targets_;  // two in a row may be of one connection
  std::map<Key, std::vector<std::size_t>> by_key_;
};

}  // namespace rocetop::engine
