// SPDX-License-Identifier: BSD-3-Clause
// What there is to know of a metric before it has a value. The listing of all metrics and docs/metrics.md are made from
// these, whoever exports them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rocetop::model {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kHistogram };

struct MetricFacts {
  std::string name;  ///< "rocetop_retransmitted_packets_total"
  MetricKind kind = MetricKind::kCounter;
  std::string unit;                 ///< "packets", "seconds", "bytes", "ratio" …
  std::string help;                 ///< one sentence
  std::vector<std::string> labels;  ///< their names, in order
  std::vector<std::string> values;  ///< of the last label, if they are always these
};

/// The name of a metric: "rocetop_", what it is about, and then, where it does not end with it already, its unit if
/// that is a base unit of Prometheus (seconds, bytes, ratio), and "_total" if it is a counter.
std::string metric_name(std::string_view about, std::string_view unit, MetricKind kind);

}  // namespace rocetop::model
