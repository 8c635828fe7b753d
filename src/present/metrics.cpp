// SPDX-License-Identifier: BSD-3-Clause
#include "present/metrics.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "model/metric_fields.h"
#include "model/words.h"
#include "track/directions.h"

namespace rocetop::present {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

constexpr std::string_view kRest = "other";  // src and dst of all pairs without a row of their own

MetricType type_of(model::MetricKind kind) {
  switch (kind) {
    case model::MetricKind::kCounter:
      return MetricType::Counter;
    case model::MetricKind::kGauge:
      return MetricType::Gauge;
    case model::MetricKind::kHistogram:
      return MetricType::Histogram;
  }
  return MetricType::Untyped;
}

/// What a metric is of: the values of the labels that each of its table has, and the object.
template <typename T>
struct Row {
  std::vector<std::string> labels;
  const T* object = nullptr;
};

class Families {
 public:
  template <typename T>
  void add(const model::MetricRows<T>& table, const std::vector<Row<T>>& rows) {
    for (const model::MetricField<T>& field : table.fields) {
      MetricFamily family = family_of(field.facts);
      family.metric.reserve(rows.size() * field.series());
      for (const Row<T>& row : rows) {
        for (std::size_t i = 0; i < field.series(); ++i) add(family, field, row, i);
      }
      keep(std::move(family));
    }
  }
  template <typename T>
  void add(const model::MetricRows<T>& table, const T& only) {
    add(table, std::vector<Row<T>>{{{}, &only}});
  }

  void add(const model::HistogramField& field, const std::vector<std::string>& row_labels,
           const std::vector<Row<model::PairAmounts>>& rows) {
    MetricFamily family = family_of(field.facts);
    const std::size_t values = std::max<std::size_t>(field.facts.values.size(), 1);
    for (const auto& row : rows) {
      for (std::size_t i = 0; i < values; ++i) {
        ClientMetric& metric = family.metric.emplace_back();
        for (std::size_t l = 0; l < row_labels.size(); ++l) metric.label.push_back({row_labels[l], row.labels[l]});
        if (!field.facts.values.empty()) metric.label.push_back({field.facts.labels.back(), field.facts.values[i]});
        metric.histogram = histogram_of(field, *row.object, i);
      }
    }
    keep(std::move(family));
  }

  std::vector<MetricFamily> take() { return std::move(families_); }

 private:
  static MetricFamily family_of(const model::MetricFacts& facts) {
    return {facts.name, facts.help, type_of(facts.kind), {}};
  }

  /// Nothing where the value is not known.
  template <typename T>
  static void add(MetricFamily& family, const model::MetricField<T>& field, const Row<T>& row, std::size_t i) {
    const model::FieldValue value = field.get(*row.object, i);
    if (std::holds_alternative<std::monostate>(value)) return;
    const auto* integer = std::get_if<std::uint64_t>(&value);
    const double number = integer ? static_cast<double>(*integer) : std::get<double>(value);
    ClientMetric& metric = family.metric.emplace_back();
    metric.label.reserve(field.facts.labels.size());
    for (std::size_t l = 0; l < row.labels.size(); ++l) {
      metric.label.push_back({field.facts.labels[l], row.labels[l]});
    }
    if (!field.facts.values.empty()) metric.label.push_back({field.facts.labels.back(), field.facts.values[i]});
    (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = number / field.parts;
  }

  static ClientMetric::Histogram histogram_of(const model::HistogramField& field, const model::PairAmounts& amounts,
                                              std::size_t value) {
    const model::HistogramField::Counts counts = field.get(amounts, value);
    ClientMetric::Histogram out;
    out.sample_count = counts.count;
    out.sample_sum = static_cast<double>(counts.sum_ns) / 1e9;
    for (std::size_t i = 0; i < counts.at_most.size(); ++i) {
      out.bucket.push_back({counts.at_most[i], static_cast<double>(field.edges_ns[i]) / 1e9});
    }
    out.bucket.push_back({counts.count, std::numeric_limits<double>::infinity()});
    return out;
  }

  void keep(MetricFamily family) {
    if (!family.metric.empty()) families_.push_back(std::move(family));
  }

  std::vector<MetricFamily> families_;
};

// ---------------------------------------------------------------------------------------------- rows

std::string file_names(const std::vector<std::string>& files) {
  std::string out;
  for (const std::string& file : files) (out += out.empty() ? "" : " ") += file;
  return out;
}

std::vector<model::CaptureInput> inputs(const model::LiveSnapshot& snapshot) {
  const model::CaptureCounts& capture = snapshot.totals.capture;
  std::vector<model::CaptureInput> out;
  out.reserve(snapshot.interfaces.size() + 1);
  for (const model::LiveInterface& i : snapshot.interfaces) {
    out.push_back({i.name, i.frames, i.bytes_on_wire, std::nullopt, &i});
  }
  if (out.empty()) {
    out.push_back(
        {file_names(snapshot.totals.files), capture.frames, capture.bytes_on_wire, capture.dropped_reported, nullptr});
  }
  return out;
}

/// `name`, told apart from those of the rows there are: no two series are the same.
std::string unlike(const std::string& name, const std::vector<Row<model::CaptureInput>>& rows) {
  std::string out = name;
  const auto is_taken = [&] {
    return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.labels[0] == out; });
  };
  for (int n = 2; is_taken(); ++n) out = name + " (" + std::to_string(n) + ")";
  return out;
}

