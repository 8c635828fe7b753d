// SPDX-License-Identifier: BSD-3-Clause
// A file of settings as one string. Not for captures.
#pragma once

#include <string>

#include "base/result.h"

namespace rocetop::cli {

/// Errors: cannot be read, is a directory, is larger than a megabyte.
Result<std::string> read_small_file(const std::string& path, bool may_be_pipe = false);

}  // namespace rocetop::cli
