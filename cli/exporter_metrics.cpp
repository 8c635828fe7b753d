// SPDX-License-Identifier: BSD-3-Clause
#include "exporter_metrics.h"

#include <algorithm>
#include <string>
#include <utility>

#include "process_facts.h"

namespace rocetop::cli {
namespace {

using model::MetricFacts;
using model::MetricKind;
using prometheus::MetricFamily;

constexpr const char* kScrapes = "rocetop_scrapes_total";
constexpr const char* kUnwatched = "rocetop_capture_unwatched_interfaces";
constexpr const char* kDuration = "rocetop_scrape_duration_seconds";
constexpr const char* kReloads = "rocetop_config_reloads_total";

std::vector<std::string> rejection_words() {
  std::vector<std::string> out;
  out.reserve(kHttpRejections);
  for (std::size_t i = 0; i < kHttpRejections; ++i) out.emplace_back(word(static_cast<HttpRejection>(i)));
  return out;
}

const std::vector<MetricFacts>& table() {
  static const std::vector<MetricFacts> facts = {
      {"rocetop_build_info", MetricKind::kGauge, "", "Version of rocetop; always 1", {"version"}, {}},
      {"rocetop_up", MetricKind::kGauge, "", "1 while at least one input is captured or read", {}, {}},
      {"rocetop_snapshot_age_seconds",
       MetricKind::kGauge,
       "seconds",
       "Time since the figures of the capture were taken",
       {},
       {}},
      {kUnwatched,
       MetricKind::kGauge,
       "interfaces",
       "Interfaces with an RDMA device that are not watched: they came after the start, or are too many",
       {},
       {}},
      {kScrapes,
       MetricKind::kCounter,
       "scrapes",
       "Requests for metrics that were answered, by HTTP status",
       {"code"},
       {}},
      {kDuration, MetricKind::kHistogram, "seconds", "Time that it took to put the metrics together", {}, {}},
      {kReloads,
       MetricKind::kCounter,
       "reloads",
       "Times that the configuration was read again: after SIGHUP, or as a file changed",
       {"result"},
       {"success", "failure"}},
      {"rocetop_http_connections", MetricKind::kGauge, "connections", "Open HTTP connections", {}, {}},
      {"rocetop_http_rejected_total",
       MetricKind::kCounter,
       "requests",
       "HTTP requests and connections that were turned away",
       {"reason"},
       rejection_words()},
      {"process_start_time_seconds",
       MetricKind::kGauge,
       "seconds",
       "Start of the process, since the Unix epoch",
       {},
       {}},
      {"process_cpu_seconds_total", MetricKind::kCounter, "seconds", "User and system CPU time of the process", {}, {}},
      {"process_resident_memory_bytes", MetricKind::kGauge, "bytes", "Resident memory of the process", {}, {}},
      {"process_open_fds", MetricKind::kGauge, "descriptors", "Open file descriptors of the process", {}, {}},
      {"process_max_fds", MetricKind::kGauge, "descriptors", "File descriptors that the process may open", {}, {}},
  };
  return facts;
}

const MetricFacts& facts_of(std::string_view name) {
  return *std::find_if(table().begin(), table().end(), [&](const MetricFacts& f) { return f.name == name; });
}

MetricFamily family_of(const char* name) {
  const MetricFacts& facts = facts_of(name);
  MetricFamily family;
  family.name = facts.name;
  family.help = facts.help;
  family.type = facts.kind == MetricKind::kCounter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
  return family;
}

void add_row(MetricFamily& family, double value, std::vector<prometheus::ClientMetric::Label> labels = {}) {
  prometheus::ClientMetric& metric = family.metric.emplace_back();
  metric.label = std::move(labels);
  // Only one of them is looked at.
  metric.counter.value = value;
  metric.gauge.value = value;
}

void add(std::vector<MetricFamily>& to, const char* name, std::optional<double> value) {
  if (!value) return;
  to.push_back(family_of(name));
  add_row(to.back(), *value);
}

void add_process(std::vector<MetricFamily>& to) {
  const ProcessFacts facts = read_process_facts();
  const auto number = [](std::optional<std::uint64_t> n) {
    return n ? std::optional(static_cast<double>(*n)) : std::nullopt;
  };
  add(to, "process_start_time_seconds", facts.start_time_s);
  add(to, "process_cpu_seconds_total", facts.cpu_s);
  add(to, "process_resident_memory_bytes", number(facts.resident_bytes));
  add(to, "process_open_fds", number(facts.open_fds));
  add(to, "process_max_fds", number(facts.fds_most));
}

template <typename Builder>
auto& family_in(Builder builder, const char* name, prometheus::Registry& registry) {
  return builder.Name(name).Help(facts_of(name).help).Register(registry);
}

}  // namespace

ExporterMetrics::ExporterMetrics()
    : scrapes_(family_in(prometheus::BuildCounter(), kScrapes, registry_)),
      reloads_(family_in(prometheus::BuildCounter(), kReloads, registry_)),
      duration_(family_in(prometheus::BuildHistogram(), kDuration, registry_)
                    .Add({}, prometheus::Histogram::BucketBoundaries{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5})) {
  // Rates need the zeros.
  scrapes_.Add({{"code", "200"}});
  for (const char* result : {"success", "failure"}) reloads_.Add({{"result", result}});
}

void ExporterMetrics::count_scrape(unsigned status) { scrapes_.Add({{"code", std::to_string(status)}}).Increment(); }

void ExporterMetrics::observe_scrape(double duration_s) { duration_.Observe(duration_s); }

void ExporterMetrics::count_reload(bool success) {
  reloads_.Add({{"result", success ? "success" : "failure"}}).Increment();
}

std::vector<MetricFamily> ExporterMetrics::families(const ExporterState& state) const {
  std::vector<MetricFamily> out;
  out.push_back(family_of("rocetop_build_info"));
  add_row(out.back(), 1, {{"version", ROCETOP_VERSION}});
  add(out, "rocetop_up", state.up ? 1 : 0);
  add(out, "rocetop_snapshot_age_seconds", state.snapshot_age_s);
  if (state.unwatched_interfaces) add(out, kUnwatched, static_cast<double>(*state.unwatched_interfaces));
  for (MetricFamily& family : registry_.Collect()) out.push_back(std::move(family));
  add(out, "rocetop_http_connections", static_cast<double>(state.http.connections));
  out.push_back(family_of("rocetop_http_rejected_total"));
  for (std::size_t i = 0; i < kHttpRejections; ++i) {
    add_row(out.back(), static_cast<double>(state.http.rejections[i]),
            {{"reason", std::string(word(static_cast<HttpRejection>(i)))}});
  }
  add_process(out);
  return out;
}

std::vector<MetricFacts> ExporterMetrics::facts() { return table(); }

}  // namespace rocetop::cli
