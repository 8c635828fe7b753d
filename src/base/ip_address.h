// SPDX-License-Identifier: BSD-3-Clause
// IpAddress: an IPv4 or IPv6 address, 16 bytes, IPv4 kept as ::ffff:a.b.c.d (so a RoCEv1 GID of that form equals the
// IPv4 address).
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_reader.h"

namespace rocetop {

class IpAddress {
 public:
  constexpr IpAddress() = default;

  /// From 4 bytes at `p`, network order.
  static constexpr IpAddress v4(const std::uint8_t* p) {
    IpAddress a;
    a.low_ = std::uint64_t{0xFFFF} << 32 | load_be32(p);
    return a;
  }
  /// From 16 bytes at `p`, network order.
  static IpAddress v6(const std::uint8_t* p);
  /// From text, either family; nothing if it is not an address.
  static std::optional<IpAddress> parse(std::string_view text);

  bool is_v4() const { return high_ == 0 && (low_ >> 32) == 0xFFFF; }
  /// As RFC 5952 writes it; IPv4-mapped as dotted quad.
  std::string to_string() const;
  /// First and last 8 bytes, as big-endian numbers (for hashing and ordering).
  constexpr std::uint64_t high() const { return high_; }
  constexpr std::uint64_t low() const { return low_; }

  friend constexpr auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

}  // namespace rocetop
