// SPDX-License-Identifier: BSD-3-Clause
// Link types as capture files number them (LINKTYPE_ registry of the tcpdump project).
#pragma once

#include <cstdint>

namespace rocetop {

enum class LinkType : std::uint16_t {
  kNull = 0,        ///< BSD loopback, address family in the writer's byte order
  kEthernet = 1,    ///< with or without FCS
  kRaw12 = 12,      ///< DLT_RAW as some systems write it
  kRaw14 = 14,      ///< DLT_RAW as some systems write it
  kRaw = 101,       ///< IPv4 or IPv6, by the first nibble
  kLoop = 108,      ///< OpenBSD loopback, address family in network byte order
  kLinuxSll = 113,  ///< Linux cooked capture v1
  kErf = 197,       ///< Endace extensible record format
  kIpv4 = 228,
  kIpv6 = 229,
  kInfiniband = 247,  ///< starts at the LRH
  kLinuxSll2 = 276,   ///< Linux cooked capture v2
};

}  // namespace rocetop
