// SPDX-License-Identifier: BSD-3-Clause
// Analysis: frames in, observations while they pass, a snapshot at the end. The one place where source, wire, track and
// verdict meet; every face drives this.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/nanos.h"
#include "base/result.h"
#include "model/snapshot.h"
#include "source/frame_source.h"
#include "track/limits.h"
#include "track/observation.h"
#include "track/veroce_layouts.h"
#include "verdict/expectations.h"
#include "verdict/thresholds.h"
#include "wire/decode.h"

namespace rocetop::engine {

/// Where --from or --to cuts: a frame number or a time. A frame number is one of each file, unless the file is named:
/// then it is a place among all frames.
struct Bound {
  std::optional<std::uint64_t> frame;
  std::optional<std::uint32_t> file;  ///< index
  std::optional<Nanos> time;
};

struct Options {
  wire::DecodeOptions decode;
  verdict::Thresholds thresholds;
  std::string filter;  ///< BPF expression, compiled by libpcap per link type; empty = all frames
  std::optional<Bound> from;
  std::optional<Bound> to;
  std::optional<std::uint64_t> link_speed;   ///< bits per second, where the capture does not say or says it wrong
  verdict::Expectations expectations;        ///< how the fabric is meant to be
  std::optional<std::uint64_t> frame_limit;  ///< -c N: stop after N frames that passed filter and bounds
  track::Limits limits;
  std::shared_ptr<const track::VeroceLayouts> veroce_known;  ///< of an earlier pass over the same input; or null
  std::function<void(const track::ConnectionCounts&)> gone;  ///< told of each connection that is forgotten; or empty
  std::function<void(const source::Frame&)> admitted;  ///< told of each frame that passed filter and bounds; or empty
};

/// Called for each frame that holds RoCE (kRoce or kUndecodable) or pause, after tracking.
using FrameObserver = std::function<void(const source::Frame&, const wire::Decoded&, const track::Observation&)>;
/// Called every few megabytes; returns false to stop early.
using Progress = std::function<bool(std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total)>;

class Analysis {
 public:
  /// Errors: the filter does not compile.
  static Result<std::unique_ptr<Analysis>> create(const Options& options);
  ~Analysis();

  /// Reads `source` to its end (or limit). `observer`, `progress` and `sink` may be empty.
  void run(source::FrameSource& source, const FrameObserver& observer, const Progress& progress,
           track::ResolutionSink* sink);

  /// run() in steps, for who looks in between: begin(), step() until it is false, end().
  void begin(source::FrameSource& source, const FrameObserver& observer = {}, track::ResolutionSink* sink = nullptr);
  /// One batch. False at the end of the source, or at the limit.
  bool step(source::FrameSource& source);
  void end(source::FrameSource& source);

  /// The state between steps: nothing is ended, and open items are in no count. Rules that ask how long something has
  /// been silent count until known_until() of the source. As often as wanted; the source keeps up meanwhile.
  model::Snapshot snapshot(source::FrameSource& source);
  /// What the rules say of the time from `since` on alone. `before`: a snapshot as of then; `now`: the latest, which
  /// may be that of finish().
  std::vector<verdict::Finding> judge_since(const model::Snapshot& now, const model::Snapshot& before,
                                            Nanos since) const;
  /// Forgets connections silent since `silent_since`. Where lists are filling up, those of their entries that are from
  /// before `listed_before` make room, if that is given.
  void forget(Nanos silent_since, std::optional<Nanos> listed_before);

  /// What was found out about veRoCE's layout, for a second pass. After begin().
  std::shared_ptr<const track::VeroceLayouts> veroce_layouts() const;

  /// Ends the analysis: open items get their final fate. Call once, after run() or end().
  model::Snapshot finish();

 private:
  struct State;
  explicit Analysis(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rocetop::engine
