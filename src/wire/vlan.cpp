// SPDX-License-Identifier: BSD-3-Clause
// VLAN tags (IEEE 802.1Q, 9.6), stacked or not; the TPID before the tag has been read already.
//
//    0                        2        4
//   +-----+---+--------------+--------+--------
//   |PCP 3|DEI| VLAN id 12   |  type  | …
//   +-----+---+--------------+--------+--------
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kControl = 0;
constexpr std::size_t kType = 2;
constexpr std::size_t kHeaderBytes = 4;
constexpr std::uint16_t kVlanIdMask = 0x0FFF;
constexpr unsigned kPriorityShift = 5;  // of the first byte
constexpr std::uint16_t kNoVlan = 0xFFFF;

}  // namespace

Next vlan(Walk& walk) {
  const std::uint8_t* header = walk.peek(kHeaderBytes);
  if (!header) return Next::kOther;
  const std::uint16_t id = load_be16(header + kControl) & kVlanIdMask;
  Packet& packet = walk.out.packet;
  if (packet.priority == kNoPriority) packet.priority = header[kControl] >> kPriorityShift;
  if (!walk.enter(Layer::Kind::kVlan, kHeaderBytes, id)) return Next::kOther;
  NetworkKey& key = packet.network;
  if (id != 0) (key.vlan_outer == kNoVlan ? key.vlan_outer : key.vlan_inner) = id;
  return ethertype_step(load_be16(header + kType));
}

}  // namespace rocetop::wire
