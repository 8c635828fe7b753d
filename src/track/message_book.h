// SPDX-License-Identifier: BSD-3-Clause
// MessageBook: the messages of one direction's requests, from the packets and replies that the request space has placed
// already, and what the requester's time went into. It judges no packet; of a message that the capture has in part it
// says so and no more.
//
// It reads the space in PSN order and takes each PSN once, so resends and copies change nothing: `next_` is the PSN
// after the last one taken. Behind a gap it waits until the gap is filled (a resend) or known to be the capture's (the
// peer acknowledged it), then catches up from the history.
//
// Where the time went (TimeSplit), from the first message on, changes hands at messages' ends, replies and go-backs:
//   host      from a reply that leaves nothing outstanding to the next request
//   moving    from a message's first packet to its last; from the first response of a READ to its last; and from the
//             end of one message to the start of the next where no reply came in between: the sender had room
//   network   gaps of kStall and more in mid-message: paused, paced or out of window, for the adapter has the data; and
//             from the last thing that happened before a go-back to the first PSN above all resent ones
//   peer      the rest: all was sent, and a reply came next. RNR waits are the peer's too
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "track/counts.h"
#include "track/delays.h"
#include "track/history.h"
#include "track/packet_facts.h"
#include "track/read_window.h"

namespace rocetop::track {

class MessageBook {
 public:
  /// A sender holds back in mid-message for this long: longer than a paced packet takes at 1 Gb/s (33 us at 4 KiB),
  /// shorter than the fastest recoveries.
  static constexpr Nanos kStall = microseconds(100);

  static constexpr std::uint32_t kUnknownBytes = 0xFFFFFFFF;  ///< of a READ whose RETH is cut off

  /// What the request space knows, by reference.
  struct Sent {
    const History& history;
    const ReadWindow& reads;
    Sequence highest = 0;
    Sequence received = 0;  ///< everything up to here is acknowledged
    Nanos last_request_time;
  };
  /// A packet, from the wire or from the history.
  struct Piece {
    Sequence seq = 0;
    Sequence last = 0;
    Nanos time;
    std::uint32_t payload_bytes = 0;
    std::uint32_t read_bytes = kUnknownBytes;
    std::uint8_t opcode = 0;
  };

  // Of what begins or ends something, and of what is late. `next` is the PSN after the last one that was taken, here or
  // by the log; the result is the new one.
  Sequence on_request(Sequence next, const Piece& piece, const Sent& sent);
  /// Middles have come up to `until`, after gaps of kStall and more, `stalled` in all.
  void add_stalls(Nanos stalled, Nanos until);
  Sequence on_reply(Sequence next, const PacketFacts& reply, const Sent& sent);
  void on_go_back(const Episode& episode, Sequence highest);

  /// Whether a message is being sent, or READ responses flow, with nothing in the way.
  bool moving() const { return stage_ == Stage::kMoving; }
  /// Up to when time has been given to a stage.
  Nanos spent_until() const { return mark_; }
  /// Everything not completed stays open.
  MessageStats total() const;

 private:
  enum class Stage : std::uint8_t { kHost, kMoving, kWaiting, kRecovering };
  struct Message {
    Nanos time;
    Sequence first = 0;
    std::uint32_t more_psns = 0;  // after the first
    std::uint32_t bytes = 0;      // at most 2^31 (IBTA vol. 1, 9.7.2.1)
    Operation operation = Operation::kWrite;
    bool has_response = false;

    Sequence last() const { return first + more_psns; }
  };

  /// A READ whose answer the capture shows in part only, though later requests are answered, is given up after this.
  static constexpr Nanos kAnswerPatience = milliseconds(500);
  static constexpr std::size_t kOutstandingMost = 1024;       // messages followed at a time; deeper queues are rare
  static constexpr std::size_t kOutstandingUnanswered = 256;  // … where no reply was ever seen

  void take(const Piece& piece);
  void catch_up(const Sent& sent);
  void shorten_read(Sequence seq, const Sent& sent);
  void begin(const Piece& piece, Operation operation);
  void push(const Message& message);
  void pop();
  void complete(Nanos time, const Sent& sent);
  void record(const Message& message, Nanos time);
  void give_up_open();
  void count_credits(const PacketFacts& reply);
  void spend(Stage on, Nanos until);
  bool idle() const { return outstanding_ == 0 && !is_open_; }
  MessageCounts& of(Operation operation) { return stats_.operations[static_cast<std::size_t>(operation)].use(); }

  Sequence next_ = 0;
  Stage stage_ = Stage::kHost;
  bool started_ = false;
  bool is_open_ = false;     // `open_` began and has not been sent to its end
  bool answered_ = false;    // a reply was seen
  bool in_partial_ = false;  // what is being sent was counted as partial
  std::uint32_t outstanding_reads_ = 0;
  Nanos mark_;  // until here time is accounted for
  Nanos start_;
  std::array<Nanos, 4> spent_{};  // by Stage
  Sequence recovery_end_ = 0;     // the highest PSN that recovery resends
  Message open_;
  std::vector<Message> ring_;  // a power of two; sent to their end, oldest first
  std::size_t oldest_ = 0;
  std::size_t outstanding_ = 0;
  std::optional<Nanos> idle_since_;     // completion that left nothing outstanding
  std::optional<Nanos> blocked_since_;  // a READ that later replies have passed
  std::optional<Nanos> without_credit_since_;
  std::uint64_t row_bytes_ = 0;  // messages of one size in a row: counted here until the size changes
  std::uint32_t row_ = 0;
  Operation row_operation_ = Operation::kWrite;
  MessageStats stats_;
};

}  // namespace rocetop::track
