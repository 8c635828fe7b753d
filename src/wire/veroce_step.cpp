// SPDX-License-Identifier: BSD-3-Clause
// The veRoCE part of a packet: BTH as RoCEv2's, then headers by a layout (veroce.h), payload, pad and ICRC. No capture
// has confirmed how the ICRC is made, so several rules are tried, and none of them matching proves nothing. TVer is not
// looked at: who says that it is another than RoCEv2's speaks of a simulator's own convention.
#include <algorithm>

#include "wire/bth.h"
#include "wire/icrc.h"
#include "wire/veroce.h"
#include "wire/walk.h"

namespace rocetop::wire {
namespace {

constexpr std::uint8_t bit_of(IcrcRule rule) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(rule)); }

/// Which rules the ICRC on the wire matches.
std::uint8_t matching_rules(const Walk& walk, Bytes covered, std::size_t bth_offset, std::uint32_t on_wire) {
  std::uint8_t rules = 0;
  for (const bool masked : {true, false}) {
    const std::uint32_t computed = compute_icrc(walk.network.kind, covered, bth_offset, masked);
    if (computed == on_wire) rules |= bit_of(masked ? IcrcRule::kAnnexA17 : IcrcRule::kUnmasked);
    if (__builtin_bswap32(computed) == on_wire) {
      rules |= bit_of(masked ? IcrcRule::kBigEndian : IcrcRule::kUnmaskedBigEndian);
    }
    if (rules != 0) break;
  }
  return rules;
}

void check_icrc_by_any_rule(Walk& walk, std::size_t bth) {
  Packet& packet = walk.out.packet;
  const std::size_t icrc_at = bth + walk.roce_bytes - kIcrcBytes;
  packet.icrc_value = load_icrc(walk.frame + icrc_at);
  if (!walk.options.verify_icrc || walk.icrc_unusable || packet.fragment) return;
  const std::size_t start = walk.network.offset;
  const Bytes covered{walk.frame + start, icrc_at - start};
  const std::uint8_t rules = matching_rules(walk, covered, bth - start, packet.icrc_value);
  packet.veroce.icrc_whole = true;
  packet.veroce.icrc_rules = rules;
  const VeroceLayout& layout = walk.options.veroce_layout;
  if (!layout.is_given(VeroceItem::kIcrc)) {
    packet.icrc = rules != 0 ? IcrcStatus::kGood : IcrcStatus::kUnchecked;
  } else {
    packet.icrc = (rules & bit_of(layout.icrc())) != 0 ? IcrcStatus::kGood : IcrcStatus::kBad;
  }
}

}  // namespace

Next veroce(Walk& walk) {
  Packet& packet = walk.out.packet;
  packet.protocol = Protocol::kVeroce;
  packet.veroce = {};
  if (walk.roce_bytes < kBthBytes + kIcrcBytes) return walk.undecodable(Undecodable::kShortUdp);
  const std::uint8_t* header = walk.peek(kBthBytes);
  if (!header) return walk.undecodable(Undecodable::kCutBeforeBth);
  parse_bth(header, packet.bth);

  const std::size_t bth = walk.at;
  walk.at += kBthBytes;
  const std::size_t captured_bytes = walk.end - walk.at;
  const std::size_t stated_bytes = walk.roce_bytes - kBthBytes;
  packet.veroce.raw_bytes = static_cast<std::uint32_t>(stated_bytes - kIcrcBytes);
  packet.veroce.raw = {walk.frame + walk.at, std::min<std::size_t>(captured_bytes, packet.veroce.raw_bytes)};
  packet.veroce.trimmed = walk.trimmed;
  const std::size_t here_bytes = packet.fragment ? std::min(stated_bytes, walk.wire_end - walk.at) : stated_bytes;
  packet.truncated = captured_bytes < here_bytes;
  if (captured_bytes >= stated_bytes) check_icrc_by_any_rule(walk, bth);

  walk.out.kind = FrameKind::kRoce;
  const VeroceLayout& layout = walk.options.veroce_layout;
  if (layout.headers() == HeaderSet::kIbta) {
    packet.veroce.layout = layout;
    if (!read_as_rocev2(packet)) make_raw(VeroceCheck::kLength, packet);
  } else {
    apply(read_veroce(packet, layout), layout, packet);
  }
  return Next::kDone;
}

}  // namespace rocetop::wire
