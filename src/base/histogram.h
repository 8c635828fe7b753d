// SPDX-License-Identifier: BSD-3-Clause
// Histogram: a distribution of non-negative numbers (nanoseconds, bytes, packets) in log-linear buckets, 32 to an
// octave. Percentiles are off by at most 1/65 (1.6 %) of the true value; count, sum, minimum and maximum are exact.
// It has no counters until its first value, then 0.5 KB of them for 4 octaves in a row, 1.5 KB for 12 or 5 KB for all:
// thousands of quiet connections cost little, and it allocates three times at most. Two histograms merge to what one
// would have been that had seen both.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/nanos.h"

namespace rocetop {

class Histogram {
 public:
  /// Adds `value` once. Negative values count as 0 (stamps of two directions may be out of order). Constant time;
  /// allocates only when a value lies outside all octaves seen before.
  void add(std::int64_t value) {
    // A few are kept and entered together: the counters of many histograms do not fit the near caches.
    if (value > std::numeric_limits<std::uint32_t>::max()) return enter(value, 1);
    recent_[recent_count_++] = value < 0 ? 0 : static_cast<std::uint32_t>(value);
    if (recent_count_ == kRecent) enter_recent();
  }
  void add(Nanos value) { add(value.count); }
  /// Adds `value` `times` times.
  void add(std::int64_t value, std::uint32_t times) { enter(value, times); }

  void merge(const Histogram& other);

  bool empty() const { return count() == 0; }
  std::uint64_t count() const { return count_ + recent_count_; }
  double sum() const { return settled().sum_; }
  /// 0 when empty, as all below.
  std::int64_t min() const { return empty() ? 0 : settled().min_; }
  std::int64_t max() const { return settled().max_; }
  double mean() const { return empty() ? 0.0 : settled().sum_ / static_cast<double>(count()); }

  /// The smallest value that at least `share` (0..1) of all values do not exceed.
  std::int64_t percentile(double share) const;
  /// Share (0..1) of the values above `limit`; those in the bucket of `limit` count as not above.
  double share_above(std::int64_t limit) const;

  /// Calls `function(lowest, highest, values)` for each bucket that holds some, ascending. Once a counter was
  /// full, `values` are one for each of 2, 4, 8 …
  template <typename Function>
  void each_bucket(Function&& function) const {
    settled();
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      if (buckets_[i] == 0) continue;
      const std::size_t bucket = i + std::size_t{first_octave_} * kPerOctave;
      function(lowest(bucket), lowest(bucket + 1) - 1, buckets_[i]);
    }
  }

  /// The bucket of a value, counted from 0: octave 0 holds 0..31 one by one, octave n holds 32 * 2^(n-1) .. 32 * 2^n
  /// - 1.
  static constexpr std::size_t bucket_of(std::uint64_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    if (width <= kBits) return value;
    const unsigned octave = width - kBits;
    if (octave >= kOctaves) return kOctaves * kPerOctave - 1;
    return octave * kPerOctave + ((value >> (octave - 1)) & (kPerOctave - 1));
  }

  /// Bytes of counters in use.
  std::size_t size_bytes() const { return buckets_.capacity() * sizeof(std::uint32_t); }

 private:
  static constexpr unsigned kBits = 5;
  static constexpr std::size_t kPerOctave = std::size_t{1} << kBits;
  /// The highest octave, 2^43 .. 2^44 (2.4 to 4.9 hours in nanoseconds), holds everything above it too.
  static constexpr unsigned kOctaves = 40;
  static constexpr unsigned kFew = 4;    // octaves that counters are made for at first …
  static constexpr unsigned kMany = 12;  // … and next

  static constexpr std::int64_t lowest(std::size_t bucket) {
    const std::size_t octave = bucket / kPerOctave;
    const auto within = static_cast<std::int64_t>(bucket % kPerOctave);
    return octave == 0 ? within : (static_cast<std::int64_t>(kPerOctave) + within) << (octave - 1);
  }

  void enter(std::int64_t value, std::uint32_t times) const;
  void enter_recent() const;
  /// This, with nothing left in `recent_`.
  const Histogram& settled() const {
    if (recent_count_ != 0) enter_recent();
    return *this;
  }
  void cover(unsigned first, unsigned last) const;
  void halve() const;
  std::uint32_t weight_of(std::uint64_t values) const;

  static constexpr std::uint32_t kRecent = 7;
  // Values not entered yet. The rest follows from them whenever somebody asks, which changes nothing that can be seen.
  mutable std::uint32_t recent_count_ = 0;
  std::array<std::uint32_t, kRecent> recent_{};
  mutable std::vector<std::uint32_t> buckets_;  // of the octaves from first_octave_ on
  mutable std::uint64_t count_ = 0;
  mutable double sum_ = 0;
  mutable std::int64_t min_ = 0;
  mutable std::int64_t max_ = 0;
  mutable std::uint32_t pending_ = 0;  // values not counted in the buckets yet: fewer than 2^scale_
  mutable std::uint8_t scale_ = 0;     // a bucket counts one for 2^scale_ values
  mutable std::uint8_t first_octave_ = 0;
};

}  // namespace rocetop
