// SPDX-License-Identifier: BSD-3-Clause
// MAC control: PFC (IEEE 802.1Qbb, opcode 0x0101) and 802.3x PAUSE (opcode 0x0001).
#pragma once

#include <array>
#include <cstdint>

#include "base/byte_reader.h"

namespace rocetop::wire {

struct Pause {
  bool priority = false;                  ///< PFC; else 802.3x, whose time is quanta[0] and whose class vector is 1
  std::uint8_t class_vector = 0;          ///< bit n: class n is named
  std::array<std::uint16_t, 8> quanta{};  ///< pause times in units of 512 bit times; 0 = resume
  std::array<std::uint8_t, 6> src_mac{};
};

/// Parses what follows EtherType 0x8808. False if it is neither PFC nor PAUSE, or cut short.
bool parse_pause(Bytes after_ethertype, Pause& out);

}  // namespace rocetop::wire
