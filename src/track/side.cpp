// SPDX-License-Identifier: BSD-3-Clause
#include "track/side.h"

#include <algorithm>
#include <utility>

namespace rocetop::track {
namespace {

using Table = ValueTable;

/// Changes of DSCP told one by one; where there are more, the DSCP follows no plan that a list would show.
constexpr std::size_t kDscpChangesListed = 16;

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

void count_acknowledgement(DirectionTraffic& counts, const PacketFacts& packet) {
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

void note_damage(DirectionTraffic& counts, const PacketFacts& packet) {
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
    counts.udp_dst = packet.udp_dst;
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
  if (!path_row.is_of(packet)) {
    add_path_row(counts);
    path_row = {0, packet.dscp(), packet.priority, packet.hop_limit};
  }
  ++path_row.packets;
  if (counts.dscp_of[static_cast<std::size_t>(packet.role)] != packet.dscp()) note_dscp(packet);
  if (packet.role == wire::Role::kCnp) {
    if (counts.cnps++ == 0) counts.first_cnp = packet.frame;
    counts.fast_cnps += packet.destination_options ? 1 : 0;
    ++counts.control_ecn[packet.traffic_class & 3];
  }
  if (packet.role == wire::Role::kAcknowledge) {
    ++counts.control_ecn[packet.traffic_class & 3];
    count_acknowledgement(counts, packet);
    if (packet.is_sequence_nak()) {
      last_sequence_nak = packet.frame;
      last_sequence_nak_time = packet.time;
    }
  }
}

void Side::count_paused(std::uint8_t classes) {
  for (std::size_t c = 0; c < counts.data_while_paused.size(); ++c) counts.data_while_paused[c] += classes >> c & 1;
}

void Side::note_dscp(const PacketFacts& packet) {
  const auto role = static_cast<std::size_t>(packet.role);
  const std::uint8_t before = std::exchange(counts.dscp_of[role], packet.dscp());
  if (before == kNoDscp) {
    counts.first_dscp_of[role] = packet.dscp();
    return;
  }
  ++counts.dscp_changes_in_all;
  if (counts.dscp_changes.size() < kDscpChangesListed)
    counts.dscp_changes.push_back({packet.frame, packet.time, packet.role, before, packet.dscp()});
}

void Side::add_path_row(DirectionTraffic& to) const {
  add(to.dscp, path_row.dscp, path_row.packets);
  if (path_row.priority != wire::kNoPriority) add(to.priorities, path_row.priority, path_row.packets);
  add(to.hop_limits, path_row.hop_limit, path_row.packets);
}

bool Side::is_copied_ack(const PacketFacts& packet) {
  const bool same = last_ack.frame && packet.psn == last_ack.psn && packet.msn == last_ack.msn &&
                    packet.syndrome == last_ack.syndrome && packet.ip_id == last_ack.ip_id &&
                    packet.time - last_ack.time < kCopyWindow;
  last_ack = packet;
  return same;
}

bool Side::has_just_sent(const PacketFacts& packet) const {
  if (packet.udp_src != counts.udp_src && !counts.udp_src_varies && packet.role != wire::Role::kCnp) return false;
  const auto same = [&](const PacketFacts& p) {
    return p.frame && p.opcode == packet.opcode && p.psn == packet.psn && p.msn == packet.msn &&
           p.syndrome == packet.syndrome && p.payload_bytes == packet.payload_bytes &&
           p.has_ip_id == packet.has_ip_id && p.ip_id == packet.ip_id && packet.time - p.time < kCopyWindow;
  };
  switch (packet.role) {
    case wire::Role::kRequest:
      return requests.has_just_seen(packet);
    case wire::Role::kResponse:
      if (responses.has_just_seen(packet)) return true;
      break;
    case wire::Role::kAcknowledge:
      if (same(last_ack)) return true;
      break;
    default:
      break;
  }
  return std::any_of(held.rbegin(), held.rend(), same);
}

DirectionTraffic Side::total() const {
  DirectionTraffic out = counts;
  add(out.opcodes, opcode_row.value, opcode_row.packets);
  add_path_row(out);
  return out;
}

}  // namespace rocetop::track
