// SPDX-License-Identifier: BSD-3-Clause
// Metrics of this machine's own counters, for Prometheus: what its RDMA ports and network interfaces count, in base
// units and under names that are the same for all vendors (model/counter_table.h says which counter is which). Not the
// numbers of the capture; those are in present/metrics.h. Pure: what was read comes in, families go out.
#pragma once

#include <prometheus/metric_family.h>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/nanos.h"
#include "model/host_counters.h"

namespace rocetop::present {

struct HostMetric {
  std::string_view name;
  prometheus::MetricType type;
  std::string_view labels;  ///< "device, port"; empty for none
  std::string_view help;
};

/// Every family that host_metric_families can give, in its order.
std::span<const HostMetric> host_metrics();

/// The families that have rows, in the order of host_metrics(). No two rows of a family have the same labels, whatever
/// the names in the reading. `age`: how long ago it was read; without it there is no rocetop_host_read_age_seconds.
std::vector<prometheus::MetricFamily> host_metric_families(const model::HostReading& reading,
                                                           std::optional<Nanos> age = {});

}  // namespace rocetop::present
