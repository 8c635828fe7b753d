// SPDX-License-Identifier: BSD-3-Clause
// How an input is called in messages, and whether an output is one. A file name may hold anything but '/' and NUL,
// terminal escapes included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rocetop::source {

/// "standard input" for "-"; otherwise the path with control characters, backslashes and bytes that are not UTF-8
/// written as \xNN, and cut after 256 bytes.
std::string input_name(std::string_view path);

/// input_name() of each: "eth0, eth1".
std::string input_names(const std::vector<std::string>& names);

/// The one of `inputs` ("-" is standard input) that `path` would write over, or null.
const std::string* written_over(const std::string& path, const std::vector<std::string>& inputs);

}  // namespace rocetop::source
