// SPDX-License-Identifier: BSD-3-Clause
// Which fields are metrics, and how they are called as such. What a field is, its unit and its kind are read from the
// table of fields (fields.h); only what no field describes has its words here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.h"
#include "model/ledger_amounts.h"
#include "model/live.h"
#include "model/metric_facts.h"
#include "model/pair_ledger.h"
#include "model/traffic_mix.h"

namespace rocetop::model {

/// A metric of rows of T. `values` of the last label are one series each, even at zero; none: the row is the series.
template <typename T>
struct MetricField {
  MetricFacts facts;
  double parts = 1;  ///< what `get` gives, divided by this, is in facts.unit
  FieldValue (*get)(const T& row, std::size_t value) = nullptr;

  std::size_t series() const { return facts.values.empty() ? 1 : facts.values.size(); }
};

/// Metrics of one kind of row: each has `labels` first.
template <typename T>
struct MetricRows {
  std::string_view title;
  std::vector<std::string> labels;
  std::vector<MetricField<T>> fields;
};

/// A capture's input: an interface, or a file.
struct CaptureInput {
  std::string name;
  std::uint64_t frames = 0;
  std::uint64_t bytes_on_wire = 0;
  std::optional<std::uint64_t> dropped_reported;  ///< by a file
  const LiveInterface* interface = nullptr;
};

/// How often a rule of the rule book finds something now, with one severity.
struct FindingCount {
  std::string_view rule;
  verdict::Severity severity = verdict::Severity::kInfo;
  std::uint64_t active = 0;
};

/// What is true of a live snapshot as a whole.
struct WatchCounts {
  const LiveSnapshot* snapshot = nullptr;
  const LedgerRows* ledger = nullptr;
  std::array<std::uint64_t, 7> loops{};            ///< directions, by track::Loop
  std::array<std::uint64_t, kProtocols> active{};  ///< connections, by wire::Protocol
};

const MetricRows<CaptureInput>& input_metrics();
const MetricRows<CaptureCounts>& capture_metrics();
const MetricRows<PairAmounts>& pair_metrics();
/// Rows as pair_metrics(), of pairs whose protocol is veRoCE.
const MetricRows<PairAmounts>& veroce_metrics();
const MetricRows<TrafficMix::Cell>& class_metrics();
const MetricRows<TrafficMix::Cell>& priority_metrics();
const MetricRows<ClassAmounts>& class_loss_metrics();
const MetricRows<PauseAmounts>& pause_metrics();
const MetricRows<FindingCount>& finding_metrics();
const MetricRows<WatchCounts>& watch_metrics();
const MetricRows<ConnectionTotals>& connection_metrics();

/// A distribution of rows of PairAmounts.
struct HistogramField {
  MetricFacts facts;
  std::span<const std::int64_t> edges_ns;
  struct Counts {
    std::span<const std::uint64_t> at_most;
    std::uint64_t count = 0;
    std::uint64_t sum_ns = 0;
  };
  Counts (*get)(const PairAmounts& row, std::size_t value) = nullptr;

  std::size_t series() const {
    return (edges_ns.size() + 3) * (facts.values.empty() ? 1 : facts.values.size());  // with +Inf, sum and count
  }
};
/// Their labels come behind those of the row: the protocol, or a pair's.
const std::vector<HistogramField>& histogram_metrics();

/// One of each rule and severity that a finding of it can have, in the order of the rule book; none active.
std::vector<FindingCount> finding_counts();

}  // namespace rocetop::model
