// SPDX-License-Identifier: BSD-3-Clause
// JSON of veRoCE: the member "veroce" of a packet, and of a capture.
#pragma once

#include "model/snapshot.h"
#include "present/json_writer.h"
#include "wire/packet.h"

namespace rocetop::present {

/// Of a packet whose protocol is veRoCE.
void write_veroce_packet(JsonWriter& json, const wire::Packet& packet);
/// Of a direction: paths, and how its losses were made good. Writes nothing where it is not veRoCE's.
void write_veroce_direction(JsonWriter& json, const track::DirectionCounts& direction);
/// Writes nothing where nothing went to veRoCE's port.
void write_veroce_capture(JsonWriter& json, const model::Snapshot& snapshot);

}  // namespace rocetop::present
