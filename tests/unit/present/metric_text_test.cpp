// SPDX-License-Identifier: BSD-3-Clause
#include "present/metric_text.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <limits>

namespace rocetop::present {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

MetricFamily family(MetricType type, std::vector<ClientMetric> metrics) {
  return {"rocetop_thing_total", "What it is, as \"a sentence\"", type, std::move(metrics)};
}

void expect_the_same(const std::vector<MetricFamily>& families) {
  EXPECT_EQ(metrics_text(families), prometheus::TextSerializer().Serialize(families));
}

TEST(MetricText, NumbersAreWrittenAsPrometheusCppWritesThem) {
  std::vector<ClientMetric> metrics;
  for (const double value : {0.0, -0.0, 1.0, -1.0, 0.1, 1e-9, 5e-324, 123'456'789.0, 999'999'999'999'999.0, 1e15, 1e16,
                             9'007'199'254'740'993.0, 1.8446744073709552e19, 1e300, 2.0 / 3.0, kInfinity, -kInfinity,
                             std::numeric_limits<double>::quiet_NaN()}) {
    ClientMetric& metric = metrics.emplace_back();
    metric.counter.value = metric.gauge.value = value;
  }
  expect_the_same({family(MetricType::Counter, metrics), family(MetricType::Gauge, metrics)});
}

TEST(MetricText, LabelsAreEscaped) {
  ClientMetric metric;
  metric.label = {{"a", "plain"}, {"b", "\\ \" \n\n\""}, {"c", ""}, {"d", "\xC3\xA9"}};
  metric.counter.value = 7;
  expect_the_same({family(MetricType::Counter, {metric})});
}

TEST(MetricText, HistogramsHaveTheirLastBucket) {
  ClientMetric metric;
  metric.histogram = {12, 3.5, {{3, 1e-6}, {10, 0.25}}};
  ClientMetric labelled = metric;
  labelled.label = {{"operation", "read"}};
  labelled.histogram.bucket.push_back({12, kInfinity});
  expect_the_same({family(MetricType::Histogram, {metric, labelled})});
}

TEST(MetricText, NoFamiliesAreNoText) {
  expect_the_same({});
  expect_the_same({family(MetricType::Gauge, {})});
}

}  // namespace
}  // namespace rocetop::present