std::vector<Row<model::PairAmounts>> pair_rows(const model::LedgerRows& ledger) {
  std::vector<Row<model::PairAmounts>> out;
  for (const model::PairRow& row : ledger.pairs) {
    const auto address = [&](const IpAddress& of) { return row.is_rest ? std::string(kRest) : of.to_string(); };
    out.push_back({{std::string(model::word(row.protocol)), address(row.src), address(row.dst)}, &row.amounts});
  }
  return out;
}

/// Of the pairs that run veRoCE, and of the rest of them.
std::vector<Row<model::PairAmounts>> veroce_rows(const model::LedgerRows& ledger) {
  std::vector<Row<model::PairAmounts>> out = pair_rows(ledger);
  std::erase_if(out, [](const auto& row) { return row.labels.front() != model::word(wire::Protocol::kVeroce); });
  return out;
}

/// Of each protocol that was seen, and of RoCEv2.
std::vector<Row<model::PairAmounts>> protocol_rows(const model::LedgerRows& ledger) {
  std::vector<Row<model::PairAmounts>> out;
  for (std::size_t p = 0; p < model::kProtocols; ++p) {
    const auto protocol = static_cast<wire::Protocol>(p);
    if (!ledger.seen[p] && protocol != wire::Protocol::kRoceV2) continue;
    out.push_back({{std::string(model::word(protocol))}, &ledger.protocols[p]});
  }
  return out;
}

/// Only what was seen of a mix: most classes are never used.
template <std::size_t N>
std::vector<Row<model::TrafficMix::Cell>> cells_of(const std::array<model::TrafficMix::Row, N>& mix) {
  std::vector<Row<model::TrafficMix::Cell>> out;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t c = 0; c < model::kCarriers; ++c) {
      if (mix[i][c].frames == 0) continue;
      const bool untagged = N == model::TrafficMix::kUntagged + 1 && i == model::TrafficMix::kUntagged;
      out.push_back({{untagged ? "none" : std::to_string(i), std::string(model::word(static_cast<model::Carrier>(c)))},
                     &mix[i][c]});
    }
  }
  return out;
}

/// Of the DSCPs that RoCE has come with.
std::vector<Row<model::ClassAmounts>> class_rows(const model::LiveSnapshot& snapshot) {
  std::vector<Row<model::ClassAmounts>> out;
  const auto& mix = snapshot.totals.mix.by_dscp;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    if (mix[i][static_cast<std::size_t>(model::Carrier::kRoce)].frames == 0) continue;
    out.push_back({{std::to_string(i)}, &snapshot.ledger->classes[i]});
  }
  return out;
}

std::vector<Row<model::PauseAmounts>> pause_rows(const model::LedgerRows& ledger) {
  std::vector<Row<model::PauseAmounts>> out;
  out.reserve(ledger.pauses.size());
  for (std::size_t i = 0; i < ledger.pauses.size(); ++i) {
    out.push_back({{i == track::kAllClasses ? "link" : std::to_string(i)}, &ledger.pauses[i]});
  }
  return out;
}

std::vector<model::FindingCount> findings(const model::LiveSnapshot& snapshot) {
  std::vector<model::FindingCount> out = model::finding_counts();
  for (std::size_t i = 0; i < snapshot.totals.findings.size(); ++i) {
    const verdict::Finding& finding = snapshot.totals.findings[i];
    const model::FindingState* state = snapshot.state_of_finding(i);
    if (state == nullptr || !state->active) continue;
    const auto row = std::find_if(out.begin(), out.end(), [&](const model::FindingCount& count) {
      return count.rule == finding.rule && count.severity == finding.severity;
    });
    if (row != out.end()) ++row->active;
  }
  return out;
}

model::WatchCounts watch_counts(const model::LiveSnapshot& snapshot) {
  model::WatchCounts out{&snapshot, snapshot.ledger.get(), {}, {}};
  track::each_direction(snapshot.totals.connections, [&](const track::DirectionCounts& d) {
    const auto loop = static_cast<std::size_t>(d.loop);
    if (loop < out.loops.size()) ++out.loops[loop];
  });
  for (std::size_t i = 0; i < std::min(snapshot.recent.size(), snapshot.totals.connections.size()); ++i) {
    const auto protocol = static_cast<std::size_t>(snapshot.totals.connections[i].protocol);
    if (snapshot.recent[i].frames != 0 && protocol < out.active.size()) ++out.active[protocol];
  }
  return out;
}

