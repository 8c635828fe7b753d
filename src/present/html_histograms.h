// SPDX-License-Identifier: BSD-3-Clause
// The histograms of the HTML report: buckets of the distributions that the JSON sums up in percentiles, for the
// connections in the most trouble, as long as there is room.
#pragma once

#include <cstddef>
#include <vector>

#include "model/snapshot.h"
#include "present/json_writer.h"

namespace rocetop::present {

/// `order`: indexes of connections, the most important first. The member "connections" has one entry for each that
/// found room within `most_buckets` (about 4 bytes each): its directions' histograms by their path in the JSON of the
/// direction, buckets (Histogram::bucket_of) and counts as packed columns. "omitted": connections that found none.
void write_html_histograms(const model::Snapshot& snapshot, const std::vector<std::size_t>& order,
                           std::size_t most_buckets, JsonWriter& json);

}  // namespace rocetop::present
