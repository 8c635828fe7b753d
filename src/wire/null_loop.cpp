// SPDX-License-Identifier: BSD-3-Clause
// BSD loopback: LINKTYPE_NULL (address family in the writer's byte order) and LINKTYPE_LOOP (in network byte order).
//
//    0                4
//   +----------------+----
//   | address family | …
//   +----------------+----
//
// Families are small numbers, so whichever byte order gives one is the right one.
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kHeaderBytes = 4;

Next family_step(std::uint32_t family) {
  switch (family) {
    case 2:
      return Next::kIpv4;  // AF_INET everywhere
    case 10:               // AF_INET6 of Linux
    case 23:               // … of Windows
    case 24:               // … of NetBSD, OpenBSD and BSD/OS
    case 28:               // … of FreeBSD
    case 30:
      return Next::kIpv6;  // … of Darwin
    default:
      return Next::kOther;
  }
}

}  // namespace

Next null_loop(Walk& walk) {
  const std::uint8_t* header = walk.peek(kHeaderBytes);
  if (!header || !walk.enter(Layer::Kind::kNull, kHeaderBytes)) return Next::kOther;
  const std::uint32_t big_endian = load_be32(header);
  const Next next = family_step(big_endian);
  return next != Next::kOther ? next : family_step(__builtin_bswap32(big_endian));
}

}  // namespace rocetop::wire
