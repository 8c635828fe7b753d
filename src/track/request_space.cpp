// SPDX-License-Identifier: BSD-3-Clause
#include "track/request_space.h"

#include <algorithm>
#include <utility>

namespace rocetop::track {
namespace {

constexpr Sequence kOneWrap = Sequence{1} << 24;
constexpr std::size_t kCopiesMost = 64;  // a row of copies longer than this is counted in parts

}  // namespace

// ---------------------------------------------------------------------------------------------- requests

void RequestSpace::start(const PacketFacts& packet) {
  started_ = true;
  first_ = kOneWrap + static_cast<Sequence>(packet.psn.value);
  highest_ = first_ - 1;
  replies_.start(first_);
  counts_.first_psn = packet.psn;
  last_request_time_ = packet.time;
}

void RequestSpace::on_request(const PacketFacts& packet, std::optional<std::uint32_t> pmtu, bool delivered,
                              Context& context, Observation& observation) {
  if (!started_) start(packet);
  if (pmtu && !mtu_.known()) on_path_mtu(*pmtu, context);
  if (!missing_.empty()) settle(packet.time, context);
  ++packets_;
  payload_bytes_ += packet.payload_bytes;
  if (packet.has_ip_id && packet.ip_id != last_ip_id_) ++ip_id_changes_;
  observation.space = SpaceName::kRequests;

  const Sequence seq = extend(highest_, packet.psn);
  // A damaged packet's PSN may be what was damaged: it is believed only where it is the one expected, or one just sent.
  if (!delivered && (seq != highest_ + 1 || read_is_open_) && (seq > highest_ || !history_.find(seq))) return;
  if ((read_is_open_ || (!mtu_.known() && !reads_.empty())) && delivered) learn_from_position(seq, packet, context);
  const Sequence last = last_of(seq, packet);
  if (seq > highest_) {
    on_new(seq, last, packet, delivered, context, observation);
  } else {
    on_old(seq, last, packet, delivered, context, observation);
  }
  messages_.on_request(seq, last, packet, placed());
  last_ip_id_ = packet.ip_id;
  last_request_time_ = packet.time;
  last_request_frame_ = packet.frame;
  quiet_ = is_quiet();
}

bool RequestSpace::is_quiet() const {
  return mtu_.known() && !read_is_open_ && missing_.empty() && late_.empty() && copies_.empty() && !episodes_.is_open();
}

bool RequestSpace::take_ordinary(const PacketFacts& packet) {
  const Sequence seq = highest_ + 1;
  if (!quiet_ || packet.psn != wire_psn(seq) || seq > room_until_ || packet.wants_response() ||
      packet.icrc == wire::IcrcStatus::kBad) {
    return false;
  }
  ++packets_;
  payload_bytes_ += packet.payload_bytes;
  if (packet.has_ip_id && packet.ip_id != last_ip_id_) ++ip_id_changes_;
  last_ip_id_ = packet.ip_id;
  fill(history_.append(seq), packet);
  highest_ = seq;
  if (packet.position == wire::Position::kMiddle && messages_.continues(seq)) {
    messages_.continue_message(packet.time, last_request_time_);
  } else {
    messages_.on_edge(seq, seq, packet, placed());
  }
  last_request_time_ = last_new_time_ = packet.time;
  last_request_frame_ = packet.frame;
  return true;
}

SpaceCounts RequestSpace::total() const {
  SpaceCounts out = counts_;
  out.packets = packets_;
  out.payload_bytes = payload_bytes_;
  if (started_) out.highest_psn = wire_psn(highest_);
  return out;
}

void RequestSpace::on_new(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
                          Observation& observation) {
  if (episodes_.is_open()) {
    if (episodes_.open().next == seq) episodes_.open().episode.tail_unseen = true;
    end_episode(context);
  }
  if (!copies_.empty()) count_copies();
  if (!late_.empty()) late_.were_reordered(counts_, context);
  const Sequence gap = seq - highest_ - 1;
  if (gap > 0) {
    missing_.add({highest_ + 1, seq - 1, packet.frame, packet.time}, counts_, context);
    observation.missing_before = static_cast<std::uint32_t>(gap);
    context.holes.on_jump(last_request_time_, packet, static_cast<std::uint64_t>(gap));
    if (replies_.received() > highest_) replies_.close_gaps_later(packet.time);
  }
  observation.kind = Kind::kNew;
  remember(seq, packet, delivered, context);
  if (packet.wants_response()) read_is_open_ = !remember_read(seq, last, packet, context);
  highest_ = last;
  if (last > seq) history_.advance(last);
  last_new_time_ = packet.time;
}

/// The first transmission of `seq`.
void RequestSpace::remember(Sequence seq, const PacketFacts& packet, bool delivered, Context& context) {
  const Sequence base = std::max(replies_.received(), first_ - 1);
  // An acknowledgement may pass the tap before what it acknowledges.
  const auto in_flight = static_cast<std::size_t>(std::max<Sequence>(seq - base, 0));
  // All of the first ones, which may be all that there are; a READ takes more than one.
  const auto sent = static_cast<std::size_t>(std::max<Sequence>(seq - first_ + 1, 1));
  const std::size_t first_ones = packet.wants_response() ? context.limits.history_slots_start : sent;
  const std::size_t wanted = std::max(in_flight + 1, std::min(first_ones, context.limits.history_slots_start));
  // Where no reply is seen the window is not known: a resend is looked for among the newest packets only.
  const std::size_t most = replies_.any_reply() ? context.limits.history_slots_most
                                                : std::min<std::size_t>(context.limits.history_slots_most, 1024);
  if (history_.size() < wanted) history_.grow(std::min(wanted, most), most, context.slots);
  room_until_ = history_.size() == 0 ? 0 : base + static_cast<Sequence>(history_.size()) - 1;
  history_.advance(seq);
  if (Slot* slot = history_.find(seq)) {
    fill(*slot, packet);
    slot->bad_icrc = !delivered;
    slot->behind_gap = is_behind_gap(seq);
  }
}

// ---------------------------------------------------------------------------------------------- old PSNs

void RequestSpace::on_old(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
                          Observation& observation) {
  const auto* gap = missing_.find(seq);
  const bool missing = gap != nullptr;
  // A lost READ whose span the path MTU does not tell yet takes of the gap what it can.
  if (gap && packet.is_read_request() && !mtu_.known()) {
    const Sequence room = gap->last - seq + 1;
    last = std::max(last, seq - 1 + (packet.has_reth ? mtu_.widest_within(packet.read_bytes, room) : room));
  }
  const bool overtaken = was_overtaken(seq, last, packet);
  if (overtaken && !missing) return note_late_original(seq, observation);
  const bool goes_on = episodes_.is_open() && seq >= episodes_.open().next;
  // Selective repeat: the next resend answers a NAK of its own.
  const bool named_anew =
      goes_on && seq > episodes_.open().next && naks_.name_after(seq, episodes_.open().episode.first_time);
  if (!goes_on || named_anew) {
    const Sequence received = replies_.received();
    const Trigger* rnr = rnrs_.answered_by(seq, packet.time, received);
    const Trigger* nak = naks_.answered_by(seq, packet.time, received);
    const bool triggered = rnr || nak;
    // A sender goes back to what the NAK names. Copies of what was under way meanwhile come behind the NAK as well.
    const bool named = (rnr && rnr->seq == seq) || (nak && nak->seq == seq);
    const bool may_be_copy = !missing && (!named || (packet.has_ip_id && ids_count()));
    const bool answered_before = !missing && !triggered && answered_nak(seq, packet);
    if (answered_before && newest_episode()->packets > newest_episode()->unseen_packets) {
      return note_late_original(seq, observation);
    }
    const bool follows_late = !late_.empty() && seq == late_.newest().last + 1 && !missing;
    if (follows_late && !triggered) {
      late_were_resent(context);
    } else if (may_be_copy && copies_were_resends(seq, packet, triggered, context)) {
      // the row of copies is an episode now, and this packet its next
    } else if (may_be_copy && is_copy(history_.find(seq), packet)) {
      observation.kind = Kind::kDuplicate;
      observation.original_frame = history_.find(seq)->last_frame;
      copies_.push_back(packet);
      if (ids_count() || copies_.size() >= kCopiesMost) count_copies();
      return;
    } else if (missing && !triggered && !delivered) {
      return;  // damaged and late: seen, but it fills nothing and says nothing about the sender
    } else if (missing && !late_.full() && (overtaken || (!triggered && packet.time - last_request_time_ < kSilence))) {
      hold_late(seq, last, packet, context, observation);
      return;
    } else {
      count_copies();
      late_.were_reordered(counts_, context);
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

/// Whether the IPv4 identification says that the packet was sent in its turn, between its neighbours: then it is the
/// original, however late, and whatever NAK it drew. A sender that goes back gives newer ones. (Of identifications that
/// follow no order one in some hundreds fits by chance.)
bool RequestSpace::was_overtaken(Sequence seq, Sequence last, const PacketFacts& packet) const {
  constexpr Sequence kNeighbours = 16;  // looked at on each side: more may be missing as well
  constexpr unsigned kNear = 1024;      // identifications between two neighbours, of all flows of a host
  if (!packet.has_ip_id || !ids_count()) return false;
  const auto neighbour = [&](Sequence from, Sequence step) -> const Slot* {
    for (Sequence i = 0; i < kNeighbours; ++i) {
      const Slot* slot = history_.find(from + i * step);
      if (slot && slot->state == Slot::State::kSeen) return slot;
    }
    return nullptr;
  };
  const Slot* own = history_.find(seq);
  const bool seen = own && own->state == Slot::State::kSeen;
  const Slot* before = neighbour(seq - 1, -1);
  const Slot* after = seen ? own : neighbour(last + 1, 1);
  if (!before || !after) return false;
  const auto ahead = [](std::uint16_t a, std::uint16_t b) { return static_cast<std::uint16_t>(b - a); };
  const std::uint16_t room = ahead(before->ip_id, after->ip_id);
  const std::uint16_t at = ahead(before->ip_id, packet.ip_id);
  return room <= kNear && at > 0 && at < room;
}

/// It was sent again meanwhile, and that came first.
void RequestSpace::note_late_original(Sequence seq, Observation& observation) {
  observation.kind = Kind::kReordered;
  ++counts_.reordered_packets;
  ++counts_.late_originals;
  if (Slot* slot = history_.find(seq)) slot->late = true;
  if (episodes_.is_open()) {
    if (episodes_.open().first == seq) episodes_.open().episode.first_psn_late = true;
  } else if (!counts_.episodes.empty() && counts_.episodes.back().first_psn == wire_psn(seq)) {
    counts_.episodes.back().first_psn_late = true;
  }
}

const Episode* RequestSpace::newest_episode() const {
  if (episodes_.is_open()) return &episodes_.open().episode;
  return counts_.episodes.empty() ? nullptr : &counts_.episodes.back();
}

/// Whether the tap had never seen this PSN until one came behind a NAK, not long ago. No sender repeats it so soon
/// without another NAK: of the two that came, one is the original, held up on the way. Identifications that count tell
/// that apart by themselves (was_overtaken()), and where all is there twice it is a copy.
bool RequestSpace::answered_nak(Sequence seq, const PacketFacts& packet) const {
  if ((packet.has_ip_id && ids_count()) || counts_.duplicate_packets * 4 > packets_) return false;
  const Episode* e = newest_episode();
  const Slot* slot = history_.find(seq);
  return e && e->cause == Cause::kNak && e->unseen_packets > 0 && slot && slot->state == Slot::State::kSeen &&
         !(slot->first_frame < e->first_frame) && packet.time - (e->first_time - e->wait) < kSilence;
}

/// Whether this sender counts the IPv4 identification up from packet to packet.
bool RequestSpace::ids_count() const { return ip_id_changes_ > 2 && std::uint64_t{ip_id_changes_} * 2 > packets_; }

void RequestSpace::count_copies() {
  counts_.duplicate_packets += copies_.size();
  copies_.clear();
}

/// Copies follow their originals one by one; a row of old PSNs in order, with nothing new between, is the sender going
/// back. Where most packets come twice, a mirror that delivers in rows is likelier.
bool RequestSpace::copies_were_resends(Sequence seq, const PacketFacts& packet, bool triggered, Context& context) {
  if (copies_.empty() || seq != extend(highest_, copies_.back().psn) + 1) return false;
  if (packet.has_ip_id && ids_count()) return false;
  // Within kCopyWindow a sender goes back only when told to, and where replies are seen, nothing told it; but for a NAK
  // that its original may have seemed to answer.
  if (replies_.any_reply() && !triggered && !answered_nak(extend(highest_, copies_.front().psn), packet)) return false;
  if (counts_.duplicate_packets * 4 > packets_) return false;
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
  return !missing_.empty() && missing_.runs().back().last > replies_.received() && missing_.runs().front().first < seq;
}

void RequestSpace::hold_late(Sequence seq, Sequence last, const PacketFacts& packet, Context& context,
                             Observation& observation) {
  LateArrivals::Late late{packet, *missing_.take_range(seq, last), last, {}};
  while (const auto more = missing_.take_range(seq, last)) late.more_runs.push_back(*more);
  late_.hold(std::move(late));
  observation.kind = Kind::kReordered;
  remember(seq, packet, true, context);
  if (packet.wants_response() && !reads_.find(seq)) remember_read(seq, last, packet, context);
  if (Slot* slot = history_.find(seq)) {
    fill(*slot, packet);
    slot->late = true;
  }
}

/// The packet after the late ones had been seen before: the sender went back, and the late ones were its first resends.
void RequestSpace::late_were_resent(Context& context) {
  const std::vector<LateArrivals::Late> resent = late_.were_resent(counts_, context);
  begin_episode(extend(highest_, resent.front().packet.psn), resent.front().packet, context);
  for (const LateArrivals::Late& late : resent) {
    episodes_.add(late.last, late.packet, is_acknowledged(extend(highest_, late.packet.psn)), true, context);
  }
}

// ---------------------------------------------------------------------------------------------- episodes

SentSoFar RequestSpace::sent() const {
  return {history_, missing_, reads_, replies_, naks_, rnrs_, refusals_, first_, highest_, last_request_time_};
}

void RequestSpace::begin_episode(Sequence seq, const PacketFacts& packet, Context& context) {
  end_episode(context);
  EpisodeLog::Open open;
  open.episode = judge_go_back(seq, packet, sent());
  if (!open.episode.trigger_frame && answered_nak(seq, packet)) were_originals(packet, open.episode, context);
  open.first = seq;
  open.next = seq;
  open.last = seq;
  open.received_at_start = replies_.received();
  open.began_with_read = packet.is_read_request();
  // What the sender had been told until then is used up. A NAK that came after the one it answered is not.
  if (open.episode.cause == Cause::kNak) {
    naks_.use_until(packet.time - open.episode.wait);
  } else {
    naks_.use_all();
  }
  rnrs_.use_all();
  messages_.on_go_back(open.episode, highest_);
  episodes_.begin(open);
  replies_.went_back(seq);
}

/// The newest go-back was none: its packets were the originals, come late, and only now the sender answers the NAK.
void RequestSpace::were_originals(const PacketFacts& packet, Episode& resend, Context& context) {
  Episode& late = counts_.episodes.back();
  late.first_psn_late = resend.first_psn_late = true;
  resend.cause = Cause::kNak;
  resend.trigger_frame = late.trigger_frame;
  resend.named_by_nak = late.named_by_nak;
  resend.wait = packet.time - (late.first_time - late.wait);
  counts_.reordered_packets += late.packets;
  counts_.late_originals += late.packets;
  if (context.sink) {
    context.sink->on_resolution({late.first_frame, Resolution::Fate::kReordered, Cause::kUnknown, {}, {}});
  }
}

void RequestSpace::resend(Sequence seq, Sequence last, const PacketFacts& packet, bool delivered, Context& context,
                          Observation& observation) {
  const bool seen = original_seen(seq, sent());
  const EpisodeLog::Open& open = episodes_.open();
  observation.kind = Kind::kRetransmission;
  observation.cause = open.episode.cause;
  observation.trigger_frame = open.episode.trigger_frame;
  ++(seen ? counts_.retransmitted_original_seen : counts_.retransmitted_original_unseen);
  counts_.retransmitted_bytes += packet.payload_bytes;
  episodes_.add(last, packet, is_acknowledged(seq), !seen, context);
  resent_through_ = std::max(resent_through_, last);
  replies_.resent(last, packet.ack_request || packet.wants_response());
  if (delivered) {
    missing_.settle_range(seq, last, Outcome::kRetransmitted, counts_, context);
  }
  FrameId asked_before;
  if (packet.wants_response()) {
    PendingRead* read = reads_.find(seq);
    if (read && !read->complete()) episodes_.open().unanswered = true;
    if (read && seen) asked_before = read->frame;
    if (read && (read->first < seq || seen)) {
      read->ask_again(seq, packet.frame, packet.time);
      read->asked_again_for = open.episode.cause;
    } else if (!read) {
      remember_read(seq, last, packet, context);
    }
  }
  if (Slot* slot = history_.find(seq)) {
    observation.original_frame = slot->state == Slot::State::kSeen ? slot->first_frame : asked_before;
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
  reach(last);
}

/// `cut_short`: nothing more is known of the space. A sender that goes back for a NAK may begin with what was
/// acknowledged, and what was not comes after it.
void RequestSpace::end_episode(Context& context, bool cut_short) {
  if (!episodes_.is_open()) return;
  EpisodeLog::Open& open = episodes_.open();
  const Cause cause = open.episode.cause;
  if ((cause == Cause::kTimeout || cause == Cause::kUnknown || (cause == Cause::kNak && !cut_short)) &&
      was_spurious(open, first_)) {
    open.episode.cause = Cause::kSpurious;
  }
  open.episode.may_be_late =
      cause == Cause::kNak && open.episode.packets == open.episode.unseen_packets && !ids_count();
  episodes_.end(counts_, context);
}

// ---------------------------------------------------------------------------------------------- the end

void RequestSpace::finish(Context& context) {
  if (!started_) return;
  count_copies();
  late_.were_reordered(counts_, context);
  end_episode(context, true);
  missing_.settle_through(replies_.received(), Outcome::kCaptureMissed, counts_, context);
  missing_.settle_all(Outcome::kUnresolved, counts_, context);
  if (replies_.received() > highest_) {
    MissingPsns::settle_run({highest_ + 1, replies_.received(), replies_.beyond_frame(), replies_.beyond_time(), false},
                            Outcome::kCaptureMissed, counts_, context);
  }
}

LeftOver RequestSpace::left_over() const {
  constexpr Sequence kLookBack = 1024;
  if (!started_ || replies_.received() > highest_) return LeftOver::kNothing;  // the capture missed the end
  const auto position = [](const Slot& slot) { return wire::opcode_facts(slot.opcode).position; };
  const Slot* newest = history_.find(highest_);
  if (newest && newest->state == Slot::State::kSeen &&
      (position(*newest) == wire::Position::kFirst || position(*newest) == wire::Position::kMiddle)) {
    return LeftOver::kMessage;
  }
  if (all_acknowledged()) return LeftOver::kNothing;
  bool in_part = false;
  bool due = false;
  reads_.each_overlapping(replies_.received() + 1, highest_, [&](const PendingRead& read) {
    due = true;
    in_part = in_part || (read.answered >= read.first && !read.complete());
  });
  if (in_part) return LeftOver::kRead;
  for (Sequence s = highest_; !due && s > std::max(replies_.received(), highest_ - kLookBack); --s) {
    const Slot* slot = history_.find(s);
    due = slot && slot->state == Slot::State::kSeen && slot->wants_reply;
  }
  return due ? LeftOver::kAnswer : LeftOver::kNothing;
}

// ---------------------------------------------------------------------------------------------- another connection?

bool RequestSpace::is_suspect(const PacketFacts& packet) const {
  if (!started_) return false;
  const Sequence seq = extend(highest_, packet.psn);
  if (seq == highest_ + 1) return false;
  if (seq > highest_ + kJumpNoLossExplains || seq < first_ - kBeforeFirst || seq + kJumpNoLossExplains < highest_)
    return true;
  if (seq > highest_ + 1) {
    if (read_is_open_) return false;
    return all_acknowledged();
  }
  if (seq > replies_.received()) return false;
  // Back to what was acknowledged: a needless resend, unless the packet differs from the one seen at that PSN.
  if (episodes_.is_open() && seq >= episodes_.open().next) return false;
  const Slot* slot = history_.find(seq);
  if (is_copy(slot, packet)) return false;
  return !slot || slot->state != Slot::State::kSeen || slot->opcode != packet.opcode || seq == first_;
}

bool RequestSpace::is_far(const PacketFacts& packet) const {
  const Sequence seq = extend(highest_, packet.psn);
  return seq > highest_ + kJumpNoLossExplains || seq < first_ - kJumpNoLossExplains ||
         seq + kJumpNoLossExplains < highest_ || (seq < first_ - kBeforeFirst && all_acknowledged());
}

}  // namespace rocetop::track
