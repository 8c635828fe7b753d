// SPDX-License-Identifier: BSD-3-Clause
#include "engine/message_notes.h"

#include <algorithm>

namespace rocetop::engine {
namespace {

using track::Operation;

constexpr std::uint64_t kAtomicBytes = 8;  // IBTA vol. 1, 9.4.5; an ATOMIC WRITE writes as many (annex A19)

Operation operation_of(std::uint8_t opcode) {
  const auto operation = opcode & 0x1F;
  switch (operation) {
    case wire::kReadRequest:
      return Operation::kRead;
    case wire::kCompareSwap:
    case wire::kFetchAdd:
    case wire::kFlush:
    case wire::kAtomicWrite:
      return Operation::kAtomic;
    default:
      return operation >= wire::kWriteFirst && operation <= wire::kWriteOnlyImmediate ? Operation::kWrite
                                                                                      : Operation::kSend;
  }
}

/// What the first packet tells of the message's length.
std::optional<std::uint64_t> bytes_of(const track::PacketFacts& first, Operation operation) {
  switch (operation) {
    case Operation::kWrite:
      return first.has_reth ? first.read_bytes : first.payload_bytes;
    case Operation::kRead:
      return first.has_reth ? std::optional<std::uint64_t>{first.read_bytes} : std::nullopt;
    case Operation::kAtomic:
      return first.operation() == wire::kFlush ? std::nullopt : std::optional{kAtomicBytes};
    case Operation::kSend:
      return first.payload_bytes;  // so far
  }
  return std::nullopt;
}

bool ends(wire::Position position) { return position == wire::Position::kLast || position == wire::Position::kOnly; }

}  // namespace

MessageNotes::Span* MessageNotes::find(Sequence seq) {
  auto after =
      std::upper_bound(spans_.begin(), spans_.end(), seq, [](Sequence s, const Span& x) { return s < x.first; });
  if (after == spans_.begin()) return nullptr;
  Span& span = *--after;
  return seq <= span.last ? &span : nullptr;
}

/// The message that a packet with the PSN `seq`, not seen before, goes on with.
MessageNotes::Span* MessageNotes::open_before(Sequence seq) {
  auto after =
      std::upper_bound(spans_.begin(), spans_.end(), seq, [](Sequence s, const Span& x) { return s < x.first; });
  if (after == spans_.begin()) return nullptr;
  Span& span = *--after;
  if (span.complete) return nullptr;
  return seq == span.last + 1 || seq <= span.expected ? &span : nullptr;
}

void MessageNotes::forget(std::size_t spans, MessageList& list) {
  spans_.erase(spans_.begin(), spans_.begin() + static_cast<std::ptrdiff_t>(spans));
  list.spans_left += spans;
}

void MessageNotes::make_room(MessageList& list) {
  if (spans_.size() < kMost && list.spans_left > 0) return;
  forget(std::min(spans_.size(), kForgottenTogether), list);
}

MessageNotes::Span& MessageNotes::begin(const Request& request, MessageList& list) {
  MessageNote& note = list.messages.emplace_back();
  note.operation = operation_of(request.packet.opcode);
  note.has_response = note.operation == Operation::kRead || note.operation == Operation::kAtomic;
  note.first_frame = request.frame;
  note.first_time = request.packet.time;
  note.bytes = bytes_of(request.packet, note.operation);
  // A SEND tells it by its last packet, and so does a WRITE whose RETH is cut off.
  const bool by_payload =
      note.operation == Operation::kSend || (note.operation == Operation::kWrite && !request.packet.has_reth);
  if (note.bytes && !by_payload) note.bytes_known_in = request.frame;
  Span span;
  span.first = request.seq;
  span.last = request.last;
  span.answered = request.seq - 1;
  span.message = static_cast<std::uint32_t>(list.messages.size());
  span.by_payload = by_payload;
  if (note.operation == Operation::kWrite && !by_payload && request.path_mtu != 0) {
    const auto psns = (static_cast<Sequence>(*note.bytes) + request.path_mtu - 1) / request.path_mtu;
    span.expected = request.seq + std::max<Sequence>(psns, 1) - 1;
  }
  --list.spans_left;
  const auto at =
      std::upper_bound(spans_.begin(), spans_.end(), span.first, [](Sequence s, const Span& x) { return s < x.first; });
  return *spans_.insert(at, span);
}

void MessageNotes::go_on(Span& span, const Request& request, MessageList& list) {
  if (request.seq > span.last) {
    span.last = request.seq;
    if (span.by_payload) *list.messages[span.message - 1].bytes += request.packet.payload_bytes;
  }
  if (!ends(wire::opcode_facts(request.packet.opcode).position)) return;
  MessageNote& note = list.messages[span.message - 1];
  if (!acknowledged_ || span.last > *acknowledged_) note.last_sent_frame = request.frame;
  if (note.last_frame != 0) return;
  note.last_frame = request.frame;
  if (note.bytes_known_in == 0) note.bytes_known_in = request.frame;
  span.complete = true;
}

std::uint32_t MessageNotes::on_request(const Request& request, MessageList& list) {
  const wire::Position position = wire::opcode_facts(request.packet.opcode).position;
  const bool begins = position == wire::Position::kFirst || position == wire::Position::kOnly;
  Span* span = find(request.seq);
  if (span == nullptr && !begins) span = open_before(request.seq);
  if (span == nullptr) {
    if (!begins || list.messages.size() >= list.limit) return 0;
    make_room(list);
    if (list.spans_left == 0) return 0;
    span = &begin(request, list);
    span->open = !request.last_known;
  }
  go_on(*span, request, list);
  return span->message;
}

void MessageNotes::on_response(Sequence seq, wire::Position position, std::uint32_t frame, MessageList& list) {
  Span* span = find(seq);
  if (span == nullptr && !spans_.empty() && spans_.back().open && seq > spans_.back().last) span = &spans_.back();
  if (span == nullptr || seq != span->answered + 1) return;
  MessageNote& note = list.messages[span->message - 1];
  if (!note.has_response || note.answered_in != 0) return;
  span->answered = seq;
  span->last = std::max(span->last, seq);
  if (span->open ? ends(position) : seq == span->last) note.answered_in = frame;
}

void MessageNotes::close_read(Sequence last) {
  if (spans_.empty() || !spans_.back().open) return;
  spans_.back().open = false;
  spans_.back().last = std::max(spans_.back().last, last);
}

void MessageNotes::acknowledge(Sequence last, MessageList& list) {
  acknowledged_ = std::max(acknowledged_.value_or(last), last);
  if (spans_.size() < kAcknowledgedKept + kForgottenTogether) return;
  std::size_t old = 0;
  while (old + kAcknowledgedKept < spans_.size() && spans_[old + kAcknowledgedKept].last <= last) ++old;
  if (old >= kForgottenTogether) forget(old, list);
}

}  // namespace rocetop::engine
