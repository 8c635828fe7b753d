// SPDX-License-Identifier: BSD-3-Clause
// The members of a direction's JSON object that say how long things took: round trips, messages, where the time went,
// and where the tap sits.
#pragma once

#include "present/json_writer.h"
#include "track/counts.h"
#include "verdict/thresholds.h"

namespace rocetop::present {

/// Of the thresholds, the round trip's target is said.
void write_delays(JsonWriter& json, const track::DirectionCounts& direction, const verdict::Thresholds& thresholds);

}  // namespace rocetop::present
