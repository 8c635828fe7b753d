// SPDX-License-Identifier: BSD-3-Clause
// Metrics of this machine's own counters, for Prometheus: what its RDMA ports and network interfaces count, in base
// units and under names that are the same for all vendors (model/counter_table.h says which counter is which). Not the
// numbers of the capture; those are in present/metrics.h. Pure: what was read comes in, families go out.
#pragma once

#include <prometheus/metric_family.h>

#include <optional>
#include <vector>

#include "base/nanos.h"
#include "model/host_counters.h"
#include "model/metric_facts.h"

namespace rocetop::present {

/// Every family that host_metric_families can give, in its order.
const std::vector<model::MetricFacts>& host_metrics();

/// The families that have rows, in the order of host_metrics(). No two rows of a family have the same labels, whatever
/// the names in the reading. `age`: how long ago it was read; without it there is no rocetop_host_read_age_seconds.
std::vector<prometheus::MetricFamily> host_metric_families(const model::HostReading& reading,
                                                           std::optional<Nanos> age = {});

}  // namespace rocetop::present
