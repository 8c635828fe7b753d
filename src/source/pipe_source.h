// SPDX-License-Identifier: BSD-3-Clause
// PipeSource: a capture that is being written to a pipe right now (`ssh host tcpdump -U -w - | …`): frames as they
// come, and time that goes by while none do.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "source/wake_up.h"
#include "source/wrapped_source.h"

namespace rocetop::source {

class PipeSource final : public WrappedSource {
 public:
  /// `inner` reads the pipe `descriptor`. A frame of which only a part has come is waited for.
  PipeSource(std::unique_ptr<FrameSource> inner, int descriptor)
      : WrappedSource(std::move(inner)), descriptor_(descriptor) {}

  bool next_batch(std::vector<Frame>& batch) override;
  std::optional<Nanos> clock() const override { return clock_; }
  void wake() override { wake_.call(); }

 private:
  using Clock = std::chrono::steady_clock;

  int descriptor_;
  WakeUp wake_;
  bool more_ = true;  // the reader may hold frames that the pipe does not show
  std::optional<Nanos> clock_;
  Nanos stamp_;                // of the last frame …
  Clock::time_point stamped_;  // … and when it came
};

}  // namespace rocetop::source
