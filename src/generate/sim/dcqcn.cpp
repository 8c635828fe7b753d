// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/dcqcn.h"

#include <algorithm>

namespace rocetop::generate::sim {
namespace {

// The paper's values, but for the steps, which it gives for 40 Gb/s and which grow with the line here.
constexpr double kG = 1.0 / 16;            // weight of a CNP in alpha; 1/256 there, for queues far longer than these
constexpr Time kAlphaPeriod = 55'000'000;  // 55 µs without a CNP shrink alpha
constexpr Time kCutPeriod = 50'000'000;    // one cut in 50 µs
constexpr Time kIncreasePeriod = 55'000'000;
constexpr std::uint64_t kIncreaseBytes = 10'000'000;
constexpr std::uint32_t kFastSteps = 5;
constexpr double kStep = 1.0 / 1'000;  // 40 Mb/s of 40 Gb/s
constexpr double kLargeStep = 1.0 / 100;
constexpr double kLeast = 1.0 / 1'000;

}  // namespace

Dcqcn::Dcqcn(double line) : line_(line), rate_(line), target_(line) {}

void Dcqcn::on_cnp(Time now) {
  catch_up(now);
  if (cut_ && now - last_cut_ < kCutPeriod) return;
  cut_ = true;
  last_cut_ = now;
  target_ = rate_;
  rate_ = std::max(rate_ * (1 - alpha_ / 2), line_ * kLeast);
  alpha_ = (1 - kG) * alpha_ + kG;
  alpha_at_ = now + kAlphaPeriod;
  increase_at_ = now + kIncreasePeriod;
  bytes_ = 0;
  by_time_ = by_bytes_ = 0;
}

void Dcqcn::on_sent(Time now, std::uint32_t bytes) {
  if (!limits()) return;
  catch_up(now);
  bytes_ += bytes;
  if (bytes_ < kIncreaseBytes) return;
  bytes_ -= kIncreaseBytes;
  ++by_bytes_;
  increase();
}

void Dcqcn::catch_up(Time now) {
  if (!cut_) return;
  for (; alpha_at_ <= now && alpha_ > 0.001; alpha_at_ += kAlphaPeriod) alpha_ *= 1 - kG;
  for (; increase_at_ <= now && limits(); increase_at_ += kIncreasePeriod) {
    ++by_time_;
    increase();
  }
}

void Dcqcn::increase() {
  if (std::min(by_time_, by_bytes_) > kFastSteps) {
    target_ += line_ * kLargeStep;
  } else if (std::max(by_time_, by_bytes_) > kFastSteps) {
    target_ += line_ * kStep;
  }
  target_ = std::min(target_, line_);
  rate_ = (rate_ + target_) / 2;
  if (rate_ > line_ * 0.999) rate_ = line_;
}

}  // namespace rocetop::generate::sim
