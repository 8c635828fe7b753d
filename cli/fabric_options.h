// SPDX-License-Identifier: BSD-3-Clause
// Options that say what the packets do not: how the fabric is meant to be, and how fast its links are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/analysis.h"

namespace CLI {
class App;
}

namespace rocetop::cli {

/// As the command line gave them.
struct FabricOptions {
  std::string expect;
  std::string link_speed;
};

void add_fabric_options(CLI::App& command, FabricOptions& options);

/// Errors: what is not understood, a file that cannot be read.
Result<Done> apply(const FabricOptions& options, engine::Options& to);

/// "100G", "400Gb/s", "25Gbps", "2500M", or bits per second.
Result<std::uint64_t> parse_link_speed(std::string_view text);

}  // namespace rocetop::cli
