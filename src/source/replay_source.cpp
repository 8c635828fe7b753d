// SPDX-License-Identifier: BSD-3-Clause
#include "source/replay_source.h"

#include <algorithm>
#include <utility>

namespace rocetop::source {
namespace {

constexpr std::chrono::milliseconds kWaitMost{100};

}  // namespace

ReplaySource::ReplaySource(std::unique_ptr<FrameSource> inner, double speed, Nanos tick)
    : WrappedSource(std::move(inner)), speed_(speed), tick_(std::max(tick, milliseconds(1))) {}

bool ReplaySource::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  if (wake_.called() || !fill()) return false;
  const Nanos next = held_[next_].time;
  if (!clock_) start_at(next);
  if (next > *clock_ + kSilenceMost) start_at(next);
  if (speed_ > 0) {
    follow(batch);
  } else {
    step(batch);
  }
  return !wake_.called();
}

/// False at the end.
bool ReplaySource::fill() {
  while (next_ == held_.size()) {
    if (ended_) return false;
    next_ = 0;
    ended_ = !inner().next_batch(held_);
  }
  return true;
}

void ReplaySource::start_at(Nanos time) {
  clock_ = start_ = time;
  boundary_ = time + tick_;
  started_ = Clock::now();
}

void ReplaySource::take_until(Nanos until, std::vector<Frame>& batch) {
  while (next_ < held_.size() && held_[next_].time <= until) batch.push_back(held_[next_++]);
}

void ReplaySource::step(std::vector<Frame>& batch) {
  take_until(boundary_ == Nanos::max() ? boundary_ : boundary_ - Nanos{1}, batch);
  if (batch.empty()) {
    clock_ = boundary_;
    boundary_ = boundary_ + tick_;
  } else {
    clock_ = std::max(*clock_, batch.back().time);
  }
}

void ReplaySource::follow(std::vector<Frame>& batch) {
  const Nanos next = held_[next_].time;
  const auto due =
      std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>((next - start_).count) / speed_));
  const auto wait = due - (Clock::now() - started_);
  if (wait.count() > 0) wake_.wait({}, std::min<std::chrono::nanoseconds>(wait, kWaitMost));
  const std::chrono::nanoseconds passed = Clock::now() - started_;
  clock_ = start_ + Nanos{static_cast<std::int64_t>(static_cast<double>(passed.count()) * speed_)};
  take_until(*clock_, batch);
}

}  // namespace rocetop::source
