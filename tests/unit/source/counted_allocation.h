// SPDX-License-Identifier: BSD-3-Clause
// Every allocation by C++ code of this test program, counted.
#pragma once

#include <cstdint>

namespace rocetop::source::test {

extern std::uint64_t allocations;
extern std::uint64_t allocated_bytes;

}  // namespace rocetop::source::test
