// SPDX-License-Identifier: BSD-3-Clause
// Communication management datagrams on QP1 (IBTA vol. 1, ch. 12): who connects to whom, with which QPNs and first
// PSNs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/byte_reader.h"
#include "base/ip_address.h"
#include "base/nanos.h"
#include "base/psn.h"

namespace rocetop::wire {

/// MAD attribute id of the CM class (0x07).
enum class CmMessage : std::uint16_t {
  kReq = 0x10,
  kMra = 0x11,
  kRej = 0x12,
  kRep = 0x13,
  kRtu = 0x14,
  kDreq = 0x15,
  kDrep = 0x16,
  kSidrReq = 0x17,
  kSidrRep = 0x18,
  kLap = 0x19,
  kApr = 0x1A,
};

/// Fields by message; a field that the message does not have, or that was cut off, is 0 or empty.
struct Cm {
  CmMessage message = CmMessage::kReq;
  std::uint64_t transaction_id = 0;
  std::uint32_t local_comm_id = 0;   ///< of the sender of this message; SIDR REQ: the request id
  std::uint32_t remote_comm_id = 0;  ///< 0 in REQ; SIDR REP: the request id
  Qpn qpn;                           ///< REQ, REP: the sender's QPN; DREQ, LAP: the receiver's; SIDR REP: the service's
  Psn starting_psn;                  ///< REQ, REP: first PSN the sender of this message wants to receive
  std::uint32_t path_mtu = 0;        ///< REQ: bytes, 0 when absent
  std::uint8_t transport_type = 0;   ///< REQ: 0 RC, 1 UC, 2 RD, 3 see the extended type
  std::uint8_t extended_transport_type = 0;   ///< REQ: 1 XRC
  std::uint64_t service_id = 0;               ///< REQ, SIDR REQ
  std::optional<std::uint16_t> rdma_cm_port;  ///< from the service id, when it is RDMA-CM's IP service
  std::uint32_t ece_vendor = 0;               ///< REQ, REP: vendor id of enhanced connection establishment, 24 bits
  std::uint8_t local_ack_timeout = 0;         ///< REQ: exponent n of 4.096 µs * 2^n
  std::uint8_t retry_count = 0;               ///< REQ
  std::uint8_t rnr_retry_count = 0;           ///< REQ, REP
  std::uint8_t responder_resources = 0;
  std::uint8_t initiator_depth = 0;
  std::uint16_t reject_reason = 0;    ///< REJ
  std::uint8_t rejected_message = 0;  ///< REJ, MRA: 0 REQ, 1 REP, 2 other/LAP
  std::uint8_t service_timeout = 0;   ///< MRA: exponent as local_ack_timeout
  std::uint8_t status = 0;            ///< SIDR REP, APR
  IpAddress local_gid, remote_gid;    ///< REQ: primary path
  bool complete = false;              ///< everything above was captured
};

std::string_view cm_message_name(CmMessage message);  ///< "REQ"
/// REJ reason in words (IBTA table 103 plus what Linux prints): "consumer defined" for 28, …
std::string_view reject_reason_text(std::uint16_t reason);
/// Parses the 256-byte MAD of a UD packet to QP1; nothing if it is not of the CM class.
std::optional<Cm> parse_cm(Bytes mad);

}  // namespace rocetop::wire
