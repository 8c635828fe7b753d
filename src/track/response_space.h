// SPDX-License-Identifier: BSD-3-Clause
// ResponseSpace: READ responses and atomic acknowledgements travelling in one direction. They carry PSNs of the other
// side's requests, so what is missing is judged against the READs that were asked (counting rules 2 and 8 of the
// contract). Where the requests are not captured, only the order inside a message (First, Middle, Last) tells.
#pragma once

#include <algorithm>
#include <vector>

#include "track/context.h"
#include "track/counts.h"
#include "track/history.h"
#include "track/late_arrivals.h"
#include "track/missing.h"
#include "track/observation.h"
#include "track/packet_facts.h"
#include "track/request_space.h"

namespace rocetop::track {

class ResponseSpace {
 public:
  /// A response packet. `requests` is the space it answers, or null where the requests are not known.
  void on_response(const PacketFacts& packet, RequestSpace* requests, bool delivered, Context& context,
                   Observation& observation);

  /// An acknowledgement in the direction of the responses, of requests behind READs: a responder replies in order, so
  /// that their responses had been sent. Should they never come, this is what jumped over them; should they come, they
  /// are the newest all the same, as nothing of their space had passed them.
  void on_acknowledgement(const PacketFacts& packet, const RequestSpace& requests);

  /// Everything still open gets its final fate.
  void finish(const RequestSpace* requests, Context& context);

  /// Whether the same packet passed within kCopyWindow.
  bool has_just_seen(const PacketFacts& packet) const {
    return started_ && is_same_packet(history_.find(extend(highest_, packet.psn)), packet, kCopyWindow);
  }
  bool started() const { return started_; }
  std::size_t slots() const { return history_.size(); }
  std::size_t open_runs_claimed() const { return missing_.claimed(); }
  SpaceCounts& counts() { return counts_; }
  const SpaceCounts& counts() const { return counts_; }

 private:
  void on_new(Sequence seq, const PacketFacts& packet, const RequestSpace* requests, bool delivered, Context& context,
              Observation& observation);
  void begin(Sequence seq, const PacketFacts& packet, const RequestSpace* requests);
  static Outcome fate_of(const MissingPsns::Run& run, const RequestSpace& requests);
  /// The last PSN that a response or an acknowledgement has jumped over or filled.
  Sequence tail_end() const { return tail_.empty() ? highest_ : std::max(highest_, tail_.back().last); }
  void on_old(Sequence seq, const PacketFacts& packet, const PendingRead* read, bool delivered, Context& context,
              Observation& observation);
  void note_missing(Sequence seq, const PacketFacts& packet, const RequestSpace* requests, Context& context,
                    Observation& observation);
  void retransmitted(Sequence seq, const PacketFacts& packet, bool seen, Cause cause, Context& context,
                     Observation& observation);
  void remember(Sequence seq, const PacketFacts& packet, Context& context);
  void late_were_resent(Cause cause, Context& context);

  SpaceCounts counts_;
  History history_;
  MissingPsns missing_;
  LateArrivals late_;  // only where the requests are not captured
  bool started_ = false;
  bool in_message_ = false;  // the newest response was a First or Middle
  bool resending_ = false;
  Cause resending_for_ = Cause::kUnknown;
  Sequence next_resent_ = 0;
  Sequence first_ = 0;
  Sequence highest_ = 0;
  Nanos last_time_;
  std::vector<MissingPsns::Run> tail_;  // above highest_: what acknowledgements jumped over, ascending
};

}  // namespace rocetop::track
