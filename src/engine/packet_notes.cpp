// SPDX-License-Identifier: BSD-3-Clause
#include "engine/packet_notes.h"

#include <algorithm>
#include <utility>

#include "track/path_mtu.h"
#include "track/read_window.h"

namespace rocetop::engine {
namespace {

using track::Kind;

constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;

std::size_t mixed(std::uint64_t hash) {
  hash *= kMix;
  return hash ^ hash >> 32;
}

bool is_sequenced(Kind kind) {
  return kind == Kind::kNew || kind == Kind::kRetransmission || kind == Kind::kReordered || kind == Kind::kDuplicate;
}

/// The last PSN that a request takes, and whether that is certain.
struct Reach {
  Sequence last = 0;
  bool known = true;
};
Reach reach_of(const track::PacketFacts& packet, Sequence seq, std::uint32_t path_mtu) {
  if (packet.operation() != wire::kReadRequest) return {seq};
  if (!packet.has_reth) return {seq, false};
  if (path_mtu == 0) return {seq, packet.read_bytes <= track::PathMtu::kLeast};
  return {seq + track::read_span(packet.read_bytes, path_mtu) - 1};
}

}  // namespace

std::size_t PacketNotes::KeyHash::operator()(const Key& key) const {
  return mixed((std::uint64_t{key.connection} << 24 | key.dst_qpn.value) * kMix ^ key.src.low() ^ key.src.high());
}

std::size_t PacketNotes::QueuePairHash::operator()(const QueuePair& key) const {
  return mixed(mixed(mixed(key.src.low() ^ key.src.high()) ^ key.dst.low() ^ key.dst.high()) ^ key.qpn.value);
}

std::uint32_t PacketNotes::add_direction(const Arrived& arrived) {
  if (directions_.size() >= limit_) return 0;
  const track::FlowKey& key = arrived.key;
  const auto index = static_cast<std::uint32_t>(directions_.size() + 1);
  DirectionNote& made = directions_.emplace_back().note;
  made.src = key.hosts.src;
  made.dst = key.hosts.dst;
  made.dst_qpn = key.dst_qpn;
  made.first_frame = arrived.frame;
  if (key.datagram && !arrived.packet.headers_cut) made.src_qpn = key.src_qpn;
  put(index, arrived.observation.connection);
  made.qp_reuse = !key.datagram && is_used_again(key, index);
  return index;
}

/// Makes the direction one of the connection's: of its two, if there is room.
void PacketNotes::put(std::uint32_t index, std::uint32_t connection) {
  DirectionNote& note = directions_[index - 1].note;
  note.connection = connection;
  note.other = 0;
  note.second = false;
  auto& ends = connections_[connection].directions;
  if (ends[0] == 0) {
    ends[0] = index;
  } else if (ends[1] == 0) {
    ends[1] = index;
    note.second = true;
    note.other = ends[0];
    directions_[ends[0] - 1].note.other = index;
  } else {
    index_.insert_or_assign(Key{connection, note.dst_qpn, note.src}, index);
  }
}

/// Whether another connection, seen before, had the queue pair that the new direction goes to.
bool PacketNotes::is_used_again(const track::FlowKey& key, std::uint32_t index) {
  const QueuePair pair{key.dst_qpn, key.hosts.src, key.hosts.dst, key.hosts.network};
  const auto [before, is_new] = queue_pairs_.try_emplace(pair, index);
  if (is_new) return false;
  const DirectionNote& old = directions_[std::exchange(before.value(), index) - 1].note;
  const DirectionNote& made = directions_[index - 1].note;
  return old.connection < made.connection && !made.second;
}

void PacketNotes::on_join(std::uint32_t kept, std::uint32_t gone) {
  if (gone >= connections_.size()) return;
  if (kept >= connections_.size()) connections_.resize(kept + 1);
  const Connection joining = std::exchange(connections_[gone], {});
  if (connections_[kept].path_mtu == 0) connections_[kept].path_mtu = joining.path_mtu;
  for (const std::uint32_t index : joining.directions) {
    if (index == 0) continue;
    DirectionNote& note = directions_[index - 1].note;
    note.moved = find(kept, note.dst_qpn, note.src);
    if (note.moved != 0) continue;
    put(index, kept);
    note.qp_reuse = note.qp_reuse && !note.second;
  }
}

/// A direction of the connection, which is numbered; 0: it has none such.
std::uint32_t PacketNotes::find(std::uint32_t connection, Qpn dst_qpn, const IpAddress& src) const {
  for (const std::uint32_t index : connections_[connection].directions) {
    if (index == 0) return 0;
    const DirectionNote& direction = directions_[index - 1].note;
    if (direction.dst_qpn == dst_qpn && direction.src == src) return index;
  }
  const auto found = index_.find(Key{connection, dst_qpn, src});
  return found == index_.end() ? 0 : found->second;
}

std::uint32_t PacketNotes::direction_of(const Arrived& arrived) {
  const std::uint32_t connection = arrived.observation.connection;
  if (connection >= connections_.size()) connections_.resize(connection + 1);
  const std::uint32_t found = find(connection, arrived.key.dst_qpn, arrived.key.hosts.src);
  return found != 0 ? found : add_direction(arrived);
}

PacketNotes::Direction* PacketNotes::other_of(const Direction& direction) {
  return direction.note.other == 0 ? nullptr : &directions_[direction.note.other - 1];
}

PacketNote PacketNotes::on_packet(const track::FlowKey& key, const track::PacketFacts& packet,
                                  const track::Observation& observation) {
  const Arrived arrived{key, packet, observation, static_cast<std::uint32_t>(packet.frame.number())};
  PacketNote note;
  seen_after_all_ = 0;
  if (observation.connection == 0) return note;
  note.direction = direction_of(arrived);
  if (note.direction == 0) return note;
  Direction& direction = directions_[note.direction - 1];
  Connection& connection = connections_[observation.connection];
  learn_path_mtu(connection, packet);
  if (packet.is_data() && packet.is_marked() && (direction.mark_frame == 0 || packet.time >= direction.mark_time)) {
    direction.mark_frame = arrived.frame;
    direction.mark_time = packet.time;
  }
  // Under veRoCE acknowledgements are of two spaces and in any order: what is in flight, and of which message a packet
  // is part, is not noted.
  const bool in_order = key.hosts.protocol != wire::Protocol::kVeroce;
  if (packet.role == wire::Role::kRequest && is_sequenced(observation.kind)) {
    if (!direction.note.first_request) direction.note.first_request = packet.psn;
    if (in_order) on_request(direction, connection, arrived, note);
  }
  if (Direction* other = other_of(direction)) {
    if (observation.kind == Kind::kCnp) on_cnp(*other, arrived, note);
    if (in_order && packet.icrc != wire::IcrcStatus::kBad) on_reply(*other, arrived, note);
  }
  return note;
}

/// First and Middle packets are as long as the path MTU (IBTA vol. 1, 9.7.5.1).
void PacketNotes::learn_path_mtu(Connection& connection, const track::PacketFacts& packet) {
  if (connection.path_mtu != 0 || packet.icrc == wire::IcrcStatus::kBad) return;
  if (packet.position != wire::Position::kFirst && packet.position != wire::Position::kMiddle) return;
  if (track::is_path_mtu(packet.payload_bytes)) connection.path_mtu = packet.payload_bytes;
}

void PacketNotes::on_request(Direction& direction, const Connection& connection, const Arrived& arrived,
                             PacketNote& note) {
  const track::PacketFacts& p = arrived.packet;
  Flight& flight = direction.flight;
  const Sequence seq = flight.started() ? extend(flight.highest(), p.psn) : Sequence{p.psn.value};
  const Reach reach = reach_of(p, seq, connection.path_mtu);
  if (arrived.observation.kind == Kind::kNew && (!flight.started() || seq > flight.highest())) {
    send(direction, seq, reach.last, arrived);
    if (!reach.known) flight.leave_open();
  }
  note.psns_in_flight = flight.psns();
  note.bytes_in_flight = flight.bytes();
  // What is sent again although all of it is acknowledged is on its way all the same: how much of that is not known.
  if (note.psns_in_flight == 0U) {
    note.psns_in_flight.reset();
    note.bytes_in_flight.reset();
  }
  note.message =
      direction.messages.on_request({arrived.frame, seq, reach.last, reach.known, p, connection.path_mtu}, messages_);
}

/// A request above all before.
void PacketNotes::send(Direction& direction, Sequence seq, Sequence last, const Arrived& arrived) {
  Flight& flight = direction.flight;
  const Sequence skipped = arrived.observation.missing_before;
  if (flight.is_open() && seq - 1 - skipped > flight.highest()) {
    flight.close(seq - 1 - skipped);
    direction.messages.close_read(seq - 1 - skipped);
  }
  if (direction.early_ack_frame != 0 && seq <= direction.early_ack) {
    // What it acknowledged comes after it, and nothing of it is missing: the capture shows them the wrong way round.
    if (seq == flight.highest() + 1) {
      seen_after_all_ = direction.early_ack_frame;
    }
    direction.early_ack_frame = 0;
  }
  flight.send(seq, last, arrived.packet.payload_bytes, skipped != 0, flight_budget_);
}

/// What a reply says of the requests of the other side: all up to which PSN have arrived.
void PacketNotes::on_reply(Direction& requests, const Arrived& arrived, PacketNote& note) {
  const track::PacketFacts& p = arrived.packet;
  Flight& flight = requests.flight;
  if (!flight.started()) return;
  Sequence until = extend(flight.highest(), p.psn);
  if (p.role == wire::Role::kResponse && is_sequenced(arrived.observation.kind)) {
    requests.messages.on_response(until, p.position, arrived.frame, messages_);
    if (flight.is_open() && until > flight.highest()) return;
  } else if (arrived.observation.kind == Kind::kNak || arrived.observation.kind == Kind::kRnrNak) {
    --until;  // it is this one that has not
  } else if (arrived.observation.kind != Kind::kAck || !p.has_aeth) {
    return;
  }
  if (until > flight.highest() && !flight.is_open()) {
    note.acked_unseen = arrived.observation.kind == Kind::kAck;
    requests.early_ack_frame = note.acked_unseen ? arrived.frame : 0;
    requests.early_ack = until;
  }
  flight.acknowledge(until, flight_budget_);
  requests.messages.acknowledge(until, messages_);
}

/// The latest mark that the CNP may answer, as CongestionCounts::ce_to_cnp_ns has it: since the CNP before.
void PacketNotes::on_cnp(Direction& data, const Arrived& arrived, PacketNote& note) {
  const bool fresh = data.mark_frame != 0 && data.mark_time <= arrived.packet.time &&
                     (!data.cnp_time || data.mark_time > *data.cnp_time);
  data.cnp_time = arrived.packet.time;
  if (!fresh) return;
  note.mark_frame = data.mark_frame;
  note.mark_to_cnp = arrived.packet.time - data.mark_time;
}

const DirectionNote* PacketNotes::direction(std::uint32_t index) const {
  while (index != 0 && directions_[index - 1].note.moved != 0) index = directions_[index - 1].note.moved;
  return index == 0 ? nullptr : &directions_[index - 1].note;
}

const MessageNote* PacketNotes::message(std::uint32_t index) const {
  return index == 0 ? nullptr : &messages_.messages[index - 1];
}

}  // namespace rocetop::engine
