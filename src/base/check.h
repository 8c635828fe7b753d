// SPDX-License-Identifier: BSD-3-Clause
// CHECK: an invariant of our own code. Never used on input: a bad packet is data, a bad file is a Result.
#pragma once

namespace rocetop {

/// Prints where and what, then aborts. Never returns.
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace rocetop

#define ROCETOP_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::rocetop::check_failed(#condition, __FILE__, __LINE__))
