// SPDX-License-Identifier: BSD-3-Clause
// A veRoCE packet read by every alternative of the items that its headers can tell apart.
#pragma once

#include <array>
#include <cstdint>

#include "track/veroce_context.h"
#include "wire/veroce.h"

namespace rocetop::track {

/// At most two items bear on the headers of one opcode.
struct ConcernedItems {
  std::array<wire::VeroceItem, 2> items{};
  std::uint8_t count = 0;
};
ConcernedItems concerned_items(const wire::VeroceOpcode& opcode);

/// Bit by alternative: all that the item has, or the one that the user gave.
std::uint32_t possible_alternatives(wire::VeroceItem item, const wire::VeroceLayout& base);
/// Bit by alternative of `item` that reads this packet's headers as `layout` does.
std::uint32_t same_reading(wire::VeroceItem item, const wire::Packet& packet, const wire::VeroceLayout& layout);

struct VeroceTrial {
  ConcernedItems concerned;
  std::array<std::uint32_t, 2> fitting{};  ///< of each concerned item: bit by alternative with which some reading fits
  bool passes = false;                     ///< some reading passes the checks and agrees with the packets before
  bool disagrees = false;                  ///< one passes the checks, none agrees
  bool fits_ibta = false;
  bool follows = false;  ///< MSN and PSN go on from the message before: chance would not do that
};
/// `layout`: what the other items are read by. `base`: what the user gave.
VeroceTrial try_readings(const wire::Packet& packet, const VeroceContext& context, const wire::VeroceLayout& layout,
                         const wire::VeroceLayout& base);

}  // namespace rocetop::track
