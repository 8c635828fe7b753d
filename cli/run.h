// SPDX-License-Identifier: BSD-3-Clause
// The program: finds the subcommand. What that does is in the file of its name.
#pragma once

#include <string>
#include <vector>

namespace rocetop::cli {

/// `arguments`: without the program's name. Returns the exit status.
int run(std::vector<std::string> arguments);

}  // namespace rocetop::cli
