// SPDX-License-Identifier: BSD-3-Clause
// Lookahead: frames on their way to the tracker, in groups. Each group takes the same steps (decoded; flows looked up;
// what is behind them looked up; analysed), in the order of the capture, and between two steps of one group others take
// theirs: so the memory that a step needs was asked for some frames before. With a thousand queue pairs, waiting for it
// is most of the work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/analysis.h"
#include "engine/capture_log.h"
#include "source/frame_source.h"
#include "track/tracker.h"
#include "track/veroce_layouts.h"
#include "wire/decode.h"

namespace rocetop::engine {

class Lookahead {
 public:
  /// Bits per second of an interface, if they are known.
  using LinkSpeed = std::function<std::optional<std::uint64_t>(std::uint32_t interface)>;

  /// All must outlive this. `observer` may be empty.
  Lookahead(const wire::DecodeOptions& options, track::Tracker& tracker, track::VeroceLayouts& veroce, CaptureLog& log,
            const FrameObserver& observer, LinkSpeed link_speed)
      : options_(options),
        tracker_(tracker),
        veroce_(veroce),
        log_(log),
        observer_(observer),
        link_speed_(std::move(link_speed)) {}

  /// Takes one more frame, which must stay where it is until end().
  void take(const source::Frame& frame);
  /// Analyses everything taken.
  void end();

 private:
  static constexpr std::size_t kGroup = 4;  // frames worked on together: their state still fits the nearest cache
  static constexpr std::size_t kSteps = 4;
  struct Group {
    std::size_t size = 0;
    std::array<const source::Frame*, kGroup> frames;
    std::array<track::Arrival, kGroup> arrivals;  // of frames that are not tracked: of no kind
    std::array<wire::Decoded, kGroup> decoded;    // of frames whose arrival is not a plain one
  };

  void step();
  void prepare(Group& group);
  void analyse(Group& group);
  void analyse(const source::Frame& frame, const wire::Decoded& decoded, track::Arrival& arrival);

  const wire::DecodeOptions& options_;
  track::Tracker& tracker_;
  track::VeroceLayouts& veroce_;
  CaptureLog& log_;
  const FrameObserver& observer_;
  LinkSpeed link_speed_;
  std::array<Group, kSteps> groups_;
  std::size_t filling_ = 0;  // of groups_; those before it have taken one, two, three steps
};

}  // namespace rocetop::engine
