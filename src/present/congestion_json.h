// SPDX-License-Identifier: BSD-3-Clause
// The parts of the triage JSON that are about congestion: the loop of each direction, pauses, CNP spacing, receivers,
// host pairs, and the mix of classes.
#pragma once

#include "model/snapshot.h"
#include "present/json_writer.h"

namespace rocetop::present {

/// Members of a direction.
void write_congestion(JsonWriter& json, const track::DirectionCounts& direction);
/// Members of the capture: "pfc", "pause_802_3x", "pausing_ports", "mix".
void write_pauses_and_mix(JsonWriter& json, const model::Snapshot& snapshot);
/// Members of the whole: "cnp_pacing", "fast_cnps", "receivers", "host_pairs"; the first `most` entries of each.
void write_shared(JsonWriter& json, const model::Snapshot& snapshot, std::size_t most);

}  // namespace rocetop::present
