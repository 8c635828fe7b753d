// SPDX-License-Identifier: BSD-3-Clause
#include "base/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rocetop {

void Histogram::enter_recent() const {
  const std::uint32_t many = std::exchange(recent_count_, 0);
  for (std::uint32_t i = 0; i < many; ++i) enter(recent_[i], 1);
}

void Histogram::enter(std::int64_t value, std::uint32_t times) const {
  if (times == 0) return;
  value = std::max<std::int64_t>(value, 0);
  const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(value));
  // Below the first octave the difference wraps to more than any size.
  std::size_t i = bucket - std::size_t{first_octave_} * kPerOctave;
  if (i >= buckets_.size()) {
    const auto octave = static_cast<unsigned>(bucket / kPerOctave);
    cover(octave, octave);
    i = bucket - std::size_t{first_octave_} * kPerOctave;
  }
  std::uint32_t weight = weight_of(times);
  while (buckets_[i] > std::numeric_limits<std::uint32_t>::max() - weight) {
    halve();
    weight /= 2;
  }
  buckets_[i] += weight;
  min_ = count_ == 0 ? value : std::min(min_, value);
  max_ = std::max(max_, value);
  count_ += times;
  sum_ += static_cast<double>(value) * times;
}

/// Makes room for the octaves first..last besides those it has.
void Histogram::cover(unsigned first, unsigned last) const {
  if (!buckets_.empty()) {
    first = std::min<unsigned>(first, first_octave_);
    last = std::max(last, first_octave_ + static_cast<unsigned>(buckets_.size() / kPerOctave) - 1);
  }
  const std::size_t wanted = (last - first + 1) * kPerOctave;
  if (wanted > buckets_.capacity()) {
    const unsigned octaves = last - first + 1;
    buckets_.reserve((octaves <= kFew ? kFew : octaves <= kMany ? kMany : kOctaves) * kPerOctave);
  }
  if (!buckets_.empty()) buckets_.insert(buckets_.begin(), (first_octave_ - first) * kPerOctave, 0);
  buckets_.resize(wanted);
  first_octave_ = static_cast<std::uint8_t>(first);
}

/// What so many values count for, at the present scale.
std::uint32_t Histogram::weight_of(std::uint64_t values) const {
  values += pending_;
  const std::uint64_t weight = values >> scale_;
  pending_ = static_cast<std::uint32_t>(values - (weight << scale_));
  return static_cast<std::uint32_t>(weight);
}

/// Keeps the shape where a counter is full.
void Histogram::halve() const {
  for (std::uint32_t& n : buckets_) n = n / 2 + n % 2;
  ++scale_;
}

void Histogram::merge(const Histogram& other) {
  if (other.empty()) return;
  settled();
  other.settled();
  const std::size_t octaves = other.buckets_.size() / kPerOctave;
  cover(other.first_octave_, static_cast<unsigned>(other.first_octave_ + octaves - 1));
  const std::size_t offset = std::size_t{other.first_octave_} - first_octave_;
  while (scale_ < other.scale_) halve();
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) {
    if (other.buckets_[i] == 0) continue;
    const unsigned coarser = scale_ - other.scale_;
    std::uint64_t sum = buckets_[offset * kPerOctave + i];
    sum += std::max(other.buckets_[i] >> coarser, std::uint32_t{1});
    while (sum > std::numeric_limits<std::uint32_t>::max()) {
      halve();
      sum /= 2;
    }
    buckets_[offset * kPerOctave + i] = static_cast<std::uint32_t>(sum);
  }
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ += other.count_;
  sum_ += other.sum_;
}

std::int64_t Histogram::percentile(double share) const {
  if (empty()) return 0;
  settled();
  std::uint64_t total = 0;  // equal to count_ unless counters were halved
  for (const std::uint32_t n : buckets_) total += n;
  const double rank = std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(total));
  if (rank >= static_cast<double>(total)) return max_;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    below += buckets_[i];
    if (below == 0 || static_cast<double>(below) < rank) continue;
    const std::size_t bucket = i + std::size_t{first_octave_} * kPerOctave;
    const auto low = static_cast<double>(lowest(bucket));
    const auto high = static_cast<double>(lowest(bucket + 1) - 1);
    // Between the two so that neither end is off by more than the other, relative to itself.
    const double middle = low + high == 0 ? 0.0 : 2 * low * high / (low + high);
    return std::clamp(static_cast<std::int64_t>(std::llround(middle)), min_, max_);
  }
  return max_;
}

double Histogram::share_above(std::int64_t limit) const {
  if (empty()) return 0.0;
  settled();
  if (limit < 0) return 1.0;
  const std::size_t bucket = bucket_of(static_cast<std::uint64_t>(limit));
  std::uint64_t total = 0;
  std::uint64_t above = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    total += buckets_[i];
    if (i + std::size_t{first_octave_} * kPerOctave > bucket) above += buckets_[i];
  }
  return static_cast<double>(above) / static_cast<double>(total);
}

}  // namespace rocetop
