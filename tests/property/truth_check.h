// SPDX-License-Identifier: BSD-3-Clause
// The tracker's account of a connection against the truth of the traffic model.
#pragma once

#include <string>

#include "generate/traffic.h"
#include "track/counts.h"

namespace rocetop {

/// Differences in words, one a line; empty when the account is true. Compared are what the capture decides: episodes
/// whose cause the tap could not know are only counted.
std::string differences(const generate::SpaceTruth& truth, const track::SpaceCounts& counts);

/// Requests of `plan`, their responses and the replies, wherever the connection has them.
std::string differences(const generate::TrafficPlan& plan, const generate::TrafficTruth& truth,
                        const std::vector<track::ConnectionCounts>& connections);

}  // namespace rocetop
