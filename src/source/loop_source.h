// SPDX-License-Identifier: BSD-3-Clause
// LoopSource: a capture again and again, in time that only goes forward: for demonstrations, and to see what a month
// does. Between two rounds nothing comes for so long that whoever follows connections forgets them all, so that each
// round adds the same. Not for pipes, which cannot be read twice.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "source/frame_source.h"
#include "source/wake_up.h"

namespace rocetop::source {

class LoopSource final : public FrameSource {
 public:
  /// Opens the capture for one more round; told what is readable once nobody wants it any more.
  using Open = std::function<Result<std::unique_ptr<FrameSource>>(int stop)>;

  /// `first`: opened for the first round. `silence`: how far time goes between rounds, at once.
  LoopSource(std::unique_ptr<FrameSource> first, Open open, Nanos silence);

  bool next_batch(std::vector<Frame>& batch) override;
  std::optional<Nanos> clock() const override { return clock_; }
  /// The silence is ours: nobody was silent in it.
  std::optional<Nanos> known_until() const override { return known_; }
  void wake() override;
  const std::vector<InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return bytes_before_ + (inner_ ? inner_->bytes_read() : 0); }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

  std::uint64_t rounds() const { return rounds_; }  ///< that are over

 private:
  enum class Phase { kRound, kSilence, kOpening, kOver };
  bool read(std::vector<Frame>& batch);
  void move_on(std::vector<Frame>& batch);
  void end_round();
  bool pass_silence();
  bool open();
  void describe();
  void give_up(std::string message, std::string hint);

  Open open_;
  Nanos silence_;
  WakeUp wake_;
  std::mutex mutex_;                    // wake() comes from another thread
  std::unique_ptr<FrameSource> inner_;  // changed under mutex_
  Phase phase_ = Phase::kRound;
  std::uint64_t rounds_ = 0;
  std::optional<Nanos> clock_;
  std::optional<Nanos> known_;   // clock_, but for the silence after the last frame
  std::optional<Nanos> offset_;  // of this round's stamps, once one is known
  std::uint64_t frames_in_round_ = 0;
  std::uint64_t number_before_ = 0;  // highest number of a frame in the rounds before …
  std::uint64_t number_ = 0;         // … and up to now
  std::uint64_t bytes_before_ = 0;
  std::vector<std::uint64_t> dropped_before_;  // by interface: what the capture reported in the rounds before
  std::vector<InterfaceFacts> interfaces_;
  std::vector<Problem> problems_;
};

}  // namespace rocetop::source
