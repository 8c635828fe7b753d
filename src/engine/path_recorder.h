// SPDX-License-Identifier: BSD-3-Clause
// PathRecorder: what is plotted of the paths (UDP source ports) of veRoCE connections. It keeps every path that the
// tracker tells apart until the end, as only then it shows which of them matter; where room runs out all of them are
// drawn in wider bins. No count of a report is taken from here.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>

#include "model/timeline.h"
#include "track/observation.h"
#include "track/veroce_counts.h"
#include "wire/packet.h"

namespace rocetop::engine {

struct PathRecorderLimits {
  std::size_t cells = 250'000;          ///< of all series together: 16 MB, but for the least that each one has
  std::size_t series_cells = 4'096;     ///< of one series, while there is room
  std::size_t series_least = 16;        ///< … and when there is none
  std::size_t series = 8'000;           ///< of paths by themselves; further paths of a direction are drawn together
  std::size_t directions = 512;         ///< the first ones; of further ones no path is drawn
  std::size_t pending_losses = 65'536;  ///< that a reply may still take back
};

/// What was recorded of one end of a connection.
struct RecordedPaths {
  model::PathTimelines own;
  model::PathTimelines told;  ///< what it said of the other end's paths
};

class PathRecorder {
 public:
  explicit PathRecorder(const PathRecorderLimits& limits = {}) : limits_(limits), series_cells_(limits.series_cells) {}

  /// A packet of the end `sender` (any number that stands for it, other than 0); `cell`: its time, frame and length.
  void on_packet(std::uint64_t sender, const wire::Packet& packet, track::Kind kind, const model::Cell& cell);
  /// Of a packet of that end.
  void on_loss(std::uint64_t sender, const track::PathLoss& loss);
  void take_back(FrameId resend);

  /// Losses are final from here on. Call once, before take().
  void finish();
  RecordedPaths take(std::uint64_t sender);

  std::size_t cells() const { return cells_; }

 private:
  struct FrameIdHash {
    std::size_t operator()(FrameId id) const {
      return ((id.number() ^ std::uint64_t{id.file()} << 40) * 0x9E3779B97F4A7C15u) >> 24;
    }
  };
  struct PendingLoss {
    std::uint64_t sender = 0;
    std::uint16_t udp_src = 0;
    model::Cell cell;
  };

  RecordedPaths* of(std::uint64_t sender);
  void add(model::PathTimelines& paths, std::uint16_t udp_src, model::PathMark mark, const model::Cell& cell);
  void settle(FrameId resend);
  void make_room();

  PathRecorderLimits limits_;
  std::size_t series_cells_;
  tsl::robin_map<std::uint64_t, RecordedPaths> recorded_;
  tsl::robin_map<FrameId, PendingLoss, FrameIdHash> pending_;  // by the resend's frame
  std::deque<FrameId> pending_order_;
  std::size_t cells_ = 0;
  std::size_t series_ = 0;
};

/// What is drawn of a direction's paths: the worst of `counts` each by itself, all others together. `told`: by the
/// other end. Nothing where packets went over one path only.
model::PathTimelines paths_to_draw(model::PathTimelines own, model::PathTimelines told,
                                   const track::VeroceDirection& counts);

}  // namespace rocetop::engine
