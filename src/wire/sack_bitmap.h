// SPDX-License-Identifier: BSD-3-Clause
// SackBitmap: the 128 bits of veRoCE's SACKETH, brought into one order: offset i is PSN start + i, 1 is received.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/psn.h"
#include "wire/veroce_layout.h"

namespace rocetop::wire {

inline constexpr std::size_t kSackBitmapBits = 128;
inline constexpr std::size_t kSackBitmapBytes = kSackBitmapBits / 8;

struct SackBitmap {
  std::array<std::uint64_t, 2> words{};  ///< offset i is bit i % 64 of word i / 64

  bool has(std::size_t offset) const { return (words[offset / 64] >> offset % 64 & 1) != 0; }
  bool empty() const { return (words[0] | words[1]) == 0; }
  /// Offset of the last bit set; nothing may be asked of an empty one.
  std::size_t highest() const;
  friend bool operator==(const SackBitmap&, const SackBitmap&) = default;
};

/// From kSackBitmapBytes bytes at `bytes`.
SackBitmap read_sack_bitmap(const std::uint8_t* bytes, SackBits order);

struct PsnRange {
  Psn first;
  Psn last;  ///< inclusive
  friend bool operator==(const PsnRange&, const PsnRange&) = default;
};
/// Runs of bits that are `received` (or not) among the first `length`, as PSNs; `length` is at most 128.
std::vector<PsnRange> psn_ranges(const SackBitmap& bitmap, Psn start, std::size_t length, bool received);

}  // namespace rocetop::wire
