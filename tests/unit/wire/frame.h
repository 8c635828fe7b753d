// SPDX-License-Identifier: BSD-3-Clause
// Frames for tests, put together header by header or from hex, and decoded from a buffer of exactly their size, so that
// AddressSanitizer sees every read outside. Written from the specifications, not from src/wire.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "wire/decode.h"

namespace rocetop::wire::test {

using Frame = std::vector<std::uint8_t>;

/// "45 00 0014": spaces are ignored.
Frame hex(std::string_view digits);
Frame zeros(std::size_t n);
Frame be16(std::uint32_t value);
Frame be24(std::uint32_t value);
Frame be32(std::uint32_t value);
Frame operator+(Frame a, const Frame& b);

Frame ethernet(std::uint16_t type, const Frame& payload);
Frame vlan_tag(std::uint16_t id, std::uint16_t type, const Frame& payload);  ///< what follows the TPID

struct Ipv4Fields {
  Frame options = {};
  std::uint16_t fragment = 0;  ///< flags and offset
  int total_length = -1;       ///< -1: what is true
  std::uint8_t tos = 0x69;     ///< DSCP 26, ECT(1)
  std::uint8_t ttl = 64;
};
/// 192.0.2.1 to 192.0.2.2.
Frame ipv4(std::uint8_t protocol, const Frame& payload, const Ipv4Fields& fields = {});
/// 2001:db8::1 to 2001:db8::2, traffic class 0x69, hop limit 63. `payload_length` -1: what is true.
Frame ipv6(std::uint8_t next_header, const Frame& payload, int payload_length = -1);
/// From port 49152. `length` -1: what is true.
Frame udp(std::uint16_t destination, const Frame& payload, int length = -1);
/// GRH with payload length, ::ffff:192.0.2.1 to ::ffff:192.0.2.2.
Frame grh(const Frame& payload, std::uint8_t next_header = 0x1B);

/// BTH to QP 0x000012 with PSN 0x345678, AckReq set, P_Key 0xFFFF.
Frame bth(std::uint8_t opcode, std::uint8_t pad = 0, std::uint8_t version = 0);
/// BTH, `rest` and four bytes in the ICRC's place, as a UDP payload or what follows a GRH.
Frame roce(std::uint8_t opcode, const Frame& rest, std::uint8_t pad = 0);
/// An RC SEND Only of 8 bytes in UDP and IPv4, without link header. Its ICRC is right.
Frame send_only();

/// `packet` (from the IP header or GRH to the ICRC) with its ICRC set, by a bitwise CRC that follows annex A17
/// literally. `bth` is the offset of the BTH.
Frame with_icrc(Frame packet, std::size_t bth);

/// A frame after decode(), with the buffer that its spans point into.
struct Result {
  std::unique_ptr<std::uint8_t[]> buffer;
  Decoded decoded;
  const Decoded* operator->() const { return &decoded; }
};
/// `wire_length` 0: the frame's own.
Result decode_frame(LinkType link_type, const Frame& frame, std::uint32_t wire_length = 0,
                    const DecodeOptions& options = {});

/// One frame of every link type and encapsulation, each carrying send_only() or the like.
struct Sample {
  std::string_view name;
  LinkType link_type;
  Frame frame;
  std::vector<Layer> layers;  ///< kinds and values; offsets are not compared
  NetworkKey network = {};
  IcrcStatus icrc = IcrcStatus::kGood;
};
const std::vector<Sample>& samples();

}  // namespace rocetop::wire::test
