// SPDX-License-Identifier: BSD-3-Clause
#include "export_plan.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "inputs.h"
#include "live_input.h"

namespace rocetop::cli {
namespace {

constexpr std::size_t kConnectionRowsMost = 1'000;

/// "top=N".
Result<std::size_t> connection_rows(const std::string& text) {
  if (text.empty()) return std::size_t{0};
  const Error wrong{"--per-connection " + text + ": not understood", "Give top=N with N from 1 to 1000, as top=50."};
  if (!text.starts_with("top=")) return wrong;
  std::size_t rows = 0;
  const auto [end, error] = std::from_chars(text.data() + 4, text.data() + text.size(), rows);
  if (error != std::errc{} || end != text.data() + text.size()) return wrong;
  if (rows < 1 || rows > kConnectionRowsMost) return wrong;
  return rows;
}

}  // namespace

Result<ExportPlan> interpret_export(const ExportOptions& options) {
  ExportPlan plan;
  auto monitor = interpret_watch(options);
  if (!monitor) return monitor.error();
  plan.monitor = std::move(monitor.value());
  // For ever: lists make room, and intervals go by when nothing comes.
  plan.monitor.endless = true;
  plan.interval = plan.monitor.interval;
  const auto speed = parse_speed(options.speed.empty() ? "1" : options.speed);
  if (!speed) return speed.error();
  // Time between two looks is that of whoever scrapes; at full speed nobody could tell them apart.
  const double pace = options.words.read_files.empty() || speed.value() <= 0 ? 1 : speed.value();
  plan.monitor.interval.count = std::max<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(plan.monitor.interval.count) * pace), 1'000'000);
  plan.monitor.first_interval = std::min(plan.monitor.interval, milliseconds(250));
  const auto timeout = time_of("--series-timeout", options.series_timeout, seconds(1));
  if (!timeout) return timeout.error();
  const auto rows = connection_rows(options.per_connection);
  if (!rows) return rows.error();
  plan.metrics.pair_histograms = options.pair_histograms;
  plan.metrics.series_most = options.series_most;
  plan.monitor.ledger = present::that_fit({options.pairs_most, rows.value(), timeout.value()}, plan.metrics);
  const std::string& path = options.metrics_path;
  if (path == "/" || path == "/healthz" || path.starts_with("/-/")) {
    return Error{"--web.telemetry-path " + path + ": taken by what else is served", "Give for example /metrics."};
  }
  if (!path.starts_with('/') || path.find_first_of("?# \"'<>\\") != std::string::npos) {
    return Error{"--web.telemetry-path " + path + ": not a path", "Give for example /metrics."};
  }
  const auto texts =
      options.listen_addresses.empty() ? std::vector<std::string>{kListenAddress} : options.listen_addresses;
  for (const std::string& text : texts) {
    auto address = parse_listen_address(text);
    if (!address) return address.error();
    // The same one twice would be said to be taken by somebody else.
    const bool again = address->port != 0 && std::find(&texts.front(), &text, text) != &text;
    if (!again) plan.addresses.push_back(std::move(address.value()));
  }
  auto filter = filter_of(options.words);
  if (!filter) return filter.error();
  plan.filter = std::move(filter.value());
  return plan;
}

}  // namespace rocetop::cli
