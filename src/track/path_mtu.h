// SPDX-License-Identifier: BSD-3-Clause
// PathMtu: what is known of a connection's path MTU: nothing, that it is no less than something, or all. A power of two
// from 256 to 4096 bytes (IBTA vol. 1, 9.3.1.1 and table 98). It decides how many PSNs a READ takes.
#pragma once

#include <cstdint>

#include "base/psn.h"
#include "track/read_window.h"

namespace rocetop::track {

constexpr bool is_path_mtu(std::uint32_t bytes) {
  return bytes == 256 || bytes == 512 || bytes == 1024 || bytes == 2048 || bytes == 4096;
}

class PathMtu {
 public:
  static constexpr std::uint32_t kLeast = 256;
  static constexpr std::uint32_t kMost = 4096;

  bool known() const { return at_least_ == at_most_; }
  std::uint32_t at_least() const { return at_least_; }
  std::uint32_t at_most() const { return at_most_; }

  void learn(std::uint32_t bytes) { at_least_ = at_most_ = bytes; }
  /// A payload of `bytes` fits into it. Whether that is news.
  bool learn_payload(std::uint32_t bytes) {
    return raise_while([&](std::uint32_t pmtu) { return pmtu < bytes; });
  }
  /// A READ of `bytes` takes no more than `psns` PSNs. Whether that is news.
  bool learn_room(std::uint32_t bytes, Sequence psns) {
    return raise_while([&](std::uint32_t pmtu) { return read_span(bytes, pmtu) > psns; });
  }

  /// The fewest and the most PSNs that a READ of `bytes` can take.
  Sequence narrowest(std::uint32_t bytes) const { return read_span(bytes, at_most_); }
  Sequence widest(std::uint32_t bytes) const { return read_span(bytes, at_least_); }
  /// The most it can take of `psns` PSNs; all of them if it needs more in any case.
  Sequence widest_within(std::uint32_t bytes, Sequence psns) const {
    for (std::uint32_t pmtu = at_least_; pmtu < at_most_; pmtu *= 2) {
      if (read_span(bytes, pmtu) <= psns) return read_span(bytes, pmtu);
    }
    return narrowest(bytes) < psns ? narrowest(bytes) : psns;
  }

 private:
  template <typename TooSmall>
  bool raise_while(TooSmall&& too_small) {
    const std::uint32_t before = at_least_;
    while (at_least_ < at_most_ && too_small(at_least_)) at_least_ *= 2;
    return at_least_ != before;
  }

  std::uint32_t at_least_ = kLeast;
  std::uint32_t at_most_ = kMost;
};

}  // namespace rocetop::track
