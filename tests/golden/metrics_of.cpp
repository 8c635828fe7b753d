// SPDX-License-Identifier: BSD-3-Clause
// Prints the metrics of a capture as they are when all of it was read: metrics_of CAPTURE [--everything].
#include <cstdio>
#include <string>

#include "engine/live_monitor.h"
#include "present/metrics.h"
#include "source/frame_source.h"

namespace {

using namespace rocetop;

int print(const std::string& text) { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 2; }

int metrics_of(const std::string& path, bool everything) {
  auto source = source::open_capture(path);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().message.c_str());
    return 2;
  }
  engine::LiveMonitorOptions options;
  options.lossless = true;
  options.files = {path};
  options.ledger.emplace();
  if (everything) options.ledger->connections_most = 10;
  auto monitor = engine::LiveMonitor::create(std::move(*source), options);
  if (!monitor) return 2;
  (*monitor)->start();
  std::uint64_t number = 0;
  while (auto snapshot = (*monitor)->newer_than(number, std::chrono::seconds(60))) {
    number = snapshot->number;
    if (!snapshot->final) continue;
    return print(present::metrics_text(present::metric_families(*snapshot, {.pair_histograms = everything})));
  }
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  return metrics_of(argc > 1 ? argv[1] : "", argc > 2 && std::string(argv[2]) == "--everything");
}
