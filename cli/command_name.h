// SPDX-License-Identifier: BSD-3-Clause
// A first word that is no command: what may have been meant by it.
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

}  // namespace rocetop::cli
