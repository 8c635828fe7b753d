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
  constexpr std::size_t kOpcode = 0;
  constexpr std::size_t kFlags = 1;
  constexpr std::size_t kPKey = 2;
  constexpr std::size_t kCongestion = 4;
  constexpr std::size_t kDestQp = 5;
  constexpr std::size_t kAckReq = 8;
  constexpr std::size_t kPsn = 9;

  out.opcode = header[kOpcode];
  out.solicited = header[kFlags] & 0x80;
  out.migration = header[kFlags] & 0x40;
  out.pad = header[kFlags] >> 4 & 3;
  out.version = header[kFlags] & 0x0F;
  out.p_key = load_be16(header + kPKey);
  out.fecn = header[kCongestion] & 0x80;
  out.becn = header[kCongestion] & 0x40;
  out.dest_qp = Qpn{load_be24(header + kDestQp)};
  out.ack_request = header[kAckReq] & 0x80;
  out.reserved7 = header[kAckReq] & 0x7F;
  out.psn = Psn{load_be24(header + kPsn)};
}

}  // namespace rocetop::wire
