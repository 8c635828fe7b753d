// SPDX-License-Identifier: BSD-3-Clause
// Walk: where the decoder stands in a frame, and the steps it can take next. Internal to wire/.
// Each encapsulation is one step: it reads its header at `at`, moves `at` behind it and says what follows. Steps never
// look outside `frame[0, end)`; a header that was cut off ends the walk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/decode.h"
#include "wire/plain_frame.h"

namespace rocetop::wire {

/// What stands at `Walk::at`.
enum class Next : std::uint8_t {
  kOther,  ///< nothing of ours: the walk ends
  kDone,   ///< `out` is filled: the walk ends
  kEthernet,
  kMellanoxMirror,
  kVlan,
  kMpls,
  kMacControl,
  kIp,  ///< IPv4 or IPv6, by the first nibble
  kIpv4,
  kIpv6,
  kAuthentication,
  kIfa,
  kUdp,
  kGre,
  kVxlan,
  kVxlanGpe,
  kGeneve,
  kLrh,
  kGrh,
  kRoceV2,
  kVeroce,
  kRoceV1,
  kInfiniband,
};

/// The innermost IP header (or GRH): what its lengths say and where the ICRC begins.
struct NetworkHeader {
  enum class Kind : std::uint8_t { kNone, kIpv4, kIpv6, kGrh };
  Kind kind = Kind::kNone;
  std::size_t offset = 0;
  std::size_t payload_bytes = 0;  ///< from `Walk::at` on, as the header states it; never less than what was captured
};

struct Walk {
  const std::uint8_t* frame;
  std::size_t end;       ///< captured bytes, without what outer IP headers say is not theirs (padding, FCS)
  std::size_t wire_end;  ///< where the frame ended on the wire, by the capture and the outer IP headers
  const DecodeOptions& options;
  Decoded& out;
  std::size_t at = 0;
  NetworkHeader network = {};
  std::size_t roce_bytes = 0;             ///< from BTH to ICRC, as the headers state it
  const std::uint8_t* src_mac = nullptr;  ///< of the last Ethernet header
  bool trimmed = false;                   ///< UDP states more than IP says is there
  bool icrc_unusable = false;             ///< a device on the way cut or rewrote what the ICRC covers

  /// The `n` bytes of the header at `at`, or null when they were cut off.
  const std::uint8_t* peek(std::size_t n) const { return end - at >= n ? frame + at : nullptr; }
  /// Notes the header at `at` and steps over its `n` captured bytes; false when the nesting limit is reached.
  bool enter(Layer::Kind kind, std::size_t n, std::uint32_t value = 0) {
    Packet& packet = out.packet;
    if (packet.layer_count == kMaxLayers) {
      out.too_deep = true;
      return false;
    }
    packet.layers[packet.layer_count++] = {kind, static_cast<std::uint16_t>(at < 0xFFFF ? at : 0xFFFF), value};
    at += n;
    return true;
  }
  /// Forgets captured bytes beyond `n` from `at`: an outer header says they are not part of it.
  void limit(std::size_t n) {
    if (end - at > n) end = at + n;
    if (wire_end - at > n) wire_end = at + n;
  }
  Next undecodable(Undecodable reason) {
    out.kind = FrameKind::kUndecodable;
    out.reason = reason;
    return Next::kDone;
  }
};

/// What both IPv6 and the GRH, which has its layout (IBTA vol. 1, 8.3), state; ipv6.cpp draws it.
struct Ipv6Header {
  std::uint8_t version;
  std::uint16_t payload_bytes;
  std::uint8_t next_header;
};
inline constexpr std::size_t kIpv6HeaderBytes = 40;
Ipv6Header read_ipv6_header(const std::uint8_t* header);
/// Addresses, class and hop limit; forgets what only IPv4 and extension headers say.
void take_ipv6_fields(const std::uint8_t* header, Packet& packet);

inline Next ethertype_step(std::uint16_t ethertype) {
  switch (ethertype) {
    case 0x0800:
      return Next::kIpv4;
    case 0x86DD:
      return Next::kIpv6;
    case 0x8100:  // 802.1Q
    case 0x88A8:  // 802.1ad
    case 0x9100:  // QinQ before the standard
    case 0x9200:
      return Next::kVlan;
    case 0x8847:
    case 0x8848:
      return Next::kMpls;
    case 0x8808:
      return Next::kMacControl;
    case 0x8915:
      return Next::kGrh;
    case 0x8949:
      return Next::kMellanoxMirror;
    default:
      return Next::kOther;  // below 0x0600 it is an 802.3 length: LLC
  }
}

inline Next ip_protocol_step(std::uint8_t protocol) {
  switch (protocol) {
    case 4:
      return Next::kIpv4;
    case 17:
      return Next::kUdp;
    case 41:
      return Next::kIpv6;
    case 47:
      return Next::kGre;
    case 51:
      return Next::kAuthentication;
    case 253:
      return Next::kIfa;
    default:
      return Next::kOther;
  }
}

// Link types that are not a step of their own: what follows the capture's pseudo header.
Next linux_sll(Walk& walk);
Next linux_sll2(Walk& walk);
Next null_loop(Walk& walk);
Next erf(Walk& walk);

/// A PlainFrame, decoded at once: true with all of `out` set, or false with nothing changed that means anything.
bool plain(Walk& walk);

/// Compares the ICRC of a packet that was captured whole, whose BTH is at `bth`.
void check_icrc(Walk& walk, std::size_t bth);

/// From the start of the frame to the end of the walk, step by step.
void take_steps(LinkType link_type, Walk& walk);

// Steps, each in the file of its noun.
Next ethernet(Walk& walk);
Next mellanox_mirror(Walk& walk);
Next vlan(Walk& walk);
Next mpls(Walk& walk);
Next mac_control(Walk& walk);
Next ip_by_nibble(Walk& walk);
Next ipv4(Walk& walk);
Next ipv6(Walk& walk);
Next authentication(Walk& walk);
Next ifa(Walk& walk);
Next udp(Walk& walk);
Next gre(Walk& walk);
Next vxlan(Walk& walk);
Next vxlan_gpe(Walk& walk);
Next geneve(Walk& walk);
Next lrh(Walk& walk);
Next grh(Walk& walk);
Next roce(Walk& walk, Protocol protocol);
Next veroce(Walk& walk);

}  // namespace rocetop::wire
