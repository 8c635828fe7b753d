// SPDX-License-Identifier: BSD-3-Clause
#include "track/side.h"

#include <algorithm>

namespace rocetop::track {
namespace {

using Table = std::vector<std::pair<std::uint8_t, std::uint64_t>>;

void add(Table& table, std::uint8_t key, std::uint64_t packets) {
  if (packets == 0) return;
  const auto at =
      std::lower_bound(table.begin(), table.end(), key, [](const auto& e, std::uint8_t k) { return e.first < k; });
  if (at != table.end() && at->first == key) {
    at->second += packets;
  } else {
    table.insert(at, {key, packets});
  }
}

void add_one(Table& table, Side::Row& row, std::uint8_t key) {
  if (row.value != key) {
    add(table, row.value, row.packets);
    row = {0, key};
  }
  ++row.packets;
}

void count_acknowledgement(DirectionCounts& counts, const PacketFacts& packet) {
  if (!packet.has_aeth) return;
  switch (wire::aeth_kind(packet.syndrome)) {
    case wire::AethKind::kAck:
      ++counts.acks;
      return;
    case wire::AethKind::kRnrNak:
      ++counts.rnr_naks;
      if ((packet.syndrome & 0x1F) == 0 && !counts.first_rnr_timer_zero) {
        counts.first_rnr_timer_zero = packet.frame;
        counts.first_rnr_timer_zero_time = packet.time;
      }
      return;
    case wire::AethKind::kReserved:
      return;
    case wire::AethKind::kNak:
      break;
  }
  const auto code = wire::nak_code(packet.syndrome);
  if (!code) return;
  ++counts.naks[static_cast<std::size_t>(*code)];
  if (*code != wire::NakCode::kPsnSequenceError && !counts.first_fatal_nak) {
    counts.first_fatal_nak = packet.frame;
    counts.first_fatal_nak_time = packet.time;
    counts.first_fatal_nak_code = *code;
  }
}

void note_damage(DirectionCounts& counts, const PacketFacts& packet) {
  if (!counts.first_bad_icrc) {
    counts.first_bad_icrc = packet.frame;
    counts.first_bad_icrc_time = packet.time;
  }
  counts.last_bad_icrc = packet.frame;
  counts.last_bad_icrc_time = packet.time;
}

}  // namespace

void Side::count(const PacketFacts& packet) {
  if (counts.frames == 0) {
    counts.first_frame = packet.frame;
    counts.first_time = packet.time;
    counts.udp_src = packet.udp_src;
    counts.hop_limit = packet.hop_limit;
  } else if (packet.udp_src != counts.udp_src && packet.role != wire::Role::kCnp) {
    counts.udp_src_varies = true;
  }
  ++counts.frames;
  counts.bytes_on_wire += packet.wire_bytes;
  counts.last_frame = packet.frame;
  counts.last_time = packet.time;
  counts.truncated_frames += packet.truncated ? 1 : 0;
  ++counts.ecn[packet.traffic_class & 3];
  ++counts.icrc[static_cast<std::size_t>(packet.icrc)];
  if (packet.icrc == wire::IcrcStatus::kBad) note_damage(counts, packet);
  add_one(counts.opcodes, opcode_row, packet.opcode);
  add_one(counts.dscp, dscp_row, packet.traffic_class >> 2);
  if (packet.role == wire::Role::kCnp) ++counts.cnps;
  if (packet.role == wire::Role::kAcknowledge) count_acknowledgement(counts, packet);
}

bool Side::is_copied_ack(const PacketFacts& packet) {
  const bool same = last_ack.frame && packet.psn == last_ack.psn && packet.msn == last_ack.msn &&
                    packet.syndrome == last_ack.syndrome && packet.ip_id == last_ack.ip_id &&
                    packet.time - last_ack.time < kCopyWindow;
  last_ack = packet;
  return same;
}

DirectionCounts Side::total() const {
  DirectionCounts out = counts;
  add(out.opcodes, opcode_row.value, opcode_row.packets);
  add(out.dscp, dscp_row.value, dscp_row.packets);
  return out;
}

}  // namespace rocetop::track
