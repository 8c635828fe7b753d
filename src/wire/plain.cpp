// SPDX-License-Identifier: BSD-3-Clause
// The shape that nearly every frame of a RoCE capture has, taken in one step: Ethernet, IPv4 without options and whole
// (RFC 791), UDP (RFC 768) to the RoCEv2 port. It is a shortcut only: whatever differs in anything is left, untouched,
// to the steps of walk.h, and a test holds the two ways against each other.
//
//    0          12     14   15    16       18   20      22    23     24       26    30    34
//   +----------+------+----+-----+--------+----+-------+-----+------+--------+-----+-----+
//   | MACs     | 0800 | 45 | TOS | length | id | flags | TTL | 0x11 | chksum | src | dst |   IPv4
//   +----------+------+----+-----+--------+----+-------+-----+------+--------+-----+-----+
//    34         36     38       40       42
//   +----------+------+--------+--------+-----
//   | src port | 4791 | length | chksum | BTH    UDP
//   +----------+------+--------+--------+-----
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::size_t kSrcMac = 6;
constexpr std::size_t kEthertype = 12;
constexpr std::size_t kIp = 14;
constexpr std::size_t kTos = 15;
constexpr std::size_t kIpLength = 16;
constexpr std::size_t kIpId = 18;
constexpr std::size_t kFragment = 20;
constexpr std::size_t kTtl = 22;
constexpr std::size_t kIpProtocol = 23;
constexpr std::size_t kIpSource = 26;
constexpr std::size_t kIpDestination = 30;
constexpr std::size_t kUdp = 34;
constexpr std::size_t kUdpDestination = 36;
constexpr std::size_t kUdpLength = 38;
constexpr std::size_t kBth = 42;

constexpr std::size_t kIpBytes = kUdp - kIp;
constexpr std::size_t kUdpBytes = kBth - kUdp;
constexpr std::uint16_t kFragmentMask = 0x3FFF;  // more fragments, and the offset

bool is_plain(const std::uint8_t* frame, std::size_t ip_bytes, std::size_t udp_bytes) {
  return load_be16(frame + kEthertype) == 0x0800 && frame[kIp] == 0x45 &&
         (load_be16(frame + kFragment) & kFragmentMask) == 0 && frame[kIpProtocol] == 17 &&
         load_be16(frame + kUdpDestination) == kRoceV2Port && ip_bytes >= kIpBytes + kUdpBytes &&
         udp_bytes >= kUdpBytes && udp_bytes <= ip_bytes - kIpBytes;
}

}  // namespace

bool plain(Walk& walk) {
  if (walk.end < kBth) return false;
  const std::uint8_t* frame = walk.frame;
  const std::size_t ip_bytes = load_be16(frame + kIpLength);
  const std::size_t udp_bytes = load_be16(frame + kUdpLength);
  if (!is_plain(frame, ip_bytes, udp_bytes)) return false;

  walk.src_mac = frame + kSrcMac;
  walk.network = {NetworkHeader::Kind::kIpv4, kIp, ip_bytes - kIpBytes};
  walk.at = kBth;
  walk.roce_bytes = udp_bytes - kUdpBytes;

  Packet& packet = walk.out.packet;
  packet.layers[0] = {Layer::Kind::kEthernet, 0, 0};
  packet.layers[1] = {Layer::Kind::kIpv4, kIp, 0};
  packet.layers[2] = {Layer::Kind::kUdp, kUdp, 0};
  packet.layer_count = 3;
  packet.src = IpAddress::v4(frame + kIpSource);
  packet.dst = IpAddress::v4(frame + kIpDestination);
  packet.traffic_class = frame[kTos];
  packet.hop_limit = frame[kTtl];
  packet.ip_protocol = frame[kIpProtocol];
  packet.ip_id = load_be16(frame + kIpId);
  packet.has_ip_id = true;
  packet.udp_src = load_be16(frame + kUdp);
  packet.udp_dst = kRoceV2Port;
  return true;
}

}  // namespace rocetop::wire
