// SPDX-License-Identifier: BSD-3-Clause
// FindingLog: which findings go on, and when the others were last seen. It lays what the rules say of the last while
// beside what they say of all since the beginning. Bounded: of what only a window showed, the latest kEndedMost.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "model/live.h"

namespace rocetop::engine {

class FindingLog {
 public:
  /// `snapshot.totals.findings` are about all; `window`: those about the time from `since` to the snapshot's. Fills
  /// `finding_states`. Unless the snapshot is the last one, adds what only a window showed, and puts what is active
  /// first: each with its consequences, as they were.
  void apply(model::LiveSnapshot& snapshot, std::vector<verdict::Finding> window, Nanos since);
  void clear() { *this = {}; }

  static constexpr std::size_t kEndedMost = 100;
  static constexpr std::size_t kSeenMost = 10'000;

 private:
  struct Seen {
    verdict::Finding finding;  // what tells it from others, nothing else
    Nanos last;
  };

  Nanos* last_seen(const verdict::Finding& finding);
  void note(const verdict::Finding& finding, Nanos time);

  std::deque<Seen> seen_;
  std::deque<Seen> only_in_window_;  // with their words, the latest last
};

}  // namespace rocetop::engine
