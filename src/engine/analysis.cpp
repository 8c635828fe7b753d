// SPDX-License-Identifier: BSD-3-Clause
#include "engine/analysis.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/growth.h"
#include "engine/capture_log.h"
#include "engine/copy_filter.h"
#include "engine/lookahead.h"
#include "source/packet_filter.h"
#include "track/added.h"
#include "track/tracker.h"
#include "verdict/judge.h"
#include "verdict/loop.h"

namespace rocetop::engine {
namespace {

constexpr std::uint64_t kProgressBytes = 4 << 20;  // between two calls of the progress function
constexpr std::size_t kInterfaceNames = 1'000;     // kept: real captures have a few

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

/// What was counted of the capture from `since` on, as far as rules ask.
model::CaptureCounts capture_since(const model::Snapshot& now, const model::Snapshot& before,
                                   const std::vector<track::ConnectionCounts>& added, Nanos since) {
  model::CaptureCounts out = now.capture;
  using Counts = model::CaptureCounts;
  for (const auto member : {&Counts::roce_frames, &Counts::truncated_frames, &Counts::truncated_roce_frames,
                            &Counts::ip_fragments, &Counts::management_frames, &Counts::evicted_connections}) {
    out.*member = growth(before.capture.*member, out.*member);
  }
  for (std::size_t check = 0; check < out.veroce.frames.size(); ++check) {
    out.veroce.frames[check] = growth(before.capture.veroce.frames[check], out.veroce.frames[check]);
  }
  if (out.dropped_reported) {
    out.dropped_reported = growth(before.capture.dropped_reported.value_or(0), *out.dropped_reported);
  }
  out.first_time = since;
  out.one_way_connections = 0;
  add_completeness(added, out);
  return out;
}

Nanos last_time_of(const track::CmSetUp& set_up) {
  return std::max({set_up.last_request_time, set_up.reply_time, set_up.ready_time});
}

}  // namespace

struct Analysis::State {
  Options options;
  Cut from;
  Cut to;
  std::optional<source::PacketFilter> filter;
  std::unique_ptr<track::Tracker> tracker;
  CaptureLog log;
  std::uint64_t passed = 0;                                         // frames that filter and bounds let through
  const std::vector<source::InterfaceFacts>* interfaces = nullptr;  // while run() lasts
  bool partial = false;
  model::Parts parts;
  std::vector<model::InputProblem> problems;
  std::optional<Nanos> start;
  std::vector<std::string> interface_names;
  FrameObserver observer;
  std::shared_ptr<track::VeroceLayouts> veroce;
  std::unique_ptr<Lookahead> frames;  // on their way to the tracker
  std::vector<source::Frame> batch;
  GoneConnections gone;
  CopyFilter copies;
  wire::Decoded decoded_copy;

  void note_source(const source::FrameSource& source);
  Nanos last_time(std::optional<Nanos> now) const;
  model::Snapshot assemble(std::vector<track::ConnectionCounts> connections, std::vector<track::PausingPort> pauses,
                           std::vector<track::ReceiverCounts> receivers, std::optional<Nanos> now);

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

  bool limit_reached() const { return options.frame_limit && passed >= *options.frame_limit; }
  void end_early() { partial = parts.after = true; }

