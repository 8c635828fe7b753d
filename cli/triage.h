// SPDX-License-Identifier: BSD-3-Clause
// `rocetop triage`: what went wrong in a capture, why, and which packets prove it.
#pragma once

#include <string>

#include "fabric_options.h"
#include "options.h"
#include "threshold_options.h"

namespace rocetop::cli {

struct TriageOptions {
  CommonOptions common;
  FabricOptions fabric;
  bool all = false;
  bool markdown = false;
  std::string html;  ///< file
  std::string csv;   ///< directory
  std::string fail_on = "critical";
  ThresholdOptions thresholds;
};

/// The subcommand with its options, which are kept in `options`.
CLI::App* add_triage(CLI::App& app, TriageOptions& options);
int run_triage(const TriageOptions& options);

}  // namespace rocetop::cli
