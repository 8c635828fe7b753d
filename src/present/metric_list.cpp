// SPDX-License-Identifier: BSD-3-Clause
#include "present/metric_list.h"

#include <algorithm>
#include <string_view>

#include "model/metric_fields.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

std::string_view word(model::MetricKind kind) {
  switch (kind) {
    case model::MetricKind::kCounter:
      return "counter";
    case model::MetricKind::kGauge:
      return "gauge";
    case model::MetricKind::kHistogram:
      return "histogram";
  }
  return "";
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

template <typename T>
MetricTable table_of(const model::MetricRows<T>& rows) {
  MetricTable out{std::string(rows.title), {}};
  for (const model::MetricField<T>& field : rows.fields) out.metrics.push_back(field.facts);
  return out;
}

MetricTable histograms() {
  MetricTable out{"Distributions (with --pair-histograms by src and dst as well)", {}};
  for (const model::HistogramField& field : model::histogram_metrics()) {
    out.metrics.push_back(field.facts);
    auto& labels = out.metrics.back().labels;
    labels.insert(labels.begin(), "protocol");
  }
  return out;
}

/// Labels for the Markdown table; those whose values are known with them.
std::string label_cell(const model::MetricFacts& facts) {
  std::string out;
  for (std::size_t i = 0; i < facts.labels.size(); ++i) {
    if (i > 0) out += ", ";
    out += '`' + facts.labels[i] + '`';
    if (i + 1 == facts.labels.size() && !facts.values.empty()) out += " (" + joined(facts.values, ", ") + ")";
  }
  return out;
}

}  // namespace

std::vector<MetricTable> metric_tables() {
  return {table_of(model::input_metrics()),      table_of(model::capture_metrics()),
          table_of(model::pair_metrics()),       table_of(model::veroce_metrics()),
          table_of(model::class_metrics()),      table_of(model::priority_metrics()),
          table_of(model::class_loss_metrics()), histograms(),
          table_of(model::pause_metrics()),      table_of(model::finding_metrics()),
          table_of(model::watch_metrics()),      table_of(model::connection_metrics())};
}

std::string metric_list_text(std::span<const MetricTable> tables) {
  std::size_t longest = 0;
  for (const MetricTable& table : tables) {
    for (const model::MetricFacts& facts : table.metrics) longest = std::max(longest, facts.name.size());
  }
  std::string out;
  for (const MetricTable& table : tables) {
    if (!out.empty()) out += '\n';
    out += "# " + table.title + '\n';
    for (const model::MetricFacts& facts : table.metrics) {
      out += pad_right(facts.name, longest + 2) + pad_right(word(facts.kind), 11) + facts.help;
      const std::string by = facts.labels.empty() ? "" : "by " + joined(facts.labels, ", ");
      const std::string more = facts.unit + (facts.unit.empty() || by.empty() ? "" : "; ") + by;
      out += more.empty() ? "\n" : " [" + more + "]\n";
    }
  }
  return out;
}

std::string metric_list_markdown(std::span<const MetricTable> tables) {
  std::string out =
      "# Metrics\n\n"
      "<!-- Made by `rocetop export --list-metrics=markdown`; a test compares. Change src/model/metric_fields.cpp and "
      "the tables of fields instead. -->\n\n"
      "What `rocetop export` tells Prometheus. Times are seconds, sizes bytes, ratios 0 to 1. Counters (`_total`) "
      "never "
      "go back while\nthe exporter runs: not when connections are forgotten, and not when a pair of hosts gets a row "
      "of "
      "its own or loses it. A fate\nthat later packets can still change is in no counter yet. Where a label has fixed "
      "values they are given, and each of them is\nalways there, be it with 0.\n\n"
      "A pair of hosts is one direction: what was sent from `src` to `dst`. At most `--max-pairs` pairs have rows of "
      "their own; all\nothers are added up in the row whose `src` and `dst` are `other`. A row leaves when none of its "
      "connections is left and nothing\nwas seen of it for `--series-timeout`; if the pair comes back, its counters go "
      "on from where they were.\n\n"
      "Buckets of distributions are taken from finer ones: a value up to 3 % above an edge counts as below it.\n";
  for (const MetricTable& table : tables) {
    out += "\n## " + table.title + "\n\n| metric | type | unit | labels | meaning |\n|---|---|---|---|---|\n";
    for (const model::MetricFacts& facts : table.metrics) {
      out += "| `" + facts.name + "` | " + std::string(word(facts.kind)) + " | " + facts.unit + " | " +
             label_cell(facts) + " | " + facts.help + " |\n";
    }
  }
  return out;
}

}  // namespace rocetop::present
