// SPDX-License-Identifier: BSD-3-Clause
// veRoCE packets for tests, under any of the layouts that are thought possible: the second opinion on wire/veroce. It
// shares nothing with it: what a packet carries is said by whoever makes it, header by header, and in which places
// bytes and bits stand by VeroceWire.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "generate/encoder.h"

namespace rocetop::generate {

/// How the sender lays out what is disputed. As it stands: the layout that most sources speak of.
struct VeroceWire {
  std::uint8_t retransmit_bit = 0x40;  ///< in BTH byte 8
  bool reth_in_every_write = true;
  bool sack_length_first = true;
  /// Where offset i of the SACK bitmap stands, of 128 bits numbered as they are written, the highest bit of the first
  /// byte being 0.
  enum class SackBit { kLastFirst, kByteWise, kAsWritten, kByWord, kByDoubleWord };
  SackBit sack_bit = SackBit::kLastFirst;
  std::uint32_t sack_starts_after = 0;             ///< PSNs behind the acknowledged one
  std::string_view write_immediate = "rq po own";  ///< order, as words; "po" is left out where there is none
  std::string_view send_immediate = "rq po own";
  std::string_view send_invalidate = "rq po own";
  bool atomic_aeth_first = true;
  bool icrc_unmasked = false;
  bool icrc_big_endian = false;
  bool plain = false;             ///< InfiniBand's headers alone
  std::uint32_t extra_bytes = 0;  ///< zeros in front of the headers: a layout that nobody knows

  friend bool operator==(const VeroceWire&, const VeroceWire&) = default;
};

/// What a packet says; which of it stands in the packet follows from `opcode` in encode_veroce().
struct VerocePacket {
  PacketSpec base;  ///< addresses, opcode, queue pair, PSN, flags; its extension headers are not used
  bool retransmit = false;
  bool trimmed = false;  ///< the payload is cut off
  std::uint32_t msn = 0;
  std::uint32_t packet_order = 0;
  std::uint32_t rq_msn = 0;
  RethSpec reth;
  AethSpec aeth;
  AtomicEthSpec atomic;
  std::uint64_t atomic_original = 0;
  std::uint32_t own = 0;  ///< ImmDt or IETH
  std::uint32_t sack_length = 0;
  std::vector<std::uint32_t> sack_received;  ///< PSNs
  std::vector<std::uint32_t> rtt;            ///< context, TX1, RX1, TX2, RX2
  std::vector<std::uint8_t> payload;
};

/// What stands between BTH and payload.
FrameBytes veroce_headers(const VerocePacket& packet, const VeroceWire& wire);

/// The frame, without FCS.
FrameBytes encode_veroce(const VerocePacket& packet, const VeroceWire& wire);

}  // namespace rocetop::generate
