// SPDX-License-Identifier: BSD-3-Clause
// Decoded packets made by hand, for what no scenario says: wrong orders, wrong numbers, several networks.
#pragma once

#include <cstdint>

#include "base/ip_address.h"
#include "wire/packet.h"

namespace rocetop::test {

inline constexpr std::uint8_t kWriteOnlyOpcode = 0x0A;
inline constexpr std::uint8_t kAcknowledgeOpcode = 0x11;

/// From 192.0.2.`src` to 192.0.2.`dst`; an acknowledgement acknowledges all up to its PSN.
inline wire::Packet packet(std::uint8_t src, std::uint8_t dst, std::uint8_t opcode, std::uint32_t dst_qpn,
                           std::uint32_t psn) {
  const std::uint8_t from[4] = {192, 0, 2, src};
  const std::uint8_t to[4] = {192, 0, 2, dst};
  wire::Packet p;
  p.src = IpAddress::v4(from);
  p.dst = IpAddress::v4(to);
  p.udp_src = 50000;
  p.bth.opcode = opcode;
  p.bth.dest_qp = Qpn{dst_qpn};
  p.bth.psn = Psn{psn};
  if (opcode == kAcknowledgeOpcode) {
    p.headers = p.expected_headers = wire::kAeth;
    p.aeth.syndrome = 0x1F;
    p.aeth.msn = Msn{psn};
  }
  return p;
}

}  // namespace rocetop::test
