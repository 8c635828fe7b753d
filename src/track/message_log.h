// SPDX-License-Identifier: BSD-3-Clause
// MessageLog: the messages of one direction's requests. What every packet touches is here: a packet in mid-message
// costs a few comparisons and opens no book. Everything else is the MessageBook's, made with the first message.
#pragma once

#include <algorithm>

#include "base/lazy.h"
#include "base/prefetch.h"
#include "track/message_book.h"

namespace rocetop::track {

class MessageLog {
 public:
  /// Asks for the memory that an edge, or a reply, will touch.
  void fetch() const {
    if (book_) fetch_lines(book_.get(), sizeof(MessageBook));
  }

  /// Whether a Middle with the PSN `seq` goes on with the message that is being sent.
  bool continues(Sequence seq) const { return seq == next_ && moving_; }
  /// Such a packet.
  void continue_message(Nanos time, Nanos last_request_time) {
    ++next_;
    if (time - last_request_time >= MessageBook::kStall) {
      stalled_ = stalled_ + std::max(time - std::max(last_request_time, entered_until_), Nanos{});
      stalled_until_ = time;
    }
  }

  /// What begins or ends a message, or goes on with none.
  void on_edge(Sequence seq, Sequence last, const PacketFacts& packet, const MessageBook::Sent& sent);

  /// A request packet with the PSNs seq..last, after the space has placed it.
  void on_request(Sequence seq, Sequence last, const PacketFacts& packet, const MessageBook::Sent& sent) {
    if (packet.position == wire::Position::kMiddle && continues(seq)) {
      continue_message(packet.time, sent.last_request_time);
    } else {
      on_edge(seq, last, packet, sent);
    }
  }

  /// A reply, after the space has taken what it acknowledges.
  void on_reply(const PacketFacts& reply, const MessageBook::Sent& sent) {
    if (reply.position == wire::Position::kMiddle && moving_) return;  // READ data
    on_answer(reply, sent);
  }

  /// The sender goes back, having waited; `highest` is the highest PSN it had sent.
  void on_go_back(const Episode& episode, Sequence highest);

  MessageStats total() const;

 private:
  void on_answer(const PacketFacts& reply, const MessageBook::Sent& sent);

  void enter_stalls();

  Sequence next_ = 0;    // the PSN after the last one taken; the book's lags behind in mid-message
  bool moving_ = false;  // the book's stage
  Nanos stalled_;        // in mid-message, not entered in the book yet
  Nanos stalled_until_;
  Nanos entered_until_;  // the time that the book has spent
  Lazy<MessageBook> book_;
};

}  // namespace rocetop::track
