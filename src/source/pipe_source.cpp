// SPDX-License-Identifier: BSD-3-Clause
#include "source/pipe_source.h"

#include <utility>

namespace rocetop::source {
namespace {

constexpr std::chrono::milliseconds kWaitMost{100};
constexpr Nanos kStep = seconds(1);  // a clock that goes back by more was set

}  // namespace

PipeSource::PipeSource(Open open) : thread_([this, open = std::move(open)] { run(open); }) {}

PipeSource::~PipeSource() {
  wake();
  thread_.join();
}

void PipeSource::run(const Open& open) {
  auto opened = open(wake_.descriptor());
  {
    const std::lock_guard lock(mutex_);
    begun_ = static_cast<bool>(opened);
    ended_ = !begun_;
    if (!begun_) failure_ = opened.error();
  }
  changed_.notify_all();
  if (!opened) return;
  FrameSource& inner = *opened.value();
  std::vector<Frame> batch;
  bool more = true;
  while (more) {
    more = inner.next_batch(batch);
    if (!hand_over(inner, batch, more)) break;
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

/// False if nobody wants any more.
bool PipeSource::hand_over(const FrameSource& from, const std::vector<Frame>& batch, bool more) {
  auto delivery = std::make_unique<Delivery>();
  for (const Frame& frame : batch) delivery->chunk.add(frame);
  delivery->chunk.settle();
  delivery->interfaces = from.interfaces();
  delivery->problems = from.problems();
  delivery->bytes_read = from.bytes_read();
  const std::size_t bytes = delivery->chunk.bytes.size();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return wake_.called() || queued_bytes_ == 0 || queued_bytes_ + bytes <= kQueueBytes; });
  if (wake_.called()) return false;
  ended_ = !more;
  queued_bytes_ += bytes;
  queue_.push_back(std::move(delivery));
  changed_.notify_all();
  return true;
}

Result<Done> PipeSource::wait_for_beginning(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return begun_ || ended_; });
  if (failure_) return *failure_;
  return Done{};
}

bool PipeSource::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  current_.reset();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kWaitMost, [&] { return !queue_.empty() || ended_ || wake_.called(); });
  if (wake_.called()) return false;
  if (failure_ && problems_.empty()) problems_.push_back({.message = failure_->message, .hint = failure_->hint});
  if (!queue_.empty()) {
    current_ = std::move(queue_.front());
    queue_.pop_front();
    queued_bytes_ -= current_->chunk.bytes.size();
    changed_.notify_all();
    interfaces_ = std::move(current_->interfaces);
    problems_ = std::move(current_->problems);
    bytes_read_ = current_->bytes_read;
    batch = current_->chunk.frames;
    if (batch.empty()) return !(ended_ && queue_.empty());  // what is said of the end
    stamp_ = batch.back().time;
    stamped_ = Clock::now();
    if (!clock_) clock_ = stamp_;
  } else if (ended_) {
    return false;
  }
  advance_clock();
  return true;
}

void PipeSource::advance_clock() {
  if (!clock_) return;
  const bool waited = current_ == nullptr;
  const Nanos time = waited ? stamp_ + Nanos{std::chrono::nanoseconds(Clock::now() - stamped_).count()} : stamp_;
  if (time > *clock_ || *clock_ - time > kStep) clock_ = time;
}

void PipeSource::wake() {
  wake_.call();
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace rocetop::source
