// SPDX-License-Identifier: BSD-3-Clause
// A plain frame (plain_frame.h), decoded in one step. It is a shortcut only: a test holds it against the steps of
// walk.h.
#include <algorithm>

#include "wire/extension.h"
#include "wire/icrc.h"
#include "wire/plain_frame.h"
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

void take_network_fields(const PlainFrame& frame, Packet& packet) {
  packet.layers[0] = {Layer::Kind::kEthernet, 0, 0};
  packet.layers[1] = {Layer::Kind::kIpv4, PlainFrame::kIp, 0};
  packet.layers[2] = {Layer::Kind::kUdp, PlainFrame::kUdp, 0};
  packet.layer_count = 3;
  packet.protocol = Protocol::kRoceV2;
  packet.src = IpAddress::v4(frame.src());
  packet.dst = IpAddress::v4(frame.dst());
  packet.network = {};
  packet.udp_src = frame.udp_src();
  packet.udp_dst = kRoceV2Port;
  packet.traffic_class = frame.traffic_class();
  packet.hop_limit = frame.hop_limit();
  packet.ip_protocol = PlainFrame::kProtocol;
  packet.priority = kNoPriority;
  packet.ip_id = frame.ip_id();
  packet.has_ip_id = true;
  packet.fragment = false;
  packet.destination_options = false;
}

}  // namespace

bool plain(Walk& walk) {
  PlainFrame frame;
  if (!frame.take({walk.frame, walk.end})) return false;

  Packet& packet = walk.out.packet;
  walk.out.kind = FrameKind::kRoce;
  walk.out.reason = Undecodable::kNone;
  walk.out.ip_fragment = walk.out.too_deep = false;
  take_network_fields(frame, packet);
  parse_bth(frame.bytes() + PlainFrame::kBth, packet.bth);
  const OpcodeFacts& facts = opcode_facts(frame.opcode());
  packet.payload_bytes = frame.payload_bytes();
  packet.expected_headers = facts.headers;
  const std::size_t after_bth_bytes = frame.captured_bytes() - kBthBytes;
  packet.headers = 0;
  if (facts.headers != 0) parse_extensions({frame.after_bth(), after_bth_bytes}, packet);
  packet.payload = {};
  if (after_bth_bytes > facts.header_bytes) {
    packet.payload = {frame.after_bth() + facts.header_bytes,
                      std::min<std::size_t>(after_bth_bytes - facts.header_bytes, packet.payload_bytes)};
  }
  packet.truncated = frame.truncated();
  packet.icrc = icrc_status(frame, walk.options);
  packet.icrc_value =
      packet.truncated ? 0 : load_icrc(frame.bytes() + PlainFrame::kBth + frame.roce_bytes() - kIcrcBytes);
  return true;
}

IcrcStatus check_icrc(const PlainFrame& frame, const DecodeOptions& options) {
  if (frame.truncated() || !options.verify_icrc) return IcrcStatus::kUnchecked;
  const std::size_t icrc_at = PlainFrame::kBth + frame.roce_bytes() - kIcrcBytes;
  const Bytes covered{frame.bytes() + PlainFrame::kIp, icrc_at - PlainFrame::kIp};
  const std::uint32_t computed = compute_icrc(NetworkHeader::Kind::kIpv4, covered, PlainFrame::kBth - PlainFrame::kIp);
  return computed == load_icrc(frame.bytes() + icrc_at) ? IcrcStatus::kGood : IcrcStatus::kBad;
}

}  // namespace rocetop::wire
