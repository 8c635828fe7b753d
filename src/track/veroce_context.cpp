// SPDX-License-Identifier: BSD-3-Clause
#include "track/veroce_context.h"

#include <algorithm>
#include <cstdlib>

namespace rocetop::track {
namespace {

/// SENDs in flight at once; an RQMSN farther away is another field read as one.
constexpr std::int32_t kRqMsnReach = 1024;

std::uint32_t distance(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(std::abs(serial_difference(a, b)));
}

}  // namespace

RetransmitEvidence::Packet SeenPsns::add(Psn psn) {
  const std::int32_t ahead = highest_ ? serial_difference(psn.value, *highest_) : 1;
  if (ahead > 0) {
    if (!highest_ || ahead >= static_cast<std::int32_t>(kWindow)) {
      seen_.reset();
    } else {
      for (std::int32_t i = 1; i < ahead; ++i) seen_.reset((*highest_ + static_cast<std::uint32_t>(i)) % kWindow);
    }
    highest_ = psn.value;
    seen_.set(psn.value % kWindow);
    return RetransmitEvidence::Packet::kFresh;
  }
  if (-ahead >= static_cast<std::int32_t>(kWindow)) return RetransmitEvidence::Packet::kLate;
  const bool repeated = seen_.test(psn.value % kWindow);
  seen_.set(psn.value % kWindow);
  return repeated ? RetransmitEvidence::Packet::kRepeat : RetransmitEvidence::Packet::kLate;
}

const VeroceContext::Message* VeroceContext::find(std::size_t space, std::uint32_t msn) const {
  const auto found = std::ranges::find_if(messages_[space], [&](const Message& m) { return m.used && m.msn == msn; });
  return found == messages_[space].end() ? nullptr : &*found;
}

VeroceContext::Message& VeroceContext::place_of(std::size_t space, std::uint32_t msn) {
  auto& messages = messages_[space];
  const auto found = std::ranges::find_if(messages, [&](const Message& m) { return m.used && m.msn == msn; });
  if (found != messages.end()) return *found;
  const std::uint8_t next = next_message_[space];
  next_message_[space] = static_cast<std::uint8_t>((next + 1) % kMessages);
  messages[next] = {msn, 0, std::nullopt, true};
  return messages[next];
}

bool VeroceContext::agrees(const wire::Packet& packet, const wire::VeroceOpcode& opcode,
                           const wire::VeroceReading& reading) const {
  if (reading.has(wire::kRqeth) && rq_msn_ && std::abs(serial_difference(reading.rq_msn, *rq_msn_)) > kRqMsnReach) {
    return false;
  }
  if (!opcode.sequenced || !reading.has(wire::kMsneth)) return true;
  const bool inside = opcode.position == wire::Position::kMiddle || opcode.position == wire::Position::kLast;
  const Message* message = inside ? find(index_of(opcode.space), reading.msn) : nullptr;
  if (message == nullptr) return true;
  if (reading.has(wire::kPoeth)) {
    if (Psn{packet.bth.psn.value - reading.packet_order} != Psn{message->first_psn}) return false;
  }
  return !reading.has(wire::kReth) || !message->r_key || *message->r_key == reading.reth.r_key;
}

std::uint32_t VeroceContext::aeth_distance(const wire::Aeth& aeth) const {
  constexpr std::uint32_t kOtherSyndrome = 1U << 24;
  if (!aeth_) return 0;
  return distance(aeth.msn.value, aeth_->msn.value) + (aeth.syndrome == aeth_->syndrome ? 0 : kOtherSyndrome);
}

bool VeroceContext::follows(const wire::Packet& packet, const wire::VeroceOpcode& opcode,
                            const wire::VeroceReading& reading) const {
  const bool begins = opcode.position == wire::Position::kFirst || opcode.position == wire::Position::kOnly;
  const auto& latest = latest_[index_of(opcode.space)];
  return begins && opcode.sequenced && reading.has(wire::kMsneth) && latest && Psn{latest->psn + 1} == packet.bth.psn &&
         Msn{latest->msn + 1} == Msn{reading.msn};
}

void VeroceContext::add_path_mtu(const wire::VeroceOpcode& opcode, const wire::VeroceReading& reading) {
  const bool whole = opcode.position == wire::Position::kFirst || opcode.position == wire::Position::kMiddle;
  if (!whole || reading.trimmed) return;
  if (reading.payload_bytes != path_mtu_) path_mtu_packets_ = 0;
  path_mtu_ = reading.payload_bytes;
  path_mtu_packets_ = std::min(path_mtu_packets_ + 1, kPathMtuPackets);
}

void VeroceContext::add(const wire::Packet& packet, const wire::VeroceOpcode& opcode,
                        const wire::VeroceReading& reading) {
  disagreements_ = 0;
  add_path_mtu(opcode, reading);
  if (reading.has(wire::kRqeth)) rq_msn_ = reading.rq_msn;
  if (reading.has(wire::kAeth) && opcode.shape != wire::VeroceShape::kSack) aeth_ = reading.aeth;
  if (!opcode.sequenced || !reading.has(wire::kMsneth)) return;
  const std::size_t space = index_of(opcode.space);
  const bool newer = !latest_[space] || serial_difference(packet.bth.psn.value, latest_[space]->psn) > 0;
  if (newer) latest_[space] = Latest{reading.msn, packet.bth.psn.value};
  const bool begins = opcode.position == wire::Position::kFirst || opcode.position == wire::Position::kOnly;
  if (!begins && !reading.has(wire::kPoeth)) return;
  Message& message = place_of(space, reading.msn);
  message.first_psn = Psn{packet.bth.psn.value - (begins ? 0 : reading.packet_order)}.value;
  if (reading.has(wire::kReth)) message.r_key = reading.reth.r_key;
}

void VeroceContext::add_disagreement() {
  if (++disagreements_ < kDisagreements) return;
  const std::uint32_t path_mtu = path_mtu_;
  *this = {};
  path_mtu_ = path_mtu;
}

}  // namespace rocetop::track
