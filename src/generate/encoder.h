// SPDX-License-Identifier: BSD-3-Clause
// encode(): from the description of one RoCEv2 packet to the bytes of an Ethernet frame, lengths, checksums and ICRC
// right. It is the tests' second opinion on the wire layer: it shares no table with it, knows no opcode, and writes
// exactly the headers that it is given, in wire order. So it can also build packets that no stack would send.
//
//   Ethernet [802.1Q] | IPv4, or IPv6 [Destination Options] | UDP | BTH | RDETH DETH XRCETH FETH RETH AtomicETH AETH
//   AtomicAckETH ImmDt IETH | payload | pad | ICRC        (IBTA vol. 1 ch. 9 for the headers, annex A17 for RoCEv2)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ip_address.h"
#include "base/nanos.h"
#include "base/psn.h"

namespace rocetop::generate {

using FrameBytes = std::vector<std::uint8_t>;

/// A frame and when the tap saw it.
struct TimedFrame {
  Nanos time;
  FrameBytes bytes;
};

/// BTH opcodes: transport << 5 | operation (IBTA vol. 1, table 38). Only those this layer builds itself.
enum class Opcode : std::uint8_t {
  kSendFirst = 0,
  kSendMiddle = 1,
  kSendLast = 2,
  kSendLastImmediate = 3,
  kSendOnly = 4,
  kSendOnlyImmediate = 5,
  kWriteFirst = 6,
  kWriteMiddle = 7,
  kWriteLast = 8,
  kWriteLastImmediate = 9,
  kWriteOnly = 10,
  kWriteOnlyImmediate = 11,
  kReadRequest = 12,
  kReadResponseFirst = 13,
  kReadResponseMiddle = 14,
  kReadResponseLast = 15,
  kReadResponseOnly = 16,
  kAcknowledge = 17,
  kAtomicAcknowledge = 18,
  kFetchAdd = 20,
  kSendLastInvalidate = 22,
  kSendOnlyInvalidate = 23,
  kUdSendOnly = 0x64,
  kCnp = 0x81,
  // veRoCE's own
  kSack = 0x18,
  kAcknowledgeResponse = 0x19,
  kSackResponse = 0x1E,
  kRttRequest = 0x82,
  kRttResponse = 0x83,
  kSlowPath = 0x84,
};

struct RethSpec {
  std::uint64_t virtual_address = 0;
  std::uint32_t r_key = 0;
  std::uint32_t dma_length = 0;  ///< bytes
};

struct AethSpec {
  std::uint8_t syndrome = 0;
  Msn msn;
};

struct AtomicEthSpec {
  std::uint64_t virtual_address = 0;
  std::uint32_t r_key = 0;
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;
};

struct DethSpec {
  std::uint32_t q_key = 0;
  Qpn src_qp;
};

/// One packet, all of it. A header that is absent here is absent on the wire.
struct PacketSpec {
  std::array<std::uint8_t, 6> mac_src{0x02, 0, 0, 0, 0, 1};
  std::array<std::uint8_t, 6> mac_dst{0x02, 0, 0, 0, 0, 2};
  std::optional<std::uint16_t> vlan;  ///< id of an 802.1Q tag, 12 bits
  IpAddress src;                      ///< `src` and `dst` both IPv4, or else both are written as IPv6
  IpAddress dst;
  std::uint8_t dscp = 0;  ///< 6 bits
  std::uint8_t ecn = 0;   ///< 0 not ECT, 1 ECT(1), 2 ECT(0), 3 CE
  std::uint8_t hop_limit = 64;
  std::uint16_t ip_id = 0;  ///< IPv4 only
  /// IPv6 only: the options of a Destination Options header before the UDP header, padded to its unit of 8 bytes.
  std::vector<std::uint8_t> destination_options;
  std::uint16_t udp_src = 0xC000;
  std::uint16_t udp_dst = 4791;

  std::uint8_t opcode = 0;
  bool solicited = false;
  bool migration = false;
  std::uint16_t p_key = 0xFFFF;
  bool fecn = false;
  bool becn = false;
  Qpn dest_qp;
  bool ack_request = false;
  Psn psn;

  std::optional<std::uint32_t> ee_context;  ///< RDETH
  std::optional<DethSpec> deth;
  std::optional<Qpn> xrc_srq;         ///< XRCETH
  std::optional<std::uint32_t> feth;  ///< FETH
  std::optional<RethSpec> reth;
  std::optional<AtomicEthSpec> atomic;
  std::optional<AethSpec> aeth;
  std::optional<std::uint64_t> atomic_original;   ///< AtomicAckETH
  std::optional<std::uint32_t> immediate;         ///< ImmDt
  std::optional<std::uint32_t> invalidate_r_key;  ///< IETH
  std::vector<std::uint8_t> payload;              ///< padded to 4 bytes on the wire; at most 60,000 bytes
  bool bad_icrc = false;                          ///< damage the ICRC

  // What RoCEv2 does not allow, and veRoCE may do.
  std::uint8_t reserved7 = 0;    ///< BTH byte 8 without AckReq
  bool icrc_unmasked = false;    ///< BTH byte 4 as it stands
  bool icrc_big_endian = false;  ///< most significant byte first

  void set(Opcode op) { opcode = static_cast<std::uint8_t>(op); }
  bool is(Opcode op) const { return opcode == static_cast<std::uint8_t>(op); }
};

/// The frame, without FCS.
FrameBytes encode(const PacketSpec& packet);

/// A congestion notification (annex A17): BECN set, PSN 0, 16 zero bytes. Addresses and queue pair as in `to_sender`,
/// whose transport fields are replaced.
PacketSpec make_cnp(const PacketSpec& to_sender);

/// Option type of what a Fast CNP of this generator carries. The draft's number is not known here; this is one of those
/// for experiments (RFC 4727), and whoever does not know it skips it.
inline constexpr std::uint8_t kFastCnpOption = 0x1E;

/// A Fast CNP (draft-xiao-rtgwg-rocev2-fast-cnp): a switch at `address` sends it to the source of `data`. The queue
/// pair is that of the data, the receiver's, and a destination option holds the address that the data was sent to.
PacketSpec make_fast_cnp(const PacketSpec& data, const IpAddress& address);

}  // namespace rocetop::generate
