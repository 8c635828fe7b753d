// SPDX-License-Identifier: BSD-3-Clause
// What there is to know of a metric before it has a value. The listing of all metrics and docs/metrics.md are made from
// these, whoever exports them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocetop::model {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kHistogram };

struct MetricFacts {
  std::string name;  ///< "rocetop_retransmitted_packets_total"
  MetricKind kind = MetricKind::kCounter;
  std::string unit;                 ///< "packets", "seconds", "bytes", "ratio" …
  std::string help;                 ///< one sentence
  std::vector<std::string> labels;  ///< their names, in order
  std::string note;                 ///< when it is there, if it is not always: "with --per-connection"
};

}  // namespace rocetop::model
