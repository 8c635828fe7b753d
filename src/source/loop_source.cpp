// SPDX-License-Identifier: BSD-3-Clause
#include "source/loop_source.h"

#include <algorithm>
#include <utility>

namespace rocetop::source {

LoopSource::LoopSource(std::unique_ptr<FrameSource> first, Open open, Nanos silence)
    : open_(std::move(open)), silence_(silence), inner_(std::move(first)) {
  describe();
}

bool LoopSource::next_batch(std::vector<Frame>& batch) {
  batch.clear();
  if (wake_.called()) return false;
  switch (phase_) {
    case Phase::kRound:
      return read(batch);
    case Phase::kSilence:
      return pass_silence();
    case Phase::kOpening:
      return open() && read(batch);
    case Phase::kOver:
      break;
  }
  return false;
}

bool LoopSource::read(std::vector<Frame>& batch) {
  const bool more = inner_->next_batch(batch);
  move_on(batch);
  describe();
  if (wake_.called()) return false;
  if (!more) end_round();
  return phase_ != Phase::kOver || !batch.empty();
}

/// Stamps and numbers of this round follow those of the rounds before.
void LoopSource::move_on(std::vector<Frame>& batch) {
  if (!offset_ && (!batch.empty() || inner_->clock())) {
    const Nanos first = batch.empty() ? *inner_->clock() : batch.front().time;
    offset_ = clock_ ? *clock_ - first : Nanos{};
  }
  for (Frame& frame : batch) {
    frame.time = frame.time + *offset_;
    frame.id = FrameId(frame.id.file(), frame.id.number() + number_before_);
    number_ = std::max(number_, frame.id.number());
    clock_ = std::max(clock_.value_or(frame.time), frame.time);
  }
  frames_in_round_ += batch.size();
  if (inner_->clock()) clock_ = std::max(clock_.value_or(Nanos::min()), *inner_->clock() + *offset_);
  if (clock_) known_ = clock_;
}

void LoopSource::end_round() {
  phase_ = Phase::kSilence;
  const auto& problems = inner_->problems();
  // What is wrong with the capture is said once.
  if (rounds_ == 0) problems_ = problems;
  ++rounds_;
  const auto fatal = std::find_if(problems.begin(), problems.end(), [](const Problem& p) { return p.fatal; });
  if (fatal != problems.end()) {
    if (rounds_ > 1) problems_.push_back(*fatal);
    phase_ = Phase::kOver;
  } else if (frames_in_round_ == 0) {
    give_up("the capture holds no packets: there is nothing to repeat", "");
  } else if (*clock_ > Nanos::max() - silence_) {
    give_up("the capture's stamps are too far in the future to go on from there", "");
  }
}

bool LoopSource::pass_silence() {
  clock_ = *clock_ + silence_;
  phase_ = Phase::kOpening;
  return true;
}

bool LoopSource::open() {
  bytes_before_ += inner_->bytes_read();
  for (const InterfaceFacts& facts : inner_->interfaces()) {
    const auto i = static_cast<std::size_t>(&facts - inner_->interfaces().data());
    if (dropped_before_.size() <= i) dropped_before_.resize(i + 1);
    dropped_before_[i] += facts.frames_dropped.value_or(0);
  }
  auto opened = open_(wake_.descriptor());
  if (!opened) {
    if (!wake_.called()) give_up(opened.error().message, opened.error().hint);
    return false;
  }
  const std::lock_guard lock(mutex_);
  inner_ = std::move(opened.value());
  if (wake_.called()) inner_->wake();
  offset_.reset();
  frames_in_round_ = 0;
  number_before_ = number_;
  phase_ = Phase::kRound;
  return true;
}

/// Interfaces are the same in each round. What the capture says that it lost, it lost in each of them.
void LoopSource::describe() {
  const auto& now = inner_->interfaces();
  if (now.size() > interfaces_.size()) interfaces_.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    interfaces_[i] = now[i];
    if (i < dropped_before_.size() && (now[i].frames_dropped || dropped_before_[i] > 0)) {
      interfaces_[i].frames_dropped = now[i].frames_dropped.value_or(0) + dropped_before_[i];
    }
  }
}

void LoopSource::give_up(std::string message, std::string hint) {
  problems_.push_back({std::move(message), std::move(hint)});
  phase_ = Phase::kOver;
}

void LoopSource::wake() {
  const std::lock_guard lock(mutex_);
  wake_.call();
  inner_->wake();
}

}  // namespace rocetop::source
