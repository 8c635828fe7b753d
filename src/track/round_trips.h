// SPDX-License-Identifier: BSD-3-Clause
// RoundTrips: collects the round trips of one direction's requests: their distribution, how they went over time, and
// the gradient that TIMELY would see. It is given samples; which replies make one is the request space's to say.
#pragma once

#include "base/lazy.h"
#include "base/prefetch.h"
#include "track/delays.h"

namespace rocetop::track {

class RoundTrips {
 public:
  void add(Nanos when, Nanos rtt);
  /// Asks for the memory that add() will touch.
  void fetch() const {
    if (kept_) fetch_lines(kept_.get(), sizeof(Kept));
  }
  RoundTripCounts counts() const;

 private:
  struct Kept {
    double smoothed_difference_ns = 0;
    Nanos last;
    std::int64_t smallest_ns = 0;
    RoundTripCounts::Bin open;  // samples of bin `open_index`, not in the bins yet
    std::size_t open_index = 0;
    RoundTripCounts counts;

    void add_to_bins(Nanos when, Nanos rtt);
    void make_room();
    void close_bin(RoundTripCounts& to) const;
  };

  Lazy<Kept> kept_;
};

}  // namespace rocetop::track
