// SPDX-License-Identifier: BSD-3-Clause
#include "present/html_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "model/fields.h"
#include "model/host_pairs.h"
#include "model/totals.h"
#include "model/trouble.h"
#include "model/words.h"
#include "present/honesty_text.h"
#include "present/html_assets.h"
#include "present/html_histograms.h"
#include "present/html_timeline.h"
#include "present/json_fields.h"
#include "present/script_text.h"
#include "present/triage_json.h"

namespace rocetop::present {
namespace {

using model::word;

class HtmlReport {
 public:
  HtmlReport(const model::Snapshot& whole, const model::Snapshot& shown, model::Timeline timeline,
             const HtmlReportOptions& options, const TextSink& sink)
      : whole_(whole), shown_(shown), timeline_(std::move(timeline)), options_(options), sink_(sink) {
    for (const model::Trouble& t : model::by_trouble(shown)) order_.push_back(t.index);
  }

  void write();

 private:
  std::vector<std::size_t> worst(std::size_t n) const;
  void triage(std::size_t connections, const TextSink& out) const;
  std::size_t connections_in_detail() const;
  void data(const TextSink& out);
  void beside(JsonWriter& json, std::size_t detailed);
  void fields(JsonWriter& json) const;
  static void words(JsonWriter& json);
  void rows(JsonWriter& json, std::size_t detailed) const;
  void row(JsonWriter& json, const track::ConnectionCounts& c) const;
  void matrix(JsonWriter& json) const;

