// SPDX-License-Identifier: BSD-3-Clause
// Base Transport Header (IBTA vol. 1, 9.2). Internal to wire/; inline, because every packet has one.
//
//    0        1                     2       4                   5        8               9
//   +--------+--+-+-----+----------+-------+--+-+--------------+--------+-+-------------+--------+
//   | opcode |SE|M|Pad 2|TVer 4    | P_Key |F |B| reserved 6   | DestQP |A| reserved 7  | PSN 24 |
//   +--------+--+-+-----+----------+-------+--+-+--------------+--------+-+-------------+--------+
//   F: FECN, B: BECN, A: AckReq.
#pragma once

#include <cstdint>

#include "wire/packet.h"

namespace rocetop::wire {

inline constexpr std::size_t kBthBytes = 12;

/// Reads the BTH from kBthBytes bytes at `header`.
inline void parse_bth(const std::uint8_t* header, Bth& out) {
  // Three words, most significant byte first.
  const std::uint32_t first = load_be32(header);
  const std::uint32_t second = load_be32(header + 4);
  const std::uint32_t third = load_be32(header + 8);
  out.opcode = static_cast<std::uint8_t>(first >> 24);
  out.solicited = (first & 1u << 23) != 0;
  out.migration = (first & 1u << 22) != 0;
  out.pad = first >> 20 & 3;
  out.version = first >> 16 & 0xF;
  out.p_key = static_cast<std::uint16_t>(first);
  out.fecn = (second & 1u << 31) != 0;
  out.becn = (second & 1u << 30) != 0;
  out.dest_qp = Qpn{second};
  out.ack_request = (third & 1u << 31) != 0;
  out.reserved7 = third >> 24 & 0x7F;
  out.psn = Psn{third};
}

}  // namespace rocetop::wire
