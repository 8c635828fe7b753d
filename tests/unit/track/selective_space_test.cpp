// SPDX-License-Identifier: BSD-3-Clause
// Selective retransmission at one tap: which repeats of a PSN are resends, why, and which path lost what.
#include "track/selective_space.h"

#include <gtest/gtest.h>

#include <vector>

namespace rocetop::track {
namespace {

constexpr std::uint16_t kPathA = 49'408;
constexpr std::uint16_t kPathB = 49'415;
constexpr std::uint8_t kWriteMiddle = 7;

std::size_t at(Outcome outcome) { return static_cast<std::size_t>(outcome); }
std::size_t at(Cause cause) { return static_cast<std::size_t>(cause); }

struct Sent {
  std::int64_t us = 0;
  std::uint16_t path = kPathA;
  bool again = false;        ///< has the Retrans flag
  bool flag_certain = true;  ///< … which is known to stand where it is read
  bool flag_failed = false;
  bool trimmed = false;
  bool ack_request = false;
};

/// One direction, packet by packet; frames are numbered from 1.
class Direction {
 public:
  Observation send(std::uint32_t psn, const Sent& how) {
    PacketFacts packet = facts(psn, how.us);
    packet.role = wire::Role::kRequest;
    packet.opcode = kWriteMiddle;
    packet.position = wire::Position::kMiddle;
    packet.udp_src = how.path;
    packet.payload_bytes = how.trimmed ? 0 : 1024;
    packet.ack_request = how.ack_request;
    packet.has_ip_id = true;
    packet.ip_id = next_ip_id_++;
    return send_facts(packet, how);
  }
  /// The packet sent last, as a mirror shows it once more.
  Observation copy(std::int64_t us, const Sent& how) {
    PacketFacts packet = last_;
    packet.frame = FrameId(0, ++frame_);
    packet.time = microseconds(us);
    return send_facts(packet, how);
  }
  Observation ack(std::uint32_t psn, std::int64_t us) { return reply(psn, us, 0x1F, {}); }
  Observation nak(std::uint32_t psn, std::int64_t us) { return reply(psn, us, 0x60, {}); }
  Observation rnr_nak(std::uint32_t psn, std::int64_t us) { return reply(psn, us, 0x21, {}); }
  /// `start` is the acknowledged PSN.
  Observation sack(std::uint32_t psn, std::int64_t us, const std::vector<std::uint32_t>& received,
                   std::uint32_t bitmap_at = kAtAcknowledged) {
    VeroceFacts more;
    more.shape = wire::VeroceShape::kSack;
    more.space = wire::VeroceSpace::kRequests;
    more.sack_start = Psn{bitmap_at == kAtAcknowledged ? psn : bitmap_at};
    more.sack_length = 128;
    for (const std::uint32_t r : received) {
      const auto offset = static_cast<std::size_t>(serial_difference(r, more.sack_start.value));
      more.received.words[offset / 64] |= std::uint64_t{1} << offset % 64;
    }
    return reply(psn, us, 0x1F, more);
  }

  const VerocePath& path(std::uint16_t port) const {
    for (const VerocePath& p : paths.paths()) {
      if (p.udp_src == port) return p;
    }
    static const VerocePath none;
    return none;
  }
  SpaceCounts finish() {
    space.finish(context);
    return space.total();
  }

  static constexpr std::uint32_t kAtAcknowledged = 0xFFFFFFFF;
  bool in_mid_stream = false;  ///< else its first packet is the first of the connection
  SelectiveSpace space{SpaceName::kRequests};
  PathLog paths;
  Context context{Limits{}};

