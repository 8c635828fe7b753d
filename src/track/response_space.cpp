// SPDX-License-Identifier: BSD-3-Clause
#include "track/response_space.h"

#include <algorithm>

namespace rocetop::track {
namespace {

constexpr Sequence kOneWrap = Sequence{1} << 24;
constexpr std::size_t kTailMost = 1024;  // READs; what is more has no fate but "unresolved"

}  // namespace

void ResponseSpace::on_response(const PacketFacts& packet, RequestSpace* requests, bool delivered, Context& context,
                                Observation& observation) {
  ++counts_.packets;
  counts_.payload_bytes += packet.payload_bytes;
  observation.space = SpaceName::kResponses;
  const bool known = requests && requests->started();
  const Sequence seq = started_ ? extend(highest_, packet.psn)
                       : known  ? requests->sequence_of(packet.psn)
                                : kOneWrap + static_cast<Sequence>(packet.psn.value);
  if (!started_) begin(seq, packet, known ? requests : nullptr);
  if (!counts_.first_psn) counts_.first_psn = packet.psn;
  PendingRead* read = known ? requests->reads().find(seq) : nullptr;
  if (seq > highest_) {
    on_new(seq, packet, known ? requests : nullptr, delivered, context, observation);
  } else {
    on_old(seq, packet, read, delivered, context, observation);
  }
  if (read && delivered) requests->reads().on_response(*read, seq, packet.time);
  last_time_ = packet.time;
}

/// `packet`, the first response, or what shows that there were some, is `seq`: from the oldest READ on that was asked
/// for before it, all are expected. (Responses may have waited for their connection, and READs been asked for again
/// since.)
void ResponseSpace::begin(Sequence seq, const PacketFacts& packet, const RequestSpace* requests) {
  started_ = true;
  first_ = seq;
  if (requests && !requests->reads().empty()) {
    requests->reads().each_overlapping(requests->reads().oldest(), seq, [&](const PendingRead& read) {
      if (read.frame < packet.frame) first_ = std::min(first_, read.first);
    });
  }
  highest_ = first_ - 1;
}

void ResponseSpace::on_acknowledgement(const PacketFacts& packet, const RequestSpace& requests) {
  const Sequence seq = requests.sequence_of(packet.psn);
  const PendingRead* newest = requests.reads().newest();
  if (seq > requests.highest() || !newest || newest->last <= tail_end()) return;
  if (!started_) begin(seq, packet, &requests);
  requests.reads().each_overlapping(tail_end() + 1, seq - 1, [&](const PendingRead& read) {
    if (read.last >= seq || read.last <= tail_end() || tail_.size() >= kTailMost) return;
    tail_.push_back({std::max(tail_end() + 1, read.first), read.last, packet.frame, packet.time, false});
  });
}

void ResponseSpace::on_new(Sequence seq, const PacketFacts& packet, const RequestSpace* requests, bool delivered,
                           Context& context, Observation& observation) {
  if (!late_.empty()) late_.were_reordered(counts_, context);
  resending_ = false;
  observation.kind = Kind::kNew;
  if (seq > highest_ + 1) note_missing(seq, packet, requests, context, observation);
  in_message_ = packet.position == wire::Position::kFirst || packet.position == wire::Position::kMiddle;
  remember(seq, packet, context);
  if (Slot* slot = history_.find(seq)) slot->bad_icrc = !delivered;
  highest_ = seq;
  counts_.highest_psn = packet.psn;
  if (!tail_.empty()) std::erase_if(tail_, [&](const MissingPsns::Run& run) { return run.last <= highest_; });
}

/// PSNs between the newest response and this one that a READ asked for.
void ResponseSpace::note_missing(Sequence seq, const PacketFacts& packet, const RequestSpace* requests,
                                 Context& context, Observation& observation) {
  Sequence covered = highest_;  // up to here the READs in between are known
  const auto add = [&](Sequence first, Sequence last) {
    if (first > last) return;
    missing_.add({first, last, packet.frame, packet.time}, counts_, context);
    observation.missing_before += static_cast<std::uint32_t>(last - first + 1);
    if (last_time_.count != 0) context.holes.on_jump(last_time_, packet, static_cast<std::uint64_t>(last - first + 1));
  };
  if (requests) {
    requests->reads().each_overlapping(highest_ + 1, seq - 1, [&](const PendingRead& read) {
      if (packet.frame < read.frame) return;  // asked for since
      const Sequence first = std::max(covered + 1, read.first);
      const Sequence last = std::min(read.last, seq - 1);
      add(first, last);
      covered = std::max(covered, last);
    });
    if (covered > highest_) return;
    // A READ that the tap did not see asked leaves its PSNs as a gap among the requests too.
    if (const PendingRead* read = requests->reads().find(seq); read && read->first == seq) return;
    if (requests->started() && seq <= requests->highest() && !in_message_ &&
        packet.position != wire::Position::kMiddle && packet.position != wire::Position::kLast) {
      return;
    }
  }
  const bool cut_before = packet.position == wire::Position::kMiddle || packet.position == wire::Position::kLast;
  if ((in_message_ || cut_before) && seq - highest_ < kJumpNoLossExplains) add(highest_ + 1, seq - 1);
}

void ResponseSpace::on_old(Sequence seq, const PacketFacts& packet, const PendingRead* read, bool delivered,
                           Context& context, Observation& observation) {
  const Slot* slot = history_.find(seq);
  const bool seen_here = slot && slot->state == Slot::State::kSeen;
  const auto* run = missing_.find(seq);
  const Nanos since_when = seen_here ? slot->last_time : run ? run->time : Nanos{};
  const bool asked_again =
      read && read->asked_again && seq >= read->asked_again_from &&
      (read->asked_again_time >= since_when || packet.time - read->asked_again_time < kDirectionSkew);
  const bool goes_on = resending_ && seq == next_resent_;
  const Cause cause = asked_again ? read->asked_again_for : goes_on ? resending_for_ : Cause::kUnknown;
  if (!run) {
    if (!asked_again && !goes_on && seen_here && packet.time - slot->last_time < kCopyWindow) {
      if (late_.empty()) {
        observation.kind = Kind::kDuplicate;
        observation.original_frame = slot->last_frame;
        ++counts_.duplicate_packets;
        return;
      }
      late_were_resent(Cause::kUnknown, context);
    }
    retransmitted(seq, packet, seq >= first_, cause, context, observation);
    return;
  }
  if (asked_again || goes_on) {
    if (delivered) missing_.settle(seq, Outcome::kRetransmitted, counts_, context);
    retransmitted(seq, packet, false, cause, context, observation);
    return;
  }
  if (!delivered) return;
  // Late and not asked for again at the tap. Whether it was asked at all is only known where requests are captured.
  const bool silent = packet.time - last_time_ >= kSilence;
  if (!read && (silent || late_.full())) {
    missing_.settle(seq, Outcome::kRetransmitted, counts_, context);
    retransmitted(seq, packet, false, Cause::kUnknown, context, observation);
    return;
  }
  late_.hold({packet, *missing_.take(seq), seq, {}});
  observation.kind = Kind::kReordered;
  remember(seq, packet, context);
}

void ResponseSpace::retransmitted(Sequence seq, const PacketFacts& packet, bool seen, Cause cause, Context& context,
                                  Observation& observation) {
  if (!late_.empty()) {
    if (extend(highest_, late_.newest().packet.psn) + 1 == seq) {
      late_were_resent(cause, context);
    } else {
      late_.were_reordered(counts_, context);
    }
  }
  observation.kind = Kind::kRetransmission;
  ++(seen ? counts_.retransmitted_original_seen : counts_.retransmitted_original_unseen);
  counts_.retransmitted_bytes += packet.payload_bytes;
  counts_.add_retransmitted(cause, 1, packet.payload_bytes);
  resending_ = true;
  resending_for_ = cause;
  next_resent_ = seq + 1;
  if (Slot* slot = history_.find(seq); slot && slot->state == Slot::State::kSeen) {
    observation.original_frame = slot->first_frame;
    slot->last_time = packet.time;
    slot->last_frame = packet.frame;
  } else {
    remember(seq, packet, context);
  }
}

void ResponseSpace::remember(Sequence seq, const PacketFacts& packet, Context& context) {
  if (history_.size() == 0) {
    history_.grow(context.limits.history_slots_start, context.limits.history_slots_start, context.slots);
  }
  if (seq > highest_) {
    const auto burst = static_cast<std::size_t>(4 * std::max<Sequence>(seq - std::max(first_, seq - 256), 1));
    if (history_.size() < burst) history_.grow(burst, 1024, context.slots);
    history_.advance(seq);
  }
  if (Slot* slot = history_.find(seq)) fill(*slot, packet);
}

void ResponseSpace::late_were_resent(Cause cause, Context& context) {
  for (const LateArrivals::Late& late : late_.were_resent(counts_, context)) {
    counts_.add_retransmitted(cause, 1, late.packet.payload_bytes);
    if (context.sink) {
      context.sink->on_resolution({late.packet.frame, Resolution::Fate::kRetransmission, Cause::kUnknown, {}, {}});
    }
  }
}

void ResponseSpace::finish(const RequestSpace* requests, Context& context) {
  late_.were_reordered(counts_, context);
  if (!started_) return;
  if (!requests || !requests->started()) {
    missing_.settle_all(Outcome::kUnresolved, counts_, context);
    return;
  }
  const std::vector<MissingPsns::Run> open = missing_.runs();
  for (const auto& run : open) {
    missing_.settle_through(run.last, fate_of(run, *requests), counts_, context);
  }
  for (MissingPsns::Run run : tail_) {
    run.first = std::max(run.first, highest_ + 1);
    MissingPsns::settle_run(run, fate_of(run, *requests), counts_, context);
  }
  // Behind that nothing jumped over the rest. What had time to come is missing all the same.
  requests->reads().each_overlapping(tail_end() + 1, requests->highest(), [&](const PendingRead& read) {
    const Sequence first = std::max(tail_end() + 1, read.first);
    if (first > read.last || context.now - std::max(read.time, last_time_) < kSilence) return;
    MissingPsns::settle_run({first, read.last, FrameId{}, read.time, false}, Outcome::kUnresolved, counts_, context);
  });
}

/// A requester that went on for long without asking again had the responses, and the capture did not.
Outcome ResponseSpace::fate_of(const MissingPsns::Run& run, const RequestSpace& requests) {
  const PendingRead* read = requests.reads().find(run.first);
  const bool asked_again = read && read->asked_again && read->asked_again_time > run.time;
  const bool went_on = !asked_again && requests.last_new_time() > run.time + kResponsesFlow;
  return went_on ? Outcome::kCaptureMissed : Outcome::kUnresolved;
}

}  // namespace rocetop::track
