// SPDX-License-Identifier: BSD-3-Clause
// How much a count has grown. Some are corrected when more is known; none grows by less than nothing.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rocetop {

constexpr std::uint64_t growth(std::uint64_t before, std::uint64_t now) { return now - std::min(before, now); }

}  // namespace rocetop
