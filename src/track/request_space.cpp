// SPDX-License-Identifier: BSD-3-Clause
#include "track/request_space.h"

#include <algorithm>

namespace rocetop::track {
namespace {

constexpr Sequence kOneWrap = Sequence{1} << 24;
constexpr std::size_t kLateMost = 64;      // a reordering depth beyond this is a sender going back
constexpr std::size_t kTriggersMost = 16;  // NAKs a sender may not have answered yet
constexpr Sequence kLookBack = 1024;       // PSNs looked at when the sender goes back: each go-back costs no more
constexpr Sequence kNarrowWindow = 4096;
/// How far behind a NAK the first resent packet may be when the capture missed the ones between.
constexpr Sequence kTriggerSlack = 64;

bool spans_match(std::uint32_t bytes, Sequence span) {
  for (std::uint32_t pmtu = 256; pmtu <= 4096; pmtu *= 2) {
    if (read_span(bytes, pmtu) == span) return true;
  }
  return false;
}

}  // namespace

// ---------------------------------------------------------------------------------------------- requests

void RequestSpace::start(const PacketFacts& packet) {
  started_ = true;
  first_ = kOneWrap + static_cast<Sequence>(packet.psn.value);
  highest_ = first_ - 1;
  received_ = first_ - 1;
  counts_.first_psn = packet.psn;
  last_request_time_ = packet.time;
}

void RequestSpace::on_request(const PacketFacts& packet, std::optional<std::uint32_t> pmtu, bool delivered,
                              Context& context, Observation& observation) {
  if (!started_) start(packet);
  pmtu_known_ = pmtu.has_value();
  if (!missing_.empty()) settle(packet.time, context);
  ++counts_.packets;
  counts_.payload_bytes += packet.payload_bytes;
  if (packet.has_ip_id && packet.ip_id != last_ip_id_) ++ip_id_changes_;
  observation.space = SpaceName::kRequests;

  const Sequence seq = extend(highest_, packet.psn);
  // A damaged packet's PSN may be what was damaged: it is believed only where it is the one expected, or one just sent.
  if (!delivered && seq != highest_ + 1 && (seq > highest_ || !history_.find(seq))) return;
  if (read_is_open_ && seq > highest_) close_open_read(seq);
  const Sequence last = last_of(seq, packet, pmtu);
  if (seq > highest_) {
    on_new(seq, last, packet, delivered, context, observation);
  } else {
    on_old(seq, last, packet, delivered, context, observation);
  }
  last_ip_id_ = packet.ip_id;
  last_request_time_ = packet.time;
  last_request_frame_ = packet.frame;
}

/// The newest request is a READ of unknown span (path MTU not seen, or RETH cut off) and the next request follows it:
/// the PSNs between are the READ's if some path MTU explains them.
void RequestSpace::close_open_read(Sequence next_seq) {
  read_is_open_ = false;
  PendingRead* read = reads_.newest();
  if (!read || read->span_known) return;
  const Sequence span = next_seq - read->first;
  if (read->bytes_known && !spans_match(read->bytes, span)) return;
  read->last = std::max(read->last, next_seq - 1);
  read->span_known = true;
  if (read->last > highest_) {
    highest_ = read->last;
    history_.advance(highest_);
  }
}

Sequence RequestSpace::last_of(Sequence seq, const PacketFacts& packet, std::optional<std::uint32_t> pmtu) const {
  if (!packet.is_read_request() || !packet.has_reth) return seq;
  if (packet.read_bytes == 0) return seq;
  if (!pmtu) return seq;
  return seq + read_span(packet.read_bytes, *pmtu) - 1;
}

void RequestSpace::on_new(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
                          Observation& observation) {
  if (episodes_.is_open()) {
    if (episodes_.open().next == seq) episodes_.open().episode.tail_unseen = true;
    end_episode(context);
  }
  if (!copies_.empty()) count_copies();
  if (!late_.empty()) late_were_reordered(context);
  const Sequence gap = seq - highest_ - 1;
  if (gap > 0) {
    missing_.add({highest_ + 1, seq - 1, packet.frame, packet.time}, context.limits.open_runs, counts_, context.lists);
    observation.missing_before = static_cast<std::uint32_t>(gap);
    if (received_ > highest_ && !skewed_received_) {
      skewed_received_ = received_;
      skewed_since_ = packet.time;
    }
  }
  observation.kind = Kind::kNew;
  remember(seq, packet, delivered, context);
  if (packet.wants_response()) remember_read(seq, last, packet);
  highest_ = last;
  if (last > seq) history_.advance(last);
  counts_.highest_psn = wire_psn(highest_);
  last_new_time_ = packet.time;
}

/// The first transmission of `seq`.
void RequestSpace::remember(Sequence seq, const PacketFacts& packet, bool delivered, Context& context) {
  const auto in_flight = static_cast<std::size_t>(seq - std::max(received_, first_ - 1));
  const std::size_t wanted = std::max(in_flight + 1, context.limits.history_slots_start);
  // Where no reply is seen the window is not known: a resend is looked for among the newest packets only.
  const std::size_t most = last_reply_time_ ? context.limits.history_slots_most
                                            : std::min<std::size_t>(context.limits.history_slots_most, 1024);
  if (history_.size() < wanted) history_.grow(std::min(wanted, most), most, context.slots);
  history_.advance(seq);
  if (Slot* slot = history_.find(seq)) {
    *slot = first_slot(packet);
    slot->bad_icrc = !delivered;
    slot->behind_gap = is_behind_gap(seq);
  }
}

void RequestSpace::remember_read(Sequence seq, Sequence last, const PacketFacts& packet) {
  PendingRead read;
  read.first = seq;
  read.last = last;
  read.answered = seq - 1;
  read.frame = packet.frame;
  read.time = packet.time;
  read.bytes = packet.read_bytes;
  read.bytes_known = packet.has_reth;
  // An atomic takes one PSN; a READ's span needs the RETH and the path MTU, unless it is empty.
  read.span_known =
      !packet.is_read_request() || last > seq || (packet.has_reth && (packet.read_bytes <= 256 || pmtu_known_));
  read_is_open_ = !read.span_known;
  reads_.add(read);
}

void RequestSpace::on_path_mtu(std::uint32_t pmtu) {
  PendingRead* read = reads_.newest();
  if (!read_is_open_ || !read || !read->bytes_known) return;
  read_is_open_ = false;
  read->span_known = true;
  read->last = read->first + read_span(read->bytes, pmtu) - 1;
  if (read->last > highest_) {
    highest_ = read->last;
    history_.advance(highest_);
    counts_.highest_psn = wire_psn(highest_);
  }
}

void RequestSpace::on_response_psn(Psn psn) {
  PendingRead* read = reads_.newest();
  if (!read_is_open_ || !read || read->bytes_known) return;
  const Sequence seq = extend(highest_, psn);
  if (seq <= highest_ || seq - highest_ > kJumpNoLossExplains) return;
  read->last = seq;
  highest_ = seq;
  history_.advance(seq);
  counts_.highest_psn = psn;
}

// ---------------------------------------------------------------------------------------------- old PSNs

void RequestSpace::on_old(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
                          Observation& observation) {
  const auto* gap = missing_.find(seq);
  const bool missing = gap != nullptr;
  // A lost READ whose span the path MTU does not tell yet: the gap does, if some path MTU explains it.
  if (gap && packet.is_read_request() && !pmtu_known_ &&
      (!packet.has_reth || spans_match(packet.read_bytes, gap->last - seq + 1))) {
    last = gap->last;
  }
  const bool goes_on = episodes_.is_open() && seq >= episodes_.open().next;
  // Selective repeat: the next resend answers a NAK of its own.
  const bool named_anew =
      goes_on && seq > episodes_.open().next && std::any_of(naks_.begin(), naks_.end(), [&](const Trigger& t) {
        return t.seq == seq && t.time > episodes_.open().episode.first_time;
      });
  if (!goes_on || named_anew) {
    const bool triggered = trigger_for(seq, packet.time, rnrs_) || trigger_for(seq, packet.time, naks_);
    const bool follows_late = !late_.empty() && seq == late_.back().last + 1 && !missing;
    if (follows_late && !triggered) {
      late_were_resent(context);
    } else if (!missing && !triggered && copies_were_resends(seq, packet, context)) {
      // the row of copies is an episode now, and this packet its next
    } else if (!missing && !triggered && is_copy(history_.find(seq), packet)) {
      observation.kind = Kind::kDuplicate;
      observation.original_frame = history_.find(seq)->last_frame;
      copies_.push_back(packet);
      if (ids_count() || copies_.size() >= kLateMost) count_copies();
      return;
    } else if (missing && !triggered && !delivered) {
      return;  // damaged and late: seen, but it fills nothing and says nothing about the sender
    } else if (missing && !triggered && packet.time - last_request_time_ < kSilence && late_.size() < kLateMost) {
      hold_late(seq, last, packet, context, observation);
      return;
    } else {
      count_copies();
      late_were_reordered(context);
      begin_episode(seq, packet, context);
    }
  }
  resend(seq, last, packet, delivered, context, observation);
}

/// One packet seen twice without the sender going back. Told by time, supported by the IPv4 identification where the
/// sender counts it up: a resend has a new one, a copy the same. Adapters with a constant one are told by time alone.
bool RequestSpace::is_copy(const Slot* slot, const PacketFacts& packet) const {
  if (!slot || slot->state != Slot::State::kSeen) return false;
  const Nanos since = packet.time - slot->last_time;
  if (packet.has_ip_id && ids_count()) return packet.ip_id == slot->ip_id && since < kDirectionSkew + kDirectionSkew;
  return since < kCopyWindow;
}

/// Whether this sender counts the IPv4 identification up from packet to packet.
bool RequestSpace::ids_count() const {
  return ip_id_changes_ > 2 && std::uint64_t{ip_id_changes_} * 2 > counts_.packets;
}

void RequestSpace::count_copies() {
  counts_.duplicate_packets += copies_.size();
  copies_.clear();
}

/// Copies follow their originals one by one; a row of old PSNs in order, with nothing new between, is the sender going
/// back. Where most packets come twice, a mirror that delivers in rows is likelier.
bool RequestSpace::copies_were_resends(Sequence seq, const PacketFacts& packet, Context& context) {
  if (copies_.empty() || seq != extend(highest_, copies_.back().psn) + 1) return false;
  if (packet.has_ip_id && ids_count()) return false;
  if (counts_.duplicate_packets * 4 > counts_.packets) return false;
  const std::vector<PacketFacts> resent = std::move(copies_);
  copies_.clear();
  begin_episode(extend(highest_, resent.front().psn), resent.front(), context);
  Observation unused;
  for (const PacketFacts& p : resent) {
    const Sequence s = extend(highest_, p.psn);
    resend(s, s, p, true, context, unused);
  }
  return true;
}

/// Whether a PSN before `seq` is missing and not acknowledged.
bool RequestSpace::is_behind_gap(Sequence seq) const {
  return !missing_.empty() && missing_.runs().back().last > received_ && missing_.runs().front().first < seq;
}

void RequestSpace::hold_late(Sequence seq, Sequence last, const PacketFacts& packet, Context& context,
                             Observation& observation) {
  const Late late{packet, *missing_.take_range(seq, last), last};
  late_.push_back(late);
  observation.kind = Kind::kReordered;
  remember(seq, packet, true, context);
  if (packet.wants_response() && !reads_.find(seq)) remember_read(seq, last, packet);
  if (Slot* slot = history_.find(seq)) {
    *slot = first_slot(packet);
    slot->late = true;
  }
}

void RequestSpace::late_were_reordered(Context& context) {
  for (const Late& late : late_) {
    ++counts_.reordered_packets;
    MissingPsns::settle_run(late.run, Outcome::kReordered, counts_, context.lists);
    if (context.sink) {
      context.sink->on_resolution({late.packet.frame, Resolution::Fate::kReordered, Cause::kUnknown, {}, {}});
    }
  }
  late_.clear();
}

/// The packet after the late ones had been seen before: the sender went back, and the late ones were its first resends.
void RequestSpace::late_were_resent(Context& context) {
  const std::vector<Late> resent = std::move(late_);
  late_.clear();
  const Sequence first = extend(highest_, resent.front().packet.psn);
  // As it was when the first of them arrived: the late packets must not count as their own originals.
  begin_episode(first, resent.front().packet, context);
  for (const Late& late : resent) {
    const Sequence seq = extend(highest_, late.packet.psn);
    MissingPsns::settle_run(late.run, Outcome::kRetransmitted, counts_, context.lists);
    ++counts_.retransmitted_original_unseen;
    counts_.retransmitted_bytes += late.packet.payload_bytes;
    episodes_.add(late.last, late.packet, seq <= received_, true, context);
  }
}

// ---------------------------------------------------------------------------------------------- episodes

/// The NAK that a go-back to `seq` answers: one that names it; or, where the capture missed the first resends, one for
/// a PSN just before it that is not acknowledged yet. What was acknowledged since explains a resend for a short time
/// only (the two crossed on the way).
const RequestSpace::Trigger* RequestSpace::trigger_for(Sequence seq, Nanos now,
                                                       const std::vector<Trigger>& triggers) const {
  const Trigger* near = nullptr;
  for (const Trigger& trigger : triggers) {
    const bool acknowledged = trigger.seq <= received_;
    if (trigger.seq == seq && (!acknowledged || now - trigger.time < kCrossing)) return &trigger;
    if (!acknowledged && seq > trigger.seq && seq <= trigger.seq + kTriggerSlack) near = &trigger;
  }
  return near;
}

/// The sender went back: what it had been told until then is used up. A NAK that came after the one it answered is not.
void RequestSpace::use_triggers(Cause cause, Nanos trigger_time) {
  const auto used = [&](const Trigger& trigger) { return cause != Cause::kNak || trigger.time <= trigger_time; };
  std::erase_if(naks_, used);
  rnrs_.clear();
}

void RequestSpace::begin_episode(Sequence seq, const PacketFacts& packet, Context& context) {
  end_episode(context);
  EpisodeLog::Open open;
  Episode& e = open.episode;
  open.first = seq;
  open.next = seq;
  open.last = seq;
  open.received_at_start = received_;
  open.began_with_read = packet.is_read_request();
  e.first_psn = wire_psn(seq);
  e.last_psn = e.first_psn;
  e.first_frame = packet.frame;
  e.first_time = packet.time;
  e.first_psn_seen = original_seen(seq);
  e.first_psn_acked = is_acknowledged(seq);
  e.named_by_nak = std::any_of(naks_.begin(), naks_.end(), [&](const Trigger& t) { return t.seq == seq; });
  const Slot* slot = history_.find(seq);
  const auto* run = missing_.find(seq);
  e.reply_was_due = reply_is_due(seq);
  e.silence = packet.time - last_request_time_;
  // A receiver without reordering drops what overtook a late PSN as well: the PSN after a late one shares its fate.
  const Slot* before = history_.find(seq - 1);
  e.first_psn_behind_gap = slot && slot->behind_gap;
  e.first_psn_late = (slot && slot->late) || (before && before->late);
  e.first_psn_bad_icrc = damaged_since(seq);
  // The sender last sent it when the tap saw it, or, if the tap never did, just before the packet that jumped over it.
  if (slot && slot->state == Slot::State::kSeen && slot->last_frame != packet.frame) {
    e.wait = packet.time - slot->last_time;
  } else if (const PendingRead* read = reads_.find(seq)) {
    e.wait = packet.time - (read->asked_again ? read->asked_again_time : read->time);
  } else if (run) {
    e.wait = packet.time - run->time;
  }
  e.cause = cause_of(seq, packet, e);
  use_triggers(e.cause, packet.time - e.wait);
  episodes_.begin(open);
  answers_ = {seq, 0, 0};
}

/// Whether a packet from `from` on was seen only with a wrong ICRC.
bool RequestSpace::damaged_since(Sequence from) const {
  for (Sequence s = highest_; s >= std::max(from, highest_ - kLookBack); --s) {
    const Slot* slot = history_.find(s);
    if (!slot) return false;
    if (slot->state == Slot::State::kSeen && slot->bad_icrc) return true;
  }
  return false;
}

/// Whether a packet from `from` on that wants a reply has passed. (Where the newest packets are no longer remembered,
/// or a READ's span covers them, yes.)
bool RequestSpace::reply_is_due(Sequence from) const {
  if (highest_ - from > kLookBack) return true;
  for (Sequence s = highest_; s >= from; --s) {
    const Slot* slot = history_.find(s);
    if (!slot || reads_.find(s)) return true;
    if (slot->state == Slot::State::kSeen && slot->wants_reply) return true;
  }
  return false;
}

/// Why the sender went back to `seq`, by what the tap saw before. `spurious` is decided when the episode ends.
Cause RequestSpace::cause_of(Sequence seq, const PacketFacts& packet, Episode& episode) const {
  if (const Trigger* rnr =
          trigger_for(seq, packet.time, rnrs_)) {  // outranks a sequence NAK for the packets still under way
    episode.trigger_frame = rnr->frame;
    episode.wait = packet.time - rnr->time;
    episode.advertised_wait = rnr->advertised;
    return Cause::kRnr;
  }
  if (const Trigger* nak = trigger_for(seq, packet.time, naks_)) {
    episode.trigger_frame = nak->frame;
    episode.wait = packet.time - nak->time;
    return Cause::kNak;
  }
  if (!last_reply_time_) return Cause::kUnknown;
  // Responses flow: something came after it was asked for, and not long ago; or there was no time for a timer.
  const PendingRead* read = packet.wants_response() ? reads_.find(seq) : nullptr;
  if (read && packet.time - *last_reply_time_ < kResponsesFlow &&
      (*last_reply_time_ > (read->asked_again ? read->asked_again_time : read->time) ||
       episode.wait < kDirectionSkew + kDirectionSkew)) {
    return Cause::kReadRestart;
  }
  if (replies_unreadable_ && episode.wait < kSilence) return Cause::kUnknown;
  return Cause::kTimeout;
}

bool RequestSpace::original_seen(Sequence seq) const {
  if (seq < first_) return false;
  if (missing_.contains(seq)) return false;
  const Slot* slot = history_.find(seq);
  return !slot || slot->state == Slot::State::kSeen || reads_.find(seq) != nullptr;
}

void RequestSpace::resend(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
                          Observation& observation) {
  const bool seen = original_seen(seq);
  const EpisodeLog::Open& open = episodes_.open();
  observation.kind = Kind::kRetransmission;
  observation.cause = open.episode.cause;
  observation.trigger_frame = open.episode.trigger_frame;
  ++(seen ? counts_.retransmitted_original_seen : counts_.retransmitted_original_unseen);
  counts_.retransmitted_bytes += packet.payload_bytes;
  episodes_.add(last, packet, is_acknowledged(seq), !seen, context);
  if (last > answers_.last) {
    answers_.last = last;
    answers_.seen = 0;
  }
  answers_.asked_for += packet.ack_request || packet.wants_response() ? 1 : 0;
  if (delivered) {
    missing_.settle_range(seq, last, Outcome::kRetransmitted, counts_, context.lists);
  }
  if (packet.wants_response()) {
    PendingRead* read = reads_.find(seq);
    if (read && (read->first < seq || seen)) {
      read->asked_again = true;
      read->asked_again_from = seq;
      read->asked_again_time = packet.time;
      read->asked_again_frame = packet.frame;
    } else if (!read) {
      const bool was_open = read_is_open_;
      remember_read(seq, last, packet);
      read_is_open_ = was_open;
    }
  }
  if (Slot* slot = history_.find(seq)) {
    observation.original_frame = slot->state == Slot::State::kSeen ? slot->first_frame : FrameId{};
    if (slot->state != Slot::State::kSeen) {
      slot->first_time = packet.time;
      slot->first_frame = packet.frame;
      slot->payload_bytes = packet.payload_bytes;
    }
    slot->last_time = packet.time;
    slot->last_frame = packet.frame;
    slot->ip_id = packet.ip_id;
    slot->opcode = packet.opcode;
    slot->state = Slot::State::kSeen;
    slot->transmissions = static_cast<std::uint8_t>(std::min(slot->transmissions + 1, 255));
    slot->wants_reply = packet.ack_request || packet.wants_response();
    slot->bad_icrc = slot->bad_icrc && !delivered;
    slot->behind_gap = is_behind_gap(seq);
  }
  if (last > highest_) {
    highest_ = last;
    history_.advance(last);
    counts_.highest_psn = wire_psn(highest_);
  }
}

void RequestSpace::end_episode(Context& context) {
  if (!episodes_.is_open()) return;
  EpisodeLog::Open& open = episodes_.open();
  const Cause cause = open.episode.cause;
  if ((cause == Cause::kTimeout || cause == Cause::kUnknown || cause == Cause::kNak) && was_spurious(open)) {
    open.episode.cause = Cause::kSpurious;
  }
  episodes_.end(counts_, context);
}

/// Everything resent had been acknowledged at the tap before the resend began, and READs and atomics answered.
bool RequestSpace::was_spurious(const EpisodeLog::Open& open) const {
  if (open.first < first_ || open.received_at_start < open.last) return false;
  bool answered = true;
  reads_.each_overlapping(open.first, open.last,
                          [&](const PendingRead& read) { answered = answered && read.complete(); });
  return answered;
}

// ---------------------------------------------------------------------------------------------- replies

RequestSpace::Fit RequestSpace::fits(const PacketFacts& reply) const {
  if (!started_) return Fit::kNone;
  const Sequence seq = extend(highest_, reply.psn);
  if (seq < first_ || seq > highest_ + (reply.role == wire::Role::kAcknowledge ? 1 : 0)) return Fit::kNone;
  if (reply.role == wire::Role::kResponse) return reads_.find(seq) ? Fit::kExact : Fit::kNone;
  const Slot* slot = history_.find(seq);
  if (slot && slot->state == Slot::State::kSeen && slot->wants_reply && reply.time >= slot->first_time)
    return Fit::kExact;
  if (seq <= received_) return Fit::kNone;
  // Any PSN of a narrow window says as much: it is hit by chance once in 4,000 connections.
  return highest_ - received_ <= kNarrowWindow ? Fit::kExact : Fit::kInWindow;
}

void RequestSpace::on_reply(const PacketFacts& reply, Context& context, Observation& observation) {
  if (!started_) return;
  const Sequence seq = extend(highest_, reply.psn);
  if (seq < first_ - kJumpNoLossExplains || seq > highest_ + kJumpNoLossExplains) return;  // not of these PSNs
  if (!last_reply_time_) replies_are_captured();
  last_reply_time_ = reply.time;
  if (reply.has_aeth) last_msn_ = reply.msn;
  if (reply.role == wire::Role::kAcknowledge && !reply.has_aeth) {
    replies_unreadable_ = true;  // ACK or NAK: both acknowledge what is before
    advance_received(seq - 1, reply, context);
    return;
  }
  if (const Slot* slot = history_.find(std::min(seq, highest_)); slot && slot->state == Slot::State::kSeen) {
    observation.acks_frame = slot->last_frame;
    if (slot->transmissions == 1 && slot->wants_reply && seq <= highest_ && reply.time >= slot->first_time) {
      observation.rtt = reply.time - slot->first_time;
    }
  }
  const auto kind = reply.role == wire::Role::kAcknowledge ? wire::aeth_kind(reply.syndrome) : wire::AethKind::kAck;
  if (kind == wire::AethKind::kAck) {
    if (reply.role == wire::Role::kAcknowledge) count_answer(seq);
    advance_received(seq, reply, context);
    return;
  }
  advance_received(seq - 1, reply, context);
  if (kind == wire::AethKind::kRnrNak || wire::nak_code(reply.syndrome) == wire::NakCode::kPsnSequenceError) {
    on_nak(seq, reply, kind == wire::AethKind::kRnrNak);
  }
}

/// The first reply: where the sender had gone back after silence, it was no unseen NAK but the timer.
void RequestSpace::replies_are_captured() {
  const auto judge = [](Episode& e) {
    if (e.cause != Cause::kUnknown || e.wait < kSilence) return false;
    e.cause = Cause::kTimeout;
    return true;
  };
  if (episodes_.is_open()) judge(episodes_.open().episode);
  for (Episode& e : counts_.episodes) {
    if (!judge(e)) continue;
    --counts_.episodes_by_cause[static_cast<std::size_t>(Cause::kUnknown)];
    ++counts_.episodes_by_cause[static_cast<std::size_t>(Cause::kTimeout)];
  }
}

void RequestSpace::count_answer(Sequence seq) {
  if (answers_.asked_for == 0 || seq != answers_.last || ++answers_.seen <= answers_.asked_for) return;
  if (episodes_.is_open()) {
    episodes_.open().episode.originals_arrived = true;
  } else if (!counts_.episodes.empty() && counts_.episodes.back().last_psn == wire_psn(answers_.last)) {
    counts_.episodes.back().originals_arrived = true;
  }
}

void RequestSpace::on_nak(Sequence seq, const PacketFacts& reply, bool rnr) {
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
  auto& triggers = rnr ? rnrs_ : naks_;
  if (std::any_of(triggers.begin(), triggers.end(), [&](const Trigger& t) { return t.seq == seq; })) return;
  if (triggers.size() >= kTriggersMost) triggers.erase(triggers.begin());
  triggers.push_back(trigger);
}

void RequestSpace::advance_received(Sequence seq, const PacketFacts& reply, Context& context) {
  if (seq <= received_) return;
  if (context.sink) {
    const Sequence newest = std::min(seq, highest_);
    const auto remembered = static_cast<Sequence>(history_.size());
    for (Sequence s = std::max(received_ + 1, newest - remembered + 1); s <= newest; ++s) {
      const Slot* slot = history_.find(s);
      if (slot && slot->state == Slot::State::kSeen) {
        context.sink->on_resolution(
            {slot->last_frame, Resolution::Fate::kAcknowledged, Cause::kUnknown, {}, reply.frame});
      }
    }
  }
  received_ = seq;
  last_ack_frame_ = reply.frame;
  last_ack_time_ = reply.time;
  if (seq > highest_) {
    received_beyond_frame_ = reply.frame;
    received_beyond_time_ = reply.time;
  }
  if (!missing_.empty() && !skewed_received_) {
    skewed_received_ = seq;
    skewed_since_ = reply.time;
  }
}

void RequestSpace::settle(Nanos now, Context& context) {
  if (!skewed_received_ || now - skewed_since_ < kDirectionSkew) return;
  missing_.settle_through(*skewed_received_, Outcome::kCaptureMissed, counts_, context.lists);
  skewed_received_.reset();
  if (!missing_.empty() && received_ >= missing_.runs().front().first) {
    skewed_received_ = received_;
    skewed_since_ = now;
  }
}

void RequestSpace::finish(Context& context) {
  if (!started_) return;
  count_copies();
  late_were_reordered(context);
  end_episode(context);
  missing_.settle_through(received_, Outcome::kCaptureMissed, counts_, context.lists);
  missing_.settle_all(Outcome::kUnresolved, counts_, context.lists);
  if (received_ > highest_) {
    MissingPsns::settle_run({highest_ + 1, received_, received_beyond_frame_, received_beyond_time_},
                            Outcome::kCaptureMissed, counts_, context.lists);
  }
}

// ---------------------------------------------------------------------------------------------- another connection?

bool RequestSpace::is_suspect(const PacketFacts& packet) const {
  if (!started_) return false;
  const Sequence seq = extend(highest_, packet.psn);
  if (seq == highest_ + 1) return false;
  if (seq > highest_ + kJumpNoLossExplains || seq < first_ - kTriggerSlack || seq + kJumpNoLossExplains < highest_)
    return true;
  if (seq > highest_ + 1) {
    if (read_is_open_) return false;
    return all_acknowledged();
  }
  if (seq > received_) return false;
  // Back to what was acknowledged: a needless resend, unless the packet differs from the one seen at that PSN.
  if (episodes_.is_open() && seq >= episodes_.open().next) return false;
  const Slot* slot = history_.find(seq);
  if (is_copy(slot, packet)) return false;
  return !slot || slot->state != Slot::State::kSeen || slot->opcode != packet.opcode || seq == first_;
}

bool RequestSpace::is_far(const PacketFacts& packet) const {
  const Sequence seq = extend(highest_, packet.psn);
  return seq > highest_ + kJumpNoLossExplains || seq < first_ - kJumpNoLossExplains ||
         seq + kJumpNoLossExplains < highest_ || (seq < first_ - kTriggerSlack && all_acknowledged());
}

}  // namespace rocetop::track
