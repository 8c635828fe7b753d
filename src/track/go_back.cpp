// SPDX-License-Identifier: BSD-3-Clause
#include "track/go_back.h"

#include <algorithm>

#include "track/limits.h"

namespace rocetop::track {
namespace {

constexpr Sequence kLookBack = 1024;  // PSNs looked at when the sender goes back: each go-back costs no more

bool is_seen(const Slot* slot) { return slot && slot->state == Slot::State::kSeen; }

/// Whether a packet from `from` on was seen only with a wrong ICRC.
bool damaged_since(Sequence from, const SentSoFar& sent) {
  for (Sequence s = sent.highest; s >= std::max(from, sent.highest - kLookBack); --s) {
    const Slot* slot = sent.history.find(s);
    if (!slot) return false;
    if (is_seen(slot) && slot->bad_icrc) return true;
  }
  return false;
}

/// Whether a packet from `from` on that wants a reply has passed. (Where the newest packets are no longer remembered,
/// or a READ's span covers them, yes.)
bool reply_is_due(Sequence from, const SentSoFar& sent) {
  if (sent.highest - from > kLookBack) return true;
  const bool gap_is_refused = sent.refusals.name(sent.replies.received() + 1);
  for (Sequence s = sent.highest; s >= from; --s) {
    const Slot* slot = sent.history.find(s);
    if (!slot || sent.reads.find(s)) return true;
    // A NAK, one for each gap, was the reply to what is behind it.
    const bool refused = sent.refusals.passed_over(s, slot->last_frame) || (slot->behind_gap && gap_is_refused);
    if (is_seen(slot) && slot->wants_reply && !refused) return true;
  }
  return false;
}

Nanos asked_time(const PendingRead& read) { return read.asked_again ? read.asked_again_time : read.time; }

/// How long ago; nothing where the capture's clock stepped back meanwhile.
Nanos since(Nanos then, const PacketFacts& packet) { return std::max(packet.time - then, Nanos{}); }

/// The sender last sent it when the tap saw it, or, if the tap never did, just before the packet that jumped over it.
/// Of what it sent before the capture began, or what is forgotten, at least since the newest of its requests.
Nanos wait_before(Sequence seq, const PacketFacts& packet, const SentSoFar& sent) {
  const Slot* slot = sent.history.find(seq);
  if (is_seen(slot) && slot->last_frame != packet.frame) return since(slot->last_time, packet);
  if (const PendingRead* read = sent.reads.find(seq)) return since(asked_time(*read), packet);
  if (const auto* run = sent.missing.find(seq)) return since(run->time, packet);
  return since(sent.last_request_time, packet);
}

/// Why the sender went back to `seq`, by what the tap saw before; and the trigger. `e.wait` is since it was last sent.
Cause cause_of(Sequence seq, const PacketFacts& packet, const SentSoFar& sent, Episode& e) {
  const Acknowledgements& replies = sent.replies;
  // An RNR NAK outranks a sequence NAK for the packets still under way.
  if (const Trigger* rnr = sent.rnrs.answered_by(seq, packet.time, replies.received())) {
    e.trigger_frame = rnr->frame;
    e.wait = since(rnr->time, packet);
    e.advertised_wait = rnr->advertised;
    return Cause::kRnr;
  }
  if (const Trigger* nak = sent.naks.answered_by(seq, packet.time, replies.received())) {
    e.trigger_frame = nak->frame;
    e.wait = since(nak->time, packet);
    return Cause::kNak;
  }
  const auto last_reply = replies.last_reply_time();
  if (!last_reply) return Cause::kUnknown;
  // Responses flow: something came after it was asked for, and not long ago; or there was no time for a timer.
  const bool flow = packet.wants_response() && packet.time - *last_reply < kResponsesFlow;
  const PendingRead* read = flow ? sent.reads.find(seq) : nullptr;
  if (read && (*last_reply > asked_time(*read) || e.wait < kDirectionSkew + kDirectionSkew)) {
    return Cause::kReadRestart;
  }
  // Asked for before the capture began: what came since is all that is known.
  if (flow && seq < sent.first) return Cause::kReadRestart;
  if (seq < sent.first && e.wait < kSilence) return Cause::kUnknown;
  if (replies.unreadable() && (e.wait < kSilence || replies.may_refuse(seq))) return Cause::kUnknown;
  // A timer has it begin with the oldest PSN that is not acknowledged. This one had replies that the capture lacks, and
  // unless it waited for as long as a QP timeout, a NAK may have been among them.
  if (seq > replies.received() + 1 && e.wait < kResponsesFlow) return Cause::kUnknown;
  return Cause::kTimeout;
}

}  // namespace

bool original_seen(Sequence seq, const SentSoFar& sent) {
  if (seq < sent.first) return false;
  if (sent.missing.contains(seq)) return false;
  const Slot* slot = sent.history.find(seq);
  return !slot || slot->state == Slot::State::kSeen || sent.reads.find(seq) != nullptr;
}

Episode judge_go_back(Sequence seq, const PacketFacts& packet, const SentSoFar& sent) {
  Episode e;
  e.first_psn = wire_psn(seq);
  e.last_psn = e.first_psn;
  e.first_frame = packet.frame;
  e.first_time = packet.time;
  e.first_psn_seen = original_seen(seq, sent);
  e.first_psn_acked = seq >= sent.first && seq <= sent.replies.received();
  e.named_by_nak = sent.naks.name(seq);
  e.reply_was_due = reply_is_due(seq, sent);
  e.silence = since(sent.last_request_time, packet);
  const Slot* slot = sent.history.find(seq);
  e.first_psn_behind_gap =
      slot && (slot->behind_gap || (is_seen(slot) && sent.refusals.passed_over(seq, slot->last_frame)));
  // A receiver without reordering drops what overtook a late PSN as well: the PSN after a late one shares its fate.
  const Slot* before = sent.history.find(seq - 1);
  e.first_psn_late = (slot && slot->late) || (before && before->late);
  e.first_psn_bad_icrc = damaged_since(seq, sent);
  e.wait = wait_before(seq, packet, sent);
  e.cause = cause_of(seq, packet, sent, e);
  const PendingRead* read = packet.is_read_request() ? sent.reads.find(seq) : nullptr;
  e.response_passed = read && read->passed_by(seq);
  return e;
}

bool was_spurious(const EpisodeLog::Open& open, Sequence first) {
  return open.first >= first && open.received_at_start >= open.last && !open.unanswered;
}

}  // namespace rocetop::track
