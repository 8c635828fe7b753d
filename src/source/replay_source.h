// SPDX-License-Identifier: BSD-3-Clause
// ReplaySource: a capture as if it were happening: frames come when their stamps say, at a speed, and time goes by
// between them. At full speed nothing waits, but time goes by in the same steps.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "source/wake_up.h"
#include "source/wrapped_source.h"

namespace rocetop::source {

class ReplaySource final : public WrappedSource {
 public:
  /// `speed`: 1 is as it was captured, 0 as fast as it can be read. `tick`: at full speed, how far time goes at once.
  ReplaySource(std::unique_ptr<FrameSource> inner, double speed, Nanos tick);

  bool next_batch(std::vector<Frame>& batch) override;
  std::optional<Nanos> clock() const override { return clock_; }
  void wake() override { wake_.call(); }

  /// A silence of more than this is passed over: stamps may be absurd.
  static constexpr Nanos kSilenceMost = seconds(3600);

 private:
  using Clock = std::chrono::steady_clock;
  bool fill();
  void pass_over_silence(Nanos next);
  void take_until(Nanos until, std::vector<Frame>& batch);
  void step(std::vector<Frame>& batch);
  void follow(std::vector<Frame>& batch);
  void start_at(Nanos time);

  double speed_;
  Nanos tick_;
  WakeUp wake_;
  std::vector<Frame> held_;  // of the inner source's last batch, from next_ on not delivered
  std::size_t next_ = 0;
  bool ended_ = false;
  std::optional<Nanos> clock_;
  Nanos boundary_;             // at full speed: where time halts next
  Nanos start_;                // on the packets' clock …
  Clock::time_point started_;  // … and when that was
};

}  // namespace rocetop::source
