// SPDX-License-Identifier: BSD-3-Clause
// MPLS label stack (RFC 3032, 2.1) and, below it, IP or an Ethernet pseudowire (RFC 4448).
//
//    0                               4
//   +----------------+-----+-+------+--------
//   | label 20       |TC 3 |S| TTL  | …
//   +----------------+-----+-+------+--------
//
// The stack does not say what it carries: the first nibble decides, 4 and 6 for IP, 0 for the pseudowire control word,
// all else for Ethernet at once. A pseudowire without control word whose destination MAC begins with 4 or 6 fools this;
// such MACs are why RFC 4928 asks for the control word.
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kEntryBytes = 4;
constexpr std::size_t kControlWordBytes = 4;
constexpr std::uint32_t kBottomOfStack = 0x100;

Next payload(Walk& walk) {
  const std::uint8_t* first = walk.peek(kControlWordBytes);
  if (!first) return Next::kOther;
  switch (*first >> 4) {
    case 4:
      return Next::kIpv4;
    case 6:
      return Next::kIpv6;
    case 0:
      walk.at += kControlWordBytes;
      return Next::kEthernet;
    default:
      return Next::kEthernet;
  }
}

}  // namespace

Next mpls(Walk& walk) {
  const std::uint8_t* header = walk.peek(kEntryBytes);
  if (!header) return Next::kOther;
  const std::uint32_t entry = load_be32(header);
  if (!walk.enter(Layer::Kind::kMpls, kEntryBytes, entry >> 12)) return Next::kOther;
  return entry & kBottomOfStack ? payload(walk) : Next::kMpls;
}

}  // namespace rocetop::wire
