// SPDX-License-Identifier: BSD-3-Clause
// PipeSource: a capture that is being written to a pipe right now (`ssh host tcpdump -U -w - | …`): frames as they
// come, and time that goes by while none do. A thread of its own reads, as the beginning and every record are waited
// for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "source/frame_chunk.h"
#include "source/wake_up.h"

namespace rocetop::source {

class PipeSource final : public FrameSource {
 public:
  /// Opens the capture; waits for no more once the descriptor it is given is readable.
  using Open = std::function<Result<std::unique_ptr<FrameSource>>(int stop)>;

  explicit PipeSource(Open open);
  ~PipeSource() override;

  /// Waits `most` for the capture to begin. Error: it cannot be read. Where it has not begun yet, an error that comes
  /// later is one of problems().
  Result<Done> wait_for_beginning(std::chrono::milliseconds most);

  bool next_batch(std::vector<Frame>& batch) override;
  std::optional<Nanos> clock() const override { return clock_; }
  /// Whoever writes may hold packets back for as long as it likes.
  std::optional<Nanos> known_until() const override { return clock_ ? std::optional(stamp_) : std::nullopt; }
  void wake() override;
  const std::vector<InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

  /// Then the writer of the pipe has to wait.
  static constexpr std::size_t kQueueBytes = 64 << 20;

 private:
  using Clock = std::chrono::steady_clock;
  struct Delivery {
    FrameChunk chunk;
    std::vector<InterfaceFacts> interfaces;
    std::vector<Problem> problems;
    std::uint64_t bytes_read = 0;
  };
  void run(const Open& open);
  bool hand_over(const FrameSource& from, const std::vector<Frame>& batch, bool more);
  void advance_clock();

  // Of whoever calls next_batch().
  std::unique_ptr<Delivery> current_;
  std::vector<InterfaceFacts> interfaces_;
  std::vector<Problem> problems_;
  std::uint64_t bytes_read_ = 0;
  std::optional<Nanos> clock_;
  Nanos stamp_;                // of the last frame …
  Clock::time_point stamped_;  // … and when it came

  WakeUp wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Delivery>> queue_;  // under mutex_, as all below
  std::size_t queued_bytes_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  std::optional<Error> failure_;
  std::thread thread_;
};

}  // namespace rocetop::source