  void take(const std::vector<source::Frame>& from_source) {
    // Frames of other link types are of other interfaces.
    const bool has_copies =
        !from_source.empty() && CopyFilter::may_hold_copies(from_source.front().link_type, interface_count());
    if (!from && !to && !filter && !options.frame_limit && !options.admitted && !has_copies) {
      for (const source::Frame& frame : from_source) frames->take(frame);
      passed += from_source.size();
    } else {
      take_admitted(from_source);
    }
    frames->end();
  }
  void take_admitted(const std::vector<source::Frame>& from_source) {
    for (const source::Frame& frame : from_source) {
      if (limit_reached()) return end_early();
      if (!admits(frame)) continue;
      ++passed;
      if (options.admitted) options.admitted(frame);
      const bool may_be_copy = CopyFilter::may_be_copy(frame, interface_count());
      if (const FrameId original = may_be_copy ? copies.original_of(frame) : FrameId{}) {
        take_copy(frame, original);
      } else {
        frames->take(frame);
      }
    }
  }
  std::size_t interface_count() const { return interfaces == nullptr ? 0 : interfaces->size(); }
  /// Part of the capture, and of no connection.
  void take_copy(const source::Frame& frame, FrameId original) {
    frames->end();  // in order
    wire::decode(frame.link_type, frame.bytes, frame.wire_length, options.decode, decoded_copy);
    if (decoded_copy.kind == wire::FrameKind::kRoce) veroce->settle_copy(decoded_copy.packet);
    log.add_copy(frame, decoded_copy);
    if (!observer || decoded_copy.kind == wire::FrameKind::kOther) return;
    track::Observation observation;
    observation.kind = track::Kind::kDuplicate;
    observation.original_frame = original;
    observation.captured_twice = true;
    observer(frame, decoded_copy, observation);
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
  begin(source, observer, sink);
  std::uint64_t next_progress = kProgressBytes;
  while (step(source)) {
    if (progress && source.bytes_read() >= next_progress) {
      next_progress = source.bytes_read() + kProgressBytes;
      if (!progress(source.bytes_read(), source.bytes_total())) {
        s.partial = true;
        break;
      }
    }
  }
  end(source);
}

void Analysis::begin(source::FrameSource& source, const FrameObserver& observer, track::ResolutionSink* sink) {
  State& s = *state_;
  s.observer = observer;
  s.tracker = std::make_unique<track::Tracker>(s.options.limits, sink);
  s.tracker->tell_gone([&s](const track::ConnectionCounts& connection) {
    s.gone.add(connection);
    if (s.options.gone) s.options.gone(connection);
  });
  s.interfaces = &source.interfaces();
  s.veroce = std::make_shared<track::VeroceLayouts>(s.options.decode.veroce_layout, s.options.veroce_known);
  s.frames = std::make_unique<Lookahead>(s.options.decode, *s.tracker, *s.veroce, s.log, s.observer,
                                         [&s](std::uint32_t interface) { return s.link_speed(interface); });
}

bool Analysis::step(source::FrameSource& source) {
  State& s = *state_;
  if (s.limit_reached() || !source.next_batch(s.batch)) return false;
  if (!s.start && !s.batch.empty() && s.batch.front().has_time) s.start = s.batch.front().time;
  s.take(s.batch);
  return true;
}

void Analysis::end(source::FrameSource& source) {
  State& s = *state_;
  // Whether -c kept anything out is worth a look into a file, not waiting for a pipe.
  if (s.limit_reached() && (!source.bytes_total() || source.next_batch(s.batch))) s.end_early();
  s.note_source(source);
  s.interfaces = nullptr;
}

/// Takes over what the source says of itself, as of now.
void Analysis::State::note_source(const source::FrameSource& source) {
  problems.clear();
  for (const source::Problem& problem : source.problems()) {
    problems.push_back({problem.message, problem.fatal, problem.limit});
  }
  log.end(source.interfaces());
  interface_names.clear();
  for (const auto& interface : source.interfaces()) {
    if (interface_names.size() < kInterfaceNames) interface_names.push_back(interface.name);
  }
}

model::Snapshot Analysis::snapshot(source::FrameSource& source) {
  State& s = *state_;
  s.note_source(source);
  const std::optional<Nanos> now = source.known_until();
  track::Tracker& tracker = *s.tracker;
  auto connections = tracker.connections([&source] { source.keep_up(); });
  source.keep_up();
  return s.assemble(std::move(connections), tracker.pauses_now(s.last_time(now)), tracker.receivers_now(), now);
}

std::shared_ptr<const track::VeroceLayouts> Analysis::veroce_layouts() const { return state_->veroce; }

void Analysis::forget(Nanos silent_since, std::optional<Nanos> listed_before) {
  state_->tracker->forget_silent(silent_since);
  if (listed_before) state_->tracker->make_room_in_lists(*listed_before);
}

std::vector<verdict::Finding> Analysis::judge_since(const model::Snapshot& now, const model::Snapshot& before,
                                                    Nanos since) const {
  const State& s = *state_;
  std::vector<track::ConnectionCounts> connections = track::added_since(now.connections, before.connections, since);
  verdict::CaptureEvidence capture = s.log.evidence(capture_since(now, before, connections, since));
  capture.truncated = track::kept_since(capture.truncated, since);
  capture.fragments = track::kept_since(capture.fragments, since);
  capture.veroce_raw = track::kept_since(capture.veroce_raw, since);
  capture.rejections_omitted = growth(before.capture.rejections_omitted, now.capture.rejections_omitted);
  capture.stray_damaged_packets = growth(before.capture.stray_damaged_packets, now.capture.stray_damaged_packets);
  capture.partial = now.partial;
  std::copy_if(now.holes.begin(), now.holes.end(), std::back_inserter(capture.holes),
               [&](const track::CaptureHole& hole) { return hole.to >= since; });
  capture.last_time = now.judged_until;
  capture.pauses = track::added_since(now.pauses, before.pauses, since);
  capture.receivers = now.receivers;
  verdict::judge_loops(connections, capture, s.options.thresholds);
  capture.fast_cnps = track::added_since(now.fast_cnps, before.fast_cnps, since);  // `now` gave them to their data
  std::vector<track::CmRejection> rejections = s.tracker->rejections();
  std::erase_if(rejections, [&](const track::CmRejection& r) { return r.time < since; });
  std::vector<track::CmSetUp> set_ups = s.tracker->set_ups();
  std::erase_if(set_ups, [&](const track::CmSetUp& u) { return last_time_of(u) < since; });
  std::vector<verdict::Finding> findings =
      verdict::judge({capture, connections, rejections, set_ups, s.options.expectations}, s.options.thresholds);
  // What stays known from before, as a refusal does, is none of this time.
  std::erase_if(findings, [&](const verdict::Finding& f) { return f.last_time && *f.last_time < since; });
  return findings;
}

model::Snapshot Analysis::finish() {
  State& s = *state_;
  if (!s.tracker) return s.assemble({}, {}, {}, std::nullopt);
  track::Tracker& tracker = *s.tracker;
  std::vector<track::ConnectionCounts> connections = tracker.finish();
  std::vector<track::PausingPort> pauses = tracker.pauses(s.last_time(std::nullopt));
  return s.assemble(std::move(connections), std::move(pauses), tracker.receivers(), std::nullopt);
}

/// The last frame's, or the time of the source's clock where that has gone on.
Nanos Analysis::State::last_time(std::optional<Nanos> now) const {
  const Nanos last = log.counts().last_time.value_or(Nanos{});
  return now ? std::max(last, *now) : last;
}

model::Snapshot Analysis::State::assemble(std::vector<track::ConnectionCounts> connections,
                                          std::vector<track::PausingPort> pauses,
                                          std::vector<track::ReceiverCounts> receivers, std::optional<Nanos> now) {
  State& s = *this;
  model::Snapshot snapshot;
  snapshot.partial = s.partial;
  snapshot.parts = s.parts;
  snapshot.problems = s.problems;
  snapshot.start = s.start;
  snapshot.thresholds = s.options.thresholds;
  if (!s.tracker) return snapshot;
  snapshot.connections = std::move(connections);
  snapshot.gone = s.gone.totals;
  snapshot.silent_connections = s.tracker->silent_connections();
  snapshot.capture = s.log.counts();
  snapshot.capture.management_frames = s.tracker->management_frames();
  snapshot.capture.rejections_omitted = s.tracker->rejections_omitted();
  snapshot.capture.stray_connections = s.tracker->stray_connections();
  snapshot.capture.stray_packets = s.tracker->stray_packets();
  snapshot.capture.stray_damaged_packets = s.tracker->stray_damaged_packets();
  snapshot.capture.set_ups_omitted = s.tracker->set_ups_omitted();
  snapshot.capture.unpaired_at_limit = s.tracker->unpaired_at_limit();
  snapshot.capture.evicted_connections = s.tracker->evicted_connections();
  snapshot.holes = s.tracker->holes(snapshot.connections);
  add_completeness(snapshot.connections, snapshot.capture, s.gone);
  verdict::CaptureEvidence capture = s.log.evidence(snapshot.capture);
  capture.rejections_omitted = snapshot.capture.rejections_omitted;
  capture.stray_damaged_packets = snapshot.capture.stray_damaged_packets;
  capture.partial = s.partial;
  capture.holes = snapshot.holes;
  capture.last_time = snapshot.judged_until = s.last_time(now);
  capture.pauses = snapshot.pauses = std::move(pauses);
  if (!snapshot.pauses.empty()) snapshot.interface_names = s.interface_names;
  capture.receivers = snapshot.receivers = std::move(receivers);
  capture.fast_cnps = snapshot.fast_cnps = s.tracker->fast_cnps().finish();
  snapshot.fast_cnps_omitted = s.tracker->fast_cnps().omitted();
  snapshot.mix = s.log.mix();
  if (s.log.counts().veroce.any()) snapshot.veroce = s.veroce->report();
  snapshot.cnp_pacing = s.tracker->cnp_pacing();
  verdict::judge_loops(snapshot.connections, capture, s.options.thresholds);
  snapshot.findings = verdict::judge(
      {capture, snapshot.connections, s.tracker->rejections(), s.tracker->set_ups(), s.options.expectations},
      s.options.thresholds);
  return snapshot;
}

}  // namespace rocetop::engine