 private:
  PacketFacts facts(std::uint32_t psn, std::int64_t us) {
    PacketFacts out;
    out.psn = Psn{psn};
    out.time = microseconds(us);
    out.frame = FrameId(0, ++frame_);
    return out;
  }
  Observation send_facts(const PacketFacts& packet, const Sent& how) {
    VeroceFacts more;
    more.shape = wire::VeroceShape::kWrite;
    more.space = wire::VeroceSpace::kRequests;
    more.sequenced = true;
    more.retransmit = how.again;
    more.flag_certain = how.flag_certain;
    more.flag_failed = how.flag_failed;
    more.trimmed = how.trimmed;
    last_ = packet;
    PacketFacts sent = packet;
    if (frame_ == 1 && !in_mid_stream) {
      sent.position = wire::Position::kFirst;
      more.has_msn = true;
      more.msn = Msn{1};
    }
    Observation observation;
    space.on_packet(sent, more, true, paths, context, observation);
    return observation;
  }
  Observation reply(std::uint32_t psn, std::int64_t us, std::uint8_t syndrome, const VeroceFacts& more) {
    PacketFacts packet = facts(psn, us);
    packet.role = wire::Role::kAcknowledge;
    packet.has_aeth = true;
    packet.syndrome = syndrome;
    Observation observation;
    space.on_reply(packet, more, paths, context, observation);
    return observation;
  }

  std::uint64_t frame_ = 0;
  std::uint16_t next_ip_id_ = 1;
  PacketFacts last_;
};

TEST(SelectiveSpace, AGapThatFillsIsNoLoss) {
  Direction d;
  d.send(100, {.us = 0});
  EXPECT_EQ(d.send(103, {.us = 1}).missing_before, 2U);
  EXPECT_EQ(d.send(101, {.us = 5, .path = kPathB}).kind, Kind::kReordered);
  EXPECT_EQ(d.send(102, {.us = 7, .path = kPathB}).kind, Kind::kReordered);
  d.ack(103, 10);
  EXPECT_EQ(d.space.recovery().reorder_depth, 2U);
  EXPECT_EQ(d.path(kPathB).late, 2U);
  EXPECT_EQ(d.path(kPathB).late_ns.max(), 6'000);
  EXPECT_EQ(d.path(kPathA).late, 0U);
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.missing_packets[at(Outcome::kReordered)], 2U);
  EXPECT_EQ(counts.reordered_packets, 2U);
  EXPECT_TRUE(counts.missing.empty());  // not listed: it is how spreading packets works
  EXPECT_EQ(counts.retransmitted_original_seen + counts.retransmitted_original_unseen, 0U);
}

TEST(SelectiveSpace, ASackExplainsTheResendOfItsHole) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 105; ++psn) {
    d.send(psn, {.us = static_cast<std::int64_t>(psn) - 100, .path = psn == 101 ? kPathB : kPathA});
  }
  d.sack(100, 20, {100, 102, 103, 104});  // frame 7
  const Observation again = d.send(101, {.us = 25, .again = true});
  EXPECT_EQ(again.kind, Kind::kRetransmission);
  EXPECT_EQ(again.cause, Cause::kSack);
  EXPECT_EQ(again.trigger_frame, FrameId(0, 7));
  EXPECT_EQ(again.original_frame, FrameId(0, 2));
  EXPECT_EQ(d.path(kPathB).lost, 1U);
  EXPECT_EQ(d.path(kPathA).lost, 0U);
  EXPECT_EQ(d.path(kPathA).resent, 1U);
  const VeroceRecovery& r = d.space.recovery();
  EXPECT_EQ(r.sacks, 1U);
  EXPECT_EQ(r.holes_told, 1U);
  EXPECT_EQ(r.resent_psns, 1U);
  EXPECT_EQ(r.flagged_resends, 1U);
  EXPECT_EQ(r.sack_depth.max(), 4);
  const SpaceCounts counts = d.finish();
  ASSERT_EQ(counts.episodes.size(), 1U);
  EXPECT_EQ(counts.episodes[0].cause, Cause::kSack);
  EXPECT_EQ(counts.episodes[0].wait, microseconds(5));
  EXPECT_EQ(counts.retransmitted_by_cause[at(Cause::kSack)], 1U);
  EXPECT_EQ(counts.retransmitted_original_seen, 1U);
}

TEST(SelectiveSpace, HolesOfOneSackAreOneEpisode) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 110; ++psn) d.send(psn, {.us = static_cast<std::int64_t>(psn) - 100});
  d.sack(100, 20, {103, 105, 110});
  for (const std::uint32_t psn : {101U, 102U, 104U})
    d.send(psn, {.us = static_cast<std::int64_t>(psn) - 80, .again = true});
  d.sack(102, 40, {103, 105, 110});
  d.send(106, {.us = 45, .again = true});
  const SpaceCounts counts = d.finish();
  ASSERT_EQ(counts.episodes.size(), 1U);  // 106 had been asked for by the first one
  EXPECT_EQ(counts.episodes[0].packets, 4U);
  EXPECT_EQ(d.space.recovery().holes_told, 7U);
}

