// SPDX-License-Identifier: BSD-3-Clause
// Refusals: the newest NAKs and RNR NAKs of a space, answered or not. A receiver that keeps the order takes nothing
// behind the PSN that it names (IBTA vol. 1, 9.7.5.2.8), so what had passed by then and lies behind was not taken, and
// where it is missed later that proves no loss of it. (Of adapters that keep what came out of order, less is said.)
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/frame_id.h"
#include "base/psn.h"

namespace rocetop::track {

class Refusals {
 public:
  void add(Sequence named, FrameId frame) {
    newest_[next_] = {named, frame};
    next_ = (next_ + 1) % newest_.size();
  }
  /// Whether one of them named `s`.
  bool name(Sequence s) const {
    return std::any_of(newest_.begin(), newest_.end(), [&](const Refusal& r) { return r.frame && r.named == s; });
  }
  /// Whether a receiver did not take the packet `s`, last sent in the frame `sent`.
  bool passed_over(Sequence s, FrameId sent) const {
    return std::any_of(newest_.begin(), newest_.end(),
                       [&](const Refusal& r) { return r.frame && r.named < s && sent < r.frame; });
  }

 private:
  struct Refusal {
    Sequence named = 0;
    FrameId frame;
  };
  std::array<Refusal, 4> newest_;  // the one that made the sender go back, and a few before it
  std::size_t next_ = 0;
};

}  // namespace rocetop::track
