// SPDX-License-Identifier: BSD-3-Clause
#include "track/packet_facts.h"

namespace rocetop::track {

PacketFacts facts_of(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes) {
  const auto& opcode = wire::opcode_facts(packet.bth.opcode);
  PacketFacts f;
  f.frame = frame;
  f.time = time;
  f.wire_bytes = wire_bytes;
  f.payload_bytes = packet.payload_bytes;
  f.read_bytes = packet.has(wire::kReth) ? packet.reth.dma_length : 0;
  f.psn = packet.bth.psn;
  f.msn = packet.aeth.msn;
  f.udp_src = packet.udp_src;
  f.ip_id = packet.ip_id;
  f.opcode = packet.bth.opcode;
  f.syndrome = packet.aeth.syndrome;
  f.traffic_class = packet.traffic_class;
  f.role = opcode.role;
  f.position = opcode.position;
  f.icrc = packet.icrc;
  f.has_aeth = packet.has(wire::kAeth);
  f.has_reth = packet.has(wire::kReth);
  f.has_ip_id = packet.has_ip_id;
  f.ack_request = packet.bth.ack_request;
  f.truncated = packet.truncated;
  f.headers_cut = packet.headers != packet.expected_headers;
  return f;
}

}  // namespace rocetop::track
