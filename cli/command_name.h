// SPDX-License-Identifier: BSD-3-Clause
// A first word that is no command, or an option that does not exist: what may have been meant by it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "inputs.h"

namespace rocetop::cli {

/// Nothing if `word` is one of `commands` or an option.
std::optional<Error> wrong_command(const std::string& word, const std::vector<std::string>& commands,
                                   const Exists& exists);

/// "Did you mean --threshold?", for the first of `words` that is an option and like one of `options` ("--threshold",
/// "-c"); nothing if there is none.
std::optional<std::string> meant_option(const std::vector<std::string>& words, const std::vector<std::string>& options);

/// The first of `words` that is like `word`; nothing if none is.
std::optional<std::string> similar_word(const std::string& word, const std::vector<std::string>& words);

}  // namespace rocetop::cli
