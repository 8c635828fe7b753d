// SPDX-License-Identifier: BSD-3-Clause
// Messages on standard error: "rocetop: FILE: what is wrong", and on a second line what to do about it.
#pragma once

#include <string_view>

#include "base/result.h"

namespace rocetop::cli {

/// Cleaned of anything that could move a cursor: file names and captures are not to be trusted.
void complain(std::string_view message, std::string_view hint = {});
void complain(const Error& error);

}  // namespace rocetop::cli
