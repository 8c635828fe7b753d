// SPDX-License-Identifier: BSD-3-Clause
// The JSON of `rocetop live --json`, schema rocetop.live/1: one object a line, one line a snapshot. What it shares with
// rocetop.triage/1 has the same name and meaning there; "recent" and "interval" are what came since the line before.
#pragma once

#include "model/live.h"
#include "present/json_writer.h"

namespace rocetop::present {

/// `all`: every connection, not only those of which something was seen in the interval. The last snapshot of all has
/// them in any case.
void write_live_json(const model::LiveSnapshot& snapshot, bool all, const TextSink& sink);

}  // namespace rocetop::present
