// SPDX-License-Identifier: BSD-3-Clause
#include "present/csv.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/histogram.h"
#include "base/time_text.h"
#include "model/fields.h"
#include "model/totals.h"
#include "model/words.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using model::word;

/// One line at a time, in order of the columns.
class Line {
 public:
  explicit Line(const TextSink& sink) : sink_(sink) {}

  void text(std::string_view value) { put(csv_text(value)); }
  void none() { put(""); }
  void frame(FrameId id) {
    id ? number(id.number()) : none();
    id ? number(id.file()) : none();
  }
  void time(Nanos t) { text(rfc3339(t)); }
  void number(double value) { put(std::isfinite(value) ? fmt::format("{}", value) : ""); }
  template <typename Int, std::enable_if_t<std::is_integral_v<Int>, int> = 0>
  void number(Int value) {
    put(fmt::format("{}", value));
  }
  template <typename T>
  void number(const std::optional<T>& value) {
    value ? number(*value) : none();
  }
  void qpn(const std::optional<Qpn>& qpn) { qpn ? number(qpn->value) : none(); }
  void field(const model::FieldValue& value) {
    if (const auto* integer = std::get_if<std::uint64_t>(&value)) {
      number(*integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      number(*real);
    } else {
      none();
    }
  }
  void header(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) text(name);
  }
  void end() {
    sink_(line_ + "\r\n");
    line_.clear();
    first_ = true;
  }

 private:
  void put(std::string_view field) {
    if (!first_) line_ += ',';
    first_ = false;
    line_ += field;
  }

  const TextSink& sink_;
  std::string line_;
  bool first_ = true;
};

void write_connections(const model::Snapshot& snapshot, const TextSink& sink) {
  Line line(sink);
  line.header({"id", "protocol", "transport", "a_ip", "a_qpn", "b_ip", "b_qpn", "vlan", "inner_vlan", "vni",
               "paired_by", "first_frame", "first_file", "last_frame", "last_file", "first_time", "last_time",
               "path_mtu"});
  for (const auto& field : model::connection_fields()) line.text(field.key);
  line.end();
  for (const track::ConnectionCounts& c : snapshot.connections) {
    line.number(c.id);
    line.text(word(c.protocol));
    line.text(word(c.transport));
    line.text(c.a_ip.to_string());
    line.qpn(c.a_qpn);
    line.text(c.b_ip.to_string());
    line.qpn(c.b_qpn);
    c.network.vlan_outer != 0xFFFF ? line.number(c.network.vlan_outer) : line.none();
    c.network.vlan_inner != 0xFFFF ? line.number(c.network.vlan_inner) : line.none();
    c.network.vni != 0xFFFFFFFF ? line.number(c.network.vni) : line.none();
    line.text(word(c.paired_by));
    line.frame(c.first_frame);
    line.frame(c.last_frame);
    line.time(c.first_time);
    line.time(c.last_time);
    line.number(c.path_mtu);
    const model::ConnectionTotals totals = model::totals(c);
    for (const auto& field : model::connection_fields()) line.field(field.get(totals));
    line.end();
  }
}

template <typename Each>
void each_direction(const model::Snapshot& snapshot, Each&& each) {
  for (const track::ConnectionCounts& c : snapshot.connections) {
    if (c.a_to_b) each(c, *c.a_to_b);
    if (c.b_to_a) each(c, *c.b_to_a);
  }
}

void write_episodes(const model::Snapshot& snapshot, const TextSink& sink) {
  Line line(sink);
  line.header({"connection",     "src",          "dst",
               "dst_qpn",        "space",        "cause",
               "first_psn",      "last_psn",     "first_frame",
               "first_file",     "last_frame",   "last_file",
               "trigger_frame",  "trigger_file", "first_time",
               "packets",        "bytes",        "wasted_packets",
               "unseen_packets", "wait_ns",      "advertised_wait_ns"});
  line.end();
  each_direction(snapshot, [&](const track::ConnectionCounts& c, const track::DirectionCounts& d) {
    for (const auto& [name, space] : {std::pair{"requests", &d.requests}, std::pair{"responses", &d.responses}}) {
      for (const track::Episode& e : space->episodes) {
        line.number(c.id);
        line.text(d.src.to_string());
        line.text(d.dst.to_string());
        line.qpn(d.dst_qpn);
        line.text(name);
        line.text(word(e.cause));
        line.number(e.first_psn.value);
        line.number(e.last_psn.value);
        line.frame(e.first_frame);
        line.frame(e.last_frame);
        line.frame(e.trigger_frame);
        line.time(e.first_time);
        line.number(e.packets);
        line.number(e.bytes);
        line.number(e.wasted_packets);
        line.number(e.unseen_packets);
        e.has_wait() ? line.number(e.wait.count) : line.none();
        e.cause == track::Cause::kRnr ? line.number(e.advertised_wait.count) : line.none();
        line.end();
      }
    }
  });
}