  const model::Snapshot& whole_;
  const model::Snapshot& shown_;
  model::Timeline timeline_;
  const HtmlReportOptions& options_;
  const TextSink& sink_;
  std::vector<std::size_t> order_;  // of shown_.connections, the most troubled first
};

void HtmlReport::write() {
  const auto text = [this](std::string_view piece) { sink_(piece); };
  text("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  text(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action "
      "'none'; ");
  text("script-src '");
  text(html_assets::kScriptHash);
  text("'; style-src '");
  text(html_assets::kStyleHash);
  text("'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
  text(
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>rocetop "
      "report</title>\n<style>");
  text(html_assets::kStyle);
  text(
      "</style>\n</head>\n<body>\n<noscript><p>This report is drawn by the script in this file; it needs no network. ");
  text("Scripts are switched off here: rocetop triage prints the same as text.</p></noscript>\n");
  text("<div id=\"report\"></div>\n<script type=\"application/json\" id=\"data\">");
  ScriptText script(sink_);
  data([&script](std::string_view piece) { script.write(piece); });
  script.finish();
  text("</script>\n<script>");
  text(html_assets::kScript);
  text("</script>\n</body>\n</html>\n");
}

/// The worst `n` connections, in the order of the snapshot.
std::vector<std::size_t> HtmlReport::worst(std::size_t n) const {
  std::vector<std::size_t> chosen(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(n));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void HtmlReport::triage(std::size_t connections, const TextSink& out) const {
  const std::vector<std::size_t> chosen = worst(connections);
  write_triage_json(
      shown_, out,
      {options_.entries_a_list, options_.entries_in_all, options_.shared_entries, options_.findings, &chosen});
}

/// How many connections fit into `details_bytes`.
std::size_t HtmlReport::connections_in_detail() const {
  const auto bytes_with = [this](std::size_t connections) {
    std::uint64_t bytes = 0;
    triage(connections, [&bytes](std::string_view piece) { bytes += piece.size(); });
    return bytes;
  };
  const std::uint64_t without = bytes_with(0);
  std::size_t n = std::min<std::size_t>(order_.size(), 4'096);
  while (n > 1) {
    const std::uint64_t bytes = bytes_with(n) - without;
    if (bytes <= options_.details_bytes) break;
    const double share = static_cast<double>(options_.details_bytes) / static_cast<double>(bytes);
    n = std::max<std::size_t>(1, std::min(n - 1, static_cast<std::size_t>(static_cast<double>(n) * share)));
  }
  return n;
}

void HtmlReport::data(const TextSink& out) {
  const std::size_t detailed = connections_in_detail();
  out("{\"triage\":\n");
  triage(detailed, out);
  out(",\"beside\":\n");
  JsonWriter json(out);
  beside(json, detailed);
  json.finish();
  out("}");
}

void HtmlReport::beside(JsonWriter& json, std::size_t detailed) {
  json.begin_object();
  std::string honesty;
  for (const Span& span : honesty_spans(whole_)) honesty += (honesty.empty() ? "" : " ") + span.text;
  json.member("honesty", honesty);
  json.member("also", also_there(whole_.capture));
  json.member("congestion", congestion_text(whole_));
  json.member("selection", options_.selection);
  json.member("connections_in_all", whole_.connections.size());
  json.member("connections_shown", shown_.connections.size());
  json.member("findings_in_all", shown_.findings.size());
  json.member("has_plots", html_assets::kHasPlots);
  std::vector<std::uint32_t> ids;
  json.key("order");
  json.begin_array();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    ids.push_back(shown_.connections[order_[i]].id);
    if (i < options_.table_rows) json.value(ids.back());
  }
  json.end_array();
  json.new_line();
  fields(json);
  json.new_line();
  words(json);
  json.new_line();
  rows(json, detailed);
  json.new_line();
  matrix(json);
  json.new_line();
  json.key("histograms");
  write_html_histograms(shown_, {order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(detailed)},
                        options_.histogram_buckets, json);
  json.new_line();
  timeline_.fit(options_.plot_cells, options_.plots, ids);
  json.key("timeline");
  write_html_timeline(timeline_, whole_.files.size() > 1,
                      whole_.start.value_or(whole_.capture.first_time.value_or(Nanos{})), json);
  json.end_object();
}

void HtmlReport::fields(JsonWriter& json) const {
  const auto table = [&](std::string_view name, const auto& list) {
    json.key(name);
    json.begin_array();
    for (const auto& field : list) {
      json.begin_object();
      json.member("key", field.key);
      json.member("heading", field.heading);
      json.member("unit", field.unit);
      json.member("help", field.help);
      json.end_object();
    }
    json.end_array();
  };
  table("connection_fields", model::connection_fields());
  table("capture_fields", model::capture_fields());
  table("congestion_fields", model::congestion_fields());
  table("host_pair_fields", model::host_pair_fields());
  table("message_fields", model::message_fields());
  table("delay_fields", model::delay_fields());
  table("path_fields", model::path_fields());
  table("recovery_fields", model::recovery_fields());
}

/// What people read instead of the names in the JSON.
void HtmlReport::words(JsonWriter& json) {
  const auto table = [&json]<typename Enum>(std::string_view name, Enum last) {
    json.key(name);
    json.begin_object();
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
      const auto value = static_cast<Enum>(i);
      if (!word(value).empty()) json.member(word(value), model::in_words(value));
    }
    json.end_object();
  };
  json.key("words");
  json.begin_object();
  table("cause", track::Cause::kUnknown);
  table("outcome", track::Outcome::kUnresolved);
  table("tap", track::Tap::kNearDestination);
  table("paired_by", track::PairedBy::kUdpPort);
  table("loop", track::Loop::kOscillating);
  table("ecn", wire::Ecn::kCe);
  json.end_object();
}

/// Connections without details: [id, protocol, transport, a, qpn of a, b, qpn of b, then connection_fields].
void HtmlReport::rows(JsonWriter& json, std::size_t detailed) const {
  json.key("rows");
  json.begin_array();
  for (std::size_t i = detailed; i < order_.size() && i < options_.table_rows; ++i)
    row(json, shown_.connections[order_[i]]);
  json.end_array();
}

void HtmlReport::row(JsonWriter& json, const track::ConnectionCounts& c) const {
  const auto qpn = [](const std::optional<Qpn>& q) { return q ? std::optional{q->value} : std::nullopt; };
  json.new_line();
  json.begin_array();
  json.value(c.id);
  json.value(word(c.protocol));
  json.value(word(c.transport));
  json.value(c.a_ip.to_string());
  json.value(qpn(c.a_qpn));
  json.value(c.b_ip.to_string());
  json.value(qpn(c.b_qpn));
  const model::ConnectionTotals totals = model::totals(c);
  for (const auto& field : model::connection_fields()) write_value(json, field.get(totals));
  json.end_array();
}

/// Who sends to whom, over all connections shown: the hosts with the most bytes by name, the others as one.
void HtmlReport::matrix(JsonWriter& json) const {
  const std::vector<model::HostPair> pairs = model::host_pairs(shown_.connections);
  std::map<IpAddress, std::uint64_t> bytes;
  for (const model::HostPair& pair : pairs) {
    bytes[pair.src] += pair.bytes_on_wire;
    bytes[pair.dst] += pair.bytes_on_wire;
  }
  std::vector<std::pair<IpAddress, std::uint64_t>> hosts(bytes.begin(), bytes.end());
  std::stable_sort(hosts.begin(), hosts.end(), [](const auto& x, const auto& y) { return x.second > y.second; });
  const std::size_t named = std::min(hosts.size(), options_.hosts);
  std::sort(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(named));
  std::map<IpAddress, std::size_t> index;
  for (std::size_t i = 0; i < hosts.size(); ++i) index[hosts[i].first] = std::min(i, named);
  std::map<std::pair<std::size_t, std::size_t>, model::HostPair> lanes;
  for (const model::HostPair& pair : pairs) lanes[{index[pair.src], index[pair.dst]}].add(pair);

  json.key("hosts");
  json.begin_array();
  for (std::size_t i = 0; i < named; ++i) json.value(hosts[i].first.to_string());
  json.end_array();
  json.member("hosts_in_all", hosts.size());
  json.key("lanes");
  json.begin_array();
  for (const auto& [pair, lane] : lanes) {
    json.begin_object();
    json.member("src", pair.first);
    json.member("dst", pair.second);
    write_fields(json, model::host_pair_fields(), lane);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_html_report(const model::Snapshot& whole, const model::Snapshot& shown, model::Timeline timeline,
                       const HtmlReportOptions& options, const TextSink& sink) {
  HtmlReport(whole, shown, std::move(timeline), options, sink).write();
}

bool html_report_has_plots() { return html_assets::kHasPlots; }

}  // namespace rocetop::present
