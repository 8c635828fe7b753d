// SPDX-License-Identifier: BSD-3-Clause
// Options of everything that watches: which interfaces or captures, how they are read and judged, and how often one
// looks. What is done with what is seen is each subcommand's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/live_monitor.h"
#include "fabric_options.h"
#include "inputs.h"
#include "live_input.h"
#include "threshold_options.h"
#include "veroce_options.h"

namespace CLI {
class App;
}

namespace rocetop::cli {

struct WatchOptions {
  std::vector<std::string> interfaces;
  Words words;        ///< plain words are the filter; files are those of -r
  std::string speed;  ///< of a replay; empty: 1
  std::string interval = "1s";
  std::string window = "30s";
  std::uint32_t snap_length = 256;
  std::size_t connections_most = 10'000;
  std::vector<std::uint16_t> roce_ports;
  bool no_icrc = false;
  VeroceOptions veroce;
  int numeric = 0;  ///< -n: nothing to do
  FabricOptions fabric;
  ThresholdOptions thresholds;
  std::string typed;  ///< the command line behind the program's name, for a command that is shown
};

/// FILTER, -i, -r, --speed, -f. `default_interface`: what is watched without -i, in words.
void add_input_options(CLI::App& command, WatchOptions& options, const std::string& default_interface);
/// -s, --roce-port, --no-icrc, -n.
void add_capture_options(CLI::App& command, WatchOptions& options);
/// --interval, --window, --max-connections.
void add_look_often_options(CLI::App& command, WatchOptions& options);

/// A time of an option. Errors: no time, less than `least`.
Result<Nanos> time_of(const std::string& option, const std::string& text, Nanos least);

/// What they mean to the monitor. Errors: what does not make sense.
Result<engine::LiveMonitorOptions> interpret_watch(const WatchOptions& options);

/// What is to be opened for them.
LiveInputOptions input_of(const WatchOptions& options, const std::string& filter, Nanos interval);

}  // namespace rocetop::cli
