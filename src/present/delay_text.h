// SPDX-License-Identifier: BSD-3-Clause
// How long things took on a connection that was asked for, for a person: round trips, messages, where the time went.
#pragma once

#include "present/json_writer.h"
#include "present/paint.h"
#include "track/counts.h"
#include "verdict/thresholds.h"

namespace rocetop::present {

/// A block for each direction that has requests with replies; nothing where there is none.
void write_delays_text(const track::ConnectionCounts& connection, const verdict::Thresholds& thresholds,
                       const TextStyle& style, const TextSink& sink);

}  // namespace rocetop::present
