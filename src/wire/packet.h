// SPDX-License-Identifier: BSD-3-Clause
// Packet: one RoCE packet after decoding, whatever it was wrapped in. Plain data, no allocation; spans point into the
// frame and live as long as it does. Headers that the packet does not carry, or that the snap length cut off, are
// absent from `headers` and their fields are meaningless.
#pragma once

#include <array>
#include <cstdint>

#include "base/byte_reader.h"
#include "base/ip_address.h"
#include "base/psn.h"
#include "wire/veroce_headers.h"

namespace rocetop::wire {

enum class Protocol : std::uint8_t { kRoceV2, kRoceV1, kVeroce, kInfiniband };

/// BTH opcode bits 7:5 (IBTA vol. 1, 9.2.1). RD is what Mellanox DC re-uses.
enum class Transport : std::uint8_t {
  kRc = 0,
  kUc = 1,
  kRd = 2,
  kUd = 3,
  kCnp = 4,
  kXrc = 5,
  kVendor6 = 6,
  kVendor7 = 7
};

/// IP ECN field (RFC 3168).
enum class Ecn : std::uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

enum class IcrcStatus : std::uint8_t { kUnchecked, kGood, kBad };

/// Bits of Packet::headers.
enum Header : std::uint32_t {
  kReth = 1 << 0,
  kAeth = 1 << 1,
  kAtomicEth = 1 << 2,
  kAtomicAckEth = 1 << 3,
  kImmDt = 1 << 4,
  kIeth = 1 << 5,
  kDeth = 1 << 6,
  kRdeth = 1 << 7,
  kXrceth = 1 << 8,
  kFeth = 1 << 9,
  // veRoCE's own: VeroceHeaders.
  kMsneth = 1 << 10,
  kPoeth = 1 << 11,
  kRqeth = 1 << 12,
  kSacketh = 1 << 13,
  kRtteth = 1 << 14,  ///< RTTReqETH or RTTRspETH
};

/// What else keeps connections apart besides addresses: VLANs and an overlay's network, as found innermost and
/// outermost. A priority tag (VLAN id 0) names no VLAN: it is a layer, but not part of the key.
struct NetworkKey {
  std::uint16_t vlan_outer = 0xFFFF;  ///< VLAN id of the first tag seen, 0xFFFF when there is none
  std::uint16_t vlan_inner = 0xFFFF;  ///< VLAN id of the last tag seen when there are two or more, else 0xFFFF
  std::uint32_t vni = 0xFFFFFFFF;     ///< VXLAN/GENEVE VNI or NVGRE VSID, innermost; 0xFFFFFFFF when there is none
  friend constexpr bool operator==(const NetworkKey&, const NetworkKey&) = default;
};

/// Packet::priority of a frame without a VLAN tag.
inline constexpr std::uint8_t kNoPriority = 0xFF;

struct Bth {
  std::uint8_t opcode = 0;
  bool solicited = false;    ///< SE
  bool migration = false;    ///< MigReq
  std::uint8_t pad = 0;      ///< PadCnt, bytes
  std::uint8_t version = 0;  ///< TVer
  std::uint16_t p_key = 0;
  bool fecn = false;
  bool becn = false;
  Qpn dest_qp;
  bool ack_request = false;  ///< AckReq
  std::uint8_t reserved7 = 0;
  Psn psn;

