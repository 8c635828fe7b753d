// SPDX-License-Identifier: BSD-3-Clause
// `rocetop live`: what goes on now, on interfaces or in a capture that is replayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "watch_options.h"

namespace CLI {
class App;
}

namespace rocetop::cli {

struct LiveOptions : WatchOptions {
  std::optional<std::uint64_t> count;
  std::string duration;
  std::string write;  ///< file
  bool overwrite = false;
  std::string ring_size;
  std::size_t ring_files = 10;
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
};

/// The subcommand with its options, which are kept in `options`.
CLI::App* add_live(CLI::App& app, LiveOptions& options);
int run_live(const LiveOptions& options);

}  // namespace rocetop::cli
