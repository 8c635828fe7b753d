// SPDX-License-Identifier: BSD-3-Clause
// UDP (RFC 768): the destination port says what follows.
//
//    0        2             4        6          8
//   +--------+-------------+--------+----------+----
//   | source | destination | length | checksum | …
//   +--------+-------------+--------+----------+----
#include <algorithm>

#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kSource = 0;
constexpr std::size_t kDestination = 2;
constexpr std::size_t kLength = 4;
constexpr std::size_t kPortBytes = 4;
constexpr std::size_t kHeaderBytes = 8;

Next port_step(std::uint16_t port, const DecodeOptions& options) {
  if (port == kRoceV2Port) return Next::kRoceV2;
  if (std::ranges::find(options.roce_ports, port) != options.roce_ports.end()) return Next::kRoceV2;
  switch (port) {
    case kVerocePort:
      return Next::kVeroce;
    case 4789:  // VXLAN, RFC 7348
    case 8472:
      return Next::kVxlan;  // … as Linux numbers it unless told otherwise
    case 4790:
      return Next::kVxlanGpe;  // draft-ietf-nvo3-vxlan-gpe
    case 6081:
      return Next::kGeneve;  // RFC 8926
    case 6635:
      return Next::kMpls;  // RFC 7510
    default:
      return Next::kOther;
  }
}

bool is_roce(Next next) { return next == Next::kRoceV2 || next == Next::kVeroce; }

/// INT with IFA 2.0 leaves its metadata between the UDP header and what UDP carried: header 4 bytes, whose last byte
/// counts the stack that follows in 4 bytes. Whether the UDP length covers them differs, so the IP length decides.
bool step_over_ifa_metadata(Walk& walk, std::size_t& payload_bytes) {
  constexpr std::size_t kMetadataHeaderBytes = 4;
  const std::uint8_t* metadata = walk.peek(kMetadataHeaderBytes);
  if (!metadata) return false;
  const std::size_t bytes = kMetadataHeaderBytes + std::size_t{4} * metadata[3];
  const std::size_t ip_bytes = walk.network.payload_bytes - kHeaderBytes;
  const bool counted = payload_bytes + bytes > ip_bytes;
  if (!walk.peek(bytes) || (counted && payload_bytes < bytes)) return false;
  walk.at += bytes;
  if (counted) payload_bytes -= bytes;
  return true;
}

}  // namespace

Next udp(Walk& walk) {
  const std::uint8_t* header = walk.peek(kPortBytes);
  if (!header) return Next::kOther;
  Packet& packet = walk.out.packet;
  packet.udp_src = load_be16(header + kSource);
  packet.udp_dst = load_be16(header + kDestination);
  const Next next = port_step(packet.udp_dst, walk.options);
  if (next == Next::kOther) return next;
  // Lengths first: a datagram too short for UDP says so whether or not it was captured whole.
  if (walk.network.payload_bytes < kHeaderBytes) {
    return is_roce(next) ? walk.undecodable(Undecodable::kShortUdp) : Next::kOther;
  }
  if (!walk.peek(kHeaderBytes)) return is_roce(next) ? walk.undecodable(Undecodable::kCutBeforeBth) : Next::kOther;
  const std::size_t udp_bytes = load_be16(header + kLength);
  const bool inside_ifa = packet.layer_count > 0 && packet.layers[packet.layer_count - 1].kind == Layer::Kind::kIfa;
  if (!walk.enter(Layer::Kind::kUdp, kHeaderBytes)) return Next::kOther;

  if (udp_bytes < kHeaderBytes) return is_roce(next) ? walk.undecodable(Undecodable::kShortUdp) : Next::kOther;
  std::size_t payload_bytes = udp_bytes - kHeaderBytes;
  if (inside_ifa && !step_over_ifa_metadata(walk, payload_bytes)) return Next::kOther;
  if (!is_roce(next)) return next;
  // A switch that trims veRoCE may leave the UDP length as it was.
  if (next == Next::kVeroce && udp_bytes > walk.network.payload_bytes && !packet.fragment) {
    walk.trimmed = true;
    walk.roce_bytes = walk.network.payload_bytes - kHeaderBytes;
    return next;
  }
  // The first fragment of a datagram states the length of the whole.
  if (udp_bytes > walk.network.payload_bytes && !packet.fragment) return walk.undecodable(Undecodable::kLengthMismatch);
  walk.roce_bytes = payload_bytes;
  return next;
}

}  // namespace rocetop::wire
