// SPDX-License-Identifier: BSD-3-Clause
// What was added to counts since an earlier look at them, in the form of the counts themselves: so that rules can judge
// the last half minute of a watch that has gone on for a month. Amounts are differences; what is a state (the highest
// PSN, what is outstanding, where the tap is) stays as it is now. What was first seen before that time begins with it,
// and has no frame: its proof is elsewhere.
//
// Approximate: the numbers of a distribution are those of its buckets (base/histogram.h), extremes of rates and the
// spread of swings are of all time.
#pragma once

#include <vector>

#include "track/counts.h"
#include "track/fast_cnp_log.h"
#include "track/pause_log.h"

namespace rocetop::track {

/// `before` is `now` as it was at `since`.
ConnectionCounts added_since(const ConnectionCounts& now, const ConnectionCounts& before, Nanos since);
/// The connections of which something was seen since, and those that wait for something. Both lists are by id; one that
/// was not there before came whole.
std::vector<ConnectionCounts> added_since(const std::vector<ConnectionCounts>& now,
                                          const std::vector<ConnectionCounts>& before, Nanos since);

std::vector<PausingPort> added_since(const std::vector<PausingPort>& now, const std::vector<PausingPort>& before,
                                     Nanos since);
std::vector<FastCnpCounts> added_since(const std::vector<FastCnpCounts>& now, const std::vector<FastCnpCounts>& before,
                                       Nanos since);

/// Those kept from `since` on.
FrameSample kept_since(const FrameSample& sample, Nanos since);

Histogram added_since(const Histogram& now, const Histogram& before);

}  // namespace rocetop::track
