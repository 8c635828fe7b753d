// SPDX-License-Identifier: BSD-3-Clause
// The members of a direction's JSON object that say how long things took: round trips, messages, where the time went,
// and where the tap sits.
#pragma once

#include "present/json_writer.h"
#include "track/counts.h"

namespace rocetop::present {

void write_delays(JsonWriter& json, const track::DirectionCounts& direction);

}  // namespace rocetop::present
