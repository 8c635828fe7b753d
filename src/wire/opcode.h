// SPDX-License-Identifier: BSD-3-Clause
// BTH opcodes: names as the InfiniBand specification spells them, the headers each carries, and what each is to the
// tracker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/packet.h"

namespace rocetop::wire {

/// Low five bits of the opcode (IBTA vol. 1, table 38; 0x1C and 0x1D: annex A19).
enum Operation : std::uint8_t {
  kSendFirst = 0x00,
  kSendMiddle = 0x01,
  kSendLast = 0x02,
  kSendLastImmediate = 0x03,
  kSendOnly = 0x04,
  kSendOnlyImmediate = 0x05,
  kWriteFirst = 0x06,
  kWriteMiddle = 0x07,
  kWriteLast = 0x08,
  kWriteLastImmediate = 0x09,
  kWriteOnly = 0x0A,
  kWriteOnlyImmediate = 0x0B,
  kReadRequest = 0x0C,
  kReadResponseFirst = 0x0D,
  kReadResponseMiddle = 0x0E,
  kReadResponseLast = 0x0F,
  kReadResponseOnly = 0x10,
  kAcknowledge = 0x11,
  kAtomicAcknowledge = 0x12,
  kCompareSwap = 0x13,
  kFetchAdd = 0x14,
  kResync = 0x15,
  kSendLastInvalidate = 0x16,
  kSendOnlyInvalidate = 0x17,
  kFlush = 0x1C,
  kAtomicWrite = 0x1D,
};

/// What a packet is to a sequence space.
enum class Role : std::uint8_t {
  kRequest,      ///< takes PSNs of its sender's request space
  kResponse,     ///< READ response or atomic acknowledgement: carries PSNs of the requester's space
  kAcknowledge,  ///< takes no PSN
  kDatagram,     ///< UD
  kCnp,
  kUnknown,  ///< reserved, RD/DC or a vendor's
};
inline constexpr std::size_t kRoles = 6;

/// Where a packet stands in its message.
enum class Position : std::uint8_t { kNone, kFirst, kMiddle, kLast, kOnly };

/// Everything known about an opcode; the table covers all 256.
struct OpcodeFacts {
  std::string_view name;          ///< "RC RDMA WRITE First"; "Reserved 0x15" kinds of names for the rest
  std::string_view short_name;    ///< for one-line output: "WRITE First", "ACK", "CNP"
  std::uint32_t headers = 0;      ///< Header bits, in wire order as wire-formats give them
  std::uint8_t header_bytes = 0;  ///< length of those headers together
  Role role = Role::kUnknown;
  Position position = Position::kNone;
  bool known = false;
};

extern const std::array<OpcodeFacts, 256> kOpcodeFacts;

/// What plain_frame.h needs of them, four bytes each.
struct PlainOpcode {
  std::uint8_t header_bytes = 0;
  Role role = Role::kUnknown;
  Position position = Position::kNone;
  bool plain : 1 = false;   ///< known, of RC, UC, UD or XRC
  bool common : 1 = false;  ///< of RC or UC, with the RETH or the AETH in front where there is one
  bool has_reth : 1 = false;
  bool has_aeth : 1 = false;
};
extern const std::array<PlainOpcode, 256> kPlainOpcodes;

inline const OpcodeFacts& opcode_facts(std::uint8_t opcode) { return kOpcodeFacts[opcode]; }

}  // namespace rocetop::wire
