// SPDX-License-Identifier: BSD-3-Clause
// --config FILE: options of `rocetop export` in a file, in CLI11's format (TOML: `max-pairs = 200`), under the names
// that they have on the command line without the dashes. What the command line says itself wins.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace rocetop::cli {

/// An option that may be in the file, by its long name without dashes.
struct ConfigOption {
  std::string name;
  bool given = false;  ///< on the command line, which wins
  bool repeatable = false;
};

/// Those of the file that are not given, as words of a command line; none where `file` is empty. Errors: a file that
/// cannot be read or parsed, no such option, two values for one.
Result<std::vector<std::string>> words_of_config(const std::string& file, const std::vector<ConfigOption>& options);

}  // namespace rocetop::cli
