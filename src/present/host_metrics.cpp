// SPDX-License-Identifier: BSD-3-Clause
#include "present/host_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "model/counter_table.h"
#include "present/metric_text.h"

namespace rocetop::present {
namespace {

using model::AdapterMetric;
using model::InterfaceMetric;
using enum model::MetricKind;

constexpr std::array<std::string_view, 6> kInfoLabels = {"device", "port", "interface", "driver", "link_layer", "rate"};
constexpr std::array<std::string_view, 2> kPortLabels = {"device", "port"};
constexpr std::array<std::string_view, 3> kCounterLabels = {"device", "port", "counter"};
constexpr std::array<std::string_view, 3> kPriorityLabels = {"interface", "priority", "direction"};
constexpr std::array<std::string_view, 1> kErrorLabels = {"what"};

struct Row {
  std::string_view name;
  model::MetricKind kind;
  std::string_view unit;
  std::span<const std::string_view> labels;
  std::string_view help;
};

// Two rows of what a port is, the standard metrics in the order of their enum, then the rest.
enum Index : std::size_t {
  kInfo,
  kUp,
  kStandard,
  kErrors = kStandard + model::kStandardMetrics,
  kCounters,
  kLevels,
  kInterface,
  kReadErrors = kInterface + model::kInterfaceMetrics,
  kReadAge,
  kMetrics
};

constexpr std::array<Row, kMetrics> kTable = {{
    {"rocetop_adapter_info", kGauge, "", kInfoLabels, "1 for each port of this machine's RDMA adapters."},
    {"rocetop_adapter_port_up", kGauge, "", kPortLabels, "1 while the port is active."},
    {"rocetop_adapter_received_bytes_total", kCounter, "bytes", kPortLabels,
     "Bytes of RDMA traffic that the port received, by the adapter's own count."},
    {"rocetop_adapter_transmitted_bytes_total", kCounter, "bytes", kPortLabels,
     "Bytes of RDMA traffic that the port sent, by the adapter's own count."},
    {"rocetop_adapter_received_packets_total", kCounter, "packets", kPortLabels,
     "Packets of RDMA traffic that the port received, by the adapter's own count."},
    {"rocetop_adapter_transmitted_packets_total", kCounter, "packets", kPortLabels,
     "Packets of RDMA traffic that the port sent, by the adapter's own count."},
    {"rocetop_adapter_cnp_sent_packets_total", kCounter, "packets", kPortLabels,
     "CNPs that the adapter sent because marked packets reached it."},
    {"rocetop_adapter_cnp_handled_packets_total", kCounter, "packets", kPortLabels,
     "CNPs that reached the adapter and were handled; some drivers count all that were received."},
    {"rocetop_adapter_ecn_marked_packets_total", kCounter, "packets", kPortLabels,
     "RoCE packets marked CE that reached the adapter."},
    {"rocetop_adapter_out_of_sequence_packets_total", kCounter, "packets", kPortLabels,
     "Packets that reached the adapter out of sequence. 32 bits wide on mlx5: a wrap looks like a restart."},
    {"rocetop_adapter_sequence_naks_received_total", kCounter, "", kPortLabels,
     "NAKs for a sequence error that the adapter received. 32 bits wide on mlx5: a wrap looks like a restart."},
    {"rocetop_adapter_timeouts_total", kCounter, "", kPortLabels,
     "Times that the adapter waited for an acknowledgement in vain. 32 bits wide on mlx5."},
    {"rocetop_adapter_rnr_naks_received_total", kCounter, "", kPortLabels,
     "RNR NAKs that the adapter received. 32 bits wide on mlx5: a wrap looks like a restart."},
    {"rocetop_adapter_rnr_naks_sent_total", kCounter, "", kPortLabels, "RNR NAKs that the adapter sent."},
    {"rocetop_adapter_retransmitted_packets_total", kCounter, "packets", kPortLabels,
     "Packets that the adapter sent again, on drivers that count packets (not mlx5)."},
    {"rocetop_adapter_bad_icrc_packets_total", kCounter, "packets", kPortLabels,
     "RoCE packets with a wrong ICRC that reached the adapter."},
    {"rocetop_adapter_transmit_wait_total", kCounter, "", kPortLabels,
     "Ticks, of the adapter's own length, in which the port had something to send and sent nothing."},
    {"rocetop_adapter_errors_total", kCounter, "", kCounterLabels,
     "Errors that the adapter counts, by the driver's name for them. Those of 8 or 16 bits stop when they are full."},
    {"rocetop_adapter_other_total", kCounter, "", kCounterLabels,
     "Every other counter of the port, by the driver's name and in the driver's unit."},
    {"rocetop_adapter_level", kGauge, "", kCounterLabels,
     "What drivers show among their counters and is none: it may fall."},
    {"rocetop_interface_pause_frames_total", kCounter, "frames", kPriorityLabels,
     "Pause frames by the interface's own count: PFC by priority; priority=\"link\" is IEEE 802.3 PAUSE, where some "
     "adapters count PFC too."},
    {"rocetop_interface_pause_seconds_total", kCounter, "seconds", kPriorityLabels,
     "Time that the interface was paused (rx) or asked its neighbour to pause (tx), by its own count."},
    {"rocetop_interface_discarded_packets_total", kCounter, "packets", kPriorityLabels,
     "Packets that the interface discarded, by priority; priority=\"link\" (the whole port) where it has none."},
    {"rocetop_host_read_errors_total", kCounter, "", kErrorLabels,
     "What of this machine's own counters could not be read."},
    {"rocetop_host_read_age_seconds",
     kGauge,
     "seconds",
     {},
     "How long ago this machine's own counters were read: it grows while an adapter does not answer."},
}};

using Labels = std::vector<prometheus::ClientMetric::Label>;

/// The families as they fill up. A row whose labels are there already is dropped: Prometheus would refuse all of them.
class Families {
 public:
  Families() {
    for (std::size_t i = 0; i < kMetrics; ++i) {
      families_[i].name = std::string(kTable[i].name);
      families_[i].help = std::string(kTable[i].help);
      families_[i].type = kTable[i].kind == kCounter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
    }
  }

