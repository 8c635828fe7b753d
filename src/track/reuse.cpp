// SPDX-License-Identifier: BSD-3-Clause
// Tracker: queue pair numbers that are used again. Whether a packet that fits nothing its sender sends is noise, or the
// first of another connection, other packets have to tell.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "track/tracker.h"

namespace rocetop::track {
namespace {

/// Messages that a new connection may have completed unseen before its first reply is: captures lose some.
constexpr std::int64_t kUnseenMessages = 64;

std::int64_t outside(std::int64_t value, std::int64_t low, std::int64_t high) {
  return value < low ? low - value : value > high ? value - high : 0;
}

}  // namespace

/// A packet far from all that `side` sends: kept, and nothing else, unless it agrees with the one before that was. Then
/// false.
bool Tracker::set_aside(Connection& connection, std::size_t side, const PacketFacts& packet, Observation& observation) {
  constexpr std::size_t kCopiesMost = 4;
  observation = observed(Kind::kNew, SpaceName::kRequests, 0);
  const auto before = connection.find_outlier(side);
  if (before != connection.outliers.end()) {
    observation.connection = before->id;
    if (before->is_copy(packet) && before->packets.size() < kCopiesMost) {
      before->packets.push_back(packet);
      observation.kind = Kind::kDuplicate;
      return true;
    }
    if (connection.agrees(*before, packet)) return false;
    release(connection, *before);
    connection.outliers.erase(before);
  }
  observation.connection = next_id_;
  connection.has_outliers = true;
  connection.outliers.push_back({side, next_id_++, connection.side(side).requests.packets(), {packet}});
  return true;
}

/// More than one packet says that `side` begins another connection: they are looked at as its requests are.
void Tracker::take_up_outliers(ConnectionIndex index, std::size_t side) {
  Connection& connection = *connections_[index];
  std::vector<Connection::Outlier> outliers = std::exchange(connection.outliers, {});
  // What gave rise to the doubt comes first. There is one a side at most.
  if (outliers.front().side != side) std::swap(outliers.front(), outliers.back());
  const std::array keys = {connection.side(0).key, connection.side(connection.side_count() - 1).key};
  doubt(index, side, outliers.front().packets.front());
  if (connections_[index] && connections_[index]->suspicion)
    connections_[index]->suspicion->other_id = outliers.front().id;
  for (const Connection::Outlier& outlier : outliers) {
    std::uint32_t id = outlier.id;  // each direction has its own until they are joined
    for (const PacketFacts& packet : outlier.packets) {
      const FlowKey& key = keys[outlier.side];
      tell_second_look(key, packet, open_as(std::exchange(id, 0), key, packet));
    }
  }
}

/// A packet of the connection `id`, which it may begin; 0: of whichever.
Observation Tracker::open_as(std::uint32_t id, const FlowKey& key, const PacketFacts& packet) {
  Flow flow = flows_.find(key);
  if (!flow) flow = open_flow(key, packet);
  if (flow.connection->id == 0) flow.connection->id = id;
  return route(key, packet, flow);
}

void Tracker::tell_second_look(const FlowKey& key, const PacketFacts& packet, const Observation& observation) {
  if (context_.sink) context_.sink->on_second_look({key, packet, observation});
}

/// Nothing agreed with it: a connection of a packet, as every stray one makes.
void Tracker::release(const Connection& of, const Connection::Outlier& outlier) {
  const FlowKey key = of.side(outlier.side).key;
  const ConnectionIndex index = make_connection(key);
  Connection& connection = *connections_[index];
  connection.id = outlier.id;
  for (const PacketFacts& packet : outlier.packets) {
    Observation observation;
    connection.on_packet(0, packet, context_, observation);
    if (packet.frame != outlier.packets.front().frame) tell_second_look(key, packet, observation);  // that is as it was
  }
  retire(index);
}

void Tracker::release_outliers(Connection& of) {
  for (const Connection::Outlier& outlier : std::exchange(of.outliers, {})) release(of, outlier);
}

/// The packet fits another connection better. If replies have been counting messages (MSN), the next one tells; until
/// then the packet is taken as part of this connection, and everything since is kept to be looked at again.
void Tracker::doubt(ConnectionIndex index, std::size_t side, const PacketFacts& packet) {
  Connection& connection = *connections_[index];
  const bool far = connection.side(side).requests.is_far(packet);
  if (!connection.is_paired() || !connection.side(side).requests.last_msn()) {
    if (far) begin_anew(index);
    return;
  }
  lay_doubt(connection);  // an older one
  auto suspicion = std::make_unique<Connection::Suspicion>();
  suspicion->before = std::make_unique<Connection>(connection);
  suspicion->side = side;
  suspicion->far = far;
  connection.suspicion = std::move(suspicion);
}

/// Where it is open whose packets these are, nothing is settled by them yet.
ResolutionSink* Tracker::sink_of(Connection& connection) const {
  return context_.sink && connection.suspicion ? &connection.suspicion->told : context_.sink;
}

/// It is still the connection it was.
void Tracker::lay_doubt(Connection& connection) {
  const auto suspicion = std::exchange(connection.suspicion, nullptr);
  if (suspicion && context_.sink) suspicion->told.tell(*context_.sink);
}

/// Where no reply will tell. False where there was no doubt.
bool Tracker::end_doubt(ConnectionIndex index) {
  Connection& connection = *connections_[index];
  if (!connection.suspicion) return false;
  if (connection.suspicion->far) {
    begin_anew(index);
  } else {
    lay_doubt(connection);
  }
  return true;
}

/// MSN counts the messages that the responder completed (IBTA vol. 1, 9.7.5.2.2): it goes on in the same connection and
/// starts again in another. 0xFFFFFF to 0 is its ordinary wrap. What the packet is in that other one, if so.
std::optional<Observation> Tracker::decide_doubt(ConnectionIndex index, std::size_t side, const PacketFacts& packet) {
  Connection& connection = *connections_[index];
  Connection::Suspicion& doubt = *connection.suspicion;
  doubt.packets.emplace_back(side, packet);
  const PacketFacts& cause = doubt.packets.front().second;
  const bool reply = side != doubt.side && packet.has_aeth && packet.icrc != wire::IcrcStatus::kBad &&
                     serial_difference(packet.psn.value, cause.psn.value) >= 0;
  if (!reply) {
    if (doubt.packets.size() < context_.limits.suspect_packets) return std::nullopt;
    if (doubt.far) return begin_anew(index, packet.frame);
    lay_doubt(connection);
    return std::nullopt;
  }
  const RequestSpace& before = doubt.before->side(doubt.side).requests;
  std::int64_t messages = 0;  // that the reply may count since the doubt arose
  for (const auto& [from, p] : doubt.packets) {
    if (from == doubt.side && p.role == wire::Role::kRequest && p.ends_message() &&
        serial_difference(p.psn.value, packet.psn.value) <= 0 && serial_difference(p.psn.value, cause.psn.value) >= 0) {
      ++messages;
    }
  }
  const std::int64_t gone_on = serial_difference(packet.msn.value, before.last_msn()->value);
  const std::int64_t jump = serial_difference(cause.psn.value, wire_psn(before.highest()).value);
  // Going on, the count grew by the messages seen, and by some of what was jumped over; a step back resends messages.
  const std::int64_t unseen = std::clamp<std::int64_t>(jump, 0, kUnseenMessages);
  const std::int64_t same = jump > 0 ? outside(gone_on, messages, messages + unseen) : outside(gone_on, 0, messages);
  const std::int64_t anew = outside(packet.msn.value, std::max<std::int64_t>(messages - 1, 0), messages);
  // No loss explains a far jump, but a capture that stood still does: then the count has gone on, and far.
  const bool far_but_same = doubt.far && jump > 0 && outside(gone_on, messages, messages + jump) == 0 &&
                            packet.msn.value > messages + kUnseenMessages;
  if (doubt.far ? !far_but_same : anew < same) return begin_anew(index, packet.frame);
  lay_doubt(connection);
  return std::nullopt;
}

/// Ends the connection as it was before the doubt, and gives the packets since then to a new one. What the packet of
/// the frame `current` is there, which is being routed: of that its caller tells.
std::optional<Observation> Tracker::begin_anew(ConnectionIndex index, FrameId current) {
  std::vector<std::pair<FlowKey, PacketFacts>> again;
  std::uint32_t id = 0;
  release_outliers(*connections_[index]);
  if (auto suspicion = std::move(connections_[index]->suspicion)) {
    id = suspicion->other_id;
    for (const auto& [side, packet] : suspicion->packets)
      again.emplace_back(connections_[index]->side(side).key, packet);
    connections_[index]->give_back(context_);
    for (std::size_t side = 0; side < suspicion->before->side_count(); ++side) {
      suspicion->before->side(side).also = connections_[index]->side(side).also;
    }
    context_.held_left += connections_[index]->held() - suspicion->before->held();
    connections_[index] = std::move(suspicion->before);
    connections_[index]->take_again(context_);
  }
  retire(index);
  std::optional<Observation> of_current;
  for (const auto& [key, packet] : again) {
    const Observation observation = open_as(std::exchange(id, 0), key, packet);
    if (packet.frame == current) {
      of_current = observation;
    } else {
      tell_second_look(key, packet, observation);
    }
  }
  return of_current;
}

}  // namespace rocetop::track
