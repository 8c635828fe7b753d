// SPDX-License-Identifier: BSD-3-Clause
// RoundTrips: collects the round trips of one direction's requests: their distribution, how they went over time, and
// the gradient that TIMELY would see. It is given samples; which replies make one is the request space's to say.
#pragma once

#include "base/lazy.h"
#include "track/delays.h"

namespace rocetop::track {

class RoundTrips {
 public:
  void add(Nanos when, Nanos rtt);
  RoundTripCounts counts() const { return kept_ ? kept_->counts : RoundTripCounts{}; }

 private:
  struct Kept {
    RoundTripCounts counts;
    double smoothed_difference_ns = 0;
    Nanos last;
  };

  static void add_to_bins(RoundTripCounts& counts, Nanos when, Nanos rtt);

  Lazy<Kept> kept_;
};

}  // namespace rocetop::track
