// SPDX-License-Identifier: BSD-3-Clause
#include "track/selective_space.h"

#include <algorithm>
#include <limits>

namespace rocetop::track {
namespace {

constexpr Sequence kWrap = Sequence{1} << 24;
/// PSNs before the first one seen that packets on other paths, or resends, may still bring.
constexpr Sequence kBeforeFirst = 4096;
/// Gaps of the first moments that are remembered: more than paths of unequal length make in that time.
constexpr std::size_t kEarlyGaps = 64;
/// PSNs that a SACK's bitmap reaches to: a receiver takes none further ahead of what it waits for.
constexpr Sequence kBitmap = static_cast<Sequence>(wire::kSackBitmapBits);
/// Resends of one reason within this time are one episode.
constexpr Nanos kOneEpisode = milliseconds(1);
/// A resend that nothing asked for is a timer's after this many round trips, and after this long: replies take one
/// round trip, and no timer in use is as short.
constexpr std::int64_t kTimerRoundTrips = 4;
constexpr Nanos kTimerLeast = microseconds(100);

void count_up(std::uint8_t& n) {
  if (n < std::numeric_limits<std::uint8_t>::max()) ++n;
}

}  // namespace

void SelectiveSpace::start(const PacketFacts& packet, const VeroceFacts& more) {
  started_ = true;
  first_time_ = packet.time;
  last_new_time_ = packet.time;
  begins_in_sight_ = more.has_msn && more.msn.value == 1 && packet.starts_message();
  first_ = kWrap + static_cast<Sequence>(packet.psn.value);
  highest_ = first_ - 1;
  received_ = first_ - 1;
  counts_.first_psn = packet.psn;
  last_ip_id_ = packet.ip_id;
}

bool SelectiveSpace::on_packet(const PacketFacts& packet, const VeroceFacts& more, bool delivered, PathLog& paths,
                               Context& context, Observation& observation) {
  if (!started_) start(packet, more);
  settle(packet.time, context);
  ++counts_.packets;
  counts_.payload_bytes += packet.payload_bytes;
  ids_count_ = ids_count_ || (packet.has_ip_id && packet.ip_id != last_ip_id_);
  last_ip_id_ = packet.ip_id;
  observation.space = name_;
  observation.kind = Kind::kNew;

  const Sent sent{extend(highest_, packet.psn), packet, more, delivered};
  Slot* slot = slots_.find(sent.seq);
  // A damaged packet's PSN may be what was damaged: it is believed only where it is the one expected, or one just sent.
  if (!delivered && sent.seq != highest_ + 1 && (sent.seq > highest_ || slot == nullptr)) {
    observation.kind = Kind::kUntracked;
    return false;
  }
  bool brings = true;
  if (more.is_copy) {
    if (slot != nullptr) observation.original_frame = slot->last_frame;
    observation.kind = Kind::kDuplicate;
    ++counts_.duplicate_packets;
    brings = false;
  } else if (sent.seq > highest_) {
    on_new(sent, paths, context, observation);
  } else if (sent.seq < first_) {
    on_before_first(sent, paths, context, observation);
  } else if (slot != nullptr ? slot->state == Slot::State::kMissing : missing_.contains(sent.seq)) {
    on_missing(sent, slot, paths, context, observation);
  } else {
    brings = on_seen(sent, slot, paths, context, observation);
  }
  last_packet_time_ = packet.time;
  last_packet_frame_ = packet.frame;
  return brings && !more.trimmed;
}

/// Makes `seq` the highest PSN; what lies between is missing.
void SelectiveSpace::reach(Sequence seq, Context& context) {
  const Sequence base = std::min(std::max(received_, first_ - 1), seq);
  const auto wanted =
      static_cast<std::size_t>(std::max<Sequence>(seq - base, seq - first_ + 1 < 64 ? seq - first_ : 64));
  // Where no reply is seen the window is not known: a resend is looked for among the newest packets only.
  const std::size_t most = replies_seen() ? context.limits.history_slots_most
                                          : std::min<std::size_t>(context.limits.history_slots_most, 1024);
  if (wanted + 1 > slots_.size()) slots_.grow(wanted + 1, most, context.slots);
  if (!missing_.empty()) settle_forgotten(seq - static_cast<Sequence>(slots_.size()), context);
  slots_.advance(seq);
  highest_ = seq;
}

void SelectiveSpace::on_new(const Sent& sent, PathLog& paths, Context& context, Observation& observation) {
  const PacketFacts& packet = sent.packet;
  const Sequence before = highest_;
  const Nanos sent_before = counts_.packets > 1 ? last_packet_time_ : packet.time;
  reach(sent.seq, context);
  if (sent.seq > before + 1) {
    missing_.add({before + 1, sent.seq - 1, packet.frame, packet.time}, counts_, context);
    observation.missing_before = static_cast<std::uint32_t>(sent.seq - before - 1);
    note_early_gap(sent.seq - 1);
    const auto remembered = static_cast<Sequence>(slots_.size());
    for (Sequence s = std::max(before + 1, sent.seq - remembered + 1); s < sent.seq; ++s) {
      if (Slot* slot = slots_.find(s)) {
        slot->state = Slot::State::kMissing;
        slot->last_time = packet.time;
      }
    }
    if (received_ > before) close_gaps(packet.time);
  }
  if (!missing_.empty() && replies_seen()) {
    const Sequence oldest = missing_.runs().front().first;
    if (oldest > received_ && sent.seq - oldest >= kBitmap && !is_before_capture(oldest)) ++recovery_.beyond_window;
  }
  Slot* slot = slots_.find(sent.seq);
  if (sent.more.retransmit && before >= first_) {
    // Lost before the tap. Nothing was sent behind it that would have shown the gap: it was never missing here.
    resend(sent, slot, true, sent_before, paths, context, observation);
  } else {
    remember(sent, slot);
    paths.on_packet(packet, false, sent.more.trimmed);
  }
  last_new_time_ = packet.time;
}

/// The PSNs from behind the highest one to `last` are missing.
void SelectiveSpace::note_early_gap(Sequence last) {
  const Nanos since_first = last_new_time_ - first_time_;
  if (begins_in_sight_ || since_first >= kSilence || last - first_ >= kBeforeFirst ||
      early_gaps_.size() >= kEarlyGaps) {
    return;
  }
  early_gaps_.push_back({last, since_first});
}

/// Whether `seq`, which never passed, had passed before the capture began, as far as anything tells. The packets below
/// it that the capture does hold came behind it then: the first one seen did, and the others if packets come that late
/// here. A resend does not tell otherwise: the original may have passed and been lost after the tap.
bool SelectiveSpace::is_before_capture(Sequence seq) const {
  const auto gap =
      std::partition_point(early_gaps_.begin(), early_gaps_.end(), [&](const EarlyGap& g) { return g.last < seq; });
  return gap != early_gaps_.end() && gap->since_first <= longest_late_;
}

void SelectiveSpace::on_before_first(const Sent& sent, PathLog& paths, Context& context, Observation& observation) {
  if (sent.seq < first_ - kBeforeFirst || sent.more.retransmit) {
    resend(sent, nullptr, true, sent.packet.time, paths, context, observation);
    return;
  }
  if (counts_.first_psn && serial_difference(sent.packet.psn.value, counts_.first_psn->value) < 0) {
    counts_.first_psn = sent.packet.psn;
  }
  note_depth(highest_ - sent.seq, sent.packet.frame);
  // What overtook it did so before the first packet.
  const Nanos late = sent.packet.time - first_time_;
  if (sent.more.flag_certain && late < kSilence) longest_late_ = std::max(longest_late_, late);
  paths.on_packet(sent.packet, false, sent.more.trimmed);
}

/// A PSN that was jumped over, or that the capture has lost: the original is late, or it is a resend.
void SelectiveSpace::on_missing(const Sent& sent, Slot* slot, PathLog& paths, Context& context,
                                Observation& observation) {
  const PacketFacts& packet = sent.packet;
  const bool asked = slot != nullptr && slot->asked != Slot::Asked::kNot;
  const MissingPsns::Run* open = missing_.find(sent.seq);
  const Nanos overtaken = open != nullptr ? open->time : slot != nullptr ? slot->last_time : packet.time;
  // A flag that packets have shown nowhere yet: what was asked for, and comes after that long, was sent again.
  const bool silent = !sent.more.flag_certain && packet.time - overtaken >= kSilence;
  if (sent.more.retransmit || (asked && (sent.more.flag_failed || silent))) {
    if (slot != nullptr && open != nullptr) {
      slot->original_due = true;
    } else {
      missing_.settle(sent.seq, Outcome::kRetransmitted, counts_, context);
    }
    resend(sent, slot, true, overtaken, paths, context, observation);
    return;
  }
  note_late(sent, overtaken, paths, context, observation);
  remember(sent, slot);
}

/// An original that came behind what had overtaken it at `overtaken`.
void SelectiveSpace::note_late(const Sent& sent, Nanos overtaken, PathLog& paths, Context& context,
                               Observation& observation) {
  const PacketFacts& packet = sent.packet;
  if (const auto run = missing_.take(sent.seq)) MissingPsns::count_run(*run, Outcome::kReordered, counts_, context);
  ++counts_.reordered_packets;
  observation.kind = Kind::kReordered;
  note_depth(highest_ - sent.seq, packet.frame);
  paths.on_packet(packet, false, sent.more.trimmed);
  longest_late_ = std::max(longest_late_, packet.time - overtaken);
  paths.on_late(packet.udp_src, packet.time - overtaken);
}

bool SelectiveSpace::on_seen(const Sent& sent, Slot* slot, PathLog& paths, Context& context, Observation& observation) {
  if (slot != nullptr) observation.original_frame = slot->first_frame;
  const bool original_again = !sent.more.retransmit && (sent.more.flag_certain || (slot != nullptr && slot->flagged));
  if (original_again && slot != nullptr && slot->original_due && missing_.contains(sent.seq)) {
    on_late_original(sent, *slot, paths, context, observation);
    return false;
  }
  if (original_again || (slot != nullptr && is_copy(sent, *slot))) {
    observation.kind = Kind::kDuplicate;
    ++counts_.duplicate_packets;
    return false;
  }
  const bool first_whole = slot != nullptr && slot->trimmed;
  resend(sent, slot, false, slot != nullptr ? slot->last_time : last_packet_time_, paths, context, observation);
  return first_whole;
}

/// The original of what has been resent: it was not lost, its path took longer than asking for it again.
void SelectiveSpace::on_late_original(const Sent& sent, Slot& slot, PathLog& paths, Context& context,
                                      Observation& observation) {
  slot.original_due = false;
  ++counts_.retransmitted_original_seen;
  ++recovery_.early_answers;
  recovery_.needless_frames.use().add(slot.last_frame, slot.last_time);
  observation.original_frame = {};
  note_late(sent, missing_.find(sent.seq)->time, paths, context, observation);
}

/// A mirror or the network showed the latest transmission once more. Fooled by a sender without IP ids that resends a
/// resend over the same path within a round trip.
bool SelectiveSpace::is_copy(const Sent& sent, const Slot& slot) const {
  const PacketFacts& packet = sent.packet;
  const Nanos round_trip = shortest_round_trip();
  const bool may_be_resent = sent.more.retransmit;  // else a copy is likelier
  const bool certain = ids_count_ || !may_be_resent || round_trip.count == 0;
  const Nanos window = certain ? kCopyWindow : std::min(kCopyWindow, round_trip);
  return slot.state == Slot::State::kSeen && slot.opcode == packet.opcode &&
         slot.payload_bytes == packet.payload_bytes && slot.udp_src == packet.udp_src &&
         slot.flagged == sent.more.retransmit && slot.trimmed == sent.more.trimmed &&
         (!packet.has_ip_id || slot.ip_id == packet.ip_id) && packet.time - slot.last_time < window;
}

bool SelectiveSpace::has_just_seen(const PacketFacts& packet) const {
  const Slot* slot = started_ ? slots_.find(extend(highest_, packet.psn)) : nullptr;
  return slot != nullptr && slot->state == Slot::State::kSeen && slot->opcode == packet.opcode &&
         slot->payload_bytes == packet.payload_bytes && slot->udp_src == packet.udp_src &&
         (!packet.has_ip_id || slot->ip_id == packet.ip_id) && packet.time - slot->last_time < kCopyWindow;
}

void SelectiveSpace::note_depth(Sequence behind, FrameId frame) {
  const auto depth = static_cast<std::uint32_t>(behind);
  if (depth <= recovery_.reorder_depth) return;
  recovery_.reorder_depth = depth;
  recovery_.reorder_depth_frame = frame;
}

/// The latest transmission of the PSN of `slot`.
void SelectiveSpace::remember(const Sent& sent, Slot* slot) {
  if (slot == nullptr) return;
  const PacketFacts& packet = sent.packet;
  if (slot->state != Slot::State::kSeen) {
    slot->first_time = packet.time;
    slot->first_frame = packet.frame;
    slot->bad_icrc = true;
  }
  slot->state = Slot::State::kSeen;
  slot->last_time = packet.time;
  slot->last_frame = packet.frame;
  slot->payload_bytes = packet.payload_bytes;
  slot->udp_src = packet.udp_src;
  slot->ip_id = packet.ip_id;
  slot->opcode = packet.opcode;
  slot->wants_reply = packet.ack_request || packet.wants_response();
  slot->flagged = sent.more.retransmit;
  slot->trimmed = sent.more.trimmed;
  slot->bad_icrc = slot->bad_icrc && !sent.delivered;
  slot->asked = Slot::Asked::kNot;
  slot->asked_frame = {};
  count_up(slot->transmissions);
}

// ---------------------------------------------------------------------------------------------- resends

/// Why `seq` is sent again, having been sent, or jumped over, at `sent_before`.
Cause SelectiveSpace::cause_of(Sequence seq, const Slot* slot, const PacketFacts& packet, Nanos sent_before) const {
  if (seq >= first_ && (seq <= received_ || (slot != nullptr && slot->received))) return Cause::kSpurious;
  switch (slot != nullptr ? slot->asked : Slot::Asked::kNot) {
    case Slot::Asked::kNak:
      return Cause::kNak;
    case Slot::Asked::kRnr:
      return Cause::kRnr;
    case Slot::Asked::kSack:
      // Senders act on a SACK within a round trip: it does not explain what comes out of a long silence.
      return packet.time - slot->asked_time < kSilence ? Cause::kSack : Cause::kTimeout;
    case Slot::Asked::kNot:
      break;
  }
  const Nanos round_trips{shortest_round_trip().count * kTimerRoundTrips};
  const bool timer = packet.time - sent_before >= std::max(kTimerLeast, round_trips);
  return replies_seen() && timer ? Cause::kTimeout : Cause::kUnknown;
}

/// `unseen`: the original never passed the tap. `sent_before`: when the PSN was last sent, or jumped over.
void SelectiveSpace::resend(const Sent& sent, Slot* slot, bool unseen, Nanos sent_before, PathLog& paths,
                            Context& context, Observation& observation) {
  const PacketFacts& packet = sent.packet;
  const Cause cause = cause_of(sent.seq, slot, packet, sent_before);
  // Whether the original was lost before the tap is open while it may still come.
  const bool open = unseen && slot != nullptr && slot->original_due;
  if (!open) ++(unseen ? counts_.retransmitted_original_unseen : counts_.retransmitted_original_seen);
  counts_.retransmitted_bytes += packet.payload_bytes;
  ++(slot != nullptr && slot->resends > 0 ? recovery_.second_round : recovery_.resent_psns);
  if (!unseen) ++(sent.more.retransmit ? recovery_.flagged_resends : recovery_.unflagged_resends);
  if (cause == Cause::kSpurious) {
    ++recovery_.needless;
    recovery_.needless_frames.use().add(packet.frame, packet.time);
  }
  observation.kind = Kind::kRetransmission;
  observation.cause = cause;
  if (slot != nullptr) observation.trigger_frame = slot->asked_frame;
  note_episode(sent, slot, cause, unseen, sent_before, context);
  if (slot != nullptr && slot->state == Slot::State::kSeen && !slot->trimmed && !slot->bad_icrc) {
    // Of what a timer resends, only the PSN that the receiver waits for is known not to have arrived.
    const bool lost = cause == Cause::kSack || (cause == Cause::kTimeout && sent.seq == received_ + 1);
    if (cause == Cause::kNak) paths.on_asked_by_nak(slot->udp_src);
    if (lost) paths.on_loss(slot->udp_src, slot->last_frame, slot->last_time);
    if (lost && context.sink != nullptr)
      context.sink->on_path_loss({packet.frame, slot->last_frame, slot->last_time, slot->udp_src});
    slot->counted_lost = lost;
    slot->lost_on = slot->udp_src;
  }
  paths.on_packet(packet, true, sent.more.trimmed);
  if (slot == nullptr) return;
  count_up(slot->resends);
  remember(sent, slot);
}

void SelectiveSpace::note_episode(const Sent& sent, const Slot* slot, Cause cause, bool unseen, Nanos sent_before,
                                  Context& context) {
  const PacketFacts& packet = sent.packet;
  const FrameId trigger = slot != nullptr && cause != Cause::kSpurious ? slot->asked_frame : FrameId{};
  const bool goes_on = episodes_.is_open() && episodes_.open().episode.cause == cause &&
                       episodes_.open().episode.trigger_frame == trigger &&
                       packet.time - last_resend_time_ < kOneEpisode;
  last_resend_time_ = packet.time;
  resent_through_ = std::max(resent_through_, sent.seq);
  if (!goes_on) {
    end_episode(context);
    EpisodeLog::Open open;
    Episode& e = open.episode;
    e.cause = cause;
    e.first_psn = e.last_psn = packet.psn;
    e.first_frame = packet.frame;
    e.first_time = packet.time;
    e.trigger_frame = trigger;
    e.wait = std::max(packet.time - (trigger ? slot->asked_time : sent_before), Nanos{});
    e.silence = counts_.packets > 1 ? packet.time - last_packet_time_ : Nanos{};
    e.first_psn_seen = !unseen;
    e.first_psn_acked = cause == Cause::kSpurious;
    e.named_by_nak = cause == Cause::kNak;
    open.first = open.next = open.last = sent.seq;
    open.goes_back = false;
    episodes_.begin(open);
  }
  episodes_.add(sent.seq, packet, cause == Cause::kSpurious, unseen, context);
  episodes_.open().episode.repeated_packets += slot != nullptr && slot->resends > 0 ? 1 : 0;
}

// ---------------------------------------------------------------------------------------------- the end

void SelectiveSpace::settle(Nanos now, Context& context) {
  if (episodes_.is_open() && now - last_resend_time_ >= kOneEpisode) end_episode(context);
  if (!closing_ || now - closing_since_ < kDirectionSkew) return;
  settle_through(*closing_, context);
  closing_.reset();
  if (!missing_.empty() && received_ >= missing_.runs().front().first) close_gaps(now);
}

/// The PSNs up to `last` are about to be remembered no more: what was sent again of them was lost.
void SelectiveSpace::settle_forgotten(Sequence last, Context& context) {
  const auto remembered = static_cast<Sequence>(slots_.size());
  const Sequence oldest = std::max(missing_.runs().front().first, highest_ - remembered + 1);
  for (Sequence s = oldest; s <= std::min(last, highest_); ++s) {
    const Slot* slot = slots_.find(s);
    if (slot == nullptr || !slot->original_due) continue;
    if (const auto run = missing_.take(s)) settle_run(*run, Outcome::kRetransmitted, context);
  }
}

/// What of the open PSNs up to `last`, all acknowledged, became of them: sent again, or the capture missed them.
void SelectiveSpace::settle_through(Sequence last, Context& context) {
  while (const auto run = missing_.take_range(first_, last)) settle_run(*run, Outcome::kCaptureMissed, context);
}

/// PSNs of a run with one fate are one run again. What is remembered no more has one fate on each side of what was
/// acknowledged.
void SelectiveSpace::settle_run(const MissingPsns::Run& run, Outcome otherwise, Context& context) {
  if (is_before_capture(run.first)) {
    MissingPsns::forget_run(run, context);
    return count_resends_of(run);
  }
  MissingPsns::Run rest = run;
  const Sequence remembered = highest_ - static_cast<Sequence>(slots_.size()) + 1;
  for (const auto& [last, fate] : {std::pair{std::min(received_, remembered - 1), Outcome::kCaptureMissed},
                                   std::pair{remembered - 1, otherwise}}) {
    if (rest.first > std::min(last, rest.last)) continue;
    MissingPsns::Run part = rest;
    part.last = std::min(last, rest.last);
    MissingPsns::settle_run(part, fate, counts_, context);
    rest.first = part.last + 1;
  }
  if (rest.first > rest.last) return;
  const bool open_end = otherwise == Outcome::kUnresolved && may_still_come(run);
  const auto fate_of = [&](Sequence s) {
    const Slot* slot = slots_.find(s);
    if (slot == nullptr) return s <= received_ ? Outcome::kCaptureMissed : otherwise;
    if (slot->original_due) return open_end ? Outcome::kUnresolved : Outcome::kRetransmitted;
    return slot->received || s <= received_ ? Outcome::kCaptureMissed : otherwise;
  };
  MissingPsns::Run part = rest;
  for (Sequence s = rest.first; s <= rest.last; s = part.last + 1) {
    const Outcome fate = fate_of(s);
    part.first = part.last = s;
    while (part.last < rest.last && fate_of(part.last + 1) == fate) ++part.last;
    MissingPsns::settle_run(part, fate, counts_, context);
    count_resends_of(part);
  }
}

/// Of `run`, which is open no more: what was sent again, and whose original nobody waits for now.
void SelectiveSpace::count_resends_of(const MissingPsns::Run& run) {
  const Sequence remembered = highest_ - static_cast<Sequence>(slots_.size()) + 1;
  for (Sequence resent = std::max(run.first, remembered); resent <= run.last; ++resent) {
    Slot* slot = slots_.find(resent);
    if (slot == nullptr || !slot->original_due) continue;
    slot->original_due = false;
    ++counts_.retransmitted_original_unseen;
  }
}

/// At the end of a capture in which originals came late: whether the wait for those of `run` was no longer than that.
bool SelectiveSpace::may_still_come(const MissingPsns::Run& run) const {
  constexpr std::int64_t kAsLateAgain = 2;
  return last_packet_time_ - run.time < Nanos{longest_late_.count * kAsLateAgain};
}

void SelectiveSpace::finish(Context& context) {
  end_episode(context);
  while (const auto run = missing_.take_range(first_, highest_)) settle_run(*run, Outcome::kUnresolved, context);
}

SpaceCounts SelectiveSpace::total() const {
  SpaceCounts out = counts_;
  if (started_) out.highest_psn = wire_psn(highest_);
  return out;
}

bool SelectiveSpace::is_far(const PacketFacts& packet) const {
  if (!started_) return false;
  const Sequence seq = extend(highest_, packet.psn);
  return seq > highest_ + kJumpNoLossExplains || seq + kJumpNoLossExplains < highest_;
}

}  // namespace rocetop::track
