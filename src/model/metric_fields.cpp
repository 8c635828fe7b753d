// SPDX-License-Identifier: BSD-3-Clause
#include "model/metric_fields.h"

#include <utility>

#include "base/check.h"
#include "model/words.h"
#include "verdict/rule_book.h"
#include "wire/aeth.h"
#include "wire/decode.h"

namespace rocetop::model {
namespace {

using std::size_t;

/// What a field says of itself.
struct Words {
  std::string_view unit;
  std::string_view help;
  MetricKind kind = MetricKind::kCounter;
};

/// A field of that key; a key that does not exist is a bug.
template <typename T>
Words words_of(std::span<const Field<T>> table, std::string_view key) {
  for (const Field<T>& field : table) {
    if (field.key != key) continue;
    return {field.unit, field.help, field.kind == FieldKind::kCounter ? MetricKind::kCounter : MetricKind::kGauge};
  }
  ROCETOP_CHECK(false && "no such field");
  return {};
}
Words capture(std::string_view key) { return words_of(capture_fields(), key); }
Words space(std::string_view key) { return words_of(space_fields(), key); }
Words direction(std::string_view key) { return words_of(direction_fields(), key); }
Words delay(std::string_view key) { return words_of(delay_fields(), key); }
Words message(std::string_view key) { return words_of(message_fields(), key); }
Words loop(std::string_view key) { return words_of(congestion_fields(), key); }
Words pair(std::string_view key) { return words_of(host_pair_fields(), key); }
Words connection(std::string_view key) { return words_of(connection_fields(), key); }
Words counter(std::string_view unit, std::string_view help) { return {unit, help, MetricKind::kCounter}; }
Words gauge(std::string_view unit, std::string_view help) { return {unit, help, MetricKind::kGauge}; }

/// A label whose values are known beforehand.
struct Label {
  std::string name;
  std::vector<std::string> values;
};

/// The words of the values of an enum from `first` on.
template <typename Enum>
Label label(std::string_view name, size_t count, size_t first = 0) {
  Label out{std::string(name), {}};
  for (size_t i = first; i < first + count; ++i) out.values.emplace_back(word(static_cast<Enum>(i)));
  return out;
}
Label causes() { return label<track::Cause>("cause", track::kCauses); }
Label outcomes() { return label<track::Outcome>("outcome", track::kOutcomes); }
Label operations() { return label<track::Operation>("operation", track::kOperations); }

/// "nanoseconds" are seconds, as all times of Prometheus are.
MetricFacts facts_of(std::string_view about, const Words& words, Label label) {
  const std::string_view unit = words.unit == "nanoseconds" ? "seconds" : words.unit;
  MetricFacts facts;
  facts.name = metric_name(about, unit, words.kind);
  facts.kind = words.kind;
  facts.unit = unit;
  facts.help = words.help;
  if (!label.name.empty()) facts.labels.push_back(std::move(label.name));
  facts.values = std::move(label.values);
  return facts;
}

template <typename T>
MetricField<T> metric(std::string_view about, const Words& words, FieldValue (*get)(const T&, size_t),
                      Label label = {}) {
  return {facts_of(about, words, std::move(label)), words.unit == "nanoseconds" ? 1e9 : 1.0, get};
}

/// The names of the row's labels come first.
template <typename T>
MetricRows<T> rows(std::string_view title, std::vector<std::string> labels, std::vector<MetricField<T>> fields) {
  for (MetricField<T>& field : fields) {
    field.facts.labels.insert(field.facts.labels.begin(), labels.begin(), labels.end());
  }
  return {title, std::move(labels), std::move(fields)};
}

template <auto Member, typename T>
FieldValue one(const T& row, size_t) {
  return row.*Member;
}
template <auto Member, typename T>
FieldValue each(const T& row, size_t value) {
  return (row.*Member)[value];
}

// Of pairs.
using Pair = PairAmounts;
template <auto Member>
MetricField<Pair> of_pair(std::string_view about, const Words& words) {
  return metric<Pair>(about, words, one<Member, Pair>);
}
template <auto Member>
MetricField<Pair> of_pair(std::string_view about, const Words& words, Label label) {
  return metric<Pair>(about, words, each<Member, Pair>, std::move(label));
}

FieldValue dropped(const CaptureInput& input, size_t source) {
  if (source == 2) return input.dropped_reported ? FieldValue{*input.dropped_reported} : FieldValue{};
  if (input.interface == nullptr) return {};
  return source == 0 ? input.interface->dropped : input.interface->dropped_by_interface;
}

template <typename Number>
FieldValue of_interface(const CaptureInput& input, Number (*get)(const LiveInterface&)) {
  return input.interface == nullptr ? FieldValue{} : FieldValue{std::uint64_t{get(*input.interface)}};
}

Label codes() {
  Label out{"code", {}};
  for (size_t i = 0; i < wire::kNakCodes; ++i) out.values.emplace_back(wire::nak_key(static_cast<wire::NakCode>(i)));
  return out;
}

Label reasons() {
  Label out{"reason", {}};
  for (size_t i = 1; i < wire::kUndecodableCount; ++i) {
    out.values.emplace_back(wire::reason_name(static_cast<wire::Undecodable>(i)));
  }
  return out;
}

template <auto Member>
HistogramField histogram(std::string_view about, std::string_view help, std::span<const std::int64_t> edges) {
  return {facts_of(about, {"nanoseconds", help, MetricKind::kHistogram}, {}), edges,
          [](const Pair& row, size_t) -> HistogramField::Counts {
            const auto& buckets = row.*Member;
            return {buckets.at_most, buckets.count, buckets.sum_ns};
          }};
}

}  // namespace

std::string metric_name(std::string_view about, std::string_view unit, MetricKind kind) {
  std::string name = "rocetop_" + std::string(about);
  const auto end_with = [&](std::string_view end) {
    if (!name.ends_with(end)) (name += '_') += end;
  };
  for (const std::string_view base : {"seconds", "bytes", "ratio"}) {
    if (unit == base) end_with(base);
  }
  if (kind == MetricKind::kCounter) end_with("total");
  return name;
}

const MetricRows<CaptureInput>& input_metrics() {
  static const auto table = rows<CaptureInput>(
      "Capture, by interface (or file)", {"interface"},
      {metric<CaptureInput>("capture_packets", counter("packets", "Packets captured."),
                            one<&CaptureInput::frames, CaptureInput>),
       metric<CaptureInput>("capture_bytes", counter("bytes", "Length of these packets on the wire."),
                            one<&CaptureInput::bytes_on_wire, CaptureInput>),
       metric<CaptureInput>("capture_dropped",
                            counter("packets",
                                    "Packets that were not captured: dropped by the kernel (its ring was full), by the "
                                    "interface or its driver, or, in a file, as the capture says."),
                            dropped, {"source", {"kernel", "interface", "capture"}}),
       metric<CaptureInput>("capture_interface_up",
                            gauge("interfaces", "1 while packets can come, 0 while the interface is down or gone."),
                            [](const CaptureInput& i, size_t) {
                              return of_interface(i, +[](const LiveInterface& l) { return l.state == LinkState::kUp; });
                            }),
       metric<CaptureInput>("capture_interface_changes",
                            counter("changes", "How often the interface came, went, or lost its link."),
                            [](const CaptureInput& i, size_t) {
                              return of_interface(i, +[](const LiveInterface& l) { return l.changes; });
                            }),
       metric<CaptureInput>(
           "bypass_suspected",
           gauge("interfaces",
                 "1 while the interface's RDMA device counts packets and none of them is captured: the "
                 "adapter passes them by the kernel."),
           [](const CaptureInput& i, size_t) {
             return of_interface(i, +[](const LiveInterface& l) { return l.bypass_suspected; });
           })});
  return table;
}

const MetricRows<CaptureCounts>& capture_metrics() {
  using C = CaptureCounts;
  static const auto table = rows<C>(
      "Capture", {},
      {metric<C>("capture_roce_packets", capture("roce_frames"), one<&C::roce_frames, C>),
       metric<C>("capture_completeness", capture("completeness"),
                 [](const C& c, size_t) { return c.completeness_known ? FieldValue{c.completeness} : FieldValue{}; }),
       metric<C>("capture_missed_packets", capture("capture_missed_packets"), one<&C::capture_missed_packets, C>),
       metric<C>("capture_truncated_packets", capture("truncated_frames"), one<&C::truncated_frames, C>),
       metric<C>("capture_duplicated_packets", capture("duplicated_frames"), one<&C::duplicated_frames, C>),
       metric<C>(
           "capture_undecodable_packets",
           counter("packets", "Packets that are RoCE by their port or EtherType and could not be decoded."),
           [](const C& c, size_t reason) -> FieldValue { return c.undecodable[reason + 1]; }, reasons()),
       metric<C>("capture_veroce_raw_packets",
                 counter("packets", "Packets to veRoCE's port that fit no known layout of its headers."),
                 [](const C& c, size_t) -> FieldValue { return c.veroce.all() - c.veroce.decoded(); }),
       metric<C>("capture_clock_steps", capture("backward_clock_steps"), one<&C::backward_clock_steps, C>)});
  return table;
}

const MetricRows<PairAmounts>& pair_metrics() {
  static const auto table = rows<Pair>(
      "Pairs of hosts, one way: what src sent to dst", {"protocol", "src", "dst"},
      {of_pair<&Pair::packets>("packets", pair("packets")),
       of_pair<&Pair::bytes>("bytes", pair("bytes_on_wire")),
       of_pair<&Pair::data_packets>("data_packets", pair("data_packets")),
       of_pair<&Pair::payload_bytes>("payload_bytes", pair("payload_bytes")),
       of_pair<&Pair::retransmitted_packets>(
           "retransmitted_packets", counter("packets", "Packets sent again, by why the sender went back."), causes()),
       of_pair<&Pair::retransmitted_bytes>(
           "retransmitted_bytes", counter("bytes", "Payload sent again, by why the sender went back."), causes()),
       of_pair<&Pair::episodes>("retransmit_episodes", counter("episodes", "Times the sender went back, by why."),
                                causes()),
       of_pair<&Pair::missing_packets>("missing_packets",
                                       counter("PSNs", "PSNs skipped at the tap, by what became of them."), outcomes()),
       of_pair<&Pair::reordered_packets>("reordered_packets", pair("reordered_packets")),
       of_pair<&Pair::duplicate_packets>("duplicate_packets", space("duplicate_packets")),
       of_pair<&Pair::bad_icrc_packets>("bad_icrc_packets", direction("icrc.bad")),
       of_pair<&Pair::naks>("naks", counter("packets", "NAKs sent this way, by code, without RNR."), codes()),
       of_pair<&Pair::rnr_naks>("rnr_naks", pair("rnr_naks")),
       of_pair<&Pair::rnr_stall_ns>("rnr_stall", delay("rnr_stalls.waited_ns")),
       of_pair<&Pair::rnr_advertised_ns>("rnr_advertised", delay("rnr_stalls.advertised_ns")),
       of_pair<&Pair::ce_packets>("ce_packets", pair("ce_packets")),
       of_pair<&Pair::not_ect_packets>("not_ect_packets",
                                       counter("packets", "Data packets that routers may not mark (Not-ECT).")),
       of_pair<&Pair::cnps>("cnp_packets", pair("cnps")),
       of_pair<&Pair::fast_cnps>("fast_cnp_packets", pair("fast_cnps")),
       of_pair<&Pair::cnps_without_ce>("cnps_without_ce", loop("cnps_without_ce")),
       of_pair<&Pair::cnps_with_nak>("cnps_with_nak", loop("cnps_with_nak")),
       of_pair<&Pair::slowdowns>("slowdowns", loop("slowdowns")),
       of_pair<&Pair::no_slowdowns>("cnp_series_without_slowdown", loop("series_without_slowdown")),
       of_pair<&Pair::time_ns>(
           "time",
           counter(
               "nanoseconds",
               "Where the time of src's requests went: moving data, held up by the network, waiting for the peer, or "
               "nothing asked of the wire; summed over connections."),
           label<TimeState>("state", kTimeStates)),
       of_pair<&Pair::messages>("messages", message("count"), operations()),
       of_pair<&Pair::message_bytes>("message_bytes", message("bytes"), operations())});
  return table;
}

const MetricRows<PairAmounts>& veroce_metrics() {
  static const auto table = rows<Pair>(
      "veRoCE, by pair of hosts, one way: of pairs that run it", {"protocol", "src", "dst"},
      {of_pair<&Pair::veroce_sacks>(
           "veroce_sacks", counter("packets", "Selective acknowledgements of veRoCE about what src sent to dst.")),
       of_pair<&Pair::veroce_second_rounds>(
           "veroce_second_round_packets",
           counter("packets", "veRoCE packets sent again that had been sent again before.")),
       of_pair<&Pair::veroce_needless>(
           "veroce_needless_packets",
           counter("packets",
                   "veRoCE packets sent again that had arrived: told as received before, or answered sooner "
                   "than any round trip.")),
       of_pair<&Pair::veroce_trimmed>("veroce_trimmed_packets",
                                      counter("packets", "veRoCE packets whose payload a switch cut off.")),
       of_pair<&Pair::veroce_slow_signals>(
           "veroce_slow_path_signals",
           counter("packets", "Slow-Packet Signals of dst for paths (UDP source ports) from src.")),
       of_pair<&Pair::veroce_late>(
           "veroce_late_packets",
           counter("packets", "veRoCE packets that others with higher PSNs had overtaken, sent for the first time.")),
       of_pair<&Pair::veroce_lost_on_paths>(
           "veroce_lost_packets",
           counter("packets",
                   "veRoCE packets that passed the tap and were asked for again, or ran into the timer, "
                   "without a sign that they had arrived. One that turns out to have arrived holds the count until "
                   "the next is lost."))});
  return table;
}

namespace {

MetricRows<TrafficMix::Cell> cells(std::string_view what, std::string_view title, std::string_view label,
                                   std::string_view of) {
  using Cell = TrafficMix::Cell;
  const std::string packets = "Packets " + std::string(of);
  const std::string bytes = "Bytes on the wire " + std::string(of);
  return rows<Cell>(
      title, {std::string(label), "carrier"},
      {metric<Cell>(std::string(what) + "_packets", counter("packets", packets), one<&Cell::frames, Cell>),
       metric<Cell>(std::string(what) + "_bytes", counter("bytes", bytes), one<&Cell::bytes, Cell>)});
}

}  // namespace

const MetricRows<TrafficMix::Cell>& class_metrics() {
  static const auto table =
      cells("class", "Classes, by DSCP", "dscp", "with this DSCP in the innermost IP header, by what they carry.");
  return table;
}

const MetricRows<TrafficMix::Cell>& priority_metrics() {
  static const auto table =
      cells("priority", "Classes, by 802.1p priority", "priority",
            "with this priority in the outermost 802.1Q tag (none: without a tag), by what they carry.");
  return table;
}

const MetricRows<ClassAmounts>& class_loss_metrics() {
  using C = ClassAmounts;
  static const auto table = rows<C>(
      "Loss, by the DSCP that the data had when its connection began", {"dscp"},
      {metric<C>("class_retransmitted_packets", connection("retransmitted_packets"), one<&C::retransmitted_packets, C>),
       metric<C>("class_missing_packets", counter("PSNs", "PSNs skipped at the tap, by what became of them."),
                 each<&C::missing_packets, C>, outcomes())});
  return table;
}

const MetricRows<PauseAmounts>& pause_metrics() {
  using P = PauseAmounts;
  static const auto table = rows<P>(
      "Pauses that the capture shows, by priority (link: 802.3x, all of them)", {"priority"},
      {metric<P>("pause",
                 counter("nanoseconds",
                         "Time paused, over all ports that were; at least, where the speed of the link is not known."),
                 one<&P::paused_ns, P>),
       metric<P>("pause_frames", counter("frames", "Pause frames: xoff asks for silence, xon ends it."),
                 each<&P::frames, P>, label<PauseKind>("kind", kPauseKinds))});
  return table;
}

const MetricRows<FindingCount>& finding_metrics() {
  static const auto table = rows<FindingCount>(
      "Findings", {"rule", "severity"},
      {metric<FindingCount>("finding_active",
                            gauge("findings", "Findings that go on, of this rule of the rule book and severity."),
                            one<&FindingCount::active, FindingCount>)});
  return table;
}

const MetricRows<WatchCounts>& watch_metrics() {
  using W = WatchCounts;
  static const auto series_of = [](const W& w, size_t kind) -> std::uint64_t {
    std::uint64_t pairs = 0;
    for (const PairRow& row : w.ledger->pairs) pairs += row.is_rest ? 0 : 1;
    return kind == 0 ? pairs : w.ledger->connections.size();
  };
  const Label kinds{"kind", {"pair", "connection"}};
  static const auto table = rows<W>(
      "Connections, and what limits there were", {},
      {metric<W>("loop_connections",
                 gauge("directions", "Directions of connections, by what became of their congestion loop."),
                 each<&W::loops, W>, label<track::Loop>("loop", 7)),
       metric<W>("active_connections",
                 gauge("connections", "Connections of which something was seen since the snapshot before."),
                 each<&W::active, W>, label<wire::Protocol>("protocol", 3)),
       metric<W>("followed_connections", gauge("connections", "Connections that are followed now."),
                 [](const W& w, size_t) -> FieldValue { return std::uint64_t{w.snapshot->totals.connections.size()}; }),
       metric<W>("connections", counter("connections", "Connections that were ever seen."),
                 [](const W& w, size_t) -> FieldValue { return w.ledger->connections_in_all; }),
       metric<W>(
           "connections_left",
           counter(
               "connections",
               "Connections that are no longer followed: there were too many, or nothing was seen of them for long."),
           [](const W& w, size_t reason) -> FieldValue {
             return reason == 0 ? w.snapshot->totals.capture.evicted_connections
                                : w.snapshot->totals.silent_connections;
           },
           {"reason", {"limit", "silent"}}),
       metric<W>(
           "series", gauge("rows", "Pairs of hosts, and connections, that have metrics of their own."),
           [](const W& w, size_t kind) -> FieldValue { return series_of(w, kind); }, kinds),
       metric<W>(
           "series_limited",
           counter("rows", "Pairs of hosts, and connections, that came and got none: there were too many."),
           [](const W& w, size_t kind) -> FieldValue {
             return kind == 0 ? w.ledger->pairs_limited : w.ledger->connections_limited;
           },
           kinds)});
  return table;
}

const MetricRows<ConnectionTotals>& connection_metrics() {
  using T = ConnectionTotals;
  static const auto table = rows<T>(
      "Single connections (with --per-connection)", {"connection", "protocol", "a", "a_qp", "b", "b_qp"},
      {metric<T>("connection_packets", connection("packets"), one<&T::frames, T>),
       metric<T>("connection_bytes", connection("bytes_on_wire"), one<&T::bytes_on_wire, T>),
       metric<T>("connection_retransmitted_packets", connection("retransmitted_packets"), one<&T::retransmitted, T>),
       metric<T>("connection_missing_packets", connection("missing_packets"), one<&T::missing, T>),
       metric<T>("connection_naks", connection("naks"), one<&T::naks, T>),
       metric<T>("connection_rnr_naks", connection("rnr_naks"), one<&T::rnr_naks, T>),
       metric<T>("connection_ce_packets", connection("ce_packets"), one<&T::ce, T>),
       metric<T>("connection_cnp_packets", connection("cnps"), one<&T::cnps, T>)});
  return table;
}

const std::vector<HistogramField>& histogram_metrics() {
  static const auto table = [] {
    std::vector<HistogramField> out = {
        histogram<&Pair::rtt>(
            "rtt",
            "From a packet that wants a reply to the reply, as seen at the tap: near the requester the "
            "round trip, near the responder its own delay. Nothing that was sent again.",
            kRttEdges),
        histogram<&Pair::ce_to_cnp>("ce_to_cnp", "From a marked data packet to the CNP for it, as seen at the tap.",
                                    kCeToCnpEdges)};
    HistogramField completion{
        facts_of("message_completion",
                 {"nanoseconds", "From the first packet of a message to the reply that completed it.",
                  MetricKind::kHistogram},
                 operations()),
        kCompletionEdges, [](const Pair& row, size_t value) -> HistogramField::Counts {
          const auto& buckets = row.completion[value];
          return {buckets.at_most, buckets.count, buckets.sum_ns};
        }};
    out.insert(out.begin() + 1, std::move(completion));
    return out;
  }();
  return table;
}

std::vector<FindingCount> finding_counts() {
  std::vector<FindingCount> out;
  for (const verdict::RuleFacts& rule : verdict::kRuleBook) {
    for (auto s = static_cast<int>(rule.least); s <= static_cast<int>(rule.worst); ++s) {
      out.push_back({rule.id, static_cast<verdict::Severity>(s), 0});
    }
  }
  return out;
}

}  // namespace rocetop::model
