// SPDX-License-Identifier: BSD-3-Clause
// The RoCE part of a packet: BTH, extension headers, payload, pad and ICRC (IBTA vol. 1, ch. 9). What veRoCE does
// otherwise is said in veroce_step.cpp.
//
//   +-----+-------------------+---------+-----+--------+
//   | BTH | extension headers | payload | pad | ICRC 4 |
//   +-----+-------------------+---------+-----+--------+
//   |<------------------ roce_bytes ------------------>|
#include <algorithm>

#include "wire/bth.h"
#include "wire/extension.h"
#include "wire/icrc.h"
#include "wire/opcode.h"
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

/// How the bytes between BTH and ICRC divide.
struct Division {
  std::uint32_t headers = 0;
  std::size_t header_bytes = 0;
  std::size_t pad_bytes = 0;
};

Division division_of(const Packet& packet, std::size_t bytes) {
  const OpcodeFacts& facts = opcode_facts(packet.bth.opcode);
  Division division{facts.headers, facts.header_bytes, packet.bth.pad};
  if (!facts.known && bytes < division.pad_bytes) division.pad_bytes = 0;  // pad means what a vendor likes
  // DC shares RD's opcodes but not its headers: what does not fit RD is shown raw rather than called broken.
  if (packet.bth.transport() == Transport::kRd && bytes < division.header_bytes + division.pad_bytes) return {};
  return division;
}

}  // namespace

void check_icrc(Walk& walk, std::size_t bth) {
  Packet& packet = walk.out.packet;
  const std::size_t icrc_at = bth + walk.roce_bytes - kIcrcBytes;
  packet.icrc_value = load_icrc(walk.frame + icrc_at);
  if (!walk.options.verify_icrc || walk.icrc_unusable || packet.fragment) return;
  const std::size_t start = walk.network.offset;
  const Bytes covered{walk.frame + start, icrc_at - start};
  const bool matches = compute_icrc(walk.network.kind, covered, bth - start) == packet.icrc_value;
  packet.icrc = matches ? IcrcStatus::kGood : IcrcStatus::kBad;
}

Next roce(Walk& walk, Protocol protocol) {
  Packet& packet = walk.out.packet;
  packet.protocol = protocol;
  if (walk.roce_bytes < kBthBytes + kIcrcBytes) return walk.undecodable(Undecodable::kShortUdp);
  const std::uint8_t* header = walk.peek(kBthBytes);
  if (!header) return walk.undecodable(Undecodable::kCutBeforeBth);
  parse_bth(header, packet.bth);
  if (packet.bth.version != 0) return walk.undecodable(Undecodable::kBadVersion);

  const std::size_t bth = walk.at;
  const std::size_t between_bytes = walk.roce_bytes - kBthBytes - kIcrcBytes;
  const Division division = division_of(packet, between_bytes);
  const std::size_t overhead_bytes = division.header_bytes + division.pad_bytes;
  if (between_bytes < overhead_bytes) return walk.undecodable(Undecodable::kShortUdp);
  const bool cnp = packet.is_cnp();  // its 16 reserved bytes are no payload
  packet.payload_bytes = cnp ? 0 : static_cast<std::uint32_t>(between_bytes - overhead_bytes);
  packet.expected_headers = division.headers;

  walk.at += kBthBytes;
  const std::size_t captured_bytes = walk.end - walk.at;
  parse_extensions({walk.frame + walk.at, captured_bytes}, packet);
  if (captured_bytes > division.header_bytes) {
    const std::size_t payload_captured = captured_bytes - division.header_bytes;
    packet.payload = {walk.frame + walk.at + division.header_bytes,
                      std::min<std::size_t>(payload_captured, packet.payload_bytes)};
  }
  const std::size_t stated_bytes = walk.roce_bytes - kBthBytes;
  // The rest of a first fragment's packet is not cut off: it travels in other frames.
  const std::size_t here_bytes = packet.fragment ? std::min(stated_bytes, walk.wire_end - walk.at) : stated_bytes;
  packet.truncated = captured_bytes < here_bytes;
  if (captured_bytes >= stated_bytes) check_icrc(walk, bth);
  walk.out.kind = FrameKind::kRoce;
  return Next::kDone;
}

}  // namespace rocetop::wire
