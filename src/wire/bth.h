// SPDX-License-Identifier: BSD-3-Clause
// The Base Transport Header. Internal to wire/.
#pragma once

#include <cstdint>

#include "wire/packet.h"

namespace rocetop::wire {

inline constexpr std::size_t kBthBytes = 12;

/// Reads the BTH from kBthBytes bytes at `header`.
void parse_bth(const std::uint8_t* header, Bth& out);

}  // namespace rocetop::wire
