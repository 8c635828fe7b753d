// SPDX-License-Identifier: BSD-3-Clause
// Tracker: to which connection a veRoCE packet belongs. Its source ports are paths and tell no connections apart; its
// messages are numbered on the wire, so whether a queue pair is used again shows at once.
#include <cstdlib>

#include "track/tracker.h"

namespace rocetop::track {

Observation Tracker::route_veroce(const FlowKey& key, const wire::Packet& decoded, PacketFacts packet,
                                  FlowTable::Flow flow) {
  Observation observation;
  const VeroceFacts more = take_veroce_facts(decoded, packet);
  if (!flow && !may_open(key, packet)) return observation;
  if (flow && flow.connection->begins_anew(flow.side, packet, more)) {
    retire(flow.index);
    flow = {};
  }
  if (!flow) flow = open_flow(key, packet);
  if (packet.role == wire::Role::kCnp && networks_.size() > 1) flow = home_of_cnps(key, flow, packet);
  if (flow.connection->has_lodgers) flow = settle_lodgers(key, flow, packet);
  if (packet.role == wire::Role::kAcknowledge && !flow.connection->is_paired()) {
    try_to_pair(key, packet);
    flow = flows_.find(key);
  }
  Connection& connection = *flow.connection;
  Side& side = connection.side(flow.side);
  if (packet.role == wire::Role::kCnp && side.lodgers && side.lodgers->name == key) {
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

}  // namespace rocetop::track
