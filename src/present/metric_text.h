// SPDX-License-Identifier: BSD-3-Clause
// metrics_text(): Prometheus' text format, version 0.0.4, byte for byte as prometheus-cpp's TextSerializer writes it,
// in a fifth of its time: a scrape of a thousand connections is 40,000 lines, and whoever scrapes waits for all of
// them.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

namespace rocetop::present {

/// Counters, gauges and histograms.
std::string metrics_text(const std::vector<prometheus::MetricFamily>& families);

}  // namespace rocetop::present
