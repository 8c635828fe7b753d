// SPDX-License-Identifier: BSD-3-Clause
#include "wire/sack_bitmap.h"

#include <algorithm>
#include <bit>

#include "base/byte_reader.h"

namespace rocetop::wire {
namespace {

constexpr std::uint64_t reversed_bits(std::uint64_t value) {
  std::uint64_t out = 0;
  for (int i = 0; i < 64; ++i) out |= (value >> i & 1) << (63 - i);
  return out;
}

}  // namespace

std::size_t SackBitmap::highest() const {
  if (words[1] != 0) return 127U - static_cast<std::size_t>(std::countl_zero(words[1]));
  return 63U - static_cast<std::size_t>(std::countl_zero(words[0]));
}

SackBitmap read_sack_bitmap(const std::uint8_t* bytes, SackBits order) {
  const std::uint64_t first = load_be64(bytes);
  const std::uint64_t second = load_be64(bytes + 8);
  switch (order) {
    case SackBits::kBe128:
      return {{second, first}};
    case SackBits::kLe128:
      return {{__builtin_bswap64(first), __builtin_bswap64(second)}};
    case SackBits::kMsbFirst:
      return {{reversed_bits(first), reversed_bits(second)}};
    case SackBits::kBe32:
      return {{std::rotl(first, 32), std::rotl(second, 32)}};
    case SackBits::kBe64:
      return {{first, second}};
  }
  return {};
}

std::vector<PsnRange> psn_ranges(const SackBitmap& bitmap, Psn start, std::size_t length, bool received) {
  std::vector<PsnRange> out;
  length = std::min(length, kSackBitmapBits);
  for (std::size_t i = 0; i < length; ++i) {
    if (bitmap.has(i) != received) continue;
    const Psn psn{start.value + static_cast<std::uint32_t>(i)};
    if (i > 0 && bitmap.has(i - 1) == received) {
      out.back().last = psn;
    } else {
      out.push_back({psn, psn});
    }
  }
  return out;
}

}  // namespace rocetop::wire
