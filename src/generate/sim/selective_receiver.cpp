// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/selective_receiver.h"

#include <algorithm>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint8_t kCredits = 0x1F;
constexpr std::uint8_t kPacketDrop = 0x60;

}  // namespace

SelectiveReceiver::Answer SelectiveReceiver::take(const Packet& packet) {
  const Sequence s = packet.sequence;
  Answer answer;
  if (s > acknowledged_ + static_cast<Sequence>(kSackBits)) {
    ++beyond_;
    return answer;
  }
  if (s <= acknowledged_ || slots_.contains(s)) {
    ++again_;
    answer.acknowledge = true;
    return answer;
  }
  if (packet.veroce.trimmed) {
    answer.drop_nak = true;
    return answer;
  }
  const std::uint32_t slow = plan_->veroce.slow_path;
  answer.slow_path = slow != 0 && !packet.resent && highest() - s > static_cast<Sequence>(slow);
  const bool was_in_order = disorder() <= plan_->veroce.lazy;
  slots_[s] = {{packet.opcode, packet.msn, packet.dma_length}, packet.veroce.order, packet.veroce.ends_message};
  highest_ = std::max(highest_, s);
  const Sequence before = acknowledged_;
  advance();
  const bool closes_gap = acknowledged_ > before + 1;
  const bool crosses = was_in_order && disorder() > plan_->veroce.lazy;
  answer.acknowledge =
      ++unanswered_ >= plan_->ack_every || packet.ack_request || packet.resent || closes_gap || crosses;
  if (answer.acknowledge) unanswered_ = 0;
  return answer;
}

void SelectiveReceiver::advance() {
  while (!slots_.empty() && slots_.begin()->first == acknowledged_ + 1) {
    const Slot next = slots_.begin()->second;
    slots_.erase(slots_.begin());
    ++acknowledged_;
    order_ = next.ends_message ? 0 : next.order + 1;
    if (!next.ends_message) continue;
    messages_ = next.message.msn;
    in_order_.push_back(next.message);
  }
}

Packet SelectiveReceiver::acknowledgement() const {
  Packet packet;
  packet.kind = disorder() > plan_->veroce.lazy ? PacketKind::kSack : PacketKind::kAck;
  packet.psns = 0;
  packet.sequence = acknowledged_;
  packet.syndrome = kCredits;
  packet.msn = messages_;
  packet.veroce.there = true;
  packet.veroce.order = order_;
  if (packet.kind == PacketKind::kSack) {
    for (const auto& [s, slot] : slots_) packet.veroce.received[static_cast<std::size_t>(s - acknowledged_ - 1)] = true;
  }
  return packet;
}

Packet SelectiveReceiver::drop_nak(const Packet& packet) const {
  Packet nak = acknowledgement();
  nak.kind = PacketKind::kNak;
  nak.syndrome = kPacketDrop;
  nak.sequence = packet.sequence;
  nak.veroce.order = packet.veroce.order;
  nak.veroce.received.reset();
  return nak;
}

}  // namespace rocetop::generate::sim
