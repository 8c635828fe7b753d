// SPDX-License-Identifier: BSD-3-Clause
// ByteOrder: numbers of a capture file, which are in the order of the machine that wrote it (pcap) or its section
// (pcapng). Not for packet headers: those are big-endian and read through base/byte_reader.h.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace rocetop::source {

class ByteOrder {
 public:
  constexpr ByteOrder() = default;
  static constexpr ByteOrder little() { return ByteOrder(std::endian::native != std::endian::little); }
  static constexpr ByteOrder big() { return ByteOrder(std::endian::native != std::endian::big); }

  /// The number at `p`; the caller guarantees that its bytes exist. No alignment is needed.
  std::uint16_t u16(const std::uint8_t* p) const {
    const auto raw = load<std::uint16_t>(p);
    return swap_ ? __builtin_bswap16(raw) : raw;
  }
  std::uint32_t u32(const std::uint8_t* p) const {
    const auto raw = load<std::uint32_t>(p);
    return swap_ ? __builtin_bswap32(raw) : raw;
  }
  std::uint64_t u64(const std::uint8_t* p) const {
    const auto raw = load<std::uint64_t>(p);
    return swap_ ? __builtin_bswap64(raw) : raw;
  }

 private:
  constexpr explicit ByteOrder(bool swap) : swap_(swap) {}

  template <typename T>
  static T load(const std::uint8_t* p) {
    T raw;
    std::memcpy(&raw, p, sizeof(raw));
    return raw;
  }

  bool swap_ = false;
};

}  // namespace rocetop::source
