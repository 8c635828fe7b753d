// SPDX-License-Identifier: BSD-3-Clause
#include "track/message_log.h"

namespace rocetop::track {
namespace {

/// RC and XRC acknowledge; of the others no completion is ever seen.
bool is_acknowledged(wire::Transport transport) {
  return transport == wire::Transport::kRc || transport == wire::Transport::kXrc;
}

}  // namespace

void MessageLog::on_edge(Sequence seq, Sequence last, const PacketFacts& packet, const MessageBook::Sent& sent) {
  if (!is_acknowledged(packet.transport())) return;
  enter_stalls();
  MessageBook& book = book_.use();
  next_ = book.on_request(next_,
                          {seq, last, packet.time, packet.payload_bytes,
                           packet.has_reth ? packet.read_bytes : MessageBook::kUnknownBytes, packet.opcode},
                          sent);
  moving_ = book.moving();
  entered_until_ = book.spent_until();
}

void MessageLog::on_answer(const PacketFacts& reply, const MessageBook::Sent& sent) {
  if (!book_) return;
  enter_stalls();
  MessageBook& book = book_.use();
  next_ = book.on_reply(next_, reply, sent);
  moving_ = book.moving();
  entered_until_ = book.spent_until();
}

void MessageLog::on_go_back(const Episode& episode, Sequence highest) {
  if (!book_) return;
  enter_stalls();
  book_.use().on_go_back(episode, highest);
  moving_ = book_->moving();
  entered_until_ = book_->spent_until();
}

void MessageLog::enter_stalls() {
  if (stalled_.count == 0 || !book_) return;
  book_.use().add_stalls(stalled_, stalled_until_);
  stalled_ = {};
}

MessageStats MessageLog::total() const {
  if (!book_) return {};
  if (stalled_.count == 0) return book_->total();
  MessageBook book = *book_;
  book.add_stalls(stalled_, stalled_until_);
  return book.total();
}

}  // namespace rocetop::track
