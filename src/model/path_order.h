// SPDX-License-Identifier: BSD-3-Clause
// Which paths of a veRoCE direction a person wants to see first, where not all of them can be shown: every face shows
// them in this order.
#pragma once

#include <cstddef>
#include <vector>

#include "track/veroce_counts.h"

namespace rocetop::model {

/// Indexes of `paths`: those that lose packets (lost behind the tap, trimmed before or behind it), then slow ones
/// (Slow-Packet Signals), then marked ones (CE, CNPs), each by how many; then by packets and, of equals, by port.
std::vector<std::size_t> worst_paths_first(const std::vector<track::VerocePath>& paths);

}  // namespace rocetop::model
