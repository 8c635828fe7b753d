// SPDX-License-Identifier: BSD-3-Clause
// GRE (RFC 2784, RFC 2890) and what switches put in it: NVGRE (RFC 7637) and the mirror sessions ERSPAN I, II and III.
//
//    0                     2          4
//   +-+-+-+-+------+------+----------+-- - - - - - --+-- - - --+-- - - - - --+----
//   |C|R|K|S|  …   |ver 3 | protocol | checksum if C | key if K| sequence if S| …
//   +-+-+-+-+------+------+----------+-- - - - - - --+-- - - --+-- - - - - --+----
//
//   NVGRE       protocol 0x6558, K set: VSID 24, flow id 8; then Ethernet
//   ERSPAN I    protocol 0x88BE, S clear: Ethernet at once
//   ERSPAN II   protocol 0x88BE, S set: ver 4 (1), VLAN 12 | COS 3, En 2, T 1, session 10 | reserved 12, index 20
//   ERSPAN III  protocol 0x22EB: ver 4 (2), VLAN 12 | COS 3, BSO 2, T 1, session 10 | time stamp 32 | SGT 16 |
//               P 1, FT 5, hardware 6, D 1, Gra 2, O 1 | 8 more bytes if O
//   T: the switch cut the frame.
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kProtocol = 2;
constexpr std::size_t kMinBytes = 4;
constexpr std::uint16_t kChecksum = 0x8000;
constexpr std::uint16_t kRouting = 0x4000;
constexpr std::uint16_t kKey = 0x2000;
constexpr std::uint16_t kSequence = 0x1000;
constexpr std::uint16_t kVersionMask = 0x0007;
constexpr std::size_t kOptionBytes = 4;

constexpr std::uint16_t kTransparentEthernet = 0x6558;
constexpr std::uint16_t kErspanProtocol = 0x88BE;
constexpr std::uint16_t kErspan3Protocol = 0x22EB;

constexpr std::size_t kErspanSession = 2;
constexpr std::uint16_t kErspanSessionMask = 0x03FF;
constexpr std::uint16_t kErspanTruncated = 0x0400;
constexpr std::size_t kErspan2Bytes = 8;
constexpr std::size_t kErspan3Flags = 10;
constexpr std::size_t kErspan3Bytes = 12;
constexpr std::size_t kErspan3SubheaderBytes = 8;

/// The header that ERSPAN II and III share up to the session.
bool erspan(Walk& walk, Layer::Kind kind, std::uint8_t version, std::size_t bytes) {
  const std::uint8_t* header = walk.peek(bytes);
  if (!header || header[0] >> 4 != version) return false;
  const std::uint16_t session = load_be16(header + kErspanSession);
  walk.icrc_unusable |= (session & kErspanTruncated) != 0;
  return walk.enter(kind, bytes, session & kErspanSessionMask);
}

Next erspan3(Walk& walk) {
  const std::uint8_t* header = walk.peek(kErspan3Bytes);
  if (!header) return Next::kOther;
  const std::uint16_t flags = load_be16(header + kErspan3Flags);
  const std::size_t bytes = kErspan3Bytes + (flags & 1 ? kErspan3SubheaderBytes : 0);
  if (!erspan(walk, Layer::Kind::kErspan3, 2, bytes)) return Next::kOther;
  switch (flags >> 10 & 0x1F) {  // FT
    case 0:
      return Next::kEthernet;
    case 2:
      return Next::kIp;
    default:
      return Next::kOther;
  }
}

Next erspan1(Walk& walk) { return walk.enter(Layer::Kind::kErspan1, 0) ? Next::kEthernet : Next::kOther; }

Next erspan2(Walk& walk) {
  return erspan(walk, Layer::Kind::kErspan2, 1, kErspan2Bytes) ? Next::kEthernet : Next::kOther;
}

}  // namespace

Next gre(Walk& walk) {
  const std::uint8_t* header = walk.peek(kMinBytes);
  if (!header) return Next::kOther;
  const std::uint16_t flags = load_be16(header);
  const std::uint16_t protocol = load_be16(header + kProtocol);
  if (flags & (kRouting | kVersionMask)) return Next::kOther;  // source routes (RFC 1701) and PPTP
  const std::size_t key_offset = kMinBytes + (flags & kChecksum ? kOptionBytes : 0);
  const std::size_t bytes = key_offset + (flags & kKey ? kOptionBytes : 0) + (flags & kSequence ? kOptionBytes : 0);
  if (!walk.peek(bytes)) return Next::kOther;

  if (protocol == kTransparentEthernet && flags & kKey) {
    const std::uint32_t vsid = load_be24(header + key_offset);
    if (!walk.enter(Layer::Kind::kNvgre, bytes, vsid)) return Next::kOther;
    walk.out.packet.network.vni = vsid;
    return Next::kEthernet;
  }
  if (!walk.enter(Layer::Kind::kGre, bytes)) return Next::kOther;
  switch (protocol) {
    case kTransparentEthernet:
      return Next::kEthernet;
    case kErspanProtocol:
      return flags & kSequence ? erspan2(walk) : erspan1(walk);
    case kErspan3Protocol:
      return erspan3(walk);
    default:
      return ethertype_step(protocol);
  }
}

}  // namespace rocetop::wire
