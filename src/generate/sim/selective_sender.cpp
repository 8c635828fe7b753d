// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/selective_sender.h"

#include <algorithm>
#include <utility>

#include "generate/sim/requester.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::uint32_t kAnswersMost = 16;  // READs and atomics under way
constexpr std::uint64_t kAddressBase = 0x7F00'0000'0000;
constexpr std::uint8_t kPacketDrop = 0x60;
constexpr std::uint8_t kCredits = 0x1F;
constexpr std::uint32_t kOwnBase = 0x5EED'0000;  // ImmDt and IETH: this and the message's number

/// First, Middle, Last, Only of SEND; those of the others follow in the same order.
constexpr unsigned place_of(bool first, bool last, bool notice) {
  if (first && last) return notice ? 5 : 4;
  if (first) return 0;
  if (!last) return 1;
  return notice ? 3 : 2;
}

Opcode data_opcode(const VeroceMessage& message, bool first, bool last) {
  if (message.notice == Notice::kInvalidate && last) {
    return first ? Opcode::kSendOnlyInvalidate : Opcode::kSendLastInvalidate;
  }
  const unsigned place = place_of(first, last, message.notice == Notice::kImmediate);
  const Opcode base = message.operation == Operation::kWrite ? Opcode::kWriteFirst : Opcode::kSendFirst;
  return static_cast<Opcode>(static_cast<unsigned>(base) + place);
}

Opcode response_opcode(bool first, bool last) {
  if (first) return last ? Opcode::kReadResponseOnly : Opcode::kReadResponseFirst;
  return last ? Opcode::kReadResponseLast : Opcode::kReadResponseMiddle;
}

}  // namespace

SelectiveSender::SelectiveSender(const ConnectionPlan& plan, Sequence first_psn)
    : plan_(&plan),
      timeout_(Time{4'096'000} << plan.timeout),
      round_trip_(from_nanos(plan.veroce.round_trip)),
      window_(plan.veroce.overrun ? plan.window : std::min(plan.window, kSackBits)),
      oldest_(first_psn),
      next_(first_psn),
      end_(first_psn),
      sacked_to_(first_psn - 1) {}

Sequence SelectiveSender::post(VeroceMessage message) {
  if (dead_) return end_;
  const bool one = message.is_answered() || message.operation == Operation::kAtomic;
  message.first = end_;
  message.psns = one ? 1 : psns_of(message.operation, message.bytes, plan_->path_mtu);
  message.msn = msn_++;
  message.rq_msn = rq_msn_;
  if (!message.response && message.takes_receive()) ++rq_msn_;
  end_ = message.end();
  messages_.push_back(message);
  return end_;
}

const VeroceMessage& SelectiveSender::message_of(Sequence s) const {
  return *std::partition_point(messages_.begin(), messages_.end(),
                               [&](const VeroceMessage& message) { return message.end() <= s; });
}

bool SelectiveSender::ready() const {
  if (dead_) return false;
  if (!due_.empty()) return true;
  if (next_ == end_ || next_ - oldest_ >= window_) return false;
  return !message_of(next_).is_answered() || answers_under_way_ < kAnswersMost;
}

Packet SelectiveSender::next_packet(Time now) {
  if (!due_.empty()) {
    const Sequence s = due_.front();
    due_.pop_front();
    Sent& again = sent(s);
    again.due = false;
    again.last = now;
    ++again.times;
    ++resends_[static_cast<std::size_t>(again.cause)];
    Packet packet = build(s);
    packet.resent = true;
    return packet;
  }
  Packet packet = build(next_);
  if (message_of(next_).is_answered()) ++answers_under_way_;
  sent_.push_back({now});
  ++next_;
  return packet;
}

Packet SelectiveSender::build(Sequence s) const {
  const VeroceMessage& message = message_of(s);
  Packet packet;
  packet.kind = message.response ? PacketKind::kResponse : PacketKind::kRequest;
  packet.sequence = s;
  packet.message = message.first;
  packet.msn = message.msn;
  packet.syndrome = kCredits;
  packet.address = kAddressBase + static_cast<std::uint64_t>(message.first) * plan_->path_mtu;
  VeroceFields& own = packet.veroce;
  own.there = true;
  own.order = static_cast<std::uint32_t>(s - message.first);
  own.ends_message = s + 1 == message.end();
  own.asked_msn = message.asked_msn;
  own.rq_msn = message.rq_msn;
  own.notice = kOwnBase + (message.msn & 0xFFFF);
  build_message_packet(message, s, packet);
  packet.ack_request = own.ends_message || s + 1 - oldest_ >= window_;
  return packet;
}

