// SPDX-License-Identifier: BSD-3-Clause
#include "engine/capture_log.h"

#include <algorithm>

#include "track/directions.h"

namespace rocetop::engine {
namespace {

/// Acknowledgements or responses are what shows that the capture missed packets.
bool holds_replies(const track::DirectionCounts& d) {
  return d.acks != 0 || d.responses.packets != 0 || d.rnr_naks != 0 ||
         std::any_of(d.naks.begin(), d.naks.end(), [](std::uint64_t n) { return n != 0; });
}

/// Fast CNPs of one switch for one queue pair: listed like a connection, and nothing ever answers them.
bool is_fast_cnps(const track::ConnectionCounts& c) {
  return c.transport == wire::Transport::kCnp && c.a_to_b && c.a_to_b->cnps == c.a_to_b->fast_cnps;
}

}  // namespace

void CaptureLog::add(const source::Frame& frame, const wire::Decoded& decoded) {
  add_frame(frame);
  if (decoded.ip_fragment) {
    ++counts_.ip_fragments;
    fragments_.add(frame.id, frame.time);
  }
  // Of a RoCE packet only what is lost of the packet counts, not of padding after it.
  const bool cut =
      decoded.kind == wire::FrameKind::kRoce ? decoded.packet.truncated : frame.bytes.size() < frame.wire_length;
  if (cut) ++counts_.truncated_frames;
  switch (decoded.kind) {
    case wire::FrameKind::kRoce:
      ++counts_.roce_frames;
      add_roce(frame, decoded);
      return;
    case wire::FrameKind::kOther:
      ++counts_.not_roce_frames;
      mix_.add(decoded, 1, frame.wire_length);
      return;
    case wire::FrameKind::kPause:
      ++counts_.not_roce_frames;
      add_pause(decoded.pause);
      return;
    case wire::FrameKind::kUndecodable:
      ++counts_.roce_frames;
      ++counts_.undecodable[static_cast<std::size_t>(decoded.reason)];
      if (decoded.reason == wire::Undecodable::kCutBeforeBth) ++counts_.truncated_roce_frames;
      mix_.add(decoded, 1, frame.wire_length);
      return;
  }
}

/// The first time, or one before another.
void CaptureLog::add_earlier_time(Nanos time) {
  if (!counts_.first_time) {
    counts_.first_time = latest_time_ = previous_time_ = time;
    return;
  }
  if (time < previous_time_) {
    ++counts_.backward_clock_steps;
    counts_.largest_backward_step = std::max(counts_.largest_backward_step, previous_time_ - time);
    counts_.first_time = std::min(*counts_.first_time, time);
  }
  previous_time_ = time;
}

void CaptureLog::end_row() {
  if (row_.frames == 0) return;
  mix_.add(model::Carrier::kRoce, row_.of, row_.frames, row_.bytes);
  row_.frames = row_.bytes = 0;
}

void CaptureLog::add_truncated_roce(const source::Frame& frame) {
  ++counts_.truncated_roce_frames;
  truncated_.add(frame.id, frame.time);
  longest_truncated_ = std::max(longest_truncated_, static_cast<std::uint32_t>(frame.bytes.size()));
}

void CaptureLog::add_roce(const source::Frame& frame, const wire::Decoded& decoded) {
  const wire::Packet& packet = decoded.packet;
  add_in_row({packet.traffic_class, packet.priority, packet.ip_protocol}, frame.wire_length);
  if (packet.truncated) add_truncated_roce(frame);
  switch (packet.protocol) {
    case wire::Protocol::kRoceV2:
      if (packet.udp_dst == wire::kVerocePort) ++counts_.veroce.plain_frames;
      return;
    case wire::Protocol::kRoceV1:
      ++counts_.rocev1_frames;
      return;
    case wire::Protocol::kVeroce:
      ++counts_.veroce_frames;
      ++counts_.veroce.frames[static_cast<std::size_t>(packet.veroce.check)];
      if (packet.veroce.trimmed) ++counts_.veroce.trimmed_frames;
      if (packet.veroce.check != wire::VeroceCheck::kPassed) veroce_raw_.add(frame.id, frame.time);
      return;
    case wire::Protocol::kInfiniband:
      ++counts_.native_infiniband_frames;
      return;
  }
}

void CaptureLog::add_pause(const wire::Pause& pause) {
  if (!pause.priority) {
    ++(pause.quanta[0] != 0 ? counts_.pause_802_3x.xoff_frames : counts_.pause_802_3x.xon_frames);
    return;
  }
  ++counts_.pfc_frames;
  for (std::size_t i = 0; i < pause.quanta.size(); ++i) {
    if ((pause.class_vector >> i & 1) == 0) continue;
    ++(pause.quanta[i] != 0 ? counts_.pfc[i].xoff_frames : counts_.pfc[i].xon_frames);
  }
}

void CaptureLog::end(const std::vector<source::InterfaceFacts>& interfaces) {
  end_row();
  if (counts_.first_time) counts_.last_time = latest_time_;
  counts_.dropped_reported.reset();
  for (const auto& interface : interfaces) {
    if (interface.frames_dropped) {
      counts_.dropped_reported = counts_.dropped_reported.value_or(0) + *interface.frames_dropped;
    }
  }
  if (longest_truncated_ > 0) counts_.snap_length = longest_truncated_;
}

verdict::CaptureEvidence CaptureLog::evidence(const model::CaptureCounts& counts) const {
  verdict::CaptureEvidence e;
  e.roce_frames = counts.roce_frames;
  e.truncated_frames = counts.truncated_roce_frames;
  e.truncated = truncated_;
  e.snap_length = counts.snap_length;
  e.capture_missed_packets = counts.capture_missed_packets;
  e.completeness = counts.completeness;
  e.dropped_reported = counts.dropped_reported;
  e.ip_fragments = counts.ip_fragments;
  e.fragments = fragments_;
  e.veroce_frames = counts.veroce.all();
  e.veroce_raw_frames = counts.veroce.all() - counts.veroce.decoded();
  e.veroce_unknown_opcodes = counts.veroce.of(wire::VeroceCheck::kUnknownOpcode);
  e.veroce_raw = veroce_raw_;
  e.first_time = counts.first_time.value_or(Nanos{});
  e.last_time = counts.last_time.value_or(Nanos{});
  e.evicted_connections = counts.evicted_connections;
  e.duplicated_frames = counts.duplicated_frames;
  return e;
}

void GoneConnections::add(const track::ConnectionCounts& connection) {
  totals = sum(totals, model::totals(connection));
  add_packets(connection);
}

/// Requests and responses; not ACKs, not UD.
void GoneConnections::add_packets(const track::ConnectionCounts& connection) {
  if (connection.transport == wire::Transport::kUd) return;
  track::each_direction_of(connection, [&](const track::DirectionCounts& direction) {
    replies_seen = replies_seen || holds_replies(direction);
    for (const auto* space : {&direction.requests, &direction.responses}) {
      seen += space->packets;
      missed += space->missing_packets[static_cast<std::size_t>(track::Outcome::kCaptureMissed)];
    }
  });
}

void add_completeness(const std::vector<track::ConnectionCounts>& connections, model::CaptureCounts& counts,
                      const GoneConnections& gone) {
  GoneConnections all = gone;
  all.seen += counts.management_frames;  // datagrams of connection management
  for (const auto& connection : connections) {
    if (connection.transport == wire::Transport::kUd) continue;
    all.add_packets(connection);
    const bool answered = connection.transport != wire::Transport::kUc && !is_fast_cnps(connection);
    if (!connection.b_to_a && answered) ++counts.one_way_connections;
  }
  const std::uint64_t sum = all.seen + all.missed;
  counts.completeness_known = all.replies_seen || all.missed != 0;
  counts.capture_missed_packets = all.missed;
  counts.completeness = sum == 0 ? 1.0 : static_cast<double>(all.seen) / static_cast<double>(sum);
}

}  // namespace rocetop::engine
