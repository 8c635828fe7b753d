// SPDX-License-Identifier: BSD-3-Clause
// InfiniBand below the BTH: the Local Route Header of native links (IBTA vol. 1, 7.7) and the Global Route Header
// (8.3), which RoCEv1 puts straight behind Ethernet (annex A16).
//
//   LRH   0          1                  2       4                6        8
//        +----+-----+------+-----+-----+-------+-------+--------+--------+----
//        | VL | ver | SL 4 |res 2|LNH 2| DLID  | res 5 |length  | SLID   | …
//        | 4  | 4   |      |     |     |       |       |11 (x 4)|        |
//        +----+-----+------+-----+-----+-------+-------+--------+--------+----
//   The length counts from the LRH up to the VCRC (2 bytes, behind the ICRC) exclusively.
//
//   GRH: the layout of IPv6 (ipv6.cpp), 0x1B as the next header, GIDs as the addresses.
//   The payload length counts from the BTH up to the ICRC inclusively.
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kLrhDlid = 2;
constexpr std::size_t kLrhLength = 4;
constexpr std::size_t kLrhSlid = 6;
constexpr std::size_t kLrhBytes = 8;
constexpr std::uint8_t kLnhBth = 2;
constexpr std::uint8_t kLnhGrh = 3;

constexpr std::uint8_t kIbaTransport = 0x1B;

}  // namespace

Next lrh(Walk& walk) {
  const std::uint8_t* header = walk.peek(kLrhBytes);
  if (!header) return Next::kOther;
  const std::uint32_t lids = std::uint32_t{load_be16(header + kLrhSlid)} << 16 | load_be16(header + kLrhDlid);
  const std::size_t bytes = std::size_t{4} * (load_be16(header + kLrhLength) & 0x7FF);
  if (bytes < kLrhBytes || !walk.enter(Layer::Kind::kLrh, kLrhBytes, lids)) return Next::kOther;
  walk.out.packet.protocol = Protocol::kInfiniband;
  walk.out.packet.src = walk.out.packet.dst = IpAddress();  // LIDs only, unless a GRH follows
  walk.roce_bytes = bytes - kLrhBytes;
  walk.icrc_unusable = true;  // its masks over a real LRH are not the ones verified here
  switch (header[1] & 3) {
    case kLnhBth:
      return Next::kInfiniband;
    case kLnhGrh:
      return Next::kGrh;
    default:
      return Next::kOther;  // raw packets
  }
}

Next grh(Walk& walk) {
  Packet& packet = walk.out.packet;
  const bool native = packet.layer_count > 0 && packet.layers[packet.layer_count - 1].kind == Layer::Kind::kLrh;
  const std::uint8_t* header = walk.peek(kIpv6HeaderBytes);
  if (!header) return walk.undecodable(Undecodable::kCutBeforeBth);
  const Ipv6Header fields = read_ipv6_header(header);
  if (fields.version != 6 || fields.next_header != kIbaTransport) return walk.undecodable(Undecodable::kBadGrh);

  const std::size_t payload_bytes = fields.payload_bytes;
  if (native && kIpv6HeaderBytes + payload_bytes > walk.roce_bytes)
    return walk.undecodable(Undecodable::kLengthMismatch);
  walk.network = {NetworkHeader::Kind::kGrh, walk.at, payload_bytes};
  walk.roce_bytes = payload_bytes;
  if (!walk.enter(Layer::Kind::kGrh, kIpv6HeaderBytes)) return Next::kOther;
  take_ipv6_fields(header, packet);
  packet.udp_src = packet.udp_dst = 0;
  return native ? Next::kInfiniband : Next::kRoceV1;
}

}  // namespace rocetop::wire
