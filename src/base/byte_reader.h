// SPDX-License-Identifier: BSD-3-Clause
// ByteReader: a cursor over captured bytes. Never reads outside them; a read past the end returns 0 and sets
// `failed()`, so a header is read field by field and checked once. All network headers are big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rocetop {

using Bytes = std::span<const std::uint8_t>;

/// Big-endian value of the first N bytes at `p` (caller guarantees they exist).
constexpr std::uint16_t load_be16(const std::uint8_t* p) { return static_cast<std::uint16_t>(p[0] << 8 | p[1]); }
constexpr std::uint32_t load_be24(const std::uint8_t* p) {
  return std::uint32_t{p[0]} << 16 | std::uint32_t{p[1]} << 8 | p[2];
}
constexpr std::uint32_t load_be32(const std::uint8_t* p) { return std::uint32_t{p[0]} << 24 | load_be24(p + 1); }
constexpr std::uint64_t load_be64(const std::uint8_t* p) {
  return std::uint64_t{load_be32(p)} << 32 | load_be32(p + 4);
}

class ByteReader {
 public:
  constexpr explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  constexpr std::uint8_t u8() {
    const auto* p = take(1);
    return p ? *p : std::uint8_t{0};
  }
  constexpr std::uint16_t u16() {
    const auto* p = take(2);
    return p ? load_be16(p) : std::uint16_t{0};
  }
  constexpr std::uint32_t u24() {
    const auto* p = take(3);
    return p ? load_be24(p) : 0;
  }
  constexpr std::uint32_t u32() {
    const auto* p = take(4);
    return p ? load_be32(p) : 0;
  }
  constexpr std::uint64_t u64() {
    const auto* p = take(8);
    return p ? load_be64(p) : 0;
  }
  constexpr void skip(std::size_t n) { take(n); }
  /// `n` bytes from here, or an empty span and `failed()`.
  constexpr Bytes bytes(std::size_t n) {
    const auto* p = take(n);
    return p ? Bytes{p, n} : Bytes{};
  }

  /// Bytes not read yet.
  constexpr Bytes rest() const { return bytes_.subspan(offset_); }
  constexpr std::size_t remaining() const { return bytes_.size() - offset_; }
  constexpr std::size_t offset() const { return offset_; }
  constexpr bool failed() const { return failed_; }

 private:
  constexpr const std::uint8_t* take(std::size_t n) {
    if (failed_ || n > bytes_.size() - offset_) {
      failed_ = true;
      return nullptr;
    }
    const auto* p = bytes_.data() + offset_;
    offset_ += n;
    return p;
  }

  Bytes bytes_;
  std::size_t offset_ = 0;
  bool failed_ = false;
};

}  // namespace rocetop
