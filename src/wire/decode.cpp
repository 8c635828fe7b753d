// SPDX-License-Identifier: BSD-3-Clause
// The walk through a frame: which step follows which is said by the steps, this file only takes them. It ends because
// every step but the choice between IPv4 and IPv6 moves forward or counts against the nesting limit.
#include "wire/decode.h"

#include <algorithm>

#include "wire/walk.h"

namespace rocetop::wire {
namespace {

/// Clears what the steps do not set in every case. The rest of a Packet means nothing unless its header is present, and
/// clearing it all would cost more than decoding.
void reset(Decoded& out) {
  out.kind = FrameKind::kOther;
  out.reason = Undecodable::kNone;
  out.ip_fragment = false;
  out.too_deep = false;
  Packet& packet = out.packet;
  packet.protocol = Protocol::kRoceV2;
  packet.src = packet.dst = {};
  packet.network = {};
  packet.udp_src = packet.udp_dst = 0;
  packet.traffic_class = packet.hop_limit = packet.ip_protocol = 0;
  packet.priority = kNoPriority;
  packet.ip_id = 0;
  packet.has_ip_id = false;
  packet.fragment = false;
  packet.destination_options = false;
  packet.headers = packet.expected_headers = 0;
  packet.payload_bytes = 0;
  packet.payload = {};
  packet.truncated = false;
  packet.icrc = IcrcStatus::kUnchecked;
  packet.icrc_value = 0;
  packet.layer_count = 0;
}

Next first_step(LinkType link_type, Walk& walk) {
  switch (link_type) {
    case LinkType::kEthernet:
      return Next::kEthernet;
    case LinkType::kNull:
    case LinkType::kLoop:
      return null_loop(walk);
    case LinkType::kRaw12:
    case LinkType::kRaw14:
    case LinkType::kRaw:
      return Next::kIp;
    case LinkType::kIpv4:
      return Next::kIpv4;
    case LinkType::kIpv6:
      return Next::kIpv6;
    case LinkType::kLinuxSll:
      return linux_sll(walk);
    case LinkType::kLinuxSll2:
      return linux_sll2(walk);
    case LinkType::kErf:
      return erf(walk);
    case LinkType::kInfiniband:
      return Next::kLrh;
  }
  return Next::kOther;  // a number that LinkType does not name
}

Next take(Next step, Walk& walk) {
  switch (step) {
    case Next::kOther:
    case Next::kDone:
      break;
    case Next::kEthernet:
      return ethernet(walk);
    case Next::kMellanoxMirror:
      return mellanox_mirror(walk);
    case Next::kVlan:
      return vlan(walk);
    case Next::kMpls:
      return mpls(walk);
    case Next::kMacControl:
      return mac_control(walk);
    case Next::kIp:
      return ip_by_nibble(walk);
    case Next::kIpv4:
      return ipv4(walk);
    case Next::kIpv6:
      return ipv6(walk);
    case Next::kAuthentication:
      return authentication(walk);
    case Next::kIfa:
      return ifa(walk);
    case Next::kUdp:
      return udp(walk);
    case Next::kGre:
      return gre(walk);
    case Next::kVxlan:
      return vxlan(walk);
    case Next::kVxlanGpe:
      return vxlan_gpe(walk);
    case Next::kGeneve:
      return geneve(walk);
    case Next::kLrh:
      return lrh(walk);
    case Next::kGrh:
      return grh(walk);
    case Next::kRoceV2:
      return roce(walk, Protocol::kRoceV2);
    case Next::kVeroce:
      return veroce(walk);
    case Next::kRoceV1:
      return roce(walk, Protocol::kRoceV1);
    case Next::kInfiniband:
      return roce(walk, Protocol::kInfiniband);
  }
  return Next::kOther;
}

}  // namespace

void take_steps(LinkType link_type, Walk& walk) {
  Next next = first_step(link_type, walk);
  while (next != Next::kOther && next != Next::kDone) next = take(next, walk);
}

std::string_view reason_name(Undecodable reason) {
  switch (reason) {
    case Undecodable::kNone:
      return "none";
    case Undecodable::kCutBeforeBth:
      return "cut_before_bth";
    case Undecodable::kShortUdp:
      return "short_udp";
    case Undecodable::kBadVersion:
      return "bad_version";
    case Undecodable::kBadGrh:
      return "bad_grh";
    case Undecodable::kLengthMismatch:
      return "length_mismatch";
  }
  return "unknown";
}

void decode(LinkType link_type, Bytes bytes, std::uint32_t wire_length, const DecodeOptions& options, Decoded& out) {
  Walk walk{.frame = bytes.data(),
            .end = bytes.size(),
            .wire_end = std::max<std::size_t>(bytes.size(), wire_length),
            .options = options,
            .out = out};
  if (link_type == LinkType::kEthernet && plain(walk)) return;
  reset(out);
  take_steps(link_type, walk);
}

}  // namespace rocetop::wire
