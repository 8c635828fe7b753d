// SPDX-License-Identifier: BSD-3-Clause
// PacketFacts: what the tracker needs of a packet, small enough to keep and to replay.
#pragma once

#include <bit>
#include <cstdint>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "wire/aeth.h"
#include "wire/opcode.h"
#include "wire/packet.h"
#include "wire/plain_frame.h"
#include "wire/veroce_opcode.h"

namespace rocetop::track {

/// What packets have in common that a host sends alike: one role, one path and class, one state. Eight bytes, compared
/// as one number.
struct PathFacts {
  std::uint16_t udp_src = 0;
  std::uint8_t traffic_class = 0;
  std::uint8_t hop_limit = 0;
  std::uint8_t priority = wire::kNoPriority;
  wire::Role role = wire::Role::kUnknown;
  wire::IcrcStatus icrc = wire::IcrcStatus::kUnchecked;
  bool truncated = false;

  std::uint64_t as_number() const { return std::bit_cast<std::uint64_t>(*this); }
  bool is_marked() const { return (traffic_class & 3) == static_cast<std::uint8_t>(wire::Ecn::kCe); }
  std::uint8_t dscp() const { return traffic_class >> 2; }
  /// What a sender is slowed down for: requests and responses, not ACKs, CNPs or datagrams.
  bool is_data() const { return role == wire::Role::kRequest || role == wire::Role::kResponse; }
};

struct PacketFacts : PathFacts {
  FrameId frame;
  Nanos time;
  std::uint32_t wire_bytes = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t read_bytes = 0;    ///< RETH length of a READ request
  std::uint32_t read_address = 0;  ///< low half of its RETH virtual address
  Psn psn;
  Msn msn;
  std::uint16_t udp_dst = 0;
  std::uint16_t ip_id = 0;
  std::uint8_t opcode = 0;
  std::uint8_t syndrome = 0;
  wire::Position position = wire::Position::kNone;
  std::uint8_t paused_classes = 0;  ///< bit n: class n was paused somewhere on this capture when it passed
  bool has_aeth = false;
  bool has_reth = false;
  bool has_ip_id = false;
  bool ack_request = false;
  bool destination_options = false;
  bool headers_cut = false;  ///< an extension header of the opcode is not in the capture

  wire::Transport transport() const { return static_cast<wire::Transport>(opcode >> 5); }
  std::uint8_t operation() const { return opcode & 0x1F; }
  bool is_sequence_nak() const {
    return role == wire::Role::kAcknowledge && has_aeth && wire::aeth_kind(syndrome) == wire::AethKind::kNak &&
           (syndrome & 0x1F) == static_cast<std::uint8_t>(wire::NakCode::kPsnSequenceError);
  }
  /// Of veRoCE: counted on its own, it is no ACK.
  bool is_sack() const {
    return role == wire::Role::kAcknowledge && (opcode == wire::kVeroceSack || opcode == wire::kVeroceSackResponse);
  }
  bool is_rnr_nak() const {
    return role == wire::Role::kAcknowledge && has_aeth && wire::aeth_kind(syndrome) == wire::AethKind::kRnrNak;
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

/// Sets all of `out`.
inline void take_facts(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes,
                       PacketFacts& out) {
  const wire::OpcodeFacts& opcode = wire::opcode_facts(packet.bth.opcode);
  out.udp_src = packet.udp_src;
  out.traffic_class = packet.traffic_class;
  out.hop_limit = packet.hop_limit;
  out.priority = packet.priority;
  out.role = opcode.role;
  out.icrc = packet.icrc;
  out.truncated = packet.truncated;
  out.frame = frame;
  out.time = time;
  out.wire_bytes = wire_bytes;
  out.payload_bytes = packet.payload_bytes;
  out.has_reth = packet.has(wire::kReth);
  out.read_bytes = out.has_reth ? packet.reth.dma_length : 0;
  out.read_address = out.has_reth ? static_cast<std::uint32_t>(packet.reth.virtual_address) : 0;
  out.psn = packet.bth.psn;
  out.has_aeth = packet.has(wire::kAeth);
  // Without the header the fields hold what another packet left there.
  out.msn = out.has_aeth ? packet.aeth.msn : Msn{};
  out.syndrome = out.has_aeth ? packet.aeth.syndrome : std::uint8_t{0};
  out.udp_dst = packet.udp_dst;
  out.ip_id = packet.ip_id;
  out.opcode = packet.bth.opcode;
  out.position = opcode.position;
  out.paused_classes = 0;
  out.has_ip_id = packet.has_ip_id;
  out.ack_request = packet.bth.ack_request;
  out.destination_options = packet.destination_options;
  out.headers_cut = packet.headers != packet.expected_headers;
}

/// The same of a frame whose is_common() holds, straight from its bytes.
inline void take_facts(const wire::PlainFrame& plain, wire::IcrcStatus icrc, FrameId frame, Nanos time,
                       std::uint32_t wire_bytes, PacketFacts& out) {
  const wire::PlainOpcode& opcode = plain.opcode_facts();
  out.udp_src = plain.udp_src();
  out.traffic_class = plain.traffic_class();
  out.hop_limit = plain.hop_limit();
  out.priority = wire::kNoPriority;
  out.role = opcode.role;
  out.icrc = icrc;
  out.truncated = plain.truncated();
  out.frame = frame;
  out.time = time;
  out.wire_bytes = wire_bytes;
  out.payload_bytes = plain.payload_bytes();
  out.has_reth = opcode.has_reth;
  out.read_bytes = out.has_reth ? plain.reth_dma_length() : 0;
  out.read_address = out.has_reth ? plain.reth_address_low() : 0;
  out.psn = plain.psn();
  out.has_aeth = opcode.has_aeth;
  out.msn = out.has_aeth ? plain.aeth_msn() : Msn{};
  out.syndrome = out.has_aeth ? plain.aeth_syndrome() : std::uint8_t{0};
  out.udp_dst = wire::kRoceV2Port;
  out.ip_id = plain.ip_id();
  out.opcode = plain.opcode();
  out.position = opcode.position;
  out.paused_classes = 0;
  out.has_ip_id = true;
  out.ack_request = plain.ack_request();
  out.destination_options = false;
  out.headers_cut = false;
}

}  // namespace rocetop::track
