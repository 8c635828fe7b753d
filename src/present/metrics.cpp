// SPDX-License-Identifier: BSD-3-Clause
#include "present/metrics.h"

#include <prometheus/text_serializer.h>

#include <sstream>

#include "model/words.h"

namespace rocetop::present {

model::LedgerOptions that_fit(const model::LedgerOptions& wanted, const MetricsOptions&) { return wanted; }

std::vector<prometheus::MetricFamily> metric_families(const model::LiveSnapshot& snapshot, const MetricsOptions&) {
  std::vector<prometheus::MetricFamily> out;
  if (!snapshot.ledger) return out;
  prometheus::MetricFamily packets{"rocetop_packets_total", "RoCE packets this way.", prometheus::MetricType::Counter,
                                   {}};
  for (const model::PairRow& row : snapshot.ledger->pairs) {
    prometheus::ClientMetric& metric = packets.metric.emplace_back();
    metric.label = {{"protocol", std::string(model::word(row.protocol))},
                    {"src", row.is_rest ? "other" : row.src.to_string()},
                    {"dst", row.is_rest ? "other" : row.dst.to_string()}};
    metric.counter.value = static_cast<double>(row.amounts.packets);
  }
  out.push_back(std::move(packets));
  return out;
}

std::string metrics_text(const std::vector<prometheus::MetricFamily>& families) {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, families);
  return std::move(out).str();
}

std::vector<model::MetricFacts> metric_facts() { return {}; }
std::string metric_list_text(std::span<const MetricTable>) { return {}; }
std::string metric_list_markdown(std::span<const MetricTable>) { return {}; }
std::vector<MetricTable> metric_tables() { return {}; }

}  // namespace rocetop::present