  Transport transport() const { return static_cast<Transport>(opcode >> 5); }
  std::uint8_t operation() const { return opcode & 0x1F; }
};

struct Reth {
  std::uint64_t virtual_address = 0;
  std::uint32_t r_key = 0;
  std::uint32_t dma_length = 0;  ///< bytes
};

struct Aeth {
  std::uint8_t syndrome = 0;
  Msn msn;
};

struct AtomicEth {
  std::uint64_t virtual_address = 0;
  std::uint32_t r_key = 0;
  std::uint64_t swap_or_add = 0;
  std::uint64_t compare = 0;
};

struct Deth {
  std::uint32_t q_key = 0;
  Qpn src_qp;
};

/// One encapsulation or network header on the way to the BTH, in order, for display.
struct Layer {
  enum class Kind : std::uint8_t {
    kEthernet,
    kVlan,
    kMpls,
    kLinuxSll,
    kLinuxSll2,
    kNull,
    kErf,
    kIpv4,
    kIpv6,
    kGrh,
    kUdp,
    kGre,
    kNvgre,
    kErspan1,
    kErspan2,
    kErspan3,
    kVxlan,
    kGeneve,
    kLrh,
    kIfa,
    kMellanoxMirror,
  };
  Kind kind = Kind::kEthernet;
  std::uint16_t offset = 0;  ///< bytes from the start of the frame; 0xFFFF when it is farther
  std::uint32_t value = 0;   ///< VLAN id, MPLS label, VNI/VSID, ERSPAN session, LRH: SLID << 16 | DLID; else 0
};
inline constexpr std::size_t kMaxLayers =
    24;  ///< nesting limit of the decoder: enough for VXLAN in ERSPAN in QinQ, twice

struct Packet {
  Protocol protocol = Protocol::kRoceV2;
  IpAddress src;  ///< innermost; RoCEv1: the GIDs
  IpAddress dst;
  NetworkKey network;
  std::uint16_t udp_src = 0;  ///< 0 for RoCEv1 and InfiniBand
  std::uint16_t udp_dst = 0;
  std::uint8_t traffic_class = 0;       ///< DSCP << 2 | ECN, innermost
  std::uint8_t hop_limit = 0;           ///< TTL
  std::uint8_t ip_protocol = 0;         ///< what the innermost IP header says it carries; 0 without IP
  std::uint8_t priority = kNoPriority;  ///< 802.1p class (PCP) of the outermost tag: what switches queue by
  std::uint16_t ip_id = 0;              ///< IPv4 identification; supports a decision, never carries it
  bool has_ip_id = false;
  bool fragment = false;             ///< first fragment of a fragmented IP datagram
  bool destination_options = false;  ///< IPv6 Destination Options before the UDP header
  Bytes options;                     ///< … what they hold; only valid where there are some

  Bth bth;
  std::uint32_t headers = 0;           ///< Header bits: carried and captured
  std::uint32_t expected_headers = 0;  ///< Header bits: what the opcode says it carries
  Reth reth;
  Aeth aeth;
  AtomicEth atomic;
  std::uint64_t atomic_original = 0;   ///< AtomicAckETH
  std::uint32_t immediate = 0;         ///< ImmDt
  std::uint32_t invalidate_r_key = 0;  ///< IETH
  Deth deth;
  std::uint32_t ee_context = 0;  ///< RDETH
  Qpn xrc_srq;                   ///< XRCETH
  std::uint32_t feth = 0;        ///< FETH, raw

  std::uint32_t payload_bytes = 0;  ///< on the wire, without pad and ICRC, from the lengths in the headers
  Bytes payload;                    ///< the captured part of it
  bool truncated = false;           ///< the snap length cut the RoCE packet
  IcrcStatus icrc = IcrcStatus::kUnchecked;
  std::uint32_t icrc_value = 0;  ///< as on the wire, when captured

  std::array<Layer, kMaxLayers> layers;
  std::uint8_t layer_count = 0;

  VeroceHeaders veroce;  ///< where the protocol is veRoCE

  bool has(Header h) const { return (headers & h) != 0; }
  Ecn ecn() const { return static_cast<Ecn>(traffic_class & 3); }
  std::uint8_t dscp() const { return traffic_class >> 2; }
  bool is_cnp() const { return bth.opcode == 0x81; }
  /// Sent by a switch: see fast_cnp.h.
  bool is_fast_cnp() const { return destination_options && is_cnp(); }
};

}  // namespace rocetop::wire
