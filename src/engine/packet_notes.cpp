// SPDX-License-Identifier: BSD-3-Clause
#include "engine/packet_notes.h"

namespace rocetop::engine {

std::size_t PacketNotes::KeyHash::operator()(const Key& key) const {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  std::uint64_t hash = (std::uint64_t{key.connection} << 24 | key.dst_qpn.value) * kMix;
  hash = (hash ^ key.src.low() ^ key.src.high()) * kMix;
  return hash ^ hash >> 32;
}

std::uint32_t PacketNotes::direction_of(const Arrived& arrived) {
  const std::uint32_t connection = arrived.observation.connection;
  const wire::Packet& p = arrived.packet;
  if (connection == 0) return 0;
  const Key key{connection, p.bth.dest_qp, p.src};
  if (const auto found = index_.find(key); found != index_.end()) return found->second;
  if (directions_.size() >= limit_) return 0;
  const auto index = static_cast<std::uint32_t>(directions_.size() + 1);
  Direction& made = directions_.emplace_back();
  made.note.connection = connection;
  made.note.src = p.src;
  made.note.dst = p.dst;
  made.note.dst_qpn = p.bth.dest_qp;
  if (p.has(wire::kDeth)) made.note.src_qpn = p.deth.src_qp;
  index_.emplace(key, index);
  return index;
}

PacketNote PacketNotes::on_packet(std::uint64_t frame, Nanos time, const wire::Packet& packet,
                                  const track::Observation& observation) {
  const Arrived arrived{static_cast<std::uint32_t>(frame), time, packet, observation};
  PacketNote note;
  note.direction = direction_of(arrived);
  return note;
}

const DirectionNote* PacketNotes::direction(std::uint32_t index) const {
  return index == 0 ? nullptr : &directions_[index - 1].note;
}

const MessageNote* PacketNotes::message(std::uint32_t index) const {
  return index == 0 ? nullptr : &messages_[index - 1];
}

}  // namespace rocetop::engine