  void add(std::size_t family, Labels labels, double value) {
    std::string key;
    for (const auto& label : labels) key += label.value + '\n';
    if (!seen_[family].insert(std::move(key)).second) return;
    prometheus::ClientMetric row;
    row.label = std::move(labels);
    if (kTable[family].kind == kCounter) {
      row.counter.value = value;
    } else {
      row.gauge.value = value;
    }
    families_[family].metric.push_back(std::move(row));
  }

  std::vector<prometheus::MetricFamily> take() {
    std::vector<prometheus::MetricFamily> out;
    for (auto& family : families_) {
      if (!family.metric.empty()) out.push_back(std::move(family));
    }
    return out;
  }

 private:
  std::array<prometheus::MetricFamily, kMetrics> families_;
  std::array<std::set<std::string>, kMetrics> seen_;
};

Labels with(Labels labels, const char* name, std::string_view value) {
  labels.push_back({name, label_text(value)});
  return labels;
}

/// The sum of what has the lowest rank.
struct Best {
  std::uint8_t rank = 255;
  double sum = 0;

  void add(std::uint8_t its_rank, double value) {
    if (its_rank > rank) return;
    sum = its_rank < rank ? value : sum + value;
    rank = its_rank;
  }
};

/// Where a counter goes that is no standard metric, or one that another name of the port is already.
std::size_t named_family(const model::AdapterCounterMeaning* meaning) {
  if (meaning == nullptr) return kCounters;
  if (meaning->metric == AdapterMetric::kError) return kErrors;
  return meaning->metric == AdapterMetric::kLevel ? kLevels : kCounters;
}

bool is_standard(const model::AdapterCounterMeaning* meaning) {
  return meaning != nullptr && static_cast<std::size_t>(meaning->metric) < model::kStandardMetrics;
}

void add_port(Families& out, const model::AdapterPort& port) {
  const Labels labels = with(with({}, "device", port.device), "port", fmt::format("{}", port.port));
  out.add(
      kInfo,
      with(with(with(with(labels, "interface", port.interface), "driver", port.driver), "link_layer", port.link_layer),
           "rate", port.rate),
      1);
  out.add(kUp, labels, port.state.starts_with("4:") ? 1 : 0);
  std::array<Best, model::kStandardMetrics> best;
  for (const model::AdapterCounter& counter : port.counters) {
    const auto* meaning = model::adapter_counter(counter.name);
    if (!is_standard(meaning)) continue;
    best[static_cast<std::size_t>(meaning->metric)].add(
        meaning->rank, static_cast<double>(counter.value) * static_cast<double>(meaning->factor));
  }
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (best[i].rank != 255) out.add(kStandard + i, labels, best[i].sum);
  }
  for (const model::AdapterCounter& counter : port.counters) {
    const auto* meaning = model::adapter_counter(counter.name);
    if (meaning != nullptr && meaning->metric == AdapterMetric::kNone) continue;
    if (is_standard(meaning) && best[static_cast<std::size_t>(meaning->metric)].rank == meaning->rank) continue;
    out.add(named_family(meaning), with(labels, "counter", counter.name), static_cast<double>(counter.value));
  }
}

/// [metric][sent][priority, the link's last]
using InterfaceSums = std::array<std::array<std::array<Best, model::kLink + 1>, 2>, model::kInterfaceMetrics>;

InterfaceSums sums_of(const model::NetworkInterface& interface) {
  InterfaceSums sums{};
  for (const model::AdapterCounter& counter : interface.counters) {
    const auto known = model::interface_counter(counter.name);
    if (!known) continue;
    const auto& meaning = *known->meaning;
    sums[static_cast<std::size_t>(meaning.metric)][meaning.sent ? 1 : 0][known->priority].add(
        meaning.rank, static_cast<double>(counter.value) * meaning.factor);
  }
  auto& frames = sums[static_cast<std::size_t>(InterfaceMetric::kPauseFrames)];
  const auto standard = [](Best& best, const std::optional<std::uint64_t>& count) {
    if (count) best = {model::kStandardPauseRank, static_cast<double>(*count)};
  };
  standard(frames[0][model::kLink], interface.pause_frames_received);
  standard(frames[1][model::kLink], interface.pause_frames_sent);
  return sums;
}

void add_interface(Families& out, const model::NetworkInterface& interface) {
  const InterfaceSums sums = sums_of(interface);
  for (std::size_t metric = 0; metric < sums.size(); ++metric) {
    for (std::size_t sent = 0; sent < 2; ++sent) {
      const auto& rows = sums[metric][sent];
      const auto there = [](const Best& best) { return best.rank != 255; };
      // What the whole port discarded contains what each priority did; pauses of the link are other frames than PFC's.
      const bool contained = metric == static_cast<std::size_t>(InterfaceMetric::kDiscards) &&
                             std::any_of(rows.begin(), rows.end() - 1, there);
      for (std::size_t priority = 0; priority < rows.size(); ++priority) {
        const bool link = priority == model::kLink;
        if (!there(rows[priority]) || (link && contained)) continue;
        const Labels labels =
            with(with(with({}, "interface", interface.name), "priority", link ? "link" : fmt::format("{}", priority)),
                 "direction", sent == 1 ? "tx" : "rx");
        out.add(kInterface + metric, labels, rows[priority].sum);
      }
    }
  }
}

}  // namespace

const std::vector<model::MetricFacts>& host_metrics() {
  static const auto kFacts = [] {
    std::vector<model::MetricFacts> out;
    out.reserve(kTable.size());
    for (const Row& row : kTable) {
      out.push_back({std::string(row.name),
                     row.kind,
                     std::string(row.unit),
                     std::string(row.help),
                     {row.labels.begin(), row.labels.end()},
                     {}});
    }
    return out;
  }();
  return kFacts;
}

std::vector<prometheus::MetricFamily> host_metric_families(const model::HostReading& reading,
                                                           std::optional<Nanos> age) {
  Families out;
  for (const model::AdapterPort& port : reading.ports) add_port(out, port);
  for (const model::NetworkInterface& interface : reading.interfaces) add_interface(out, interface);
  for (std::size_t i = 0; i < model::kHostReadErrors; ++i) {
    out.add(kReadErrors, with({}, "what", word(static_cast<model::HostReadError>(i))),
            static_cast<double>(reading.errors.of[i]));
  }
  if (age) out.add(kReadAge, {}, static_cast<double>(age->count) / 1e9);
  return out.take();
}

}  // namespace rocetop::present
