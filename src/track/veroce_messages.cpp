// SPDX-License-Identifier: BSD-3-Clause
#include "track/veroce_messages.h"

#include <algorithm>
#include <utility>

#include "track/limits.h"

namespace rocetop::track {
namespace {

constexpr std::uint64_t kAtomicBytes = 8;  // an atomic works on 8 bytes (IBTA vol. 1, 9.4.5)
constexpr std::size_t kRingLeast = 16;

Operation operation_of(wire::VeroceShape shape) {
  switch (shape) {
    case wire::VeroceShape::kReadRequest:
      return Operation::kRead;
    case wire::VeroceShape::kAtomic:
      return Operation::kAtomic;
    case wire::VeroceShape::kWrite:
    case wire::VeroceShape::kWriteImmediate:
      return Operation::kWrite;
    default:
      return Operation::kSend;
  }
}

}  // namespace

VeroceMessages::Message* VeroceMessages::find(std::int64_t number) {
  if (ring_.empty()) return nullptr;
  Message& message = ring_[static_cast<std::size_t>(number) & (ring_.size() - 1)];
  return message.number == number ? &message : nullptr;
}

/// Until the messages from the one after completed_ to `number` have places of their own, as far as the bound allows.
void VeroceMessages::grow(std::int64_t number, SlotBudget& budget) {
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(number - completed_, 1));
  const std::size_t most = answered_ ? kOutstandingMost : kOutstandingUnanswered;
  std::size_t size = std::max(ring_.size(), kRingLeast);
  while (size < wanted && size < most) size *= 2;
  if (size == ring_.size() || size - ring_.size() > budget.left) return;
  budget.left -= size - ring_.size();
  std::vector<Message> larger(size);
  for (Message& message : ring_) {
    if (message.number >= 0) larger[static_cast<std::size_t>(message.number) & (size - 1)] = message;
  }
  ring_ = std::move(larger);
}

/// The place of a message, emptied of what another left there; none where the budget leaves none at all.
VeroceMessages::Message* VeroceMessages::place_of(std::int64_t number, SlotBudget& budget) {
  grow(number, budget);
  if (ring_.empty()) return nullptr;
  Message& place = ring_[static_cast<std::size_t>(number) & (ring_.size() - 1)];
  if (place.number == number) return &place;
  if (place.number >= 0) {
    ++(place.number <= completed_ ? of(place.operation).partial : of(place.operation).open);
    outstanding_reads_ -= place.has_response ? 1 : 0;
    --open_;
  }
  ++open_;
  place = {};
  place.number = number;
  return &place;
}

void VeroceMessages::on_request(const PacketFacts& packet, const VeroceFacts& more, bool behind_gap, Context& context) {
  if (!started_) {
    started_ = true;
    highest_ = (std::int64_t{1} << 24) + more.msn.value;
    completed_ = highest_ - 1;
  }
  const std::int64_t number = extend(highest_, Psn{more.msn.value});
  // Of a message that is complete, or so far from all others that the number means nothing, there is nothing to add.
  if (number <= completed_ && find(number) == nullptr) return;
  if (number > highest_ + kJumpNoLossExplains || number + kJumpNoLossExplains < highest_) return;
  const bool is_new = find(number) == nullptr;
  Message* place = place_of(number, context.slots);
  highest_ = std::max(highest_, number);
  if (place == nullptr) return;
  Message& message = *place;
  if (is_new) {
    message.operation = operation_of(more.shape);
    message.has_response = packet.wants_response();
    message.first_time = packet.time;
    if (message.has_response) stats_.outstanding_reads.add(++outstanding_reads_);
  }
  message.first_time = std::min(message.first_time, packet.time);
  message.has_first = message.has_first || packet.starts_message();
  message.has_last = message.has_last || packet.ends_message();
  if (message.operation == Operation::kRead) {
    message.has_length = packet.has_reth;
    message.bytes = packet.read_bytes;
  } else {
    message.bytes += message.operation == Operation::kAtomic ? kAtomicBytes : packet.payload_bytes;
  }
  const Message* newest = find(highest_);
  if (const auto idle = time_.on_request(packet.time, newest != nullptr && !newest->has_last, behind_gap)) {
    of(message.operation).idle_ns.add(*idle);
  }
}

/// `message` is complete, or never will be.
void VeroceMessages::close(Message& message, Nanos time) {
  answered_ = true;
  MessageCounts& counts = of(message.operation);
  if (message.has_first && message.has_last) {
    if (counts.complete == 0) counts.first_time = message.first_time;
    ++counts.complete;
    counts.last_time = std::max(counts.last_time, time);
    counts.bytes += message.bytes;
    counts.size_bytes.add(static_cast<std::int64_t>(message.bytes));
    counts.completion_ns.add(time - message.first_time);
  } else {
    ++counts.partial;
  }
  outstanding_reads_ -= message.has_response ? 1 : 0;
  --open_;
  message = {};
}

void VeroceMessages::on_reply(const PacketFacts& reply) {
  if (reply.has_aeth) complete_through(reply.msn, reply.time);
  time_.on_reply(reply.time, idle(), false);
}

void VeroceMessages::complete_through(Msn completed, Nanos time) {
  if (!started_) return;
  const std::int64_t number = std::min(extend(highest_, Psn{completed.value}), highest_);
  if (number <= completed_ || highest_ - number > kJumpNoLossExplains) return;
  answered_ = true;
  const auto kept = static_cast<std::int64_t>(ring_.size());
  for (std::int64_t n = std::max(completed_ + 1, number - kept + 1); n <= number; ++n) {
    if (Message* message = find(n); message != nullptr && !message->has_response) close(*message, time);
  }
  completed_ = number;
}

void VeroceMessages::on_response(const PacketFacts& response) {
  const bool ended = take_response(response);
  time_.on_reply(response.time, idle(), !ended);
}

/// Whether nothing more is to come for what it answers.
bool VeroceMessages::take_response(const PacketFacts& response) {
  Message* message = started_ ? find(extend(highest_, Psn{response.msn.value})) : nullptr;
  if (message == nullptr || !message->has_response) return true;
  message->answered += response.payload_bytes;
  message->answer_ended = message->answer_ended || response.position == wire::Position::kLast ||
                          response.position == wire::Position::kOnly || message->operation == Operation::kAtomic;
  const bool all =
      message->operation == Operation::kAtomic || !message->has_length || message->answered >= message->bytes;
  if (!message->answer_ended || !all) return false;
  if (!message->has_length && message->operation == Operation::kRead) message->bytes = message->answered;
  close(*message, response.time);
  return true;
}

MessageStats VeroceMessages::total() const {
  MessageStats out = stats_;
  out.time = time_.split();
  for (const Message& message : ring_) {
    if (message.number >= 0) ++out.operations[static_cast<std::size_t>(message.operation)].use().open;
  }
  return out;
}

}  // namespace rocetop::track
