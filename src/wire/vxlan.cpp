// SPDX-License-Identifier: BSD-3-Clause
// VXLAN (RFC 7348, 5) and its generic protocol extension (draft-ietf-nvo3-vxlan-gpe, 3).
//
//    0                  1          3               4         7          8
//   +------------------+----------+---------------+---------+----------+----
//   | flags: I = 0x08, | reserved | reserved, GPE:| VNI 24  | reserved | …
//   | GPE: P = 0x04    |          | next protocol |         |          |
//   +------------------+----------+---------------+---------+----------+----
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kNextProtocol = 3;
constexpr std::size_t kVni = 4;
constexpr std::size_t kHeaderBytes = 8;
constexpr std::uint8_t kVniValid = 0x08;
constexpr std::uint8_t kNextProtocolValid = 0x04;

/// The header, if it is one; without the I flag it is some other protocol on this port.
const std::uint8_t* header_of(Walk& walk) {
  const std::uint8_t* header = walk.peek(kHeaderBytes);
  if (!header || !(header[0] & kVniValid)) return nullptr;
  const std::uint32_t vni = load_be24(header + kVni);
  if (!walk.enter(Layer::Kind::kVxlan, kHeaderBytes, vni)) return nullptr;
  walk.out.packet.network.vni = vni;
  return header;
}

}  // namespace

Next vxlan(Walk& walk) { return header_of(walk) ? Next::kEthernet : Next::kOther; }

Next vxlan_gpe(Walk& walk) {
  const std::uint8_t* header = header_of(walk);
  if (!header) return Next::kOther;
  if (!(header[0] & kNextProtocolValid)) return Next::kEthernet;
  switch (header[kNextProtocol]) {
    case 1:
      return Next::kIpv4;
    case 2:
      return Next::kIpv6;
    case 3:
      return Next::kEthernet;
    default:
      return Next::kOther;
  }
}

}  // namespace rocetop::wire
