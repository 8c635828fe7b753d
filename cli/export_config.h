// SPDX-License-Identifier: BSD-3-Clause
// --config FILE: options of `rocetop export` in a file, in CLI11's format (TOML: `max-pairs = 200`), under the names
// that they have on the command line without the dashes. What the command line says itself wins.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace rocetop::cli {

/// An option that may be in the file, by its names without dashes.
struct ConfigOption {
  std::string name;
  std::vector<std::string> letters;
  bool repeatable = false;
};

struct ConfigWords {
  std::vector<std::string> of_file;  ///< those that the command line does not give
  std::vector<std::string> all;      ///< with those of the command line behind them
};

/// `words` with those of the file that one of them names in front, but for options that `words` has themselves; `words`
/// alone where none names a file. Errors: a file that cannot be read or parsed, no such option, two values for one.
Result<ConfigWords> with_config_file(const std::vector<std::string>& words, const std::vector<ConfigOption>& options);

/// Of the last --config FILE or --config=FILE; empty if there is none.
std::string config_file_of(const std::vector<std::string>& words);

}  // namespace rocetop::cli
