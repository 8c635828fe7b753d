// SPDX-License-Identifier: BSD-3-Clause
// MemorySource: generated frames as a FrameSource, in batches of any sizes.
#pragma once

#include <vector>

#include "generate/encoder.h"
#include "source/frame_source.h"

namespace rocetop::test {

class MemorySource final : public source::FrameSource {
 public:
  /// `frames` must outlive the source. Batches have the sizes of `batch_sizes`, repeated; empty: one batch. Every
  /// batch's bytes are copies that die with the next one, so that nobody may keep a frame.
  MemorySource(const std::vector<generate::TimedFrame>& frames, std::vector<std::size_t> batch_sizes);

  bool next_batch(std::vector<source::Frame>& batch) override;
  const std::vector<source::InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<source::Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  const std::vector<generate::TimedFrame>& frames_;
  const std::vector<std::size_t> batch_sizes_;
  std::vector<source::InterfaceFacts> interfaces_;
  std::vector<source::Problem> problems_;
  std::vector<generate::FrameBytes> lent_;  ///< the bytes of the current batch
  std::size_t next_ = 0;
  std::size_t batches_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace rocetop::test