TEST(SelectiveSpace, ANakAsksForATrimmedPacketAlone) {
  Direction d;
  d.send(100, {.us = 0});
  d.send(101, {.us = 1, .path = kPathB, .trimmed = true});
  d.send(102, {.us = 2});
  d.nak(101, 5);
  EXPECT_EQ(d.space.received(), d.space.first() - 1);  // it acknowledges nothing
  EXPECT_EQ(d.send(101, {.us = 9, .again = true}).cause, Cause::kNak);
  EXPECT_EQ(d.path(kPathB).trimmed, 1U);
  EXPECT_EQ(d.path(kPathB).lost, 0U);
  EXPECT_EQ(d.path(kPathB).asked_by_nak, 0U);
  // Before the switch that trims, it is whole.
  d.nak(102, 12);
  d.send(102, {.us = 15, .again = true});
  EXPECT_EQ(d.path(kPathA).asked_by_nak, 1U);
  EXPECT_EQ(d.path(kPathA).lost, 0U);
  EXPECT_EQ(d.space.recovery().packet_drop_naks, 2U);
}

TEST(SelectiveSpace, WhatNobodyAskedForIsTheTimers) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 103; ++psn) {
    d.send(psn,
           {.us = static_cast<std::int64_t>(psn) - 100, .path = psn == 102 ? kPathB : kPathA, .ack_request = true});
  }
  d.ack(101, 10);
  const Observation first = d.send(102, {.us = 2'002, .again = true});
  EXPECT_EQ(first.cause, Cause::kTimeout);
  EXPECT_FALSE(first.trigger_frame);
  EXPECT_EQ(d.send(103, {.us = 2'003, .again = true}).cause, Cause::kTimeout);
  EXPECT_EQ(d.path(kPathB).lost, 1U);  // what the receiver waits for …
  EXPECT_EQ(d.path(kPathA).lost, 0U);  // … and of the other nobody knows
  const SpaceCounts counts = d.finish();
  ASSERT_EQ(counts.episodes.size(), 1U);
  EXPECT_EQ(counts.episodes[0].wait, microseconds(2'000));
  EXPECT_EQ(counts.episodes[0].packets, 2U);
}

TEST(SelectiveSpace, WithoutRepliesTheReasonIsNotKnown) {
  Direction d;
  d.send(100, {.us = 0});
  EXPECT_EQ(d.send(100, {.us = 5'000, .again = true}).cause, Cause::kUnknown);
  EXPECT_EQ(d.path(kPathA).lost, 0U);
}

TEST(SelectiveSpace, AResendOfWhatWasToldAsReceivedIsNeedless) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 104; ++psn) d.send(psn, {.us = static_cast<std::int64_t>(psn) - 100});
  d.sack(100, 20, {102, 103});
  EXPECT_EQ(d.send(102, {.us = 25, .again = true}).cause, Cause::kSpurious);
  d.ack(103, 30);
  EXPECT_EQ(d.send(101, {.us = 35, .again = true}).cause, Cause::kSpurious);
  EXPECT_EQ(d.space.recovery().needless, 2U);
  EXPECT_EQ(d.path(kPathA).lost, 0U);
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.episodes_by_cause[at(Cause::kSpurious)], 1U);
  EXPECT_EQ(counts.episodes.front().wasted_packets, 2U);
}

TEST(SelectiveSpace, AnAnswerSoonerThanAnyRoundTripTakesTheLossBack) {
  Direction d;
  for (std::uint32_t psn = 93; psn <= 100; ++psn) {  // round trips of 20 us
    d.send(psn, {.us = psn - 10'000LL, .ack_request = true});
    d.ack(psn, psn - 10'000LL + 20);
  }
  for (std::uint32_t psn = 101; psn <= 105; ++psn) d.send(psn, {.us = psn, .path = psn == 101 ? kPathB : kPathA});
  d.sack(100, 125, {102, 103, 104, 105});
  d.send(101, {.us = 130, .again = true});
  EXPECT_EQ(d.path(kPathB).lost, 1U);
  d.ack(105, 135);  // 5 us after the resend: it was the original
  EXPECT_EQ(d.path(kPathB).lost, 0U);
  EXPECT_EQ(d.space.recovery().early_answers, 1U);
  EXPECT_EQ(d.space.recovery().needless, 0U);
}

TEST(SelectiveSpace, ASackOfLongAgoExplainsNoTimeout) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 103; ++psn) d.send(psn, {.us = psn - 100LL});
  d.sack(100, 20, {102, 103});
  EXPECT_EQ(d.send(101, {.us = 8'000, .again = true}).cause, Cause::kTimeout);
}

TEST(SelectiveSpace, WhatIsBehindAnRnrNakWaitsWithIt) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 105; ++psn) d.send(psn, {.us = psn - 100LL});
  d.rnr_nak(102, 20);
  for (std::uint32_t psn = 102; psn <= 105; ++psn) {
    EXPECT_EQ(d.send(psn, {.us = psn + 1'000LL, .again = true}).cause, Cause::kRnr);
  }
  const SpaceCounts counts = d.finish();
  ASSERT_EQ(counts.episodes.size(), 1U);
  EXPECT_EQ(counts.episodes[0].packets, 4U);
}

TEST(SelectiveSpace, AReplyAboutWhatNobodySentAcknowledgesNothing) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 103; ++psn) d.send(psn, {.us = psn - 100LL});
  d.ack(100 + 200'000, 10);
  d.sack(100, 20, {102, 103});
  EXPECT_EQ(d.send(101, {.us = 25, .again = true}).cause, Cause::kSack);
}

TEST(SelectiveSpace, RunsOfMillionsAreSettledAtOnce) {
  Direction d;
  for (std::uint32_t i = 0; i < 2'000; ++i) d.send(i * 0x3FFFF, {.us = i});
  const SpaceCounts counts = d.finish();  // PSN by PSN it would take minutes
  EXPECT_EQ(counts.missing_packets[at(Outcome::kUnresolved)], 1'999ULL * 0x3FFFE);
}

TEST(SelectiveSpace, AResendThatIsLostTooIsASecondRound) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 103; ++psn) d.send(psn, {.us = static_cast<std::int64_t>(psn) - 100});
  d.sack(100, 20, {102, 103});
  d.send(101, {.us = 25, .path = kPathB, .again = true});
  d.sack(100, 60, {102, 103});
  EXPECT_EQ(d.send(101, {.us = 65, .again = true}).cause, Cause::kSack);
  EXPECT_EQ(d.space.recovery().resent_psns, 1U);
  EXPECT_EQ(d.space.recovery().second_round, 1U);
  EXPECT_EQ(d.path(kPathA).lost, 1U);
  EXPECT_EQ(d.path(kPathB).lost, 1U);
}

TEST(SelectiveSpace, TheFlagShowsAResendWhoseOriginalNeverPassed) {
  Direction d;
  d.send(100, {.us = 0});
  d.ack(100, 10);
  const Observation tail = d.send(101, {.us = 2'000, .again = true});  // nothing behind it showed the gap
  EXPECT_EQ(tail.kind, Kind::kRetransmission);
  EXPECT_EQ(tail.cause, Cause::kTimeout);
  d.send(103, {.us = 2'010});
  d.sack(101, 2'020, {103});
  EXPECT_EQ(d.send(102, {.us = 2'030, .again = true}).cause, Cause::kSack);
  d.ack(103, 2'040);
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.retransmitted_original_unseen, 2U);
  EXPECT_EQ(counts.missing_packets[at(Outcome::kRetransmitted)], 1U);
  EXPECT_EQ(d.path(kPathA).lost, 0U);  // which path lost them, the tap has not seen
}

TEST(SelectiveSpace, AnOriginalThatComesAfterItsResendWasNotLost) {
  Direction d;
  d.send(100, {.us = 0});
  d.send(103, {.us = 1});
  d.sack(100, 5, {103});
  EXPECT_EQ(d.send(101, {.us = 10, .again = true}).kind, Kind::kRetransmission);
  d.send(102, {.us = 11, .again = true});
  d.ack(103, 15);
  EXPECT_EQ(d.space.counts().retransmitted_original_unseen, 0U);  // still open
  EXPECT_EQ(d.send(101, {.us = 31, .path = kPathB}).kind, Kind::kReordered);
  EXPECT_EQ(d.send(101, {.us = 40, .path = kPathB}).kind, Kind::kDuplicate);
  EXPECT_EQ(d.path(kPathB).late_ns.max(), 30'000);
  EXPECT_EQ(d.space.recovery().early_answers, 1U);
  d.send(104, {.us = 3'000});
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.retransmitted_original_seen, 1U);
  EXPECT_EQ(counts.retransmitted_original_unseen, 1U);
  EXPECT_EQ(counts.missing_packets[at(Outcome::kReordered)], 1U);
  EXPECT_EQ(counts.missing_packets[at(Outcome::kRetransmitted)], 1U);
}

TEST(SelectiveSpace, WhatIsForgottenWasSettledBefore) {
  Direction d;
  d.send(100, {.us = 0});
  d.send(102, {.us = 1});
  d.send(101, {.us = 10, .again = true});
  for (std::uint32_t psn = 103; psn <= 3'000; ++psn) d.send(psn, {.us = psn});  // no reply: 1,024 are remembered
  EXPECT_EQ(d.space.counts().retransmitted_original_unseen, 1U);
  EXPECT_EQ(d.finish().missing_packets[at(Outcome::kRetransmitted)], 1U);
}

TEST(SelectiveSpace, WhereTheFlagIsNotReadableASackTellsAResendFromALateOriginal) {
  constexpr Sent kUnreadable{.flag_certain = false, .flag_failed = true};
  const auto at_us = [&](std::int64_t us) {
    Sent sent = kUnreadable;
    sent.us = us;
    return sent;
  };
  Direction d;
  d.send(100, at_us(0));
  d.send(103, at_us(1));
  d.sack(100, 5, {103});
  EXPECT_EQ(d.send(101, at_us(10)).kind, Kind::kRetransmission);
  d.send(105, at_us(11));
  EXPECT_EQ(d.send(104, at_us(12)).kind, Kind::kReordered);
  EXPECT_EQ(d.send(105, at_us(5'000)).kind, Kind::kRetransmission);
  EXPECT_EQ(d.space.recovery().unflagged_resends, 1U);
}

TEST(SelectiveSpace, UntilPacketsShowWhereItIsTheFlagIsBelieved) {
  Direction d;
  d.send(100, {.us = 0, .flag_certain = false});
  d.send(103, {.us = 1, .flag_certain = false});
  d.sack(100, 5, {103});
  EXPECT_EQ(d.send(101, {.us = 10, .flag_certain = false}).kind, Kind::kReordered);
  EXPECT_EQ(d.send(102, {.us = 11, .again = true, .flag_certain = false}).kind, Kind::kRetransmission);
  EXPECT_EQ(d.send(102, {.us = 20, .flag_certain = false}).kind, Kind::kReordered);
}

TEST(SelectiveSpace, ACopyIsNoResend) {
  Direction d;
  d.send(100, {.us = 0});
  EXPECT_EQ(d.copy(1, {}).kind, Kind::kDuplicate);
  EXPECT_EQ(d.copy(1, {.flag_certain = false}).kind, Kind::kDuplicate);
  d.send(101, {.us = 2});
  d.sack(99, 5, {101});
  d.send(100, {.us = 10, .again = true});
  EXPECT_EQ(d.copy(11, {.again = true}).kind, Kind::kDuplicate);
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.duplicate_packets, 3U);
  EXPECT_EQ(counts.retransmitted_original_seen, 1U);
}

TEST(SelectiveSpace, WhatWasAcknowledgedAndNeverSeenTheCaptureMissed) {
  Direction d;
  d.send(100, {.us = 0});
  d.send(103, {.us = 1});
  d.ack(102, 5);
  d.send(106, {.us = 6});
  d.sack(103, 9, {105, 106});
  d.send(107, {.us = 3'000});
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.missing_packets[at(Outcome::kCaptureMissed)], 3U);  // 101, 102 and, by the SACK, 105
  EXPECT_EQ(counts.missing_packets[at(Outcome::kUnresolved)], 1U);     // 104
}

TEST(SelectiveSpace, BeginsWithWhicheverPathIsFirst) {
  Direction d;
  d.send(0, {.us = 0, .path = kPathB});
  EXPECT_EQ(d.send(0xFFFFFF, {.us = 1}).kind, Kind::kNew);
  d.send(1, {.us = 2});
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.packets, 3U);
  EXPECT_EQ(counts.first_psn, Psn{0xFFFFFF});
  EXPECT_EQ(counts.retransmitted_original_unseen, 0U);
}

TEST(SelectiveSpace, WhatPassedBeforeTheCaptureBeganIsNotMissed) {
  Direction d;
  d.in_mid_stream = true;
  d.send(100, {.us = 0, .path = kPathB});  // late: what it was overtaken by had passed
  d.send(160, {.us = 1});
  d.send(300, {.us = 2});  // a bitmap further
  d.ack(300, 10);
  d.send(105, {.us = 12, .path = kPathB});  // as late as that packets come here
  d.send(301, {.us = 3'000});
  EXPECT_EQ(d.space.recovery().beyond_window, 0U);
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.missing_packets[at(Outcome::kCaptureMissed)], 0U);
  EXPECT_EQ(counts.missing_packets[at(Outcome::kUnresolved)], 0U);
  EXPECT_EQ(counts.missing_packets[at(Outcome::kReordered)], 1U);
  EXPECT_TRUE(counts.missing.empty());
}

TEST(SelectiveSpace, WhatWasSentAgainMayHavePassedBeforeTheCaptureBegan) {
  Direction d;
  d.in_mid_stream = true;
  d.send(100, {.us = 0, .path = kPathB});
  d.send(160, {.us = 1});
  d.sack(150, 5, {152, 153, 160});
  d.send(151, {.us = 9, .again = true});
  d.ack(160, 15);
  d.send(161, {.us = 3'000});
  const SpaceCounts counts = d.finish();
  EXPECT_EQ(counts.missing_packets[at(Outcome::kRetransmitted)], 0U);
  EXPECT_EQ(counts.missing_packets[at(Outcome::kCaptureMissed)], 0U);
  EXPECT_EQ(counts.retransmitted_original_unseen, 1U);
}

TEST(SelectiveSpace, WhereNothingComesLateOnlyTheFirstPacketMayHaveBeen) {
  Direction d;
  d.in_mid_stream = true;
  d.send(100, {.us = 0});
  d.send(103, {.us = 1});
  d.send(106, {.us = 2});
  d.ack(106, 5);
  d.send(107, {.us = 3'000});
  EXPECT_EQ(d.finish().missing_packets[at(Outcome::kCaptureMissed)], 2U);  // 104 and 105
}

TEST(SelectiveSpace, AFullBitmapIsTold) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 240; ++psn) d.send(psn, {.us = psn});
  d.sack(100, 300, {226});
  EXPECT_EQ(d.space.recovery().full_bitmaps, 0U);
  d.sack(100, 301, {227});
  EXPECT_EQ(d.space.recovery().full_bitmaps, 1U);
  EXPECT_EQ(d.space.recovery().sack_depth.max(), 127);
}

TEST(SelectiveSpace, BelievesNoSackThatCannotBe) {
  Direction d;
  for (std::uint32_t psn = 100; psn <= 103; ++psn) d.send(psn, {.us = psn});
  d.sack(100, 200, {5'000'010}, 5'000'000);  // a bitmap of other PSNs
  d.sack(100, 201, {150});                   // of what nobody has sent
  EXPECT_EQ(d.space.recovery().holes_told, 3U);
  d.ack(8'000'000, 202);
  EXPECT_EQ(d.space.unacknowledged(), 4U - 1U);
  d.finish();
}

TEST(SelectiveSpace, OnlyTheDepthOfALateOriginalIsReordering) {
  Direction d;
  d.send(99, {.us = 0});
  d.ack(99, 20);
  for (std::uint32_t psn = 100; psn <= 250; ++psn) {
    if (psn != 101) d.send(psn, {.us = psn});
  }
  EXPECT_GT(d.space.recovery().beyond_window, 0U);
  d.send(101, {.us = 300, .path = kPathB});
  EXPECT_EQ(d.space.recovery().reorder_depth, 149U);
}

}  // namespace
}  // namespace rocetop::track
