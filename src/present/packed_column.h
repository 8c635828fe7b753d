// SPDX-License-Identifier: BSD-3-Clause
// PackedColumn: a column of integers as short text, for the plots of the HTML report. "=7" when every value is 7 ("=0"
// when there is none); else base64 of the differences between neighbours (from 0), zigzag, as base-128 varints (7 bits
// a byte, low first, bit 7: more follow). points.js reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocetop::present {

std::string packed_column(const std::vector<std::int64_t>& values);

}  // namespace rocetop::present
