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
#include <algorithm>

#include "wire/bth.h"
#include "wire/extension.h"
#include "wire/icrc.h"
#include "wire/opcode.h"
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

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

/// RC, UC, UD or XRC, of a known operation: the opcode tells what follows.
bool is_plain(const OpcodeFacts& facts, const Bth& bth) {
  return facts.known && facts.role != Role::kCnp && bth.transport() != Transport::kRd && bth.version == 0;
}

void take_network_fields(const std::uint8_t* frame, Packet& packet) {
  packet.layers[0] = {Layer::Kind::kEthernet, 0, 0};
  packet.layers[1] = {Layer::Kind::kIpv4, kIp, 0};
  packet.layers[2] = {Layer::Kind::kUdp, kUdp, 0};
  packet.layer_count = 3;
  packet.protocol = Protocol::kRoceV2;
  packet.src = IpAddress::v4(frame + kIpSource);
  packet.dst = IpAddress::v4(frame + kIpDestination);
  packet.network = {};
  packet.udp_src = load_be16(frame + kUdp);
  packet.udp_dst = kRoceV2Port;
  packet.traffic_class = frame[kTos];
  packet.hop_limit = frame[kTtl];
  packet.ip_protocol = frame[kIpProtocol];
  packet.priority = kNoPriority;
  packet.ip_id = load_be16(frame + kIpId);
  packet.has_ip_id = true;
  packet.fragment = false;
  packet.destination_options = false;
}

}  // namespace

bool plain(Walk& walk) {
  if (walk.end < kBth + kBthBytes) return false;
  const std::uint8_t* frame = walk.frame;
  const std::size_t ip_bytes = load_be16(frame + kIpLength);
  const std::size_t udp_bytes = load_be16(frame + kUdpLength);
  if (!is_plain(frame, ip_bytes, udp_bytes)) return false;

  Packet& packet = walk.out.packet;
  const Bth& bth = packet.bth;
  parse_bth(frame + kBth, packet.bth);
  const OpcodeFacts& facts = opcode_facts(bth.opcode);
  const std::size_t roce_bytes = udp_bytes - kUdpBytes;
  const std::size_t overhead_bytes = kBthBytes + facts.header_bytes + bth.pad + kIcrcBytes;
  if (!is_plain(facts, bth) || roce_bytes < overhead_bytes) return false;

  walk.out.kind = FrameKind::kRoce;
  walk.out.reason = Undecodable::kNone;
  walk.out.ip_fragment = walk.out.too_deep = false;
  take_network_fields(frame, packet);
  packet.payload_bytes = static_cast<std::uint32_t>(roce_bytes - overhead_bytes);
  packet.expected_headers = facts.headers;
  const std::uint8_t* after_bth = frame + kBth + kBthBytes;
  const std::size_t captured_bytes = walk.end - kBth - kBthBytes;
  packet.headers = 0;
  if (facts.headers != 0) parse_extensions({after_bth, captured_bytes}, packet);
  packet.payload = {};
  if (captured_bytes > facts.header_bytes) {
    packet.payload = {after_bth + facts.header_bytes,
                      std::min<std::size_t>(captured_bytes - facts.header_bytes, packet.payload_bytes)};
  }
  packet.truncated = captured_bytes < roce_bytes - kBthBytes;
  packet.icrc = IcrcStatus::kUnchecked;
  packet.icrc_value = 0;
  if (!packet.truncated) {
    walk.network = {NetworkHeader::Kind::kIpv4, kIp, ip_bytes - kIpBytes};
    walk.roce_bytes = roce_bytes;
    check_icrc(walk, kBth, true);
  }
  return true;
}

}  // namespace rocetop::wire
