// SPDX-License-Identifier: BSD-3-Clause
#include "engine/analysis.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "engine/capture_log.h"
#include "source/packet_filter.h"
#include "track/tracker.h"
#include "verdict/judge.h"
#include "verdict/loop.h"
#include "wire/plain_frame.h"

namespace rocetop::engine {
namespace {

constexpr std::size_t kGroup = 4;  // frames worked on together: their state still fits the nearest cache
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

bool is_tracked(const wire::Decoded& decoded) {
  return decoded.kind == wire::FrameKind::kRoce && decoded.packet.protocol != wire::Protocol::kInfiniband &&
         decoded.packet.protocol != wire::Protocol::kVeroce;
}

}  // namespace

struct Analysis::State {
  Options options;
  Cut from;
  Cut to;
  std::optional<source::PacketFilter> filter;
  std::unique_ptr<track::Tracker> tracker;
  CaptureLog log;
  /// Frames are analysed in groups: while one is worked on, the memory that the next one needs is on its way.
  struct Group {
    std::size_t size = 0;
    std::array<const source::Frame*, kGroup> frames;
    std::array<track::Arrival, kGroup> arrivals;  // of frames that are not tracked: of no kind
    std::array<wire::Decoded, kGroup> decoded;    // of frames whose arrival is not a plain one
  };
  std::array<Group, 4> groups;
  std::size_t filling = 0;   // of `groups`; those before it are looked up, looked further, and next to be analysed
  std::uint64_t passed = 0;  // frames that filter and bounds let through
  const std::vector<source::InterfaceFacts>* interfaces = nullptr;  // while run() lasts
  bool partial = false;
  model::Parts parts;
  std::vector<model::InputProblem> problems;
  std::optional<Nanos> start;
  std::vector<std::string> interface_names;

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

  void take_batch(const std::vector<source::Frame>& batch, const FrameObserver& observer) {
    if (!from && !to && !filter && !options.frame_limit) {
      for (const source::Frame& frame : batch) take(frame, observer);
      passed += batch.size();
    } else {
      take_admitted(batch, observer);
    }
    end_groups(observer);
  }
  void take_admitted(const std::vector<source::Frame>& batch, const FrameObserver& observer) {
    for (const source::Frame& frame : batch) {
      if (limit_reached()) return end_early();
      if (!admits(frame)) continue;
      ++passed;
      take(frame, observer);
    }
  }

  /// Takes a frame into the group; when it is full, the oldest group is analysed.
  void take(const source::Frame& frame, const FrameObserver& observer) {
    Group& group = groups[filling];
    group.frames[group.size] = &frame;
    track::Arrival& arrival = group.arrivals[group.size];
    // Who wants to see the packets gets them decoded.
    wire::PlainFrame plain;
    if (!observer && frame.link_type == LinkType::kEthernet && plain.take(frame.bytes) && plain.is_common()) {
      tracker->prepare(plain, wire::icrc_status(plain, options.decode), frame.id, frame.time, frame.wire_length,
                       arrival);
    } else {
      wire::decode(frame.link_type, frame.bytes, frame.wire_length, options.decode, group.decoded[group.size]);
      arrival.kind = track::Arrival::Kind::kNone;
    }
    if (++group.size == kGroup) end_group(observer);
  }

  void prepare(Group& group) {
    for (std::size_t i = 0; i < group.size; ++i) {
      if (group.arrivals[i].kind == track::Arrival::Kind::kPlain) continue;
      const source::Frame& frame = *group.frames[i];
      const wire::Decoded& decoded = group.decoded[i];
      if (is_tracked(decoded)) {
        tracker->prepare(decoded.packet, frame.id, frame.time, frame.wire_length, group.arrivals[i]);
      }
    }
  }

  /// Each group comes one step further, and the oldest is analysed.
  void end_group(const FrameObserver& observer) {
    const auto before = [&](std::size_t n) -> Group& { return groups[(filling + groups.size() - n) % groups.size()]; };
    prepare(before(0));
    tracker->look_up(std::span(before(1).arrivals).first(before(1).size));
    tracker->look_further(std::span(before(2).arrivals).first(before(2).size));
    analyse(before(3), observer);
    filling = (filling + 1) % groups.size();
  }

  /// Everything taken so far.
  void end_groups(const FrameObserver& observer) {
    for (std::size_t i = 0; i < groups.size(); ++i) end_group(observer);
  }

  void analyse(Group& group, const FrameObserver& observer) {
    for (std::size_t i = 0; i < group.size; ++i) {
      const source::Frame& frame = *group.frames[i];
      track::Arrival& arrival = group.arrivals[i];
      if (arrival.kind == track::Arrival::Kind::kPlain) {
        log.add_plain(frame, arrival.facts);
        tracker->pass(arrival);
      } else {
        analyse(frame, group.decoded[i], arrival, observer);
      }
    }
    group.size = 0;
  }

  void analyse(const source::Frame& frame, const wire::Decoded& decoded, track::Arrival& arrival,
               const FrameObserver& observer) {
    log.add(frame, decoded);
    track::Observation observation;
    if (arrival.kind == track::Arrival::Kind::kPacket) observation = tracker->on_packet(arrival);
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
  while (!s.limit_reached() && source.next_batch(batch)) {
    if (!s.start && !batch.empty() && batch.front().has_time) s.start = batch.front().time;
    s.take_batch(batch, observer);
    if (progress && source.bytes_read() >= next_progress) {
      next_progress = source.bytes_read() + kProgressBytes;
      if (!progress(source.bytes_read(), source.bytes_total())) {
        s.partial = true;
        break;
      }
    }
  }
  // Whether -c kept anything out is worth a look into a file, not waiting for a pipe.
  if (s.limit_reached() && (!source.bytes_total() || source.next_batch(batch))) s.end_early();
  for (const source::Problem& problem : source.problems()) {
    s.problems.push_back({problem.message, problem.fatal, problem.limit});
  }
  s.log.end(source.interfaces());
  for (const auto& interface : source.interfaces()) {
    if (s.interface_names.size() < kInterfaceNames) s.interface_names.push_back(interface.name);
  }
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
  if (!snapshot.pauses.empty()) snapshot.interface_names = s.interface_names;
  capture.receivers = snapshot.receivers = s.tracker->receivers();
  capture.fast_cnps = snapshot.fast_cnps = s.tracker->fast_cnps().finish();
  snapshot.fast_cnps_omitted = s.tracker->fast_cnps().omitted();
  snapshot.mix = s.log.mix();
  snapshot.cnp_pacing = s.tracker->cnp_pacing();
  verdict::judge_loops(snapshot.connections, capture, s.options.thresholds);
  snapshot.findings = verdict::judge(
      {capture, snapshot.connections, s.tracker->rejections(), s.tracker->set_ups(), s.options.expectations},
      s.options.thresholds);
  return snapshot;
}

}  // namespace rocetop::engine
