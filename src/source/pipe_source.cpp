// SPDX-License-Identifier: BSD-3-Clause
#include "source/pipe_source.h"

#include <algorithm>

#include "source/record_reader.h"

namespace rocetop::source {
namespace {

constexpr std::chrono::milliseconds kWaitMost{100};
constexpr Nanos kStep = seconds(1);  // a clock that goes back by more was set

}  // namespace

bool PipeSource::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  if (wake_.called()) return false;
  if (more_ || wake_.wait({descriptor_}, kWaitMost)) {
    const bool alive = inner().next_batch(batch);
    more_ = batch.size() >= kBatchFrames;
    if (!alive && batch.empty()) return false;
  }
  const Clock::time_point now = Clock::now();
  if (!batch.empty()) {
    stamp_ = batch.back().time;
    stamped_ = now;
    if (!clock_) clock_ = stamp_;
  }
  if (clock_) {
    const Nanos time = stamp_ + Nanos{std::chrono::nanoseconds(now - stamped_).count()};
    if (time > *clock_ || *clock_ - time > kStep) clock_ = time;
  }
  return !wake_.called();
}

}  // namespace rocetop::source