void write_findings_csv(const model::Snapshot& snapshot, const TextSink& sink) {
  Line line(sink);
  line.header({"id", "rule", "severity", "confidence", "caused_by", "title", "explanation", "ruled_out", "next_steps",
               "first_time", "last_time", "connections", "hosts", "frames", "frames_total", "values"});
  line.end();
  const bool several_files = snapshot.files.size() > 1;
  for (const verdict::Finding& f : snapshot.findings) {
    line.number(f.id);
    line.text(f.rule);
    line.text(word(f.severity));
    line.text(word(f.confidence));
    line.number(f.caused_by);
    line.text(f.title);
    line.text(f.explanation);
    line.text(fmt::format("{}", fmt::join(f.ruled_out, "; ")));
    line.text(fmt::format("{}", fmt::join(f.next_steps, "; ")));
    f.first_time ? line.time(*f.first_time) : line.none();
    f.last_time ? line.time(*f.last_time) : line.none();
    line.text(fmt::format("{}", fmt::join(f.connections, " ")));
    std::vector<std::string> hosts;
    hosts.reserve(f.hosts.size());
    for (const IpAddress& host : f.hosts) hosts.push_back(host.to_string());
    line.text(fmt::format("{}", fmt::join(hosts, " ")));
    std::vector<std::string> frames;
    frames.reserve(f.frames.size());
    for (const FrameId id : f.frames) {
      frames.push_back(several_files ? fmt::format("{}:{}", id.file(), id.number()) : std::to_string(id.number()));
    }
    line.text(fmt::format("{}", fmt::join(frames, " ")));
    line.number(f.frames_total);
    std::vector<std::string> values;
    values.reserve(f.values.size());
    for (const auto& [name, value] : f.values) values.push_back(fmt::format("{}={}", name, value));
    line.text(fmt::format("{}", fmt::join(values, " ")));
    line.end();
  }
}

void percentiles(Line& line, const Histogram& histogram) {
  if (histogram.empty()) {
    for (int i = 0; i < 6; ++i) line.none();
    return;
  }
  line.number(histogram.min());
  for (const double share : {0.5, 0.9, 0.99, 0.999}) line.number(histogram.percentile(share));
  line.number(histogram.max());
}

void write_messages(const model::Snapshot& snapshot, const TextSink& sink) {
  Line line(sink);
  line.header({"connection", "src", "dst", "dst_qpn", "operation", "count", "bytes", "partial", "open"});
  for (const std::string_view what : {"completion", "idle"}) {
    for (const std::string_view which : {"min", "p50", "p90", "p99", "p999", "max"})
      line.text(fmt::format("{}_{}_ns", what, which));
  }
  line.end();
  each_direction(snapshot, [&](const track::ConnectionCounts& c, const track::DirectionCounts& d) {
    for (std::size_t i = 0; i < track::kOperations; ++i) {
      const auto& messages = d.messages.operations[i];
      if (!messages) continue;
      line.number(c.id);
      line.text(d.src.to_string());
      line.text(d.dst.to_string());
      line.qpn(d.dst_qpn);
      line.text(word(static_cast<track::Operation>(i)));
      line.number(messages->complete);
      line.number(messages->bytes);
      line.number(messages->partial);
      line.number(messages->open);
      percentiles(line, messages->completion_ns);
      percentiles(line, messages->idle_ns);
      line.end();
    }
  });
}

/// One line a path of a veRoCE direction.
void write_paths(const model::Snapshot& snapshot, const TextSink& sink) {
  Line line(sink);
  line.header({"connection", "src", "dst", "dst_qpn", "udp_source_port"});
  for (const auto& field : model::path_fields()) line.text(field.key);
  for (const std::string_view what : {"late", "probe"}) {
    for (const std::string_view which : {"min", "p50", "p90", "p99", "p999", "max"})
      line.text(fmt::format("{}_{}_ns", what, which));
  }
  line.end();
  each_direction(snapshot, [&](const track::ConnectionCounts& c, const track::DirectionCounts& d) {
    if (!d.veroce) return;
    for (const track::VerocePath& path : d.veroce->paths) {
      line.number(c.id);
      line.text(d.src.to_string());
      line.text(d.dst.to_string());
      line.qpn(d.dst_qpn);
      line.number(path.udp_src);
      for (const auto& field : model::path_fields()) line.field(field.get(path));
      percentiles(line, path.late_ns);
      percentiles(line, path.probe_ns);
      line.end();
    }
  });
}

constexpr std::array kFiles = {
    CsvFile{"connections.csv", write_connections},
    CsvFile{"episodes.csv", write_episodes},
    CsvFile{"findings.csv", write_findings_csv},
    CsvFile{"messages.csv", write_messages},
    CsvFile{"paths.csv", write_paths},
};

/// What spreadsheets take for the start of a formula (OWASP, "CSV Injection"), also after blanks.
bool starts_a_formula(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  const bool blank_first = !text.empty() && (text[0] == '\t' || text[0] == '\r' || text[0] == '\n');
  return blank_first ||
         (at != std::string_view::npos && std::string_view("=+-@|%").find(text[at]) != std::string_view::npos);
}

}  // namespace

std::span<const CsvFile> csv_files() { return kFiles; }

std::string csv_text(std::string_view text) {
  std::string safe = clean(text, true);
  if (starts_a_formula(text)) safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"\r\n") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace rocetop::present
