// SPDX-License-Identifier: BSD-3-Clause
// What a plot shows a packet as.
#pragma once

#include "model/timeline.h"
#include "track/observation.h"
#include "wire/packet.h"

namespace rocetop::engine {

/// By what was known when it was read.
model::Mark mark_of(const wire::Packet& packet, const track::Observation& observation);

}  // namespace rocetop::engine
