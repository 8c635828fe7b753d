// SPDX-License-Identifier: BSD-3-Clause
// ExporterMetrics: what the exporter says of itself: scrapes, reloads, its HTTP server, its process. Not what it
// captured; that is in present/metrics.h.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <optional>
#include <vector>

#include "http_server.h"
#include "model/metric_facts.h"

namespace rocetop::cli {

/// As of the moment of a scrape.
struct ExporterState {
  bool up = false;                       ///< something is captured or read
  std::optional<double> snapshot_age_s;  ///< nothing before the first
  HttpCounts http;
  std::optional<std::size_t> unwatched_interfaces;  ///< with an RDMA device; nothing where somebody said what to watch
};

class ExporterMetrics {
 public:
  ExporterMetrics();

  /// From any thread.
  void count_scrape(unsigned status);
  void observe_scrape(double duration_s);
  void count_reload(bool success);

  std::vector<prometheus::MetricFamily> families(const ExporterState& state) const;

  /// Of all that families() gives, in its order.
  static std::vector<model::MetricFacts> facts();

 private:
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& scrapes_;
  prometheus::Family<prometheus::Counter>& reloads_;
  prometheus::Histogram& duration_;
};

}  // namespace rocetop::cli
