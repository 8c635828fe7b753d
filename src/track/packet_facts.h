// SPDX-License-Identifier: BSD-3-Clause
// PacketFacts: what the tracker needs of a packet, small enough to keep and to replay.
#pragma once

#include <cstdint>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "wire/opcode.h"
#include "wire/packet.h"

namespace rocetop::track {

struct PacketFacts {
  FrameId frame;
  Nanos time;
  std::uint32_t wire_bytes = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t read_bytes = 0;  ///< RETH length of a READ request
  Psn psn;
  Msn msn;
  std::uint16_t udp_src = 0;
  std::uint16_t ip_id = 0;
  std::uint8_t opcode = 0;
  std::uint8_t syndrome = 0;
  std::uint8_t traffic_class = 0;
  wire::Role role = wire::Role::kUnknown;
  wire::Position position = wire::Position::kNone;
  wire::IcrcStatus icrc = wire::IcrcStatus::kUnchecked;
  bool has_aeth = false;
  bool has_reth = false;
  bool has_ip_id = false;
  bool ack_request = false;
  bool truncated = false;
  bool headers_cut = false;  ///< an extension header of the opcode is not in the capture

  wire::Transport transport() const { return static_cast<wire::Transport>(opcode >> 5); }
  std::uint8_t operation() const { return opcode & 0x1F; }
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

PacketFacts facts_of(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes);

}  // namespace rocetop::track
