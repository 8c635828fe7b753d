// SPDX-License-Identifier: BSD-3-Clause
// RateMeter: how fast one direction sends, as bytes in bins of time, of which the last few are kept. It is no record of
// the whole connection: fixed size, and a packet within a bin costs a comparison and two additions.
//
// The bins' width follows the traffic between 16 us and 16 ms, so that a window of kWindow bins holds some tens of
// packets: fewer make a rate of chance, more hide what congestion control does within a few round trips.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/nanos.h"

namespace rocetop::track {

class RateMeter {
 public:
  static constexpr std::size_t kWindow = 8;

  /// One packet. True when it is the first one after the bin before ended: then the window has moved.
  bool add(Nanos time, std::uint32_t bytes) {
    const std::int64_t bin = time.count >> shift_;
    if (bin > bin_) [[unlikely]] {
      roll(bin, bytes);
      return true;
    }
    // A stamp that steps back counts where the meter stands.
    bytes_ += bytes;
    ++packets_;
    return false;
  }

  /// Bits per second over the closed bins of the window; nothing before the first one is closed.
  std::optional<double> rate() const;
  /// Bytes in the window, and its length; the bin that is still open is not part of it.
  std::uint64_t window_bytes() const;
  Nanos window_length() const { return {static_cast<std::int64_t>(closed_) << shift_}; }
  /// Begin and end of the window.
  Nanos window_begin() const { return window_end() - window_length(); }
  Nanos window_end() const { return {bin_ << shift_}; }
  bool window_is_full() const { return closed_ == kWindow; }
  /// Mean size of the packets of late, bytes.
  double packet_bytes() const {
    return last_packets_ > 0 ? static_cast<double>(last_bytes_) / static_cast<double>(last_packets_) : 0.0;
  }

 private:
  void roll(std::int64_t bin, std::uint32_t bytes);
  void close(std::uint32_t empty);
  std::uint32_t adapt(std::int64_t& bin);

  static constexpr unsigned kFinest = 14;    // 2^14 ns: 16 us
  static constexpr unsigned kCoarsest = 24;  // 2^24 ns: 16 ms

  // One cache line in all. A bin of 16 ms at 2 Tb/s still fits 32 bits.
  std::int64_t bin_ = INT64_MIN >> kFinest;  // number of the open bin; the first packet is after it
  std::uint32_t bytes_ = 0;                  // … and what is in it
  std::uint32_t packets_ = 0;
  std::uint8_t shift_ = kFinest;  // log2 of a bin's width in ns
  std::uint8_t next_ = 0;         // slot of the next closed bin
  std::uint8_t closed_ = 0;       // bins in the window
  std::uint8_t busy_bins_ = 0;    // bins with packets since the width was last judged
  std::uint32_t busy_packets_ = 0;
  std::uint32_t last_bytes_ = 0;  // of the newest closed bin with packets
  std::uint32_t last_packets_ = 0;
  std::array<std::uint32_t, kWindow> ring_{};  // what is not in the window is 0
};

}  // namespace rocetop::track
