// SPDX-License-Identifier: BSD-3-Clause
// The invariant CRC of RoCE (IBTA vol. 1, 7.8.1 and annexes A16, A17). Internal to wire/.
#pragma once

#include <cstdint>

#include "base/byte_reader.h"
#include "wire/plain_frame.h"
#include "wire/walk.h"

namespace rocetop::wire {

/// The ICRC of a packet that was captured whole. `covered` runs from the IP header (or GRH) up to the ICRC exclusively,
/// and `bth_offset` is where the BTH stands in it. The result is the number whose bytes, least significant first, end
/// the packet. `mask_bth`: BTH byte 4 counts as ones, as annex A17 says.
std::uint32_t compute_icrc(NetworkHeader::Kind kind, Bytes covered, std::size_t bth_offset, bool mask_bth = true);

/// The ICRC on the wire, from its 4 bytes.
constexpr std::uint32_t load_icrc(const std::uint8_t* p) { return __builtin_bswap32(load_be32(p)); }

}  // namespace rocetop::wire