void SelectiveSender::build_message_packet(const VeroceMessage& message, Sequence s, Packet& packet) const {
  const bool first = s == message.first;
  const bool last = packet.veroce.ends_message;
  if (message.operation == Operation::kAtomic) {
    packet.opcode = message.response ? Opcode::kAtomicAcknowledge : Opcode::kFetchAdd;
    return;
  }
  if (message.operation == Operation::kRead && !message.response) {
    packet.opcode = Opcode::kReadRequest;
    packet.dma_length = message.bytes;
    return;
  }
  packet.opcode = message.response ? response_opcode(first, last) : data_opcode(message, first, last);
  packet.payload = last ? message.bytes - packet.veroce.order * plan_->path_mtu : plan_->path_mtu;
  packet.dma_length = message.bytes;
  if (plan_->veroce.wire.reth_in_every_write) {  // each packet's RETH is about its own payload
    packet.address += std::uint64_t{packet.veroce.order} * plan_->path_mtu;
    packet.dma_length = packet.payload;
  }
}

void SelectiveSender::advance(Sequence oldest) {
  oldest = std::min(oldest, next_);  // nobody acknowledges what was not sent
  if (oldest <= oldest_) return;
  sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(oldest - oldest_));
  oldest_ = oldest;
  timeouts_ = 0;
  while (!messages_.empty() && messages_.front().end() <= oldest_) messages_.pop_front();
  std::erase_if(due_, [&](Sequence s) { return s < oldest_; });
}

void SelectiveSender::on_acknowledge(const Packet& packet, Time now) {
  if (dead_) return;
  if (packet.kind == PacketKind::kNak) {
    if (packet.syndrome != kPacketDrop) return give_up();
    if (is_outstanding(packet.sequence)) send_again(packet.sequence, ResendCause::kDropNak);
    return;
  }
  advance(packet.sequence + 1);
  if (packet.kind == PacketKind::kSack) on_sack(packet, now);
}

/// All zero bits up to the highest PSN that arrived, each once; but again when the oldest is missing still a round trip
/// after it was sent last.
void SelectiveSender::on_sack(const Packet& sack, Time now) {
  Sequence highest = sack.sequence;
  for (std::uint32_t i = 0; i < kSackBits; ++i) {
    const Sequence s = sack.sequence + 1 + i;
    if (!sack.veroce.received[i] || s >= next_) continue;
    highest = s;
    if (s < oldest_) continue;
    sent(s).received = true;
    if (std::exchange(sent(s).due, false)) std::erase(due_, s);
  }
  if (oldest_ == silent_from_ || sent_.empty()) return;
  const bool second_round = sent_.front().times > 1 && now - sent_.front().last >= round_trip_;
  if (second_round) sacked_to_ = oldest_ - 1;
  for (Sequence s = std::max(oldest_, sacked_to_ + 1); s < highest; ++s) {
    const Sent& hole = sent(s);
    if (hole.times == 1) {
      send_again(s, ResendCause::kSack);
    } else if (now - hole.last >= round_trip_) {
      send_again(s, ResendCause::kSecondRound);
    }
  }
  sacked_to_ = std::max(sacked_to_, highest);
}

void SelectiveSender::send_again(Sequence s, ResendCause cause) {
  Sent& hole = sent(s);
  if (hole.received || hole.due) return;
  hole.due = true;
  hole.cause = cause;
  due_.push_back(s);
}

/// The oldest decides: it is one that no SACK says was received.
Time SelectiveSender::deadline() const {
  if (dead_ || sent_.empty() || sent_.front().due) return kNever;
  return sent_.front().last + timeout_;
}

void SelectiveSender::on_timeout(Time now) {
  if (deadline() > now) return;
  if (++timeouts_ > plan_->retries) return give_up();
  silent_from_ = oldest_;
  for (Sequence s = oldest_; s < next_; ++s) {
    if (sent(s).last + timeout_ <= now) send_again(s, ResendCause::kTimeout);
  }
}

void SelectiveSender::give_up() {
  dead_ = true;
  messages_.clear();
  sent_.clear();
  due_.clear();
  oldest_ = next_ = end_;
}

}  // namespace rocetop::generate::sim
