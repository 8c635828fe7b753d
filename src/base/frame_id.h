// SPDX-License-Identifier: BSD-3-Clause
// FrameId: which frame of which input file. Frames count from 1 within their file, as Wireshark does.
#pragma once

#include <compare>
#include <cstdint>

namespace rocetop {

class FrameId {
 public:
  constexpr FrameId() = default;  // no frame
  constexpr FrameId(std::uint32_t file, std::uint64_t number)
      : packed_(std::uint64_t{file & 0xFFFF} << 48 | (number & kNumberMask)) {}

  /// False for "no frame".
  constexpr explicit operator bool() const { return number() != 0; }
  constexpr std::uint64_t number() const { return packed_ & kNumberMask; }
  /// Index of the file in the order it was given, from 0.
  constexpr std::uint32_t file() const { return static_cast<std::uint32_t>(packed_ >> 48); }

  friend constexpr auto operator<=>(FrameId, FrameId) = default;

 private:
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << 48) - 1;
  std::uint64_t packed_ = 0;
};

}  // namespace rocetop
