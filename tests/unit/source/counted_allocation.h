// SPDX-License-Identifier: BSD-3-Clause
// Every allocation by C++ code of this test program, counted for each thread.
#pragma once

#include <cstdint>

namespace rocetop::source::test {

extern thread_local std::uint64_t allocations;
extern thread_local std::uint64_t allocated_bytes;

}  // namespace rocetop::source::test
