// SPDX-License-Identifier: BSD-3-Clause
// VeroceMessages: the messages of one direction's requests under veRoCE, where each packet names its message (MSNETH).
// A SEND or WRITE is complete when an acknowledgement's MSN reaches it, whatever order its packets came in; a READ when
// its responses, which name it in their AETH, hold all its bytes; an atomic when it is answered. It judges no packet.
#pragma once

#include <cstdint>
#include <vector>

#include "track/context.h"
#include "track/delays.h"
#include "track/packet_facts.h"
#include "track/requester_time.h"
#include "track/veroce_facts.h"

namespace rocetop::track {

class VeroceMessages {
 public:
  /// A request packet with an MSNETH, of a PSN that was not seen before; `behind_gap`: the one before it neither.
  void on_request(const PacketFacts& packet, const VeroceFacts& more, bool behind_gap, Context& context);
  /// A request that is sent again.
  void on_resend(Nanos time, Cause cause) { time_.on_resend(time, cause); }
  /// An ACK, SACK or NAK: the other side has completed all messages up to its MSN.
  void on_reply(const PacketFacts& reply);
  /// A READ response or atomic acknowledgement with an AETH, of a PSN that was not seen before.
  void on_response(const PacketFacts& response);

  /// The highest message number seen; 0 before the first.
  Msn highest() const { return Msn{static_cast<std::uint32_t>(highest_) & kMask24}; }

  /// Everything not completed stays open.
  MessageStats total() const;
  /// What it holds of SlotBudget.
  std::size_t slots() const { return ring_.size(); }

 private:
  static constexpr std::size_t kOutstandingMost = 1024;       // messages followed at a time; deeper queues are rare
  static constexpr std::size_t kOutstandingUnanswered = 256;  // … where no reply completed any
  struct Message {
    std::int64_t number = -1;  // extended MSN; none where nothing is followed
    Nanos first_time;
    std::uint64_t bytes = 0;
    std::uint64_t answered = 0;
    Operation operation = Operation::kWrite;
    bool has_first = false;
    bool has_last = false;
    bool has_response = false;
    bool has_length = false;  // the RETH of a READ was captured
    bool answer_ended = false;
  };

  Message* place_of(std::int64_t number, SlotBudget& budget);
  Message* find(std::int64_t number);
  void grow(std::int64_t number, SlotBudget& budget);
  void close(Message& message, Nanos time);
  void complete_through(Msn completed, Nanos time);
  bool take_response(const PacketFacts& response);
  bool idle() const { return open_ == 0; }
  MessageCounts& of(Operation operation) { return stats_.operations[static_cast<std::size_t>(operation)].use(); }

  bool started_ = false;
  bool answered_ = false;  // an acknowledgement or response completed a message
  std::int64_t highest_ = 0;
  std::int64_t completed_ = 0;
  std::vector<Message> ring_;  // a power of two, by number
  std::uint32_t open_ = 0;     // of ring_
  std::uint32_t outstanding_reads_ = 0;
  MessageStats stats_;
  RequesterTime time_;
};

}  // namespace rocetop::track
