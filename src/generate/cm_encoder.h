// SPDX-License-Identifier: BSD-3-Clause
// Communication management datagrams (IBTA vol. 1, ch. 12) for the generator: REQ, REP, RTU, REJ, DREQ and DREP with
// the fields a passive observer uses; all other fields are zero.
#pragma once

#include "generate/encoder.h"

namespace rocetop::generate {

enum class CmType : std::uint16_t { kReq = 0x10, kRej = 0x12, kRep = 0x13, kRtu = 0x14, kDreq = 0x15, kDrep = 0x16 };

struct CmSpec {
  CmType type = CmType::kReq;
  std::uint64_t transaction_id = 1;
  std::uint32_t local_comm_id = 0;
  std::uint32_t remote_comm_id = 0;  ///< not in REQ
  Qpn qpn;                           ///< REQ, REP: the sender's; DREQ: the receiver's
  Psn starting_psn;                  ///< REQ, REP: what the sender of this message wants to receive first
  std::uint32_t path_mtu = 1024;     ///< REQ: bytes, a power of two from 256 to 4096
  std::uint8_t transport_type = 0;   ///< REQ: 0 RC, 1 UC
  std::uint64_t service_id = 0x0000'0000'0106'4853;  ///< REQ: RDMA-CM, TCP port space, port 18515
  std::uint8_t local_ack_timeout = 14;               ///< REQ: exponent n of 4.096 µs * 2^n
  std::uint8_t retry_count = 7;                      ///< REQ
  std::uint8_t rnr_retry_count = 7;                  ///< REQ, REP
  std::uint32_t ece_vendor = 0;                      ///< REQ, REP: vendor of "enhanced connection establishment"
  std::uint16_t reject_reason = 28;                  ///< REJ: consumer defined
};

/// Turns `addressed` (addresses, ports and marks are kept) into a UD packet from QP 1 to QP 1 that carries the message.
PacketSpec make_cm(PacketSpec addressed, const CmSpec& message);

}  // namespace rocetop::generate
