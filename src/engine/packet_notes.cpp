// SPDX-License-Identifier: BSD-3-Clause
#include "engine/packet_notes.h"

#include <algorithm>

#include "track/path_mtu.h"
#include "track/read_window.h"
#include "wire/aeth.h"

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
Reach reach_of(const wire::Packet& packet, Sequence seq, std::uint32_t path_mtu) {
  if (packet.bth.operation() != wire::kReadRequest) return {seq};
  if (!packet.has(wire::kReth)) return {seq, false};
  const std::uint32_t bytes = packet.reth.dma_length;
  if (path_mtu == 0) return {seq, bytes <= track::PathMtu::kLeast};
  return {seq + track::read_span(bytes, path_mtu) - 1};
}

}  // namespace

std::size_t PacketNotes::KeyHash::operator()(const Key& key) const {
  return mixed((std::uint64_t{key.connection} << 24 | key.dst_qpn.value) * kMix ^ key.src.low() ^ key.src.high());
}

std::size_t PacketNotes::QueuePairHash::operator()(const QueuePair& key) const {
  return mixed(mixed(mixed(key.src.low() ^ key.src.high()) ^ key.dst.low() ^ key.dst.high()) ^ key.qpn.value);
}

std::uint32_t PacketNotes::add_direction(const Arrived& arrived, PacketNote& note) {
  if (directions_.size() >= limit_) return 0;
  const wire::Packet& p = arrived.packet;
  const auto index = static_cast<std::uint32_t>(directions_.size() + 1);
  DirectionNote& made = directions_.emplace_back().note;
  made.connection = arrived.observation.connection;
  made.src = p.src;
  made.dst = p.dst;
  made.dst_qpn = p.bth.dest_qp;
  if (p.has(wire::kDeth)) made.src_qpn = p.deth.src_qp;
  auto& ends = connections_[made.connection].directions;
  if (ends[0] == 0) {
    ends[0] = index;
  } else if (ends[1] == 0) {
    ends[1] = index;
    made.second = true;
    made.other = ends[0];
    directions_[ends[0] - 1].note.other = index;
  }
  if (arrived.opcode.role != wire::Role::kDatagram) note_move(index, p, note);
  return index;
}

/// Numbers of connections go up; one that is joined with another keeps the lower one. So the queue pair of the new
/// direction was used again, or its connection turned out to be another one.
void PacketNotes::note_move(std::uint32_t index, const wire::Packet& packet, PacketNote& note) {
  const DirectionNote& made = directions_[index - 1].note;
  const auto [before, is_new] = queue_pairs_.try_emplace({made.dst_qpn, made.src, made.dst, packet.network}, index);
  if (is_new) return;
  DirectionNote& old = directions_[before->second - 1].note;
  before.value() = index;
  if (old.connection > made.connection) {
    old.moved = index;
  } else {
    note.qp_reuse = old.connection < made.connection && !made.second;
  }
}

std::uint32_t PacketNotes::direction_of(const Arrived& arrived, PacketNote& note) {
  const std::uint32_t connection = arrived.observation.connection;
  const wire::Packet& p = arrived.packet;
  if (connection >= connections_.size()) connections_.resize(connection + 1);
  for (const std::uint32_t index : connections_[connection].directions) {
    if (index == 0) return add_direction(arrived, note);
    const DirectionNote& direction = directions_[index - 1].note;
    if (direction.dst_qpn == p.bth.dest_qp && direction.src == p.src) return index;
  }
  const Key key{connection, p.bth.dest_qp, p.src};
  if (const auto found = index_.find(key); found != index_.end()) return found->second;
  const std::uint32_t index = add_direction(arrived, note);
  if (index != 0) index_.emplace(key, index);
  return index;
}

PacketNotes::Direction* PacketNotes::other_of(const Direction& direction) {
  return direction.note.other == 0 ? nullptr : &directions_[direction.note.other - 1];
}

