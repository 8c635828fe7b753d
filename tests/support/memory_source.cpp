// SPDX-License-Identifier: BSD-3-Clause
#include "support/memory_source.h"

#include <algorithm>

namespace rocetop::test {

MemorySource::MemorySource(const std::vector<generate::TimedFrame>& frames, std::vector<std::size_t> batch_sizes)
    : frames_(frames), batch_sizes_(std::move(batch_sizes)) {
  source::InterfaceFacts facts;
  facts.ticks_per_second = 1'000'000'000;
  interfaces_.push_back(facts);
}

bool MemorySource::next_batch(std::vector<source::Frame>& batch) {
  batch.clear();
  lent_.clear();
  if (next_ == frames_.size()) return false;
  const std::size_t wanted = batch_sizes_.empty() ? frames_.size() : batch_sizes_[batches_++ % batch_sizes_.size()];
  const std::size_t count = std::min(std::max<std::size_t>(wanted, 1), frames_.size() - next_);
  for (std::size_t i = 0; i < count; ++i) lent_.push_back(frames_[next_ + i].bytes);
  for (std::size_t i = 0; i < count; ++i, ++next_) {
    source::Frame frame;
    frame.id = FrameId(0, next_ + 1);
    frame.time = frames_[next_].time;
    frame.wire_length = static_cast<std::uint32_t>(lent_[i].size());
    frame.bytes = lent_[i];
    bytes_read_ += lent_[i].size();
    batch.push_back(frame);
  }
  return true;
}

}  // namespace rocetop::test
