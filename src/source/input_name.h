// SPDX-License-Identifier: BSD-3-Clause
// How an input is called in messages. A file name may hold anything but '/' and NUL, terminal escapes included.
#pragma once

#include <string>
#include <string_view>

namespace rocetop::source {

/// "standard input" for "-"; otherwise the path with control characters, backslashes and bytes that are not UTF-8
/// written as \xNN, and cut after 256 bytes.
std::string input_name(std::string_view path);

}  // namespace rocetop::source
