// SPDX-License-Identifier: BSD-3-Clause
// Reading what follows a veRoCE packet's BTH, by a layout, without memory. A packet keeps the bytes behind its BTH, so
// it can be read again by another layout.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "wire/packet.h"
#include "wire/veroce_opcode.h"

namespace rocetop::wire {

/// Headers behind a BTH, in wire order.
struct HeaderChain {
  std::array<Header, 6> headers{};
  std::uint8_t count = 0;
  std::uint8_t bytes = 0;
  bool has(Header header) const;
  friend bool operator==(const HeaderChain&, const HeaderChain&) = default;
};
/// Of a known opcode. (CNP: none; its reserved bytes are no header.)
HeaderChain header_chain(const VeroceOpcode& opcode, const VeroceLayout& layout);

/// One reading of a packet.
struct VeroceReading {
  VeroceCheck check = VeroceCheck::kPassed;
  std::uint32_t expected_headers = 0;  ///< Header bits
  std::uint32_t headers = 0;           ///< … captured
  std::uint8_t header_bytes = 0;
  std::uint32_t payload_bytes = 0;
  bool trimmed = false;
  Reth reth;
  Aeth aeth;
  AtomicEth atomic;
  std::uint64_t atomic_original = 0;
  std::uint32_t immediate = 0;
  std::uint32_t invalidate_r_key = 0;
  std::uint32_t msn = 0;
  std::uint32_t packet_order = 0;
  std::uint32_t rq_msn = 0;
  SackEth sack;
  RttEth rtt;

  bool passed() const { return check == VeroceCheck::kPassed; }
  bool has(Header header) const { return (headers & header) != 0; }
};

/// Reads `packet` by `layout`. `path_mtu`: that of its connection, where it is known; 0 else. Headers that the capture
/// cut off are absent, and pass.
VeroceReading read_veroce(const Packet& packet, const VeroceLayout& layout, std::uint32_t path_mtu = 0);
/// Makes a reading the packet's. One that did not pass leaves it raw.
void apply(const VeroceReading& reading, const VeroceLayout& layout, Packet& packet);
/// Makes the packet raw for `check`.
void make_raw(VeroceCheck check, Packet& packet);

/// True if the bytes can be those of RoCEv2 with this opcode: lengths, and what RETH says of the payload.
bool fits_ibta(const Packet& packet);
/// Makes a veRoCE packet the RoCEv2 packet that its bytes are by InfiniBand's headers. False, with nothing changed, if
/// they cannot be.
bool read_as_rocev2(Packet& packet);

/// Payload that First and Middle packets can have (IBTA vol. 1, path MTUs).
bool is_path_mtu(std::uint32_t bytes);

/// AETH in words, where 0x60 means what veRoCE means by it: "NAK, Packet Drop".
std::string veroce_aeth_text(std::uint8_t syndrome);
/// What a veRoCE packet is, for one-line output: "WRITE Middle", "SACK_Rsp", "NAK, Packet Drop".
std::string veroce_short_text(const Packet& packet);

/// The word of JSON for each.
std::string_view word(VeroceCheck check);            ///< "length"
std::string_view word(LayoutConfidence confidence);  ///< "confirmed"
std::string_view in_words(VeroceCheck check);        ///< a clause: "its length does not fit the headers"

}  // namespace rocetop::wire
