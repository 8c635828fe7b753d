// SPDX-License-Identifier: BSD-3-Clause
// MessageLog: the messages of one direction's requests. What every packet touches is here: a packet in mid-message, on
// time, costs a few comparisons and opens no book. Everything else is the MessageBook's, made with the first message.
#pragma once

#include "base/lazy.h"
#include "track/message_book.h"

namespace rocetop::track {

class MessageLog {
 public:
  /// A request packet with the PSNs seq..last, after the space has placed it.
  void on_request(Sequence seq, Sequence last, const PacketFacts& packet, const MessageBook::Sent& sent) {
    if (seq == next_ && packet.position == wire::Position::kMiddle && moving_ &&
        packet.time - sent.last_request_time < MessageBook::kStall) {
      ++next_;
      return;
    }
    on_edge(seq, last, packet, sent);
  }

  /// A reply, after the space has taken what it acknowledges.
  void on_reply(const PacketFacts& reply, const MessageBook::Sent& sent) {
    if (reply.position == wire::Position::kMiddle && moving_) return;  // READ data
    on_answer(reply, sent);
  }

  /// The sender goes back, having waited; `highest` is the highest PSN it had sent.
  void on_go_back(const Episode& episode, Sequence highest);

  MessageStats total() const { return book_ ? book_->total() : MessageStats{}; }

 private:
  void on_edge(Sequence seq, Sequence last, const PacketFacts& packet, const MessageBook::Sent& sent);
  void on_answer(const PacketFacts& reply, const MessageBook::Sent& sent);

  Sequence next_ = 0;    // the PSN after the last one taken; the book's lags behind in mid-message
  bool moving_ = false;  // the book's stage
  Lazy<MessageBook> book_;
};

}  // namespace rocetop::track
