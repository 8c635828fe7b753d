// SPDX-License-Identifier: BSD-3-Clause
// Metrics: a snapshot in Prometheus' terms. Pure functions; no sockets, no registry, no clock. Whoever serves them
// appends metrics of its own.
#pragma once

#include <prometheus/metric_family.h>

#include <cstddef>
#include <string>
#include <vector>

#include "model/live.h"
#include "model/pair_ledger.h"
#include "present/metric_text.h"  // IWYU pragma: export

namespace rocetop::present {

struct MetricsOptions {
  bool pair_histograms = false;      ///< round trips and the like by pair of hosts as well
  std::size_t series_most = 20'000;  ///< of one scrape; rows are left out beyond it
};

/// `wanted`, with as many rows as fit into options.series_most: for the ledger whose rows are shown with these options.
model::LedgerOptions that_fit(const model::LedgerOptions& wanted, const MetricsOptions& options);

/// All families of a snapshot, each with at least one metric. Rows of pairs and connections are those of its ledger.
std::vector<prometheus::MetricFamily> metric_families(const model::LiveSnapshot& snapshot,
                                                      const MetricsOptions& options);

}  // namespace rocetop::present
