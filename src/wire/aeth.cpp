// SPDX-License-Identifier: BSD-3-Clause
// AETH syndromes (IBTA vol. 1, 9.7.5.2.1 and tables 45 to 47).
//
//   bit  7        6 5      4 … 0
//       +--------+--------+------------------------------------------------------+
//       | 0      | kind 2 | ACK: credit code, RNR NAK: timer code, NAK: NAK code |
//       +--------+--------+------------------------------------------------------+
#include "wire/aeth.h"

#include <fmt/format.h>

#include <array>

namespace rocetop::wire {
namespace {

constexpr std::uint8_t kCodeMask = 0x1F;
constexpr std::uint8_t kNoLimit = 31;

/// Waits by timer code, in units of 10 µs.
constexpr std::array<std::uint32_t, 32> kRnrTimers = {
    65536, 1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
    256,   384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

constexpr std::array<std::uint16_t, 31> kCredits = {0,    1,    2,    3,    4,    6,     8,     12,    16,   24,   32,
                                                    48,   64,   96,   128,  192,  256,   384,   512,   768,  1024, 1536,
                                                    2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

std::string_view nak_words(NakCode code) {
  switch (code) {
    case NakCode::kPsnSequenceError:
      return "PSN sequence error";
    case NakCode::kInvalidRequest:
      return "invalid request";
    case NakCode::kRemoteAccessError:
      return "remote access error";
    case NakCode::kRemoteOperationalError:
      return "remote operational error";
    case NakCode::kInvalidRdRequest:
      return "invalid RD request";
  }
  return "unknown";
}

}  // namespace

std::string_view nak_key(NakCode code) {
  switch (code) {
    case NakCode::kPsnSequenceError:
      return "psn_sequence_error";
    case NakCode::kInvalidRequest:
      return "invalid_request";
    case NakCode::kRemoteAccessError:
      return "remote_access_error";
    case NakCode::kRemoteOperationalError:
      return "remote_operational_error";
    case NakCode::kInvalidRdRequest:
      return "invalid_rd_request";
  }
  return "unknown";
}

std::optional<NakCode> nak_code(std::uint8_t syndrome) {
  const std::uint8_t code = syndrome & kCodeMask;
  if (aeth_kind(syndrome) != AethKind::kNak || code >= kNakCodes) return std::nullopt;
  return static_cast<NakCode>(code);
}

Nanos rnr_timer(std::uint8_t syndrome) { return microseconds(std::int64_t{10} * kRnrTimers[syndrome & kCodeMask]); }

std::optional<std::uint32_t> credits(std::uint8_t syndrome) {
  const std::uint8_t code = syndrome & kCodeMask;
  if (aeth_kind(syndrome) != AethKind::kAck || code == kNoLimit) return std::nullopt;
  return kCredits[code];
}

std::string aeth_text(std::uint8_t syndrome) {
  switch (aeth_kind(syndrome)) {
    case AethKind::kAck: {
      const auto granted = credits(syndrome);
      if (!granted) return "ACK";
      return fmt::format("ACK, {} credit{}", *granted, *granted == 1 ? "" : "s");
    }
    case AethKind::kRnrNak:
      return fmt::format("RNR NAK, wait {:.2f} ms", static_cast<double>(rnr_timer(syndrome).count) / 1e6);
    case AethKind::kNak: {
      const auto code = nak_code(syndrome);
      if (!code) return fmt::format("NAK, reserved code {}", syndrome & kCodeMask);
      return fmt::format("NAK, {}", nak_words(*code));
    }
    case AethKind::kReserved:
      break;
  }
  return fmt::format("reserved syndrome 0x{:02X}", syndrome);
}

}  // namespace rocetop::wire
