// SPDX-License-Identifier: BSD-3-Clause
// MessageNotes: which message each request packet of one direction is part of, resends included. What the capture
// skipped may hide where a message ends: packets after such a gap are of none, unless the length that a WRITE names
// says otherwise. All messages are in one list, that of the capture.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/nanos.h"
#include "base/psn.h"
#include "track/counts.h"
#include "track/packet_facts.h"
#include "wire/opcode.h"

namespace rocetop::engine {

struct MessageNote {
  track::Operation operation = track::Operation::kWrite;
  bool has_response = false;  ///< READ, atomic: a response completes it, not an ACK
  std::uint32_t first_frame = 0;
  std::uint32_t last_frame = 0;       ///< 0 until it was seen
  std::uint32_t last_sent_frame = 0;  ///< … when it was sent last before it was acknowledged
  std::uint32_t answered_in = 0;      ///< of one that has a response: the last packet of that
  Nanos first_time;
  std::optional<std::uint64_t> bytes;
  std::uint32_t bytes_known_in = 0;  ///< the frame that told
};

/// Of a capture. Bounded: later messages have no number.
struct MessageList {
  std::deque<MessageNote> messages;
  std::size_t limit = 0;
  std::size_t spans_left = 1'000'000;  ///< of all directions: 48 MB
};

class MessageNotes {
 public:
  /// A request packet that takes the PSNs seq..last, as far as is known.
  struct Request {
    std::uint32_t frame = 0;
    Sequence seq = 0;
    Sequence last = 0;
    bool last_known = true;  ///< false: of a READ, it is at least that
    const track::PacketFacts& packet;
    std::uint32_t path_mtu = 0;  ///< 0: not known
  };
  /// The number of its message, from 1; 0: not known.
  std::uint32_t on_request(const Request& request, MessageList& list);
  /// A response with the PSN `seq` of these requests.
  void on_response(Sequence seq, wire::Position position, std::uint32_t frame, MessageList& list);
  /// A READ at the end takes the PSNs up to `last`.
  void close_read(Sequence last);
  /// Everything up to `last` is acknowledged: what is older is soon forgotten.
  void acknowledge(Sequence last, MessageList& list);

 private:
  static constexpr std::size_t kAcknowledgedKept = 16;  ///< messages: what is resent needlessly is among the last
  static constexpr std::size_t kForgottenTogether = 16;
  static constexpr std::size_t kMost = 1024;  ///< deeper queues are rare

  struct Span {
    Sequence first = 0;
    Sequence last = 0;      ///< seen so far
    Sequence expected = 0;  ///< of a WRITE: its last PSN; 0 where that is not known
    Sequence answered = 0;  ///< of what has a response: seen in order up to here
    std::uint32_t message = 0;
    bool complete = false;    ///< its last packet was seen
    bool by_payload = false;  ///< its length is the sum of its payloads
    bool open = false;        ///< a READ whose span is not known
  };

  Span* find(Sequence seq);
  Span* open_before(Sequence seq);
  Span& begin(const Request& request, MessageList& list);
  void go_on(Span& span, const Request& request, MessageList& list);
  void make_room(MessageList& list);

  void forget(std::size_t spans, MessageList& list);

  std::vector<Span> spans_;  // ascending by first
  std::optional<Sequence> acknowledged_;
};

}  // namespace rocetop::engine
