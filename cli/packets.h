// SPDX-License-Identifier: BSD-3-Clause
// `rocetop packets`: every RoCE packet as a line, as it is read.
#pragma once

#include <string>

#include "options.h"

namespace rocetop::cli {

struct PacketsOptions {
  CommonOptions common;
  bool verbose = false;
  bool two_pass = false;
  std::string time = "";  ///< empty: local, or utc with --utc
};

CLI::App* add_packets(CLI::App& app, PacketsOptions& options);
int run_packets(const PacketsOptions& options);

}  // namespace rocetop::cli
