// SPDX-License-Identifier: BSD-3-Clause
// What the options of `rocetop export` mean.
#pragma once

#include <string>
#include <vector>

#include "base/nanos.h"
#include "base/result.h"
#include "engine/live_monitor.h"
#include "export.h"
#include "listen_address.h"
#include "present/metrics.h"

namespace rocetop::cli {

/// What the options mean.
struct ExportPlan {
  engine::LiveMonitorOptions monitor;
  Nanos interval;  ///< between two looks, on the wall's clock; the monitor's is on that of the packets
  present::MetricsOptions metrics;
  std::vector<ListenAddress> addresses;
  std::string filter;
};

/// Errors: what does not make sense.
Result<ExportPlan> interpret_export(const ExportOptions& options);

}  // namespace rocetop::cli
