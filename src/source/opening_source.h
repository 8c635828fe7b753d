// SPDX-License-Identifier: BSD-3-Clause
// OpeningSource: a source that is opened when its first frame is asked for, as opening may take as long as somebody
// likes: a pipe is waited for. Until then nothing comes, and nothing is known of it.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "source/frame_source.h"
#include "source/wake_up.h"

namespace rocetop::source {

class OpeningSource final : public FrameSource {
 public:
  /// Told what is readable once nobody wants it any more.
  using Open = std::function<Result<std::unique_ptr<FrameSource>>(int stop)>;

  /// `open` is called once, by the first next_batch(). What it fails with is a problem.
  explicit OpeningSource(Open open) : open_(std::move(open)) {}

  bool next_batch(std::vector<Frame>& batch) override;
  std::optional<Nanos> clock() const override { return inner_ ? inner_->clock() : std::nullopt; }
  std::optional<Nanos> known_until() const override { return inner_ ? inner_->known_until() : std::nullopt; }
  void wake() override;

  const std::vector<InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<Problem>& problems() const override { return inner_ ? inner_->problems() : problems_; }
  std::uint64_t bytes_read() const override { return inner_ ? inner_->bytes_read() : 0; }
  std::optional<std::uint64_t> bytes_total() const override { return inner_ ? inner_->bytes_total() : std::nullopt; }

 private:
  bool open();

  Open open_;
  WakeUp wake_;
  std::mutex mutex_;                        // wake() comes from another thread
  std::unique_ptr<FrameSource> inner_;      // set under mutex_
  std::vector<InterfaceFacts> interfaces_;  // of the inner one: whoever asked before it was there keeps a reference
  std::vector<Problem> problems_;
};

}  // namespace rocetop::source
