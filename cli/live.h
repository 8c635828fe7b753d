// SPDX-License-Identifier: BSD-3-Clause
// `rocetop live`: what goes on now, on interfaces or in a capture that is replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric_options.h"
#include "inputs.h"
#include "threshold_options.h"

namespace CLI {
class App;
}

namespace rocetop::cli {

struct LiveOptions {
  std::vector<std::string> interfaces;
  Words words;  ///< plain words are the filter; files are those of -r
  std::string speed = "1";
  std::optional<std::uint64_t> count;
  std::string duration;
  std::string write;  ///< file
  bool overwrite = false;
  std::string ring_size;
  std::size_t ring_files = 10;
  std::string interval = "1s";
  std::string window = "30s";
  std::uint32_t snap_length = 256;
  std::size_t connections_most = 10'000;
  std::vector<std::uint16_t> roce_ports;
  bool no_icrc = false;
  int numeric = 0;  ///< -n: nothing to do
  FabricOptions fabric;
  ThresholdOptions thresholds;
  bool once = false;
  bool json = false;
  bool utc = false;
  std::string color = "auto";
  bool ascii = false;
  std::string theme = "dark";
  std::string units = "bits";
  std::string sort;
  bool reversed = false;
  std::string find;  ///< what '/' on the screen filters by
  std::size_t width = 0;
  std::string typed;  ///< the command line behind the program's name, for a command that is shown
};

/// The subcommand with its options, which are kept in `options`.
CLI::App* add_live(CLI::App& app, LiveOptions& options);
int run_live(const LiveOptions& options);

}  // namespace rocetop::cli
