// SPDX-License-Identifier: BSD-3-Clause
// Fit: how well an acknowledgement's PSN fits what a side has sent.
#pragma once

#include <cstdint>

namespace rocetop::track {

enum class Fit : std::uint8_t { kNone, kInWindow, kExact };

}  // namespace rocetop::track
