// SPDX-License-Identifier: BSD-3-Clause
#include "exporter.h"

#include <algorithm>
#include <utility>

#include "present/metric_text.h"

namespace rocetop::cli {
namespace {

bool is_captured(const model::LiveInterface& interface) {
  return interface.state == model::LinkState::kUp && interface.error.empty();
}

/// Something is captured or read.
bool is_up(const Exporter::SnapshotPtr& snapshot) {
  if (!snapshot) return true;  // opened it was
  if (snapshot->final) return false;
  const auto& interfaces = snapshot->interfaces;
  return interfaces.empty() || std::any_of(interfaces.begin(), interfaces.end(), is_captured);
}

}  // namespace

Exporter::Exporter(std::unique_ptr<engine::LiveMonitor> monitor, ExporterOptions options)
    : monitor_(std::move(monitor)), options_(std::move(options)) {
  PageSource source;
  source.newest = [this] { return newest(); };
  source.lasts = options_.render;
  source.changes = [this](const SnapshotPtr& beside) { return changing_text(beside); };
  source.took = [this](double seconds) { metrics_.observe_scrape(seconds); };
  page_ = std::make_unique<MetricsPage>(std::move(source));
}

Exporter::~Exporter() {
  if (server_) server_->stop(std::chrono::milliseconds(0));
  page_.reset();
}

void Exporter::start(std::vector<ListeningSocket> sockets, HttpPolicy policy) {
  monitor_->start();
  // The page asks the server how it is: not before there is one.
  const std::lock_guard lock(mutex_);
  server_ = std::make_unique<HttpServer>(
      std::move(sockets), options_.limits, std::move(policy),
      [this](const HttpRequest& request, HttpRespond respond) { handle(request, std::move(respond)); },
      [this](const std::string& path, unsigned status) {
        if (path == options_.metrics_path) metrics_.count_scrape(status);
      });
}

Exporter::SnapshotPtr Exporter::look() {
  SnapshotPtr latest = monitor_->latest();
  const std::lock_guard lock(mutex_);
  if (!latest || latest == newest_) return nullptr;
  taken_ = std::chrono::steady_clock::now();
  newest_ = latest;
  return latest;
}

void Exporter::stop(std::chrono::milliseconds grace) {
  if (server_) server_->stop(grace);
  monitor_->stop();
}

Exporter::SnapshotPtr Exporter::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

/// By the page's thread. What is said of the input fits what is counted beside it.
std::string Exporter::changing_text(const SnapshotPtr& beside) const {
  ExporterState state;
  state.up = is_up(beside);
  if (const std::size_t unwatched = unwatched_; unwatched != kUnknown) state.unwatched_interfaces = unwatched;
  {
    const std::lock_guard lock(mutex_);
    if (newest_) {
      state.snapshot_age_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - taken_).count();
    }
    state.http = server_->counts();
  }
  std::vector<prometheus::MetricFamily> families = metrics_.families(state);
  if (options_.more) {
    for (prometheus::MetricFamily& family : options_.more()) families.push_back(std::move(family));
  }
  return present::metrics_text(families);
}

std::string Exporter::state_words() const {
  const SnapshotPtr snapshot = newest();
  return snapshot && snapshot->final ? "It has read" : "It watches";
}

/// By the server's thread: nothing here takes long.
void Exporter::handle(const HttpRequest& request, HttpRespond respond) {
  if (request.path == options_.metrics_path) return page_->get(request.gzip, std::move(respond));
  if (request.path == "/-/healthy" || request.path == "/healthz") return respond(HttpResponse::text(200, "healthy\n"));
  if (request.path == "/-/ready") {
    // What has ended was ready, and its counters are still served.
    const SnapshotPtr snapshot = newest();
    if (!snapshot) return respond(HttpResponse::text(503, "not ready: nothing has been looked at yet\n"));
    if (snapshot->final || is_up(snapshot)) return respond(HttpResponse::text(200, "ready\n"));
    return respond(HttpResponse::text(503, "not ready: no interface is up\n"));
  }
  if (request.path == "/") {
    HttpResponse response =
        HttpResponse::text(200, landing_page({options_.metrics_path, options_.inputs, state_words()}));
    response.content_type = "text/html; charset=utf-8";
    return respond(std::move(response));
  }
  respond(HttpResponse::text(404, "there is nothing here; / says what there is\n"));
}

}  // namespace rocetop::cli
