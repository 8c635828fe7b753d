// SPDX-License-Identifier: BSD-3-Clause
// RequestSpace and what the other side says of its requests: acknowledgements, NAKs, responses as far as they
// acknowledge, and which connection's they are. What the sender does then is request_space.cpp.
#include <algorithm>

#include "track/request_space.h"

namespace rocetop::track {
namespace {

constexpr Sequence kNarrowWindow = 4096;

}  // namespace

Fit RequestSpace::fits(const PacketFacts& reply) const {
  if (!started_) return Fit::kNone;
  const Sequence seq = extend(highest_, reply.psn);
  if (is_nak_from_before(reply)) return Fit::kExact;
  if (seq < first_ || seq > highest_ + (reply.role == wire::Role::kAcknowledge ? 1 : 0)) return Fit::kNone;
  if (reply.role == wire::Role::kResponse) return reads_.find(seq) ? Fit::kExact : Fit::kNone;
  const Slot* slot = history_.find(seq);
  if (slot && slot->state == Slot::State::kSeen && slot->wants_reply && reply.time >= slot->first_time)
    return Fit::kExact;
  if (seq <= replies_.received()) return Fit::kNone;
  // Any PSN of a narrow window says as much: it is hit by chance once in 4,000 connections.
  return highest_ - replies_.received() <= kNarrowWindow ? Fit::kExact : Fit::kInWindow;
}

/// Whether the receiver waits for a packet sent shortly before the first one seen, and so to be sent again here.
bool RequestSpace::is_nak_from_before(const PacketFacts& reply) const {
  if (!reply.is_rnr_nak() && !reply.is_sequence_nak()) return false;
  const Sequence seq = extend(highest_, reply.psn);
  return seq < first_ && seq >= first_ - kBeforeFirst && highest_ - first_ <= kNarrowWindow;
}

void RequestSpace::on_reply(const PacketFacts& reply, Context& context, Observation& observation) {
  if (!started_) return;
  const Sequence seq = extend(highest_, reply.psn);
  if (seq < first_ - kJumpNoLossExplains || seq > highest_ + kJumpNoLossExplains) return;  // not of these PSNs
  if (!replies_.any_reply()) episodes_.replies_are_captured(counts_);
  replies_.on_reply(reply);
  if (reply.role == wire::Role::kAcknowledge && !reply.has_aeth) {
    replies_.on_unreadable(seq);  // ACK or NAK: both acknowledge what is before
    advance_received(seq - 1, reply, context);
    return;
  }
  if (const Slot* slot = history_.find(std::min(seq, highest_)); slot && slot->state == Slot::State::kSeen) {
    observation.acks_frame = slot->last_frame;
  }
  const auto kind = reply.role == wire::Role::kAcknowledge ? wire::aeth_kind(reply.syndrome) : wire::AethKind::kAck;
  if (kind == wire::AethKind::kAck) {
    if (reply.role == wire::Role::kAcknowledge) count_answer(seq);
    observation.rtt = round_trip(seq, reply);
    if (observation.rtt) round_trips_.add(reply.time, *observation.rtt);
    advance_received(seq, reply, context);
    messages_.on_reply(reply, placed());
    return;
  }
  if (is_nak_from_before(reply)) replies_.waits_for(seq);
  advance_received(seq - 1, reply, context);
  messages_.on_reply(reply, placed());
  if (kind == wire::AethKind::kRnrNak || wire::nak_code(reply.syndrome) == wire::NakCode::kPsnSequenceError) {
    on_nak(seq, reply, kind == wire::AethKind::kRnrNak);
  }
}

/// From the newest packet that wants a reply, among those that this reply covers first; none where one of these was
/// resent (Karn's rule). An acknowledgement names a packet that asked for it, or one sent little later.
std::optional<Nanos> RequestSpace::round_trip(Sequence seq, const PacketFacts& reply) const {
  constexpr Sequence kLater = 16;
  const Sequence received = replies_.received();
  if (seq <= received || seq > highest_ || resent_through_ > received) return std::nullopt;
  for (Sequence s = seq; s > std::max(received, seq - kLater); --s) {
    const Slot* slot = history_.find(s);
    if (!slot) return std::nullopt;
    if (slot->state != Slot::State::kSeen || !slot->wants_reply) continue;
    if (reply.time < slot->first_time) return std::nullopt;
    return reply.time - slot->first_time;
  }
  return std::nullopt;
}

void RequestSpace::count_answer(Sequence seq) {
  if (!replies_.answers_too_many(seq)) return;
  if (episodes_.is_open()) {
    episodes_.open().episode.originals_arrived = true;
  } else if (!counts_.episodes.empty() && counts_.episodes.back().last_psn == wire_psn(replies_.resent_last())) {
    counts_.episodes.back().originals_arrived = true;
  }
}

void RequestSpace::on_nak(Sequence seq, const PacketFacts& reply, bool rnr) {
  refusals_.add(seq, reply.frame);
  const Trigger trigger{seq, reply.frame, reply.time, rnr ? wire::rnr_timer(reply.syndrome) : Nanos{}};
  if (episodes_.is_open()) {
    // Host captures may stamp the resend before the NAK that caused it.
    EpisodeLog::Open& open = episodes_.open();
    Episode& e = open.episode;
    if (open.first == seq && !e.trigger_frame && e.packets > 0 && reply.time - e.first_time < kDirectionSkew && !rnr &&
        e.silence < kSilence && e.wait < kSilence) {
      e.trigger_frame = reply.frame;
      e.cause = Cause::kNak;
      e.named_by_nak = true;
      e.wait = Nanos{0};
      return;
    }
  }
  (rnr ? rnrs_ : naks_).add(trigger);
}

void RequestSpace::advance_received(Sequence seq, const PacketFacts& reply, Context& context) {
  if (seq <= replies_.received()) return;
  if (context.sink) tell_acknowledged(replies_.received() + 1, std::min(seq, highest_), reply, context);
  replies_.advance(seq, reply, highest_);
  if (!missing_.empty()) replies_.close_gaps_later(reply.time);
}

void RequestSpace::tell_acknowledged(Sequence first, Sequence last, const PacketFacts& reply, Context& context) const {
  const auto remembered = static_cast<Sequence>(history_.size());
  for (Sequence s = std::max(first, last - remembered + 1); s <= last; ++s) {
    const Slot* slot = history_.find(s);
    if (slot && slot->state == Slot::State::kSeen) {
      context.sink->on_resolution(
          {slot->last_frame, Resolution::Fate::kAcknowledged, Cause::kUnknown, {}, reply.frame});
    }
  }
}

void RequestSpace::settle(Nanos now, Context& context) {
  const auto through = replies_.gaps_to_close(now);
  if (!through) return;
  missing_.settle_through(*through, Outcome::kCaptureMissed, counts_, context);
  if (!missing_.empty() && replies_.received() >= missing_.runs().front().first) replies_.close_gaps_later(now);
}

}  // namespace rocetop::track
