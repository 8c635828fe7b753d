// SPDX-License-Identifier: BSD-3-Clause
// Tracker: packets of a connection that carry other VLAN tags than the rest of it: copies that a mirror makes, and CNPs
// that have a VLAN of their own.
#include <algorithm>
#include <utility>

#include "track/tracker.h"

namespace rocetop::track {

/// The flow that a packet with these VLAN tags belongs to although the rest of it carries others: a mirror shows every
/// packet at two places, and one of them is tagged otherwise; or it is a CNP, and the network gives CNPs a VLAN of
/// their own. A copy is the same packet, at the same time; CNPs are taken along where there is one such flow, no other,
/// and no CNPs of a third VLAN are with it already.
Tracker::Elsewhere Tracker::flow_elsewhere(const FlowKey& key, const PacketFacts& packet,
                                           std::optional<std::uint64_t> identity) {
  if (networks_.size() < 2) return {};
  Flow only;
  bool several = false;
  FlowKey other = key;
  for (const wire::NetworkKey& network : networks_) {
    if (network == key.hosts.network || network.vni != key.hosts.network.vni) continue;
    other.hosts.network = network;
    const Flow found = flows_.find(other);
    if (!found) continue;
    if (has_just_passed(found.connection->side(found.side), packet, identity)) return {found, true};
    if (found.connection->transport() == wire::Transport::kCnp) continue;
    several = several || (only && only.connection != found.connection);
    only = found;
  }
  if (packet.role != wire::Role::kCnp || several || !only || only.connection->side(only.side).lodgers) return {};
  return {only, false};
}

/// Whether `side` has sent this very packet at this moment.
bool Tracker::has_just_passed(const Side& side, const PacketFacts& packet,
                              std::optional<std::uint64_t> identity) const {
  return side.has_just_sent(packet) || (identity && copies_ && copies_->holds(*identity, packet.time));
}

/// CNPs with `key` are taken for those of `flow` until something else comes with it.
FlowTable::Flow Tracker::lodge(const FlowKey& key, const Flow& flow) {
  flow.connection->has_lodgers = true;
  flow.connection->side(flow.side).lodgers.use().name = key;
  return also_known_as(key, flow);
}

/// What is no CNP shows whose the CNPs of that VLAN are: a copy says that both VLANs hold the same, and anything else
/// is of another connection, which happens to have the same numbers.
FlowTable::Flow Tracker::settle_lodgers(const FlowKey& key, const Flow& flow, const PacketFacts& packet,
                                        std::optional<std::uint64_t> identity) {
  Connection& host = *flow.connection;
  const Side& side = host.side(flow.side);
  if (packet.role == wire::Role::kCnp || !side.lodgers || !(side.lodgers->name == key)) return flow;
  if (has_just_passed(side, packet, identity)) {
    host.keep_lodgers(flow.side, context_);
    return flow;
  }
  const std::vector<PacketFacts> cnps = host.give_up_lodgers(flow.side, context_);
  flows_.erase(key);
  const Flow own = open_flow(key, packet, identity);
  own.connection->adopt_cnps(own.side, cnps, context_);
  if (own.connection->id == 0 && !cnps.empty()) own.connection->id = next_id_++;
  for (const PacketFacts& cnp : cnps) {
    tell_second_look(key, cnp, observed(Kind::kCnp, SpaceName::kNone, own.connection->id));
  }
  return own;
}

/// At most Limits::networks names a side, as each is in another network.
FlowTable::Flow Tracker::also_known_as(const FlowKey& key, const Flow& flow) {
  flow.connection->side(flow.side).also.push_back(key);
  flows_.put(key, flow);
  return flow;
}

/// Where nothing but CNPs was seen of a flow, its data may have begun in another VLAN since.
FlowTable::Flow Tracker::home_of_cnps(const FlowKey& key, const Flow& flow, const PacketFacts& packet) {
  Connection& cnps = *flow.connection;
  if (cnps.transport() != wire::Transport::kCnp || cnps.side_count() != 1) return flow;
  Side& side = cnps.side(0);
  if (side.frames() == 0 || side.held.size() != side.frames()) return flow;  // just opened, or some are lost
  const Elsewhere elsewhere = flow_elsewhere(key, packet);
  const Flow home = elsewhere.flow;
  if (!home || home.connection == flow.connection) return flow;
  const std::vector<PacketFacts> held = std::move(side.held);
  context_.held_left += held.size();
  const std::vector<FlowKey> names = names_of(side);
  if (context_.sink && cnps.id != 0) context_.sink->on_join(home.connection->id, cnps.id);
  cnps.give_back(context_);
  drop(flow.index);
  for (const FlowKey& name : names) {
    if (name == key && !elsewhere.is_copy) {
      lodge(name, home);
    } else {
      also_known_as(name, home);
    }
  }
  if (elsewhere.is_copy) {
    home.connection->adopt_cnps(home.side, held, context_);
    return home;
  }
  for (const PacketFacts& cnp : held) {
    Observation unused;
    home.connection->lodge_cnp(home.side, cnp, context_, unused);
  }
  return home;
}

std::vector<FlowKey> Tracker::names_of(const Side& side) {
  std::vector<FlowKey> names = side.also;
  names.push_back(side.key);
  return names;
}

/// The same at the end, for CNPs that nothing followed.
void Tracker::bring_cnps_home() {
  if (networks_.size() < 2) return;
  for (ConnectionIndex i = 0; i < connections_.size(); ++i) {
    Connection* c = connections_[i].get();
    if (!c || c->transport() != wire::Transport::kCnp || c->side_count() != 1 || c->side(0).held.empty()) continue;
    const PacketFacts last = c->side(0).held.back();
    const FlowKey key = c->side(0).key;
    home_of_cnps(key, {c, i, 0}, last);
  }
}

}  // namespace rocetop::track
