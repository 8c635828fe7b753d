// SPDX-License-Identifier: BSD-3-Clause
// Tracker: to which connection a veRoCE packet belongs. Its source ports are paths and tell no connections apart; its
// messages are numbered on the wire, so whether a queue pair is used again shows at once.
#include "track/tracker.h"

namespace rocetop::track {

Observation Tracker::route_veroce(const FlowKey& key, const wire::Packet& decoded, PacketFacts packet,
                                  FlowTable::Flow flow) {
  Observation observation;
  VeroceFacts more = take_veroce_facts(decoded, packet);
  const std::uint64_t identity = identity_of(decoded);
  const bool is_raw = more.shape == wire::VeroceShape::kUnknown;
  if (!flow && ((is_raw && raw_connections_ >= context_.limits.raw_connections) || !may_open(key, packet))) {
    return observation;
  }
  more.has_passed = copies_ && copies_->holds(identity, packet.time);
  if (flow && !more.has_passed && flow.connection->begins_anew(flow.side, packet, more)) {
    retire(flow.index);
    flow = {};
  }
  if (!flow) {
    flow = open_flow(key, packet, identity);
    Connection& opened = *flow.connection;
    opened.is_raw = is_raw && opened.side_count() == 1 && opened.side(0).frames() == 0;
    raw_connections_ += opened.is_raw ? 1 : 0;
  } else if (!is_raw) {
    note_readable(*flow.connection);
  }
  if (packet.role == wire::Role::kCnp && networks_.size() > 1) flow = home_of_cnps(key, flow, packet);
  if (flow.connection->has_lodgers) flow = settle_lodgers(key, flow, packet, identity);
  if (packet.role == wire::Role::kAcknowledge && !flow.connection->is_paired()) {
    try_to_pair(key, packet);
    flow = flows_.find(key);
  }
  more.is_copy = is_copy(flow, packet, more, identity);
  Connection& connection = *flow.connection;
  Side& side = connection.side(flow.side);
  if (packet.role == wire::Role::kCnp && !more.is_copy && side.lodgers && side.lodgers->name == key) {
    connection.lodge_cnp(flow.side, packet, context_, observation);
  } else {
    connection.on_veroce(flow.side, packet, more, context_, observation);
    if (packet.role == wire::Role::kCnp && observation.kind != Kind::kDuplicate) {
      side.note_network_of_cnp(key.hosts.network);
    }
  }
  if (connection.id == 0) connection.id = next_id_++;
  observation.connection = connection.id;
  if (packet.role == wire::Role::kRequest && !connection.is_paired()) {
    const SelectiveSpace& requests = side.veroce->requests;
    if (requests.started()) note_window(flow, key.hosts, packet.psn, wire_psn(requests.highest()));
  }
  return observation;
}

/// Something of it can be followed, or it is over.
void Tracker::note_readable(Connection& connection) {
  raw_connections_ -= connection.is_raw ? 1 : 0;
  connection.is_raw = false;
}

/// Of first transmissions the PSNs of their space tell. A resend of a resend, a second NAK or a second signal within
/// kCopyWindow is another packet, and looks the same where IP identifications do not count: then copies are known by
/// their number.
bool Tracker::is_copy(const Flow& flow, const PacketFacts& packet, const VeroceFacts& more, std::uint64_t identity) {
  Connection& connection = *flow.connection;
  VeroceSide& own = connection.side(flow.side).veroce.use();
  const bool ids_count = own.ids_count(packet);
  if (more.shape == wire::VeroceShape::kUnknown) return false;
  const bool repeats_nothing = more.is_sack() || (packet.role == wire::Role::kAcknowledge && packet.has_aeth &&
                                                  wire::aeth_kind(packet.syndrome) == wire::AethKind::kAck);
  using Told = CopyLog::Told;
  const bool is_told_by_psn = more.sequenced && !more.retransmit;
  Told told = ids_count && !is_told_by_psn ? Told::kCertain : Told::kNot;
  for (std::size_t i = 0; !is_told_by_psn && told == Told::kNot && i < connection.side_count(); ++i) {
    if (connection.side(i).is_captured_twice()) told = repeats_nothing ? Told::kCertain : Told::kByNumber;
  }
  return copies_.use().is_copy(identity, packet.time, told);
}

}  // namespace rocetop::track
