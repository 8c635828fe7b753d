// SPDX-License-Identifier: BSD-3-Clause
// PacketFacts: what the tracker needs of a packet, small enough to keep and to replay.
#pragma once

#include <cstdint>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "wire/aeth.h"
#include "wire/opcode.h"
#include "wire/packet.h"

namespace rocetop::track {

struct PacketFacts {
  FrameId frame;
  Nanos time;
  std::uint32_t wire_bytes = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t read_bytes = 0;    ///< RETH length of a READ request
  std::uint32_t read_address = 0;  ///< low half of its RETH virtual address
  Psn psn;
  Msn msn;
  std::uint16_t udp_src = 0;
  std::uint16_t udp_dst = 0;
  std::uint16_t ip_id = 0;
  std::uint8_t opcode = 0;
  std::uint8_t syndrome = 0;
  std::uint8_t traffic_class = 0;
  std::uint8_t hop_limit = 0;
  std::uint8_t priority = wire::kNoPriority;
  wire::Role role = wire::Role::kUnknown;
  wire::Position position = wire::Position::kNone;
  wire::IcrcStatus icrc = wire::IcrcStatus::kUnchecked;
  std::uint8_t paused_classes = 0;  ///< bit n: class n was paused somewhere on this capture when it passed
  bool has_aeth = false;
  bool has_reth = false;
  bool has_ip_id = false;
  bool ack_request = false;
  bool truncated = false;
  bool destination_options = false;
  bool headers_cut = false;  ///< an extension header of the opcode is not in the capture

  wire::Transport transport() const { return static_cast<wire::Transport>(opcode >> 5); }
  std::uint8_t operation() const { return opcode & 0x1F; }
  bool is_marked() const { return (traffic_class & 3) == static_cast<std::uint8_t>(wire::Ecn::kCe); }
  std::uint8_t dscp() const { return traffic_class >> 2; }
  /// What a sender is slowed down for: requests and responses, not ACKs, CNPs or datagrams.
  bool is_data() const { return role == wire::Role::kRequest || role == wire::Role::kResponse; }
  bool is_sequence_nak() const {
    return role == wire::Role::kAcknowledge && has_aeth && wire::aeth_kind(syndrome) == wire::AethKind::kNak &&
           (syndrome & 0x1F) == static_cast<std::uint8_t>(wire::NakCode::kPsnSequenceError);
  }
  bool is_read_request() const { return role == wire::Role::kRequest && operation() == wire::kReadRequest; }
  /// A request whose answer is a response with the request's PSN, not an ACK.
  bool wants_response() const {
    const auto o = operation();
    return role == wire::Role::kRequest && (o == wire::kReadRequest || o == wire::kCompareSwap ||
                                            o == wire::kFetchAdd || o == wire::kFlush || o == wire::kAtomicWrite);
  }
  /// First packet of a message: what a connection can begin with.
  bool starts_message() const {
    return position == wire::Position::kFirst || position == wire::Position::kOnly || wants_response();
  }
  bool ends_message() const {
    return position == wire::Position::kLast || position == wire::Position::kOnly || wants_response();
  }
};

inline PacketFacts facts_of(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes) {
  const auto& opcode = wire::opcode_facts(packet.bth.opcode);
  PacketFacts f;
  f.frame = frame;
  f.time = time;
  f.wire_bytes = wire_bytes;
  f.payload_bytes = packet.payload_bytes;
  if (packet.has(wire::kReth)) {
    f.read_bytes = packet.reth.dma_length;
    f.read_address = static_cast<std::uint32_t>(packet.reth.virtual_address);
  }
  f.psn = packet.bth.psn;
  f.msn = packet.aeth.msn;
  f.udp_src = packet.udp_src;
  f.udp_dst = packet.udp_dst;
  f.ip_id = packet.ip_id;
  f.opcode = packet.bth.opcode;
  f.syndrome = packet.aeth.syndrome;
  f.traffic_class = packet.traffic_class;
  f.hop_limit = packet.hop_limit;
  f.priority = packet.priority;
  f.destination_options = packet.destination_options;
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
