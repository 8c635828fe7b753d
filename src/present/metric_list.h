// SPDX-License-Identifier: BSD-3-Clause
// The list of all metrics that can appear, made from the tables that the metrics themselves are made from: for
// `rocetop export --list-metrics` and docs/metrics.md.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/metric_facts.h"

namespace rocetop::present {

/// Metrics under a heading.
struct MetricTable {
  std::string title;
  std::vector<model::MetricFacts> metrics;
};

/// Of metric_families(), in their order.
std::vector<MetricTable> metric_tables();

/// One line a metric: its name and type, then what it is, its unit and labels. Headings begin with "# ".
std::string metric_list_text(std::span<const MetricTable> tables);
/// The same as Markdown: docs/metrics.md.
std::string metric_list_markdown(std::span<const MetricTable> tables);

}  // namespace rocetop::present
