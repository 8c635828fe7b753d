// SPDX-License-Identifier: BSD-3-Clause
// --veroce-layout and --veroce-layout-file: by which layout veRoCE is read.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "wire/veroce_layout.h"

namespace CLI {
class App;
}

namespace rocetop::cli {

struct VeroceOptions {
  std::vector<std::string> values;  ///< "KEY=VALUE"
  std::string file;
};

void add_veroce_options(CLI::App& command, VeroceOptions& options, const std::string& group);
/// The file first: what the command line says by itself wins. Errors: a file that cannot be read, no such item or
/// value.
Result<Done> apply(const VeroceOptions& options, wire::VeroceLayout& layout);

}  // namespace rocetop::cli
