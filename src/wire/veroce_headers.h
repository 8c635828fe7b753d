// SPDX-License-Identifier: BSD-3-Clause
// VeroceHeaders: what a veRoCE packet has beyond RoCEv2's headers, and how sure its reading is. Part of wire::Packet;
// means something only where Packet::protocol is veRoCE. Fields of headers that Packet::headers does not name mean
// nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "base/byte_reader.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "wire/sack_bitmap.h"
#include "wire/veroce_layout.h"

namespace rocetop::wire {

/// Why a packet is shown raw.
enum class VeroceCheck : std::uint8_t {
  kPassed,
  kUnknownOpcode,  ///< what follows the BTH is not known
  kLength,         ///< the bytes are not as many as the headers, and a payload that the position allows, take
  kReserved,       ///< a reserved byte is not 0
  kField,          ///< a field holds what it cannot
  kConnection,     ///< this packet passed, most of its connection's did not
};
inline constexpr std::size_t kVeroceChecks = 6;

/// What speaks for the layout by which a packet is read.
enum class LayoutConfidence : std::uint8_t {
  kAssumed,    ///< the default's or the user's word: no packet so far tells its alternatives apart
  kSupported,  ///< a packet fits it and not all alternatives, or only few packets did
  kConfirmed,  ///< several packets of the connection fit it and none of the alternatives
  kFailed,     ///< the checks say it is not this
};
inline constexpr std::size_t kLayoutConfidences = 4;

/// PO of an acknowledgement that says nothing of where it is in the message.
inline constexpr std::uint32_t kNoPacketOrder = 0xFFFFFF;

struct SackEth {
  Psn start;
  std::uint8_t valid_length = 0;  ///< bits of the bitmap that mean something
  SackBitmap bitmap;
};

/// RTTReqETH and RTTRspETH. Time stamps are nanoseconds of each end's own clock, modulo 2^32.
struct RttEth {
  std::uint32_t context = 0;  ///< CC Context ID
  std::uint32_t tx1 = 0;      ///< requester sent
  std::uint32_t rx1 = 0;      ///< responder received
  std::uint32_t tx2 = 0;      ///< responder sent
  std::uint32_t rx2 = 0;      ///< requester received; 0 where only the requester knows

  /// What the responding host took.
  Nanos host_delay() const { return Nanos{static_cast<std::int32_t>(tx2 - rx1)}; }
  /// (RX2 - TX1) - (TX2 - RX1): nothing where RX2 is not in the packet.
  std::optional<Nanos> network_delay() const {
    if (rx2 == 0) return std::nullopt;
    return Nanos{static_cast<std::int32_t>((rx2 - tx1) - (tx2 - rx1))};
  }
};

struct VeroceHeaders {
  Bytes raw;                    ///< captured bytes between BTH and ICRC
  std::uint32_t raw_bytes = 0;  ///< as many as there were on the wire
  VeroceLayout layout;          ///< by which the packet is read
  VeroceCheck check = VeroceCheck::kPassed;
  LayoutConfidence confidence = LayoutConfidence::kAssumed;             ///< of the headers
  LayoutConfidence retransmit_confidence = LayoutConfidence::kAssumed;  ///< of the Retrans flag's place
  bool retransmit = false;                                              ///< Retrans; only of packets that take a PSN
  bool trimmed = false;            ///< the payload that position or RETH promise was cut off on the way
  bool icrc_whole = false;         ///< the ICRC was captured and computed
  std::uint8_t icrc_rules = 0;     ///< bit by IcrcRule: those it matches
  std::uint32_t msn = 0;           ///< MSNETH
  std::uint32_t packet_order = 0;  ///< POETH
  std::uint32_t rq_msn = 0;        ///< RQETH
  SackEth sack;
  RttEth rtt;
  std::optional<Nanos> rtt_beyond_tap;  ///< of an RTT Response: request to response at the tap, less the host's delay
};

}  // namespace rocetop::wire
