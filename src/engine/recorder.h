// SPDX-License-Identifier: BSD-3-Clause
// Recorder: watches an analysis and keeps what its plots show. Hand `observer()` and the recorder itself (as the sink)
// to Analysis::run(); after finish() of both there is a timeline. Memory is bounded: when the room for cells is used
// up, the connections with the least trouble so far are drawn in wider bins.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "engine/analysis.h"
#include "engine/path_recorder.h"
#include "model/snapshot.h"
#include "model/timeline.h"
#include "track/observation.h"

namespace rocetop::engine {

struct RecorderLimits {
  std::size_t cells = 1'500'000;       ///< of all series together: 96 MB
  std::size_t series_cells = 250'000;  ///< of one series
  std::size_t connections = 8'192;     ///< with series of their own; the rest is drawn together
  std::size_t unsettled = 65'536;      ///< repeats whose cause is still open; older ones are drawn as they were read
  PathRecorderLimits paths;            ///< of veRoCE connections
};

/// Where a packet is drawn.
struct RecordedPlace {
  std::uint32_t slot = 0;  // 0: the others
  std::uint8_t direction = 0;
  track::SpaceName space = track::SpaceName::kNone;
};

/// A repeat whose kind or cause later packets may still settle.
struct UnsettledPacket {
  RecordedPlace place;
  model::Mark mark = model::Mark::kNew;
  model::Cell cell;
};

class Recorder final : public track::ResolutionSink {
 public:
  explicit Recorder(const RecorderLimits& limits = {});

  FrameObserver observer();
  void on_frame(const source::Frame& frame, const wire::Decoded& decoded, const track::Observation& observation);
  void on_resolution(const track::Resolution& resolution) override;
  void on_path_loss(const track::PathLoss& loss) override;

  /// The timeline of the connections in `snapshot`. Call once, after Analysis::finish().
  model::Timeline finish(const model::Snapshot& snapshot);

  /// In use now; at most RecorderLimits::cells, but for 2 a series.
  std::size_t cells() const { return cells_; }

 private:
  /// What was observed under one connection number. Two numbers may turn out to be one connection, and one two.
  struct Slot {
    std::vector<model::DirectionTimeline> directions;
    std::array<std::optional<Sequence>, 4> reference;  // last PSN of each end's requests, and of its veRoCE responses
    std::uint64_t trouble = 0;
    std::size_t series_limit = 0;
  };
  struct FrameIdHash {
    std::size_t operator()(FrameId id) const {
      return ((id.number() ^ std::uint64_t{id.file()} << 40) * 0x9E3779B97F4A7C15u) >> 24;
    }
  };

  void on_packet(const source::Frame& frame, const wire::Packet& packet, const track::Observation& observation);
  void on_pause(const source::Frame& frame, const wire::Pause& pause);
  RecordedPlace place_of(const wire::Packet& packet, const track::Observation& observation);
  Sequence sequence_of(const RecordedPlace& place, const wire::Packet& packet);
  void hold(const RecordedPlace& place, model::Mark mark, const model::Cell& cell);
  void add(const RecordedPlace& place, model::Mark mark, const model::Cell& cell);
  static std::uint64_t sender(const RecordedPlace& place) { return std::uint64_t{place.slot} << 1 | place.direction; }
  void note_told(const wire::Packet& packet, const model::Cell& cell);
  void make_room();

  RecorderLimits limits_;
  std::vector<Slot> slots_;  // by connection number; 0 is unused
  std::vector<model::MarkedSeries> others_;
  std::vector<bool> is_other_;  // by connection number
  std::uint64_t other_connections_ = 0;
  std::vector<model::DirectionTimeline> told_;  // Fast CNPs by the data they are about; the first kToldMost
  std::array<model::PauseTimeline, 8> pauses_;
  model::PauseTimeline link_pause_;
  tsl::robin_map<FrameId, UnsettledPacket, FrameIdHash> unsettled_;
  std::deque<FrameId> unsettled_order_;
  std::vector<track::Resolution> early_;  // of a frame that is about to be observed
  std::vector<track::PathLoss> early_losses_;
  PathRecorder paths_;
  std::size_t cells_ = 0;
};

}  // namespace rocetop::engine
