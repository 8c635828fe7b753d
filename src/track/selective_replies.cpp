// SPDX-License-Identifier: BSD-3-Clause
// SelectiveSpace and what the other side says of its packets: cumulative acknowledgements, SACKs, Packet Drop NAKs.
// What the sender does then is selective_space.cpp.
#include <algorithm>

#include "track/selective_space.h"
#include "wire/aeth.h"

namespace rocetop::track {
namespace {

constexpr Sequence kFewUnderWay = 4096;
/// A bitmap that begins farther from the acknowledged PSN than this is none.
constexpr Sequence kBitmapNear = 256;
/// PSNs ahead of the highest one seen that a reply may name: as many as may be under way at a time.
constexpr Sequence kAheadMost = static_cast<Sequence>(wire::kSackBitmapBits);
/// Packets behind an RNR NAK that go again with the one it names, at most; and round trips that make a shortest one.
constexpr Sequence kRefusedMost = 1024;
constexpr std::uint64_t kRoundTripsLeast = 8;

}  // namespace

Fit SelectiveSpace::fits(const PacketFacts& reply) const {
  if (!started_) return Fit::kNone;
  const Sequence seq = extend(highest_, reply.psn);
  if (seq < first_ - 1 || seq > highest_) return Fit::kNone;
  const Slot* slot = slots_.find(seq);
  if (slot != nullptr && slot->state == Slot::State::kSeen && slot->wants_reply && reply.time >= slot->first_time) {
    return Fit::kExact;
  }
  if (seq <= received_) return Fit::kNone;
  // Any PSN of a narrow window says as much: it is hit by chance once in 4,000 connections.
  return highest_ - received_ <= kFewUnderWay ? Fit::kExact : Fit::kInWindow;
}

void SelectiveSpace::on_reply(const PacketFacts& reply, const VeroceFacts& more, PathLog& paths, Context& context,
                              Observation& observation) {
  if (!started_) return;
  const Sequence seq = extend(highest_, reply.psn);
  // Not of these PSNs; or of so many that the capture missed that nothing here is about them.
  if (seq < first_ - kJumpNoLossExplains || seq > highest_ + kAheadMost) return;
  last_reply_time_ = reply.time;
  const Slot* slot = slots_.find(std::min(seq, highest_));
  if (slot != nullptr && slot->state == Slot::State::kSeen) observation.acks_frame = slot->last_frame;
  if (!reply.has_aeth) return;
  if (more.becn) ++recovery_.becn_replies;
  const wire::AethKind kind = wire::aeth_kind(reply.syndrome);
  if (kind == wire::AethKind::kAck) {
    observation.rtt = round_trip(seq, reply);
    if (observation.rtt) round_trips_.add(reply.time, *observation.rtt);
    advance_received(seq, reply, paths, context);
    if (more.is_sack()) {
      ++recovery_.sacks;
      on_sack(seq, reply, more, paths, context);
    } else {
      ++recovery_.acks;
    }
    return;
  }
  // A NAK asks for one PSN; what is before it may be under way on other paths.
  if (kind == wire::AethKind::kRnrNak) {
    // What is behind it was not taken either.
    for (Sequence s = seq; s <= std::min(highest_, seq + kRefusedMost); ++s) ask(s, Slot::Asked::kRnr, reply);
  } else if (wire::nak_code(reply.syndrome) == wire::NakCode::kPsnSequenceError) {
    ++recovery_.packet_drop_naks;
    ask(seq, Slot::Asked::kNak, reply);
  }
}

/// `reply` asks for `seq` again. The first one to ask since it was last sent is the one that explains a resend, but a
/// NAK explains it better than a SACK.
void SelectiveSpace::ask(Sequence seq, Slot::Asked asked, const PacketFacts& reply) {
  Slot* slot = slots_.find(seq);
  if (slot == nullptr || slot->state == Slot::State::kEmpty || slot->asked >= asked) return;
  // A SACK that was under way when the resend passed knows nothing of it.
  if (asked == Slot::Asked::kSack && slot->resends > 0 && reply.time - slot->last_time < shortest_round_trip()) return;
  slot->asked = asked;
  slot->asked_frame = reply.frame;
  slot->asked_time = reply.time;
}

/// 1 is received; a PSN that is not, while a later one is, is a hole, and so is the one after the acknowledged PSN: a
/// receiver sends a SACK only when it is missing.
void SelectiveSpace::on_sack(Sequence acknowledged, const PacketFacts& reply, const VeroceFacts& more, PathLog& paths,
                             Context& context) {
  const Sequence start = extend(acknowledged, more.sack_start);
  const auto length = static_cast<Sequence>(std::min<std::size_t>(more.sack_length, wire::kSackBitmapBits));
  if (length == 0) ask(acknowledged + 1, Slot::Asked::kSack, reply);  // the capture cut off its bitmap
  if (length == 0 || start < acknowledged - kBitmapNear || start > acknowledged + kBitmapNear) return;
  const auto is_received = [&](Sequence s) {
    return s >= start && s < start + length && more.received.has(static_cast<std::size_t>(s - start));
  };
  Sequence top = acknowledged;
  for (Sequence s = start + length - 1; s > acknowledged && top == acknowledged; --s) top = is_received(s) ? s : top;
  recovery_.sack_depth.add(top - acknowledged);
  if (top - start + 1 >= static_cast<Sequence>(wire::kSackBitmapBits)) {
    ++recovery_.full_bitmaps;
    recovery_.full_bitmap_frames.use().add(reply.frame, reply.time);
  }
  for (Sequence s = acknowledged + 1; s <= std::max(top, acknowledged + 1); ++s) {
    Slot* slot = slots_.find(s);
    if (slot == nullptr || slot->state == Slot::State::kEmpty) continue;
    if (is_received(s)) {
      on_received(*slot, reply, paths, context);
      continue;
    }
    if (!slot->told_hole) {
      slot->told_hole = true;
      ++recovery_.holes_told;
    }
    ask(s, Slot::Asked::kSack, reply);
  }
}

void SelectiveSpace::advance_received(Sequence seq, const PacketFacts& reply, PathLog& paths, Context& context) {
  if (seq <= received_) return;
  const auto remembered = static_cast<Sequence>(slots_.size());
  const Sequence last = std::min(seq, highest_);
  for (Sequence s = std::max(received_ + 1, last - remembered + 1); s <= last; ++s) {
    if (Slot* slot = slots_.find(s); slot != nullptr && slot->state == Slot::State::kSeen) {
      on_received(*slot, reply, paths, context);
    }
  }
  received_ = seq;
  last_ack_frame_ = reply.frame;
  last_ack_time_ = reply.time;
  if (!missing_.empty() && !closing_) close_gaps(reply.time);
}

/// The first reply that says so.
void SelectiveSpace::on_received(Slot& slot, const PacketFacts& reply, PathLog& paths, Context& context) {
  if (slot.received) return;
  slot.received = true;
  if (slot.state != Slot::State::kSeen) return;
  if (context.sink) {
    context.sink->on_resolution({slot.last_frame, Resolution::Fate::kAcknowledged, Cause::kUnknown, {}, reply.frame});
  }
  // No resend is answered in much less than the shortest round trip: the original had arrived.
  const Nanos answered = reply.time - slot.last_time;
  const Nanos shortest = shortest_round_trip();
  if (slot.resends == 0 || answered < Nanos{} || answered.count * 4 >= shortest.count * 3 ||
      round_trips_.counts().rtt_ns.count() < kRoundTripsLeast) {
    return;
  }
  ++recovery_.early_answers;
  recovery_.needless_frames.use().add(slot.last_frame, slot.last_time);
  if (slot.counted_lost) paths.take_back_loss(slot.lost_on);
  if (slot.counted_lost && context.sink != nullptr)
    context.sink->on_path_loss({slot.last_frame, {}, slot.last_time, slot.lost_on, true});
  slot.counted_lost = false;
}

/// Of a packet that asked for a reply, sent once, to the acknowledgement that names it (Karn's rule). The other paths'
/// packets before it may have come later: then it is longer than its own way took.
std::optional<Nanos> SelectiveSpace::round_trip(Sequence seq, const PacketFacts& reply) const {
  if (seq <= received_ || seq > highest_ || resent_through_ > received_) return std::nullopt;
  const Slot* slot = slots_.find(seq);
  if (slot == nullptr || slot->state != Slot::State::kSeen || !slot->wants_reply || slot->transmissions != 1 ||
      reply.time < slot->first_time) {
    return std::nullopt;
  }
  return reply.time - slot->first_time;
}

std::uint64_t SelectiveSpace::unacknowledged() const {
  if (!started_ || highest_ <= received_) return 0;
  std::uint64_t n = static_cast<std::uint64_t>(highest_ - std::max(received_, first_ - 1));
  const auto remembered = static_cast<Sequence>(slots_.size());
  for (Sequence s = std::max(received_ + 1, highest_ - remembered + 1); s <= highest_; ++s) {
    const Slot* slot = slots_.find(s);
    n -= slot != nullptr && slot->received ? 1 : 0;
  }
  return n;
}

}  // namespace rocetop::track
