// SPDX-License-Identifier: BSD-3-Clause
// ERF records (Endace extensible record format, LINKTYPE_ERF) as capture cards and ibdump write them.
//
//    0            8       9       10       12       14       16
//   +------------+-------+-------+--------+--------+--------+-- - - - - - --+----
//   | time stamp | type  | flags | record | lost/  | wire   | extension     | …
//   |            |       |       | length | colour | length | headers, 8 B  |
//   +------------+-------+-------+--------+--------+--------+-- - - - - - --+----
//
// Type bit 7: an extension header follows; bit 7 of its first byte: another one follows. Ethernet types have two bytes
// (an offset and padding) before the frame. The capture file's own stamp is used, not this one.
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kType = 8;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kExtensionBytes = 8;
constexpr std::size_t kEthernetPadBytes = 2;
constexpr std::uint8_t kMore = 0x80;

Next type_step(std::uint8_t type) {
  switch (type) {
    case 2:   // ETH
    case 11:  // COLOR_ETH
    case 16:  // DSM_COLOR_ETH
    case 20:
      return Next::kEthernet;  // COLOR_HASH_ETH
    case 21:
      return Next::kLrh;  // INFINIBAND
    case 22:
      return Next::kIpv4;  // IPV4
    case 23:
      return Next::kIpv6;  // IPV6
    default:
      return Next::kOther;
  }
}

}  // namespace

Next erf(Walk& walk) {
  const std::uint8_t* header = walk.peek(kHeaderBytes);
  if (!header || !walk.enter(Layer::Kind::kErf, kHeaderBytes)) return Next::kOther;
  bool more = header[kType] & kMore;
  while (more) {
    const std::uint8_t* extension = walk.peek(kExtensionBytes);
    if (!extension) return Next::kOther;
    more = *extension & kMore;
    walk.at += kExtensionBytes;
  }
  const Next next = type_step(header[kType] & static_cast<std::uint8_t>(~kMore));
  if (next != Next::kEthernet) return next;
  if (!walk.peek(kEthernetPadBytes)) return Next::kOther;
  walk.at += kEthernetPadBytes;
  return next;
}

}  // namespace rocetop::wire
