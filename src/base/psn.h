// SPDX-License-Identifier: BSD-3-Clause
// Psn, Msn and Qpn: the 24-bit numbers of the InfiniBand transport (IBTA vol. 1, ch. 9), and serial arithmetic on them.
// Inside the tracker a PSN is extended to 64 bits (`Sequence`), so that windows never wrap; only this file converts.
#pragma once

#include <cstdint>

namespace rocetop {

inline constexpr std::uint32_t kMask24 = 0xFFFFFF;

/// Packet sequence number, 24 bits.
struct Psn {
  std::uint32_t value = 0;
  constexpr Psn() = default;
  constexpr explicit Psn(std::uint32_t v) : value(v & kMask24) {}
  friend constexpr bool operator==(Psn, Psn) = default;
};

/// Message sequence number of an AETH, 24 bits.
struct Msn {
  std::uint32_t value = 0;
  constexpr Msn() = default;
  constexpr explicit Msn(std::uint32_t v) : value(v & kMask24) {}
  friend constexpr bool operator==(Msn, Msn) = default;
};

/// Queue pair number, 24 bits. 0 and 1 are the management queue pairs.
struct Qpn {
  std::uint32_t value = 0;
  constexpr Qpn() = default;
  constexpr explicit Qpn(std::uint32_t v) : value(v & kMask24) {}
  friend constexpr bool operator==(Qpn, Qpn) = default;
  friend constexpr auto operator<=>(Qpn, Qpn) = default;
};

/// a - b modulo 2^24, in [-2^23, 2^23).
constexpr std::int32_t serial_difference(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>((a - b) << 8) >> 8;
}

/// A PSN extended to 64 bits: the wrap count above, the 24 wire bits below.
using Sequence = std::int64_t;

/// The sequence nearest to `reference` whose low 24 bits are `psn`.
constexpr Sequence extend(Sequence reference, Psn psn) {
  return reference + serial_difference(psn.value, static_cast<std::uint32_t>(reference) & kMask24);
}

/// The wire bits of a sequence.
constexpr Psn wire_psn(Sequence s) { return Psn{static_cast<std::uint32_t>(s) & kMask24}; }

}  // namespace rocetop
