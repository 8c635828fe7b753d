// SPDX-License-Identifier: BSD-3-Clause
// SelectiveSender: one PSN space of a veRoCE queue pair, the half that sends: requests, or READ and atomic responses.
// What a SACK shows missing is sent again once; what is missing still, a round trip after it was, again; what a Packet
// Drop NAK names, at once; all that is silent for the timeout, then. A READ request and an atomic take one PSN.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "generate/sim/packet.h"
#include "generate/sim/transport.h"

namespace rocetop::generate::sim {

struct VeroceMessage {
  Operation operation = Operation::kWrite;
  bool response = false;  ///< to a READ or an atomic, as `operation` says
  Notice notice = Notice::kNone;
  std::uint32_t bytes = 0;
  std::uint32_t asked_msn = 0;  ///< responses: MSN of the request
  // Set by SelectiveSender::post():
  Sequence first = 0;
  std::uint32_t psns = 1;
  std::uint32_t msn = 0;
  std::uint32_t rq_msn = 0;

  Sequence end() const { return first + psns; }
  /// Its completion waits for a response.
  bool is_answered() const { return !response && (operation == Operation::kRead || operation == Operation::kAtomic); }
  /// It uses up a receive buffer.
  bool takes_receive() const { return operation == Operation::kSend || notice == Notice::kImmediate; }
};

class SelectiveSender {
 public:
  SelectiveSender(const ConnectionPlan& plan, Sequence first_psn);

  /// Its end: when all before is acknowledged the receiver has the message.
  Sequence post(VeroceMessage message);
  bool ready() const;
  /// Only when ready().
  Packet next_packet(Time now);
  /// ACK, SACK, or NAK.
  void on_acknowledge(const Packet& packet, Time now);
  /// The response to the oldest READ or atomic is complete.
  void on_answered() { --answers_under_way_; }

  Time deadline() const;
  void on_timeout(Time now);

  Sequence oldest() const { return oldest_; }
  bool idle() const { return oldest_ == end_; }
  bool dead() const { return dead_; }
  const std::array<std::uint64_t, kResendCauses>& resends() const { return resends_; }

 private:
  struct Sent {
    Time last = 0;
    std::uint32_t times = 1;
    bool received = false;  ///< a SACK said so
    bool due = false;       ///< in due_
    ResendCause cause = ResendCause::kSack;
  };

  const VeroceMessage& message_of(Sequence s) const;
  Packet build(Sequence s) const;
  void build_message_packet(const VeroceMessage& message, Sequence s, Packet& packet) const;
  void advance(Sequence oldest);
  void on_sack(const Packet& sack, Time now);
  void send_again(Sequence s, ResendCause cause);
  void give_up();
  Sent& sent(Sequence s) { return sent_[static_cast<std::size_t>(s - oldest_)]; }
  bool is_outstanding(Sequence s) const { return s >= oldest_ && s < next_; }

  const ConnectionPlan* plan_;
  Time timeout_;
  Time round_trip_;
  std::uint32_t window_;
  std::deque<VeroceMessage> messages_;  ///< posted and not acknowledged
  std::deque<Sent> sent_;               ///< oldest_ to next_
  std::deque<Sequence> due_;            ///< to be sent again
  Sequence oldest_;                     ///< not acknowledged
  Sequence next_;                       ///< to be sent for the first time
  Sequence end_;                        ///< of what was asked for
  Sequence sacked_to_;                  ///< highest PSN of the last SACK: up to here what is missing was sent again
  Sequence silent_from_ = -1;  ///< the oldest when the timeout came: SACKs say nothing until it is acknowledged
  std::uint32_t msn_ = 1;      ///< of the next message
  std::uint32_t rq_msn_ = 0;
  std::uint32_t answers_under_way_ = 0;  ///< READs and atomics that were sent, without their response
  std::uint32_t timeouts_ = 0;           ///< in a row
  bool dead_ = false;
  std::array<std::uint64_t, kResendCauses> resends_{};
};

}  // namespace rocetop::generate::sim
