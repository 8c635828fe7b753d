// SPDX-License-Identifier: BSD-3-Clause
#include "track/side.h"

#include <algorithm>
#include <limits>
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

void count_negative(DirectionTraffic& counts, const PacketFacts& packet) {
  if (!packet.has_aeth) return;
  switch (wire::aeth_kind(packet.syndrome)) {
    case wire::AethKind::kRnrNak:
      ++counts.rnr_naks;
      counts.last_rnr_nak = packet.frame;
      counts.last_rnr_nak_time = packet.time;
      counts.last_rnr_nak_wait = wire::rnr_timer(packet.syndrome);
      if ((packet.syndrome & 0x1F) == 0 && !counts.first_rnr_timer_zero) {
        counts.first_rnr_timer_zero = packet.frame;
        counts.first_rnr_timer_zero_time = packet.time;
      }
      return;
    case wire::AethKind::kAck:
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

}  // namespace

void Side::count(const PacketFacts& packet) {
  if (!row.goes_on_with(packet)) begin_row(packet);
  count_in_row(packet);
  if (packet.icrc == wire::IcrcStatus::kBad) counts.bad_icrcs.use().add(packet.frame, packet.time);
  if (packet.role == wire::Role::kCnp) {
    if (counts.cnps++ == 0) {
      counts.first_cnp = packet.frame;
      counts.first_cnp_time = packet.time;
    }
    counts.fast_cnps += packet.destination_options ? 1 : 0;
  }
  if (packet.role == wire::Role::kAcknowledge) {
    if (packet.has_aeth && wire::aeth_kind(packet.syndrome) == wire::AethKind::kAck) {
      replies.acks += packet.is_sack() ? 0 : 1;
    } else {
      count_negative(counts, packet);
    }
    if (packet.is_sequence_nak()) {
      replies.last_sequence_nak = packet.frame;
      replies.last_sequence_nak_time = packet.time;
    }
  }
}

void Side::begin_row(const PacketFacts& packet) {
  if (row.empty()) {
    counts.first_frame = packet.frame;
    counts.first_time = packet.time;
    counts.udp_src = packet.udp_src;
    counts.udp_dst = packet.udp_dst;
    counts.hop_limit = packet.hop_limit;
    row.transport = packet.opcode >> 5;
  } else {
    add_row(counts);
    end_opcode();
    if (packet.udp_src != counts.udp_src && packet.role != wire::Role::kCnp) counts.udp_src_varies = true;
  }
  if (packet.is_data() && counts.first_data_time.count == 0) counts.first_data_time = packet.time;
  if (counts.dscp_of[static_cast<std::size_t>(packet.role)] != packet.dscp()) note_dscp(packet);
  row.alike = packet.as_number();
  row.opcode = packet.opcode;
  row.packets = row.bytes = 0;
}

void Side::change_opcode(std::uint8_t opcode) {
  end_opcode();
  row.opcode = opcode;
}

void Side::end_opcode() {
  std::uint32_t& tally = operations[row.opcode & 0x1F];
  if (row.opcode >> 5 == row.transport && row.opcode_packets <= std::numeric_limits<std::uint32_t>::max() - tally) {
    tally += static_cast<std::uint32_t>(row.opcode_packets);
  } else {
    add(counts.opcodes, row.opcode, row.opcode_packets);
  }
  row.opcode_packets = 0;
}

void Side::add_row(DirectionTraffic& to) const {
  if (row.empty()) return;
  const PathFacts path = row.path();
  const std::size_t ecn = path.traffic_class & 3;
  to.frames += row.packets;
  to.bytes_on_wire += row.bytes;
  to.last_frame = row.last_frame;
  to.last_time = row.last_time;
  if (path.is_data()) to.last_data_time = row.last_time;
  if (path.truncated) to.truncated_frames += row.packets;
  to.ecn[ecn] += row.packets;
  if (path.role == wire::Role::kCnp || path.role == wire::Role::kAcknowledge) to.control_ecn[ecn] += row.packets;
  to.icrc[static_cast<std::size_t>(path.icrc)] += row.packets;
  add(to.dscp, path.dscp(), row.packets);
  if (path.priority != wire::kNoPriority) add(to.priorities, path.priority, row.packets);
  add(to.hop_limits, path.hop_limit, row.packets);
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

namespace {

/// Within this time an equal reply is a copy. A sender waits for as long as an RNR NAK says, and so does the next one.
Nanos copy_window(const PacketFacts& packet) {
  return packet.is_rnr_nak() ? std::min(kCopyWindow, wire::rnr_timer(packet.syndrome)) : kCopyWindow;
}

}  // namespace

bool Side::is_last_reply(const PacketFacts& packet) const {
  const Replies& r = replies;
  return r.any && packet.psn == r.last_psn && packet.msn == r.last_msn && packet.syndrome == r.last_syndrome &&
         packet.ip_id == r.last_ip_id && packet.time - r.last_time < copy_window(packet);
}

bool Side::is_copied_ack(const PacketFacts& packet) {
  Replies& r = replies;
  const bool is_nak = packet.has_aeth && wire::aeth_kind(packet.syndrome) != wire::AethKind::kAck;
  const bool same = is_last_reply(packet) || (is_nak && is_copied_nak(packet));
  r.any = true;
  r.last_time = packet.time;
  r.last_psn = packet.psn;
  r.last_msn = packet.msn;
  r.last_syndrome = packet.syndrome;
  r.last_ip_id = packet.ip_id;
  return same;
}

/// The same for a NAK, which is remembered for longer: each one more would be a reason for going back.
bool Side::is_copied_nak(const PacketFacts& packet) {
  Replies::Naks& naks = replies.naks.use();
  const auto same = [&](const Replies::Naks::Nak& nak) {
    return packet.psn == nak.psn && packet.msn == nak.msn && packet.syndrome == nak.syndrome &&
           packet.ip_id == nak.ip_id && packet.time - nak.time < copy_window(packet);
  };
  const auto known = static_cast<std::ptrdiff_t>(std::min(naks.count, naks.newest.size()));
  if (std::any_of(naks.newest.begin(), naks.newest.begin() + known, same)) return true;
  naks.newest[naks.count++ % naks.newest.size()] = {packet.time, packet.psn, packet.msn, packet.ip_id, packet.syndrome};
  return false;
}

bool Side::is_copied_datagram(const PacketFacts& packet) {
  constexpr std::uint8_t kCopiesMost = 3;  // of one datagram: more, and the PSN stands still
  std::uint8_t& repeats = replies.psn_repeats;
  if (!replies.any || packet.psn != replies.last_psn) {
    repeats = 0;
  } else if (repeats <= kCopiesMost) {
    ++repeats;
  }
  return is_copied_ack(packet) && repeats <= kCopiesMost;
}

bool Side::holds_replies() const {
  const auto names_psn = [](const PacketFacts& p) { return p.role != wire::Role::kCnp; };
  if (std::any_of(held.begin(), held.end(), names_psn)) return true;
  return veroce && std::any_of(veroce->held.begin(), veroce->held.end(), [&](const VeroceSide::Held& said) {
           return said.first.role == wire::Role::kAcknowledge;
         });
}

bool Side::has_just_sent(const PacketFacts& packet) const {
  if (packet.udp_src != counts.udp_src && !counts.udp_src_varies && packet.role != wire::Role::kCnp) return false;
  const auto same = [&](const PacketFacts& p) {
    return p.opcode == packet.opcode && p.psn == packet.psn && p.msn == packet.msn && p.syndrome == packet.syndrome &&
           p.payload_bytes == packet.payload_bytes && p.has_ip_id == packet.has_ip_id && p.ip_id == packet.ip_id &&
           packet.time - p.time < kCopyWindow;
  };
  if (veroce) return veroce->has_just_sent(packet);
  switch (packet.role) {
    case wire::Role::kRequest:
      return requests.has_just_seen(packet);
    case wire::Role::kResponse:
      if (responses.has_just_seen(packet)) return true;
      break;
    case wire::Role::kAcknowledge:
    case wire::Role::kDatagram:
      if (is_last_reply(packet)) return true;
      break;
    default:
      break;
  }
  return std::any_of(held.rbegin(), held.rend(), same);
}

DirectionTraffic Side::total() const {
  DirectionTraffic out = counts;
  add_row(out);
  out.acks = replies.acks;
  add(out.opcodes, row.opcode, row.opcode_packets);
  for (std::size_t i = 0; i < operations.size(); ++i)
    add(out.opcodes, static_cast<std::uint8_t>(row.transport << 5 | i), operations[i]);
  return out;
}

}  // namespace rocetop::track
