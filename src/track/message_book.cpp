// SPDX-License-Identifier: BSD-3-Clause
#include "track/message_book.h"

#include <algorithm>

#include "wire/aeth.h"
#include "wire/opcode.h"

namespace rocetop::track {
namespace {

constexpr std::uint32_t kAtomicBytes = 8;  // an atomic works on 8 bytes (IBTA vol. 1, 9.4.5)

struct Shape {
  Operation operation = Operation::kWrite;
  wire::Position position = wire::Position::kNone;
  bool has_response = false;
};

Shape shape_of(std::uint8_t opcode) {
  const auto operation = static_cast<wire::Operation>(opcode & 0x1F);
  switch (operation) {
    case wire::kReadRequest:
      return {Operation::kRead, wire::Position::kOnly, true};
    case wire::kCompareSwap:
    case wire::kFetchAdd:
    case wire::kFlush:
    case wire::kAtomicWrite:
      return {Operation::kAtomic, wire::Position::kOnly, true};
    default:
      break;
  }
  const bool write = operation >= wire::kWriteFirst && operation <= wire::kWriteOnlyImmediate;
  return {write ? Operation::kWrite : Operation::kSend, wire::opcode_facts(opcode).position, false};
}

}  // namespace

// ---------------------------------------------------------------------------------------------- time

/// Times may step back (two directions, a capture's clock): what is accounted for stays so.
void MessageBook::spend(Stage on, Nanos until) {
  if (until <= mark_) return;
  Nanos& spent = spent_[static_cast<std::size_t>(on)];
  spent = spent + (until - mark_);
  mark_ = until;
}

void MessageBook::add_stalls(Nanos stalled, Nanos until) {
  if (!is_open_) return;
  spend(Stage::kMoving, until);
  Nanos& moving = spent_[static_cast<std::size_t>(Stage::kMoving)];
  Nanos& held_up = spent_[static_cast<std::size_t>(Stage::kRecovering)];
  const Nanos moved = std::min(stalled, moving);
  moving = moving - moved;
  held_up = held_up + moved;
}

void MessageBook::on_go_back(const Episode& episode, Sequence highest) {
  const bool rnr = episode.cause == Cause::kRnr;
  if (rnr) {
    ++stats_.rnr_waits;
    stats_.rnr_waited = stats_.rnr_waited + episode.wait;
    stats_.rnr_advertised = stats_.rnr_advertised + episode.advertised_wait;
  }
  spend(stage_, episode.first_time - episode.wait);
  spend(rnr ? Stage::kWaiting : Stage::kRecovering, episode.first_time);
  stage_ = rnr ? Stage::kMoving : Stage::kRecovering;
  recovery_end_ = highest;
}

// ---------------------------------------------------------------------------------------------- requests

Sequence MessageBook::on_request(Sequence next, const Piece& piece, const Sent& sent) {
  next_ = next;
  if (!started_) {
    started_ = true;
    next_ = piece.seq;
    mark_ = start_ = piece.time;
  }
  if (stage_ == Stage::kRecovering && piece.seq > recovery_end_) {
    spend(Stage::kRecovering, piece.time);
    stage_ = Stage::kMoving;
  }
  if (piece.seq < next_) shorten_read(piece.seq, sent);
  if (piece.seq < next_) return next_;  // resent, or a copy
  if (piece.seq == next_) {
    if (is_open_ && stage_ == Stage::kMoving && piece.time - sent.last_request_time >= kStall) {
      spend(Stage::kMoving, sent.last_request_time);
      spend(Stage::kRecovering, piece.time);
    }
    take(piece);
  }
  if (next_ <= sent.highest) catch_up(sent);
  return next_;
}

/// The span of the newest READ was taken for more than it was, and `seq` follows it.
void MessageBook::shorten_read(Sequence seq, const Sent& sent) {
  if (outstanding_ == 0) return;
  Message& newest = ring_[(oldest_ + outstanding_ - 1) & (ring_.size() - 1)];
  if (!newest.has_response || seq <= newest.first || newest.last() + 1 != next_) return;
  const PendingRead* read = sent.reads.find(newest.first);
  if (!read || read->first != newest.first || read->last >= newest.last()) return;
  newest.more_psns = static_cast<std::uint32_t>(read->last - read->first);
  next_ = read->last + 1;
}

/// Takes what lies behind next_, as far as it was seen. What was acknowledged and never seen, the capture missed.
void MessageBook::catch_up(const Sent& sent) {
  while (next_ <= sent.highest) {
    const Slot* slot = sent.history.find(next_);
    const PendingRead* read = sent.reads.find(next_);
    if (slot && slot->state == Slot::State::kSeen) {
      Piece piece{next_, next_, slot->first_time, slot->payload_bytes, kUnknownBytes, slot->opcode};
      if (read && read->first == next_) {
        piece.last = read->last;
        if (read->bytes_known) piece.read_bytes = read->bytes;
      }
      take(piece);
    } else if (read && read->first < next_) {
      next_ = read->last + 1;  // its span was not known when it was taken
      if (outstanding_ != 0) {
        Message& newest = ring_[(oldest_ + outstanding_ - 1) & (ring_.size() - 1)];
        if (newest.first == read->first) newest.more_psns = static_cast<std::uint32_t>(read->last - read->first);
      }
    } else if (next_ <= sent.received) {
      give_up_open();
      const auto remembered = static_cast<Sequence>(sent.history.size());
      next_ = slot ? next_ + 1 : std::min(sent.received + 1, std::max(next_ + 1, sent.highest - remembered + 1));
    } else {
      return;
    }
  }
}

void MessageBook::give_up_open() {
  if (!is_open_) return;
  ++of(open_.operation).partial;
  is_open_ = false;
  in_partial_ = true;
}

void MessageBook::take(const Piece& piece) {
  next_ = piece.last + 1;
  const Shape shape = shape_of(piece.opcode);
  switch (shape.position) {
    case wire::Position::kFirst:
      begin(piece, shape.operation);
      is_open_ = true;
      return;
    case wire::Position::kLast:
      if (!is_open_) {
        of(shape.operation).partial += in_partial_ ? 0 : 1;
        in_partial_ = false;
        return;
      }
      is_open_ = false;
      open_.more_psns = static_cast<std::uint32_t>(piece.seq - open_.first);
      open_.bytes = open_.bytes * open_.more_psns + piece.payload_bytes;
      spend(stage_, piece.time);
      break;
    case wire::Position::kOnly:
      begin(piece, shape.operation);
      open_.has_response = shape.has_response;
      if (shape.operation == Operation::kRead) open_.bytes = piece.read_bytes;
      if (shape.operation == Operation::kAtomic) open_.bytes = kAtomicBytes;
      break;
    default:
      return;
  }
  if (stage_ == Stage::kMoving) stage_ = Stage::kWaiting;
  push(open_);
}

void MessageBook::begin(const Piece& piece, Operation operation) {
  give_up_open();
  in_partial_ = false;
  if (stage_ == Stage::kHost && idle_since_) of(operation).idle_ns.add(piece.time - *idle_since_);
  idle_since_.reset();
  // A message that follows another without a reply in between: the sender had room, and used it.
  spend(stage_ == Stage::kWaiting ? Stage::kMoving : stage_, piece.time);
  if (stage_ != Stage::kRecovering) stage_ = Stage::kMoving;
  open_ = {piece.time,          piece.seq, static_cast<std::uint32_t>(piece.last - piece.seq),
           piece.payload_bytes, operation, false};
}

void MessageBook::push(const Message& message) {
  if (outstanding_ >= (answered_ ? kOutstandingMost : kOutstandingUnanswered)) {
    ++of(ring_[oldest_].operation).open;
    pop();
  }
  if (outstanding_ == ring_.size()) {
    std::vector<Message> larger(std::max<std::size_t>(ring_.size() * 2, 16));
    for (std::size_t i = 0; i < outstanding_; ++i) larger[i] = ring_[(oldest_ + i) & (ring_.size() - 1)];
    ring_ = std::move(larger);
    oldest_ = 0;
  }
  ring_[(oldest_ + outstanding_) & (ring_.size() - 1)] = message;
  ++outstanding_;
  if (message.has_response) stats_.outstanding_reads.add(++outstanding_reads_);
}

void MessageBook::pop() {
  outstanding_reads_ -= ring_[oldest_].has_response ? 1 : 0;
  oldest_ = (oldest_ + 1) & (ring_.size() - 1);
  --outstanding_;
}

// ---------------------------------------------------------------------------------------------- replies

Sequence MessageBook::on_reply(Sequence next, const PacketFacts& reply, const Sent& sent) {
  next_ = next;
  answered_ = true;
  if (reply.role == wire::Role::kAcknowledge && reply.has_aeth) count_credits(reply);
  spend(stage_, reply.time);
  if (reply.position == wire::Position::kFirst && stage_ == Stage::kWaiting) stage_ = Stage::kMoving;
  if (next_ <= sent.received) catch_up(sent);
  complete(reply.time, sent);
  return next_;
}

void MessageBook::complete(Nanos time, const Sent& sent) {
  bool any = false;
  while (outstanding_ != 0 && ring_[oldest_].last() <= sent.received) {
    const Message& message = ring_[oldest_];
    if (message.has_response) {
      const PendingRead* read = sent.reads.find(message.first);
      if (read && !read->complete()) {
        if (!blocked_since_) blocked_since_ = time;
        if (time - *blocked_since_ < kAnswerPatience && outstanding_ < kOutstandingMost / 2) return;
        ++of(message.operation).partial;
        blocked_since_.reset();
        pop();
        continue;
      }
    }
    blocked_since_.reset();
    record(message, time);
    pop();
    any = true;
  }
  if (idle()) {
    if (any) idle_since_ = time;
    stage_ = Stage::kHost;
  } else if (any && stage_ == Stage::kMoving && !is_open_) {
    stage_ = Stage::kWaiting;
  }
}

void MessageBook::record(const Message& message, Nanos time) {
  MessageCounts& counts = of(message.operation);
  if (counts.complete == 0) counts.first_time = message.time;
  ++counts.complete;
  counts.last_time = time;
  counts.completion_ns.add(time - message.time);
  if (message.operation == Operation::kRead && message.bytes == kUnknownBytes) return;
  counts.bytes += message.bytes;
  if (message.bytes != row_bytes_ || message.operation != row_operation_ || row_ == 0xFFFFFFFF) {
    if (row_ != 0) of(row_operation_).size_bytes.add(static_cast<std::int64_t>(row_bytes_), row_);
    row_bytes_ = message.bytes;
    row_operation_ = message.operation;
    row_ = 0;
  }
  ++row_;
}

/// A receiver's credits are the receives it has posted (IBTA vol. 1, 9.7.7.2); most adapters say "no limit".
void MessageBook::count_credits(const PacketFacts& reply) {
  if (wire::aeth_kind(reply.syndrome) != wire::AethKind::kAck) return;
  const auto credits = wire::credits(reply.syndrome);
  if (credits) {
    ++stats_.credit_replies;
    stats_.no_credit_replies += *credits == 0 ? 1 : 0;
  }
  if (credits && *credits == 0) {
    if (!without_credit_since_) without_credit_since_ = reply.time;
  } else if (without_credit_since_) {
    if (reply.time > *without_credit_since_) {
      stats_.without_credit = stats_.without_credit + (reply.time - *without_credit_since_);
    }
    without_credit_since_.reset();
  }
}

MessageStats MessageBook::total() const {
  MessageStats out = stats_;
  const auto of_out = [&](Operation o) -> MessageCounts& { return out.operations[static_cast<std::size_t>(o)].use(); };
  if (row_ != 0) of_out(row_operation_).size_bytes.add(static_cast<std::int64_t>(row_bytes_), row_);
  for (std::size_t i = 0; i < outstanding_; ++i) ++of_out(ring_[(oldest_ + i) & (ring_.size() - 1)].operation).open;
  if (is_open_) ++of_out(open_.operation).open;
  if (!answered_) return out;  // the replies are not captured: nothing is known of what it waited for
  out.time.wall = mark_ - start_;
  out.time.host = spent_[static_cast<std::size_t>(Stage::kHost)];
  out.time.moving = spent_[static_cast<std::size_t>(Stage::kMoving)];
  out.time.peer = spent_[static_cast<std::size_t>(Stage::kWaiting)];
  out.time.network = spent_[static_cast<std::size_t>(Stage::kRecovering)];
  return out;
}

}  // namespace rocetop::track
