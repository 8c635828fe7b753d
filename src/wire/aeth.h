// SPDX-License-Identifier: BSD-3-Clause
// AETH syndromes in words (IBTA vol. 1, 9.7.5.2.4-9.7.5.2.8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/nanos.h"

namespace rocetop::wire {

enum class AethKind : std::uint8_t { kAck, kRnrNak, kReserved, kNak };

/// NAK codes in the order of their numbers 0x60 .. 0x64.
enum class NakCode : std::uint8_t {
  kPsnSequenceError = 0,
  kInvalidRequest = 1,
  kRemoteAccessError = 2,
  kRemoteOperationalError = 3,
  kInvalidRdRequest = 4,
};
inline constexpr std::size_t kNakCodes = 5;

constexpr AethKind aeth_kind(std::uint8_t syndrome) { return static_cast<AethKind>(syndrome >> 5 & 3); }
/// "psn_sequence_error" …: the key used in reports.
std::string_view nak_key(NakCode code);
/// The NAK code of a syndrome, if it is a NAK with a code the specification defines.
std::optional<NakCode> nak_code(std::uint8_t syndrome);
/// RNR timer: what the responder asks the requester to wait, for codes 0..31 (0 is 655.36 ms).
Nanos rnr_timer(std::uint8_t syndrome);
/// Credits an ACK grants; nothing for "no limit" (31).
std::optional<std::uint32_t> credits(std::uint8_t syndrome);
/// "ACK", "ACK, 12 credits", "RNR NAK, wait 0.64 ms", "NAK, PSN sequence error".
std::string aeth_text(std::uint8_t syndrome);

}  // namespace rocetop::wire
