// SPDX-License-Identifier: BSD-3-Clause
// Where the tap sits on a direction's path, near its source or near its destination. No packet says so: it is inferred
// from what differs between the two ends, and stays unknown unless that is clear. An answer's delay alone says nothing,
// for hosts may be slow; only like is compared with like.
#pragma once

#include "track/counts.h"

namespace rocetop::track {

/// Fills `tap` and `tap_evidence` of a direction. `opposite` may be null.
void judge_tap(DirectionCounts& direction, const DirectionCounts* opposite);

}  // namespace rocetop::track
