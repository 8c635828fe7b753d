// SPDX-License-Identifier: BSD-3-Clause
// GENEVE (RFC 8926, 3.4). Options are stepped over.
//
//    0                    1            2          4         7          8
//   +------+-------------+------------+----------+---------+----------+-- - - - --+----
//   |ver 2 | options 6   | O, C, res. | protocol | VNI 24  | reserved | options   | …
//   |      | (4 bytes)   |            |          |         |          |           |
//   +------+-------------+------------+----------+---------+----------+-- - - - --+----
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kProtocol = 2;
constexpr std::size_t kVni = 4;
constexpr std::size_t kMinBytes = 8;
constexpr std::uint16_t kTransparentEthernet = 0x6558;

}  // namespace

Next geneve(Walk& walk) {
  const std::uint8_t* header = walk.peek(kMinBytes);
  if (!header || header[0] >> 6 != 0) return Next::kOther;
  const std::size_t bytes = kMinBytes + std::size_t{4} * (header[0] & 0x3F);
  const std::uint32_t vni = load_be24(header + kVni);
  if (!walk.peek(bytes) || !walk.enter(Layer::Kind::kGeneve, bytes, vni)) return Next::kOther;
  walk.out.packet.network.vni = vni;
  const std::uint16_t protocol = load_be16(header + kProtocol);
  return protocol == kTransparentEthernet ? Next::kEthernet : ethertype_step(protocol);
}

}  // namespace rocetop::wire
