// SPDX-License-Identifier: BSD-3-Clause
// CaptureLog: what is true of the capture as a whole, counted frame by frame.
#pragma once

#include <vector>

#include "model/snapshot.h"
#include "source/frame_source.h"
#include "verdict/evidence.h"
#include "wire/decode.h"

namespace rocetop::engine {

class CaptureLog {
 public:
  void add(const source::Frame& frame, const wire::Decoded& decoded);
  /// After the last frame: what the interfaces say.
  void end(const std::vector<source::InterfaceFacts>& interfaces);

  /// Complete after end().
  const model::TrafficMix& mix() const { return mix_; }
  const model::CaptureCounts& counts() const { return counts_; }
  /// What the rules may use, once `counts` holds completeness.
  verdict::CaptureEvidence evidence(const model::CaptureCounts& counts) const;

 private:
  void add_time(Nanos time);
  void add_roce(const source::Frame& frame, const wire::Decoded& decoded);
  void add_pause(const wire::Pause& pause);

  model::CaptureCounts counts_;
  /// RoCE frames of one class in a row: counted here until the class changes.
  struct Row {
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    std::uint8_t traffic_class = 0;
    std::uint8_t priority = 0;
    std::uint8_t ip_protocol = 0;
  };
  void end_row();

  model::TrafficMix mix_;
  Row row_;
  FrameId first_truncated_;
  FrameId first_fragment_;
  Nanos first_fragment_time_;
  FrameId last_fragment_;
  Nanos last_fragment_time_;
  std::uint32_t longest_truncated_ = 0;  // captured bytes of the longest frame that was cut
  Nanos previous_time_;
};

/// Fills capture-missed packets, completeness and one-way connections from the connections.
void add_completeness(const std::vector<track::ConnectionCounts>& connections, model::CaptureCounts& counts);

}  // namespace rocetop::engine
