// SPDX-License-Identifier: BSD-3-Clause
// IPv6 (RFC 8200, 3) and its extension headers, and the Authentication Header (RFC 4302), which IPv4 can carry too.
//
//    0                         4         6      7      8         24            40
//   +-----+--------+----------+---------+------+------+---------+-------------+----
//   |ver 4|class 8 |flow 20   | payload | next | hop  | source  | destination | …
//   |     |        |label     | length  |header| limit|         |             |
//   +-----+--------+----------+---------+------+------+---------+-------------+----
//
//   Hop-by-Hop, Routing, Destination Options: next header 8, length 8 (in 8 bytes, without the first 8), …
//   Fragment: next header 8, reserved 8, offset 13, reserved 2, M 1, identification 32
//   Authentication: next header 8, length 8 (in 4 bytes, minus 2), …
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kTrafficClass = 0;  // 4 bits further on
constexpr std::size_t kPayloadLength = 4;
constexpr std::size_t kNextHeader = 6;
constexpr std::size_t kHopLimit = 7;
constexpr std::size_t kSource = 8;
constexpr std::size_t kDestination = 24;

constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kFragmentHeader = 44;
constexpr std::uint8_t kDestinationOptions = 60;
constexpr std::uint8_t kMobility = 135;
constexpr std::size_t kUnitBytes = 8;
constexpr std::size_t kOptions = 2;  // behind next header and length
constexpr std::size_t kFragmentField = 2;
constexpr std::uint16_t kFragmentOffsetMask = 0xFFF8;
constexpr std::uint16_t kMoreFragments = 1;
/// RFC 8200, 4.1 recommends each header once, Destination Options twice; more than this is an attack, not a network.
constexpr int kMaxExtensions = 10;

/// Steps over an extension header of `n` bytes if it was captured. Then it is part of the payload: what is not, limit()
/// cut off.
bool step_over(Walk& walk, std::size_t n) {
  if (!walk.peek(n)) return false;
  walk.at += n;
  walk.network.payload_bytes -= n;
  return true;
}

/// Reads the extension headers from `protocol` on; what they end in.
Next extensions(Walk& walk, std::uint8_t protocol) {
  Packet& packet = walk.out.packet;
  for (int i = 0; i < kMaxExtensions; ++i) {
    if (protocol != kHopByHop && protocol != kRouting && protocol != kFragmentHeader &&
        protocol != kDestinationOptions && protocol != kMobility) {
      packet.ip_protocol = protocol;
      return ip_protocol_step(protocol);
    }
    const std::uint8_t* header = walk.peek(kUnitBytes);
    if (!header) return Next::kOther;
    std::size_t bytes = kUnitBytes;
    if (protocol == kFragmentHeader) {
      const std::uint16_t field = load_be16(header + kFragmentField);
      packet.fragment = field & (kFragmentOffsetMask | kMoreFragments);  // neither: an atomic fragment is whole
      walk.out.ip_fragment |= packet.fragment;
      if (field & kFragmentOffsetMask) return Next::kOther;
    } else {
      bytes += kUnitBytes * header[1];
      if (protocol == kDestinationOptions && walk.peek(bytes)) {
        packet.destination_options = true;
        packet.options = {header + kOptions, bytes - kOptions};
      }
    }
    protocol = header[0];
    if (!step_over(walk, bytes)) return Next::kOther;
  }
  return Next::kOther;
}

}  // namespace

Ipv6Header read_ipv6_header(const std::uint8_t* header) {
  return {static_cast<std::uint8_t>(header[0] >> 4), load_be16(header + kPayloadLength), header[kNextHeader]};
}

void take_ipv6_fields(const std::uint8_t* header, Packet& packet) {
  packet.src = IpAddress::v6(header + kSource);
  packet.dst = IpAddress::v6(header + kDestination);
  packet.traffic_class = static_cast<std::uint8_t>(load_be16(header + kTrafficClass) >> 4);
  packet.hop_limit = header[kHopLimit];
  packet.has_ip_id = false;
  packet.destination_options = false;
  packet.fragment = false;
}

Next ipv6(Walk& walk) {
  const std::uint8_t* header = walk.peek(kIpv6HeaderBytes);
  if (!header) return Next::kOther;
  const Ipv6Header fields = read_ipv6_header(header);
  if (fields.version != 6) return Next::kOther;
  std::size_t payload_bytes = fields.payload_bytes;
  // 0 is a jumbogram or, in a sender's capture, a datagram that the adapter cuts up itself: the frame's end is its end.
  if (payload_bytes == 0) payload_bytes = walk.wire_end - walk.at - kIpv6HeaderBytes;
  walk.limit(kIpv6HeaderBytes + payload_bytes);

  walk.network = {NetworkHeader::Kind::kIpv6, walk.at, payload_bytes};
  if (!walk.enter(Layer::Kind::kIpv6, kIpv6HeaderBytes)) return Next::kOther;
  take_ipv6_fields(header, walk.out.packet);
  return extensions(walk, fields.next_header);
}

Next authentication(Walk& walk) {
  const std::uint8_t* header = walk.peek(kUnitBytes);
  if (!header || !step_over(walk, std::size_t{4} * header[1] + 8)) return Next::kOther;
  // IPv6 allows Destination Options after it.
  return walk.network.kind == NetworkHeader::Kind::kIpv6 ? extensions(walk, header[0]) : ip_protocol_step(header[0]);
}

}  // namespace rocetop::wire
