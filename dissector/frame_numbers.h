// SPDX-License-Identifier: GPL-2.0-or-later
// FrameNumbers: tshark -2 -R numbers the frames that pass the filter of the first pass, so a frame that does not has
// the number of the next one. The analysis sees all of them, each under a number of its own here, in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rocetop::dissector {

class FrameNumbers {
 public:
  /// The next frame of all, which Wireshark calls `number`: what it is called here.
  std::uint32_t take(std::uint32_t number) {
    if (number <= last_number_ || runs_.empty()) {
      const std::uint32_t more = runs_.empty() ? 0 : last_number_ - number + 1;
      const std::uint32_t offset = runs_.empty() ? 0 : runs_.back().offset + more;
      runs_.push_back({number + offset, offset});
    }
    last_number_ = number;
    return number + runs_.back().offset;
  }
  /// The latest frame that Wireshark called `number`.
  std::uint32_t own(std::uint32_t number) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), number,
                                        [](std::uint32_t n, const Run& run) { return n < run.first - run.offset; });
    return after == runs_.begin() ? number : number + std::prev(after)->offset;
  }
  /// The reverse; 0 for a frame that was not kept: another one has its number.
  std::uint32_t shown(std::uint32_t own_number) const {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), own_number,
                                        [](std::uint32_t n, const Run& run) { return n < run.first; });
    if (own_number == 0 || after == runs_.begin()) return own_number;
    const std::uint32_t number = own_number - std::prev(after)->offset;
    return own(number) == own_number ? number : 0;
  }

 private:
  struct Run {
    std::uint32_t first = 0;  ///< own number
    std::uint32_t offset = 0;
  };
  std::vector<Run> runs_;  // one, and one more for each frame that was not kept
  std::uint32_t last_number_ = 0;
};

}  // namespace rocetop::dissector