PacketNote PacketNotes::on_packet(std::uint32_t frame, Nanos time, const wire::Packet& packet,
                                  const track::Observation& observation) {
  const Arrived arrived{frame, time, packet, observation, wire::opcode_facts(packet.bth.opcode)};
  PacketNote note;
  seen_after_all_ = 0;
  if (observation.connection == 0) return note;
  note.direction = direction_of(arrived, note);
  if (note.direction == 0) return note;
  Direction& direction = directions_[note.direction - 1];
  Connection& connection = connections_[observation.connection];
  learn_path_mtu(connection, arrived);
  const bool is_data = arrived.opcode.role == wire::Role::kRequest || arrived.opcode.role == wire::Role::kResponse;
  if (is_data && packet.ecn() == wire::Ecn::kCe) {
    direction.mark_frame = frame;
    direction.mark_time = time;
  }
  if (arrived.opcode.role == wire::Role::kRequest && is_sequenced(observation.kind)) {
    on_request(direction, connection, arrived, note);
  }
  if (Direction* other = other_of(direction)) {
    if (observation.kind == Kind::kCnp) on_cnp(*other, arrived, note);
    if (packet.icrc != wire::IcrcStatus::kBad) on_reply(*other, arrived, note);
  }
  return note;
}

/// First and Middle packets are as long as the path MTU (IBTA vol. 1, 9.7.5.1).
void PacketNotes::learn_path_mtu(Connection& connection, const Arrived& arrived) {
  if (connection.path_mtu != 0 || arrived.packet.icrc == wire::IcrcStatus::kBad) return;
  const wire::Position position = arrived.opcode.position;
  if (position != wire::Position::kFirst && position != wire::Position::kMiddle) return;
  if (track::is_path_mtu(arrived.packet.payload_bytes)) connection.path_mtu = arrived.packet.payload_bytes;
}

void PacketNotes::on_request(Direction& direction, const Connection& connection, const Arrived& arrived,
                             PacketNote& note) {
  const wire::Packet& p = arrived.packet;
  if (!direction.note.first_request) direction.note.first_request = p.bth.psn;
  Flight& flight = direction.flight;
  const Sequence seq = flight.started() ? extend(flight.highest(), p.bth.psn) : Sequence{p.bth.psn.value};
  const Reach reach = reach_of(p, seq, connection.path_mtu);
  if (arrived.observation.kind == Kind::kNew && (!flight.started() || seq > flight.highest())) {
    send(direction, seq, reach.last, arrived);
    if (!reach.known) flight.leave_open();
  }
  note.psns_in_flight = flight.psns();
  note.bytes_in_flight = flight.bytes();
  note.message = direction.messages.on_request(
      {arrived.frame, arrived.time, seq, reach.last, reach.known, p, connection.path_mtu}, messages_);
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
  const wire::Packet& p = arrived.packet;
  Flight& flight = requests.flight;
  if (!flight.started()) return;
  Sequence until = extend(flight.highest(), p.bth.psn);
  const bool is_response = arrived.opcode.role == wire::Role::kResponse;
  if (is_response && is_sequenced(arrived.observation.kind)) {
    requests.messages.on_response(until, arrived.opcode.position, arrived.frame, messages_);
    if (flight.is_open() && until > flight.highest()) return;
  } else if (arrived.observation.kind == Kind::kNak || arrived.observation.kind == Kind::kRnrNak) {
    --until;  // it is this one that has not
  } else if (arrived.observation.kind != Kind::kAck || !p.has(wire::kAeth)) {
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
  const bool fresh =
      data.mark_frame != 0 && data.mark_time <= arrived.time && (!data.cnp_time || data.mark_time > *data.cnp_time);
  data.cnp_time = arrived.time;
  if (!fresh) return;
  note.mark_frame = data.mark_frame;
  note.mark_to_cnp = arrived.time - data.mark_time;
}

const DirectionNote* PacketNotes::direction(std::uint32_t index) const {
  return index == 0 ? nullptr : &directions_[index - 1].note;
}

const DirectionNote* PacketNotes::settled_direction(std::uint32_t index) const {
  const DirectionNote* at = direction(index);
  while (at != nullptr && at->moved != 0) at = direction(at->moved);  // each to a lower connection
  return at;
}

const MessageNote* PacketNotes::message(std::uint32_t index) const {
  return index == 0 ? nullptr : &messages_.messages[index - 1];
}

}  // namespace rocetop::engine
