// SPDX-License-Identifier: BSD-3-Clause
// `rocetop export`: what goes on, as metrics for Prometheus.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "watch_options.h"

namespace CLI {
class App;
}

namespace rocetop::cli {

struct ExportOptions : WatchOptions {
  bool loop = false;
  std::vector<std::string> listen_addresses;  ///< empty: kListenAddress
  std::string web_config;                     ///< file
  std::string metrics_path = "/metrics";
  std::string config;  ///< file
  std::size_t pairs_most = 100;
  std::size_t series_most = 20'000;
  std::string series_timeout = "10m";
  std::string per_connection;  ///< "top=N"
  bool pair_histograms = false;
  bool no_host_counters = false;
  std::string list_metrics;            ///< empty; "true" as text, or "markdown"
  std::vector<std::string> arguments;  ///< behind the subcommand, without --config's: to read that again
};

/// A port that no exporter in Prometheus' list of default ports has.
inline constexpr const char* kListenAddress = ":14791";

CLI::App* add_export(CLI::App& app, ExportOptions& options);
/// `options.arguments`, with the words of --config's file before them. Errors: the file cannot be used.
Result<std::vector<std::string>> export_words(const ExportOptions& options);
int run_export(const ExportOptions& options);

}  // namespace rocetop::cli
