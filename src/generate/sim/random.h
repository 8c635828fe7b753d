// SPDX-License-Identifier: BSD-3-Clause
// Random: numbers that depend on the seed and on nothing else, not even on the standard library (splitmix64). Each user
// has a stream of its own, so that one more fault leaves the others where they were.
#pragma once

#include <cstdint>

namespace rocetop::generate::sim {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix(seed * 0x9E37'79B9'7F4A'7C15 + mix(stream))) {}

  std::uint64_t next() { return mix(state_ += 0x9E37'79B9'7F4A'7C15); }
  /// From 0 to n - 1.
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : next() % n; }
  bool happens(double chance) {
    if (chance >= 1) return true;
    return chance > 0 && static_cast<double>(next() >> 11) * 0x1p-53 < chance;
  }
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ z >> 27) * 0x94D0'49BB'1331'11EB;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

}  // namespace rocetop::generate::sim
