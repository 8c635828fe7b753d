// SPDX-License-Identifier: BSD-3-Clause
// Exporter: an analysis that goes on, and the HTTP server that shows what it counts. Three threads that never wait for
// each other: the monitor reads, the page renders, the server serves; the fourth, of the caller, follows with look().
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/live_monitor.h"
#include "exporter_metrics.h"
#include "http_server.h"
#include "landing_page.h"
#include "metrics_page.h"

namespace rocetop::cli {

struct ExporterOptions {
  HttpLimits limits;
  std::string metrics_path = "/metrics";
  std::vector<std::string> inputs;  ///< names, for people
  /// The text of what a snapshot gives; called by the page's thread.
  std::function<std::string(const model::LiveSnapshot&)> render;
  /// Families besides the exporter's own, at every scrape; may be empty. Called by the page's thread.
  std::function<std::vector<prometheus::MetricFamily>()> more;
};

class Exporter {
 public:
  using SnapshotPtr = engine::LiveMonitor::SnapshotPtr;

  Exporter(std::unique_ptr<engine::LiveMonitor> monitor, ExporterOptions options);
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;
  ~Exporter();

  /// Reads and serves from here on.
  void start(std::vector<ListeningSocket> sockets, HttpPolicy policy);
  /// Takes the newest snapshot, if there is one; gives it if it was not taken before. Call whenever the monitor's
  /// descriptor is readable: until then nobody sees it.
  SnapshotPtr look();
  /// Lets answers that have begun end for so long; the counters are final then.
  void stop(std::chrono::milliseconds grace);

  /// From then on it is served; from any thread.
  void set_unwatched_interfaces(std::size_t count) { unwatched_ = count; }

  engine::LiveMonitor& monitor() { return *monitor_; }
  ExporterMetrics& metrics() { return metrics_; }
  HttpServer& server() { return *server_; }
  MetricsPage& page() { return *page_; }

 private:
  static constexpr std::size_t kUnknown = SIZE_MAX;
  void handle(const HttpRequest& request, HttpRespond respond);
  SnapshotPtr newest() const;
  std::string changing_text(const SnapshotPtr& beside) const;
  std::string state_words() const;

  const std::unique_ptr<engine::LiveMonitor> monitor_;
  const ExporterOptions options_;
  ExporterMetrics metrics_;
  mutable std::mutex mutex_;
  SnapshotPtr newest_;  // under mutex_, as below
  std::chrono::steady_clock::time_point taken_;
  std::atomic<std::size_t> unwatched_ = kUnknown;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<MetricsPage> page_;
};

}  // namespace rocetop::cli
