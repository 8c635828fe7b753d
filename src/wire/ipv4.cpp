// SPDX-License-Identifier: BSD-3-Clause
// IPv4 (RFC 791, 3.1), with options, and which IP a nameless IP header is. Checksums are not verified: adapters fill
// them in after the capture point of the sender.
//
//    0       1       2       4       6           8     9        10        12      16            20
//   +---+---+-------+-------+-------+-----------+-----+--------+---------+-------+-------------+-- - - --
//   |ver|ihl|  TOS  | total |  id   |flags 3,   | TTL |protocol|checksum | source| destination | options
//   |   |   |       | length|       |offset 13  |     |        |         |       |             |
//   +---+---+-------+-------+-------+-----------+-----+--------+---------+-------+-------------+-- - - --
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kTos = 1;
constexpr std::size_t kTotalLength = 2;
constexpr std::size_t kId = 4;
constexpr std::size_t kFragment = 6;
constexpr std::size_t kTtl = 8;
constexpr std::size_t kProtocol = 9;
constexpr std::size_t kSource = 12;
constexpr std::size_t kDestination = 16;
constexpr std::size_t kMinBytes = 20;
constexpr std::uint16_t kMoreFragments = 0x2000;
constexpr std::uint16_t kOffsetMask = 0x1FFF;

}  // namespace

Next ip_by_nibble(Walk& walk) {
  const std::uint8_t* first = walk.peek(1);
  if (!first) return Next::kOther;
  switch (*first >> 4) {
    case 4:
      return Next::kIpv4;
    case 6:
      return Next::kIpv6;
    default:
      return Next::kOther;
  }
}

Next ipv4(Walk& walk) {
  const std::uint8_t* header = walk.peek(kMinBytes);
  if (!header || header[0] >> 4 != 4) return Next::kOther;
  const std::size_t header_bytes = std::size_t{4} * (header[0] & 0x0F);
  std::size_t total_bytes = load_be16(header + kTotalLength);
  // 0 is what a sender's capture shows when the adapter cuts the datagram up itself: then the frame's end is the
  // datagram's.
  if (total_bytes == 0) total_bytes = walk.wire_end - walk.at;
  if (header_bytes < kMinBytes || total_bytes < header_bytes) return Next::kOther;
  walk.limit(total_bytes);
  if (!walk.peek(header_bytes)) return Next::kOther;

  walk.network = {NetworkHeader::Kind::kIpv4, walk.at, total_bytes - header_bytes};
  if (!walk.enter(Layer::Kind::kIpv4, header_bytes)) return Next::kOther;
  Packet& packet = walk.out.packet;
  packet.src = IpAddress::v4(header + kSource);
  packet.dst = IpAddress::v4(header + kDestination);
  packet.traffic_class = header[kTos];
  packet.hop_limit = header[kTtl];
  packet.ip_id = load_be16(header + kId);
  packet.has_ip_id = true;
  packet.ip_protocol = header[kProtocol];
  packet.destination_options = false;
  const std::uint16_t fragment = load_be16(header + kFragment);
  packet.fragment = fragment & (kMoreFragments | kOffsetMask);
  walk.out.ip_fragment |= packet.fragment;
  return fragment & kOffsetMask ? Next::kOther : ip_protocol_step(header[kProtocol]);
}

}  // namespace rocetop::wire