std::vector<Row<model::ConnectionTotals>> connection_rows(const model::LedgerRows& ledger) {
  std::vector<Row<model::ConnectionTotals>> out;
  const auto qp = [](const std::optional<Qpn>& qpn) { return qpn ? std::to_string(qpn->value) : std::string(); };
  out.reserve(ledger.connections.size());
  for (const model::ConnectionRow& row : ledger.connections) {
    out.push_back({{std::to_string(row.id), std::string(model::word(row.protocol)), row.a_ip.to_string(), qp(row.a_qpn),
                    row.b_ip.to_string(), qp(row.b_qpn)},
                   &row.amounts});
  }
  return out;
}

/// The capture's counts, of which those that come from connections are the ledger's: they do not go back.
model::CaptureCounts capture_counts(const model::LiveSnapshot& snapshot) {
  model::CaptureCounts out = snapshot.totals.capture;
  out.capture_missed_packets = 0;
  for (const model::PairAmounts& all : snapshot.ledger->protocols) {
    out.capture_missed_packets += all.missing_packets[static_cast<std::size_t>(track::Outcome::kCaptureMissed)];
  }
  return out;
}

void add_histograms(Families& out, const model::LedgerRows& ledger, const MetricsOptions& options) {
  const std::vector<std::string> by_protocol = {"protocol"};
  const auto rows = options.pair_histograms ? pair_rows(ledger) : protocol_rows(ledger);
  const auto& labels = options.pair_histograms ? model::pair_metrics().labels : by_protocol;
  for (const model::HistogramField& field : model::histogram_metrics()) out.add(field, labels, rows);
}

// ---------------------------------------------------------------------------------------------- limits

template <typename T>
std::size_t series_of(const model::MetricRows<T>& table) {
  std::size_t out = 0;
  for (const auto& field : table.fields) out += field.series();
  return out;
}

std::size_t series_of_histograms() {
  std::size_t out = 0;
  for (const auto& field : model::histogram_metrics()) out += field.series();
  return out;
}

/// At most, of all that is not a row of a pair or a connection.
std::size_t other_series() {
  constexpr std::size_t kInputs = 16;
  const std::size_t cells = model::kCarriers * series_of(model::class_metrics());
  const std::size_t priorities = model::TrafficMix::kUntagged + 1;
  const std::size_t rest =
      series_of(model::pair_metrics()) + series_of(model::veroce_metrics()) + series_of_histograms();
  return kInputs * series_of(model::input_metrics()) + series_of(model::capture_metrics()) +
         (model::kDscps + priorities) * cells + model::kDscps * series_of(model::class_loss_metrics()) +
         model::kProtocols * rest + track::kPauseClasses * series_of(model::pause_metrics()) +
         model::finding_counts().size() + series_of(model::watch_metrics());
}

}  // namespace

model::LedgerOptions that_fit(const model::LedgerOptions& wanted, const MetricsOptions& options) {
  model::LedgerOptions out = wanted;
  std::size_t left = options.series_most - std::min(options.series_most, other_series());
  const std::size_t a_pair = series_of(model::pair_metrics()) + series_of(model::veroce_metrics()) +
                             (options.pair_histograms ? series_of_histograms() : 0);
  out.pairs_most = std::min(wanted.pairs_most, left / a_pair);
  left -= out.pairs_most * a_pair;
  out.connections_most = std::min(wanted.connections_most, left / series_of(model::connection_metrics()));
  return out;
}

std::vector<MetricFamily> metric_families(const model::LiveSnapshot& snapshot, const MetricsOptions& options) {
  Families out;
  std::vector<Row<model::CaptureInput>> input_rows;
  const std::vector<model::CaptureInput> captured = inputs(snapshot);
  input_rows.reserve(captured.size());
  for (const auto& input : captured) input_rows.push_back({{unlike(label_text(input.name), input_rows)}, &input});
  out.add(model::input_metrics(), input_rows);
  if (!snapshot.ledger) return out.take();

  const model::LedgerRows& ledger = *snapshot.ledger;
  const model::CaptureCounts capture = capture_counts(snapshot);
  out.add(model::capture_metrics(), capture);
  out.add(model::pair_metrics(), pair_rows(ledger));
  out.add(model::veroce_metrics(), veroce_rows(ledger));
  out.add(model::class_metrics(), cells_of(snapshot.totals.mix.by_dscp));
  out.add(model::priority_metrics(), cells_of(snapshot.totals.mix.by_priority));
  out.add(model::class_loss_metrics(), class_rows(snapshot));
  add_histograms(out, ledger, options);
  out.add(model::pause_metrics(), pause_rows(ledger));
  std::vector<Row<model::FindingCount>> finding_rows;
  const std::vector<model::FindingCount> counts = findings(snapshot);
  finding_rows.reserve(counts.size());
  for (const auto& count : counts) {
    finding_rows.push_back({{std::string(count.rule), std::string(model::word(count.severity))}, &count});
  }
  out.add(model::finding_metrics(), finding_rows);
  out.add(model::watch_metrics(), watch_counts(snapshot));
  out.add(model::connection_metrics(), connection_rows(ledger));
  return out.take();
}

}  // namespace rocetop::present
