// SPDX-License-Identifier: BSD-3-Clause
// Ethernet II (IEEE 802.3, 3.2.6), and the mirror header of Mellanox switches, which is one more Ethernet header before
// the whole original frame. 802.3 with LLC carries no RoCE. A trailing FCS or padding is left to the IP lengths.
//
//    0               6              12       14
//   +---------------+---------------+--------+--------
//   |  destination  |    source     |  type  | …
//   +---------------+---------------+--------+--------
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kSource = 6;
constexpr std::size_t kType = 12;
constexpr std::size_t kHeaderBytes = 14;

}  // namespace

Next ethernet(Walk& walk) {
  const std::uint8_t* header = walk.peek(kHeaderBytes);
  if (!header || !walk.enter(Layer::Kind::kEthernet, kHeaderBytes)) return Next::kOther;
  walk.src_mac = header + kSource;
  return ethertype_step(load_be16(header + kType));
}

/// EtherType 0x8949: the original frame follows at once.
Next mellanox_mirror(Walk& walk) {
  return walk.enter(Layer::Kind::kMellanoxMirror, 0) ? Next::kEthernet : Next::kOther;
}

}  // namespace rocetop::wire
