// SPDX-License-Identifier: BSD-3-Clause
// --threshold and --thresholds: by what findings are judged.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "verdict/thresholds.h"

namespace CLI {
class App;
}

namespace rocetop::cli {

struct ThresholdOptions {
  std::vector<std::string> values;  ///< "NAME=VALUE"
  std::string file;
};

void add_threshold_options(CLI::App& command, ThresholdOptions& options);
/// The file first: what the command line says by itself wins. Errors: a file that cannot be read, no such threshold.
Result<Done> apply(const ThresholdOptions& options, verdict::Thresholds& thresholds);

}  // namespace rocetop::cli
