// SPDX-License-Identifier: BSD-3-Clause
// CaptureLog: what is true of the capture as a whole, counted frame by frame.
#pragma once

#include <vector>

#include "model/snapshot.h"
#include "source/frame_source.h"
#include "track/frame_sample.h"
#include "track/packet_facts.h"
#include "verdict/evidence.h"
#include "wire/decode.h"
#include "wire/plain_frame.h"

namespace rocetop::engine {

class CaptureLog {
 public:
  void add(const source::Frame& frame, const wire::Decoded& decoded);
  /// A frame that is in the capture once more; in no connection's counts.
  void add_copy(const source::Frame& frame, const wire::Decoded& decoded) {
    add(frame, decoded);
    ++counts_.duplicated_frames;
  }
  /// The same for a frame that is a wire::PlainFrame and was not decoded.
  void add_plain(const source::Frame& frame, const track::PathFacts& facts) {
    add_frame(frame);
    ++counts_.roce_frames;
    add_in_row({facts.traffic_class, facts.priority, wire::PlainFrame::kProtocol}, frame.wire_length);
    if (!facts.truncated) return;
    ++counts_.truncated_frames;
    add_truncated_roce(frame);
  }
  /// After the last frame: what the interfaces say.
  void end(const std::vector<source::InterfaceFacts>& interfaces);

  /// Complete after end().
  const model::TrafficMix& mix() const { return mix_; }
  const model::CaptureCounts& counts() const { return counts_; }
  /// What the rules may use, once `counts` holds completeness.
  verdict::CaptureEvidence evidence(const model::CaptureCounts& counts) const;

 private:
  void add_frame(const source::Frame& frame) {
    ++counts_.frames;
    counts_.bytes_on_wire += frame.wire_length;
    if (frame.time >= latest_time_ && frame.has_time) [[likely]] {
      latest_time_ = previous_time_ = frame.time;
    } else if (frame.has_time) {
      add_earlier_time(frame.time);
    }
  }
  void add_earlier_time(Nanos time);
  void add_in_row(const model::TrafficMix::Class& of, std::uint32_t wire_bytes) {
    if (!(of == row_.of)) [[unlikely]] {
      end_row();
      row_.of = of;
    }
    ++row_.frames;
    row_.bytes += wire_bytes;
  }
  void add_truncated_roce(const source::Frame& frame);
  void add_roce(const source::Frame& frame, const wire::Decoded& decoded);
  void add_pause(const wire::Pause& pause);

  model::CaptureCounts counts_;
  /// RoCE frames of one class in a row: counted here until the class changes.
  struct Row {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    model::TrafficMix::Class of;
  };
  void end_row();

  model::TrafficMix mix_;
  Row row_;
  track::FrameSample truncated_;
  track::FrameSample fragments_;
  track::FrameSample veroce_raw_;
  std::uint32_t longest_truncated_ = 0;  // captured bytes of the longest frame that was cut
  Nanos latest_time_ = Nanos::max();     // until there is one
  Nanos previous_time_;
};

/// Connections that are forgotten: what they add to totals that must not go back.
struct GoneConnections {
  model::ConnectionTotals totals;
  std::uint64_t seen = 0;    ///< packets that carry a PSN of their own
  std::uint64_t missed = 0;  ///< by the capture
  bool replies_seen = false;

  void add(const track::ConnectionCounts& connection);
  void add_packets(const track::ConnectionCounts& connection);
};

/// Fills capture-missed packets, completeness and one-way connections from the connections.
void add_completeness(const std::vector<track::ConnectionCounts>& connections, model::CaptureCounts& counts,
                      const GoneConnections& gone = {});

}  // namespace rocetop::engine
