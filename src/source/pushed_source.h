// SPDX-License-Identifier: BSD-3-Clause
// PushedSource: frames that somebody else reads, one at a time, as a FrameSource: push(), then one step of whoever
// reads the source.
#pragma once

#include <vector>

#include "source/frame_source.h"

namespace rocetop::source {

class PushedSource final : public FrameSource {
 public:
  /// `frame.bytes` stay valid until next_batch() was called twice. `frame.interface` is of add_interface().
  void push(const Frame& frame) {
    waiting_.push_back(frame);
    bytes_read_ += frame.bytes.size();
  }
  /// The index of one more interface.
  std::uint32_t add_interface(const InterfaceFacts& facts) {
    interfaces_.push_back(facts);
    return static_cast<std::uint32_t>(interfaces_.size() - 1);
  }

  bool next_batch(std::vector<Frame>& batch) override {
    batch.clear();
    batch.swap(waiting_);
    return !batch.empty();
  }
  const std::vector<InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  std::vector<Frame> waiting_;
  std::vector<InterfaceFacts> interfaces_;
  std::vector<Problem> problems_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace rocetop::source
