// SPDX-License-Identifier: BSD-3-Clause
#include "track/side.h"

#include <algorithm>

namespace rocetop::track {
namespace {

void add_one(std::vector<std::pair<std::uint8_t, std::uint64_t>>& table, std::uint8_t key, std::uint32_t& last) {
  if (last < table.size() && table[last].first == key) {
    ++table[last].second;
    return;
  }
  const auto at = std::lower_bound(table.begin(), table.end(), key, [](const auto& e, std::uint8_t k) { return e.first < k; });
  last = static_cast<std::uint32_t>(at - table.begin());
  if (at != table.end() && at->first == key) {
    ++at->second;
  } else {
    table.insert(at, {key, 1});
  }
}

void count_acknowledgement(DirectionCounts& counts, const PacketFacts& packet) {
  if (!packet.has_aeth) return;
  switch (wire::aeth_kind(packet.syndrome)) {
    case wire::AethKind::kAck:
      ++counts.acks;
      return;
    case wire::AethKind::kRnrNak:
      ++counts.rnr_naks;
      if ((packet.syndrome & 0x1F) == 0 && !counts.first_rnr_timer_zero) counts.first_rnr_timer_zero = packet.frame;
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

}  // namespace

void Side::count(const PacketFacts& packet) {
  if (counts.frames == 0) {
    counts.first_frame = packet.frame;
    counts.first_time = packet.time;
    counts.udp_src = packet.udp_src;
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
  if (packet.icrc == wire::IcrcStatus::kBad && !counts.first_bad_icrc) counts.first_bad_icrc = packet.frame;
  add_one(counts.opcodes, packet.opcode, opcode_at);
  add_one(counts.dscp, packet.traffic_class >> 2, dscp_at);
  if (packet.role == wire::Role::kCnp) ++counts.cnps;
  if (packet.role == wire::Role::kAcknowledge) count_acknowledgement(counts, packet);
}

}  // namespace rocetop::track
