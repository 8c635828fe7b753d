// SPDX-License-Identifier: BSD-3-Clause
// --config FILE: options of `rocetop export` in a file, in CLI11's format (TOML: `max-pairs = 200`), under the names
// that they have on the command line without the dashes. What the command line says itself wins.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace rocetop::cli {

/// `words` with those of the file that one of them names in front; `words` itself where none does. `options`: the long
/// names that may be in it, without dashes. Errors: a file that cannot be read or parsed, no such option.
Result<std::vector<std::string>> with_config_file(const std::vector<std::string>& words,
                                                  const std::vector<std::string>& options);

}  // namespace rocetop::cli
