// SPDX-License-Identifier: BSD-3-Clause
#include "engine/analysis.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/capture_log.h"
#include "source/packet_filter.h"
#include "track/tracker.h"
#include "verdict/judge.h"
#include "verdict/loop.h"

namespace rocetop::engine {
namespace {

constexpr std::uint64_t kProgressBytes = 4 << 20;  // between two calls of the progress function

/// Frames before or after a bound.
class Cut {
 public:
  Cut() = default;
  explicit Cut(const std::optional<Bound>& bound) : bound_(bound) {}

  explicit operator bool() const { return bound_.has_value(); }
  bool is_before(const source::Frame& frame) {
    if (bound_->file) return !passed_ && !(passed_ = is_at_or_behind(frame, *bound_->frame));
    return (bound_->frame && frame.id.number() < *bound_->frame) || (bound_->time && frame.time < *bound_->time);
  }
  bool is_after(const source::Frame& frame) {
    if (bound_->file) {
      const bool out = passed_;
      passed_ = passed_ || is_at_or_behind(frame, *bound_->frame);
      return out || is_at_or_behind(frame, *bound_->frame + 1);
    }
    return (bound_->frame && frame.id.number() > *bound_->frame) || (bound_->time && frame.time > *bound_->time);
  }

 private:
  bool is_at_or_behind(const source::Frame& frame, std::uint64_t number) const {
    return frame.id.file() == *bound_->file && frame.id.number() >= number;
  }

  std::optional<Bound> bound_;
  bool passed_ = false;  // the frame of a named file
};

}  // namespace

struct Analysis::State {
  Options options;
  Cut from;
  Cut to;
  std::optional<source::PacketFilter> filter;
  std::unique_ptr<track::Tracker> tracker;
  CaptureLog log;
  wire::Decoded decoded;
  std::uint64_t passed = 0;                                         // frames that filter and bounds let through
  const std::vector<source::InterfaceFacts>* interfaces = nullptr;  // while run() lasts
  bool partial = false;
  model::Parts parts;
  std::vector<model::InputProblem> problems;
  std::optional<Nanos> start;

  /// False for a frame that --from, --to or the filter keeps out.
  bool admits(const source::Frame& frame) {
    if (from && from.is_before(frame)) {
      parts.before = true;
    } else if (to && to.is_after(frame)) {
      parts.after = true;
    } else if (filter && !filter->matches(frame)) {
      ++parts.filtered_frames;
    } else {
      return true;
    }
    partial = true;
    return false;
  }

  /// Bits per second: as the user says, or as the capture does.
  std::optional<std::uint64_t> link_speed(std::uint32_t interface) const {
    if (options.link_speed) return options.link_speed;
    if (interfaces == nullptr || interface >= interfaces->size()) return std::nullopt;
    return (*interfaces)[interface].speed_bits_per_second;
  }

  void end_early() { partial = parts.after = true; }

