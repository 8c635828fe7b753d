// SPDX-License-Identifier: BSD-3-Clause
#include "track/rate_meter.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace rocetop::track {
namespace {

constexpr std::uint8_t kJudgedBins = 16;     // bins with packets between two looks at the width
constexpr std::uint32_t kFewPackets = 2;     // a mean of fewer in a bin: the bins are too narrow
constexpr std::uint32_t kManyPackets = 256;  // … of more: too wide
constexpr std::int64_t kNeverUsed = INT64_MIN >> 14;

std::uint32_t kept(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

std::optional<double> RateMeter::rate() const {
  if (closed_ == 0) return std::nullopt;
  return static_cast<double>(window_bytes()) * 8e9 / static_cast<double>(window_length().count);
}

std::uint64_t RateMeter::window_bytes() const { return std::accumulate(ring_.begin(), ring_.end(), std::uint64_t{0}); }

/// The open bin, and `empty` ones after it, join the window. How many those are is anybody's guess: no branches.
void RateMeter::close(std::uint32_t empty) {
  ring_[next_] = bytes_;
  const auto first = static_cast<std::uint32_t>(next_ + 1);
  for (std::uint32_t i = 0; i < kWindow; ++i) ring_[i] = (i - first) % kWindow < empty ? 0 : ring_[i];
  next_ = static_cast<std::uint8_t>((first + empty) % kWindow);
  closed_ = static_cast<std::uint8_t>(std::min<std::uint32_t>(closed_ + 1 + empty, kWindow));
}

void RateMeter::roll(std::int64_t bin, std::uint32_t bytes) {
  std::uint32_t carried = 0;
  if (bin_ != kNeverUsed) {
    close(static_cast<std::uint32_t>(std::min<std::int64_t>(bin - bin_ - 1, kWindow)));
    last_bytes_ = bytes_;
    last_packets_ = packets_;
    busy_packets_ += packets_;
    if (++busy_bins_ == kJudgedBins) carried = adapt(bin);
  }
  bin_ = bin;
  bytes_ = bytes + carried;
  packets_ = 1 + (carried > 0 ? last_packets_ : 0);  // what is carried is of the bin that was just closed
}

/// Doubles the width where bins hold too few packets, halves it where they hold very many. `bin`, the one about to be
/// opened, is renumbered; returns the bytes that it holds already, of the closed bin that it now covers too. Halving
/// forgets the window: what was in the halves is not known.
std::uint32_t RateMeter::adapt(std::int64_t& bin) {
  const std::uint32_t mean = busy_packets_ / kJudgedBins;
  busy_bins_ = 0;
  busy_packets_ = 0;
  if (mean < kFewPackets && shift_ < kCoarsest) {
    const auto newest = [&](std::size_t back) { return ring_[(next_ + kWindow - 1 - back) % kWindow]; };
    std::array<std::uint32_t, kWindow> merged{};
    const std::size_t skip = (bin & 1) != 0 && closed_ > 0 ? 1 : 0;
    const std::uint32_t carried = skip != 0 ? newest(0) : 0;
    std::size_t pairs = 0;
    for (std::size_t back = skip; back + 1 < closed_; back += 2) {
      merged[pairs++] = kept(std::uint64_t{newest(back)} + newest(back + 1));
    }
    std::reverse(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(pairs));
    ring_ = merged;
    closed_ = static_cast<std::uint8_t>(pairs);
    next_ = static_cast<std::uint8_t>(pairs % kWindow);
    ++shift_;
    bin >>= 1;
    return carried;
  }
  if (mean > kManyPackets && shift_ > kFinest) {
    --shift_;
    bin *= 2;
    closed_ = next_ = 0;
    ring_ = {};
  }
  return 0;
}

}  // namespace rocetop::track