  void analyse(const source::Frame& frame, const FrameObserver& observer) {
    wire::decode(frame.link_type, frame.bytes, frame.wire_length, options.decode, decoded);
    log.add(frame, decoded);
    track::Observation observation;
    if (decoded.kind == wire::FrameKind::kRoce && decoded.packet.protocol != wire::Protocol::kInfiniband &&
        decoded.packet.protocol != wire::Protocol::kVeroce) {
      observation = tracker->on_packet(decoded.packet, frame.id, frame.time, frame.wire_length);
    }
    if (decoded.kind == wire::FrameKind::kPause) {
      tracker->on_pause(decoded.pause, frame.interface, frame.id, frame.time, link_speed(frame.interface));
    }
    if (observer && decoded.kind != wire::FrameKind::kOther) observer(frame, decoded, observation);
  }
};

Analysis::Analysis(std::unique_ptr<State> state) : state_(std::move(state)) {}
Analysis::~Analysis() = default;

Result<std::unique_ptr<Analysis>> Analysis::create(const Options& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  state->from = Cut(options.from);
  state->to = Cut(options.to);
  if (!options.filter.empty()) {
    auto filter = source::PacketFilter::compile(options.filter);
    if (!filter) return filter.error();
    state->filter = std::move(*filter);
  }
  return std::unique_ptr<Analysis>(new Analysis(std::move(state)));
}

void Analysis::run(source::FrameSource& source, const FrameObserver& observer, const Progress& progress,
                   track::ResolutionSink* sink) {
  State& s = *state_;
  s.tracker = std::make_unique<track::Tracker>(track::Limits{}, sink);
  s.interfaces = &source.interfaces();
  std::vector<source::Frame> batch;
  std::uint64_t next_progress = kProgressBytes;
  const auto limit_reached = [&] { return s.options.frame_limit && s.passed >= *s.options.frame_limit; };
  while (!limit_reached() && source.next_batch(batch)) {
    if (!s.start && !batch.empty() && batch.front().has_time) s.start = batch.front().time;
    for (const source::Frame& frame : batch) {
      if (limit_reached()) {
        s.end_early();
        break;
      }
      if (!s.admits(frame)) continue;
      ++s.passed;
      s.analyse(frame, observer);
    }
    if (progress && source.bytes_read() >= next_progress) {
      next_progress = source.bytes_read() + kProgressBytes;
      if (!progress(source.bytes_read(), source.bytes_total())) {
        s.partial = true;
        break;
      }
    }
  }
  // Whether -c kept anything out is worth a look into a file, not waiting for a pipe.
  if (limit_reached() && (!source.bytes_total() || source.next_batch(batch))) s.end_early();
  for (const source::Problem& problem : source.problems()) {
    s.problems.push_back({problem.message, problem.fatal, problem.limit});
  }
  s.log.end(source.interfaces());
  s.interfaces = nullptr;
}

model::Snapshot Analysis::finish() {
  State& s = *state_;
  model::Snapshot snapshot;
  snapshot.partial = s.partial;
  snapshot.parts = s.parts;
  snapshot.problems = s.problems;
  snapshot.start = s.start;
  snapshot.thresholds = s.options.thresholds;
  if (!s.tracker) return snapshot;
  snapshot.connections = s.tracker->finish();
  snapshot.capture = s.log.counts();
  snapshot.capture.management_frames = s.tracker->management_frames();
  snapshot.capture.rejections_omitted = s.tracker->rejections_omitted();
  snapshot.capture.stray_connections = s.tracker->stray_connections();
  snapshot.capture.stray_packets = s.tracker->stray_packets();
  snapshot.capture.set_ups_omitted = s.tracker->set_ups_omitted();
  snapshot.capture.unpaired_at_limit = s.tracker->unpaired_at_limit();
  snapshot.capture.evicted_connections = s.tracker->evicted_connections();
  snapshot.holes = s.tracker->holes(snapshot.connections);
  add_completeness(snapshot.connections, snapshot.capture);
  verdict::CaptureEvidence capture = s.log.evidence(snapshot.capture);
  capture.rejections_omitted = snapshot.capture.rejections_omitted;
  capture.stray_damaged_packets = s.tracker->stray_damaged_packets();
  capture.partial = s.partial;
  capture.holes = snapshot.holes;
  capture.pauses = snapshot.pauses = s.tracker->pauses(capture.last_time);
  capture.receivers = snapshot.receivers = s.tracker->receivers();
  snapshot.mix = s.log.mix();
  snapshot.cnp_pacing = s.tracker->cnp_pacing();
  verdict::judge_loops(snapshot.connections, capture, s.options.thresholds);
  snapshot.findings = verdict::judge(
      {capture, snapshot.connections, s.tracker->rejections(), s.tracker->set_ups(), s.options.expectations},
      s.options.thresholds);
  return snapshot;
}

}  // namespace rocetop::engine
