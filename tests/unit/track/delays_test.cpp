// SPDX-License-Identifier: BSD-3-Clause
// Round trips, messages and where the time went, each on the smallest trace that shows it. A scenario's packets are
// 1 us apart unless it says otherwise.
#include "track/delays.h"

#include <gtest/gtest.h>

#include <string>

#include "support/scenario_run.h"
#include "track/counts.h"
#include "track/tap.h"

namespace rocetop::track {
namespace {

DirectionCounts requests_of(std::string_view scenario) { return test::directions_of(scenario).a; }

const MessageCounts& messages(const DirectionCounts& d, Operation operation) {
  static const MessageCounts kNone;
  const auto& counts = d.messages.operations[static_cast<std::size_t>(operation)];
  return counts ? *counts : kNone;
}

MessageCounts writes_of(std::string_view scenario) { return messages(requests_of(scenario), Operation::kWrite); }
MessageCounts reads_of(std::string_view scenario) { return messages(requests_of(scenario), Operation::kRead); }

/// The trace has exactly one round trip: this long.
void expect_round_trip(std::string_view scenario, std::int64_t ns) {
  const Histogram rtt = requests_of(scenario).round_trips.rtt_ns;
  EXPECT_EQ(rtt.count(), 1U) << scenario;
  EXPECT_EQ(rtt.max(), ns) << scenario;
}

/// Where the time of a trace went; the parts add up.
TimeSplit split_of(const DirectionCounts& d) {
  const TimeSplit& t = d.messages.time;
  EXPECT_EQ((t.moving + t.network + t.peer + t.host).count, t.wall.count);
  return t;
}
TimeSplit split_of(std::string_view scenario) { return split_of(requests_of(scenario)); }

// ---------------------------------------------------------------------------------------------- round trips

TEST(RoundTrip, FromThePacketThatAskedToTheReply) { expect_round_trip("W 100-103 | wait 8us | ACK 103", 9'000); }

TEST(RoundTrip, OnlyTheFirstReplyCounts) { expect_round_trip("W 100-103 | ACK 103 | wait 1ms | ACK 103", 1'000); }

TEST(RoundTrip, NoneWhereACoveredPacketWasResent) {
  EXPECT_EQ(requests_of("W 100-103 | NAK 102 | W 102-103 | ACK 103").round_trips.rtt_ns.count(), 0U);
  EXPECT_EQ(requests_of("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103").round_trips.rtt_ns.count(), 0U);
  const auto after = requests_of("W 100-103 | NAK 102 | W 102-103 | ACK 103 | W 104-105 | ACK 105");
  EXPECT_EQ(after.round_trips.rtt_ns.count(), 1U);
}

TEST(RoundTrip, AnAcknowledgementBeyondThePacketThatAskedCoversIt) {
  expect_round_trip("W 100-101 | W 102-103 noack | ACK 103", 3'000);
}

TEST(RoundTrip, AReadsIsToItsFirstResponse) { expect_round_trip("R 100-103 | wait 4us | RR 100-103", 5'000); }

TEST(RoundTrip, RisesAreSeenInTheGradient) {
  std::string scenario;
  for (int i = 0; i < 10; ++i) {
    const std::string psn = std::to_string(100 + i);
    scenario += "W " + psn + " | wait " + std::to_string(10 * (i + 1)) + "us | ACK " + psn + " | ";
  }
  const auto rising = requests_of(scenario);
  EXPECT_EQ(rising.round_trips.compared, 9U);
  EXPECT_EQ(rising.round_trips.rising, 9U);
  const auto level = requests_of("W 1 | ACK 1 | W 2 | ACK 2 | W 3 | ACK 3");
  EXPECT_EQ(level.round_trips.rising, 0U);
}

TEST(RoundTrip, BinsCoverWhateverTimeItTakes) {
  const auto d = requests_of("W 1 | ACK 1 | wait 10ms | W 2 | ACK 2 | wait 900s | W 3 | ACK 3 | W 4 | ACK 4");
  std::uint64_t samples = 0;
  for (const auto& bin : d.round_trips.bins) samples += bin.samples;
  EXPECT_EQ(samples, 4U);
  EXPECT_LE(d.round_trips.bins.size(), kRoundTripBins);
}

// ---------------------------------------------------------------------------------------------- messages

TEST(Message, LastsFromItsFirstPacketToTheReplyThatCoversIt) {
  const MessageCounts m = writes_of("pmtu 1024 | W 100-103 len=10 | wait 6us | ACK 103");
  EXPECT_EQ(m.complete, 1U);
  EXPECT_EQ(m.bytes, 3U * 1024 + 10);
  EXPECT_EQ(m.completion_ns.max(), 10'000);
  EXPECT_EQ(m.size_bytes.max(), 3 * 1024 + 10);
  EXPECT_EQ(m.partial + m.open, 0U);
}

TEST(Message, EachOperationApart) {
  const auto d = requests_of(
      "pmtu 1024 | W 100-101 | S 102 | R 103-106 len=100 | AT 107 | ACK 102 | RR 103-106 | ATA 107 | ACK 107");
  EXPECT_EQ(messages(d, Operation::kWrite).complete, 1U);
  EXPECT_EQ(messages(d, Operation::kSend).complete, 1U);
  EXPECT_EQ(messages(d, Operation::kRead).complete, 1U);
  EXPECT_EQ(messages(d, Operation::kRead).bytes, 3U * 1024 + 100);
  EXPECT_EQ(messages(d, Operation::kAtomic).complete, 1U);
  EXPECT_EQ(d.messages.outstanding_reads.max(), 2);
}

TEST(Message, OneReplyCompletesAllBeforeIt) {
  const MessageCounts m = writes_of("W 100-101 | W 102-103 | W 104-105 | ACK 105");
  EXPECT_EQ(m.complete, 3U);
  EXPECT_EQ(m.completion_ns.max(), 6'000);
  EXPECT_EQ(m.completion_ns.min(), 2'000);
}

TEST(Message, ResentIsOneMessageAndTheRecoveryPartOfIt) {
  for (const char* lost : {"", "drop 102 | "}) {
    const MessageCounts m =
        writes_of(std::string("W 100-103 | ") + lost + "NAK 102 | wait 1ms | W 102-103 | W 104 | ACK 104");
    EXPECT_EQ(m.complete, 2U) << lost;
    EXPECT_EQ(m.partial, 0U) << lost;
    EXPECT_GT(m.completion_ns.max(), 1'000'000) << lost;
  }
}

TEST(Message, ALostEdgeIsFoundInTheResend) {
  // 101 ends one message and 102 begins the next: both are seen only when they are sent again.
  const MessageCounts m = writes_of("W 100-101 | W 102-103 | drop 101-102 | NAK 101 | W 101 | W 102-103 | ACK 103");
  EXPECT_EQ(m.complete, 2U);
  EXPECT_EQ(m.partial, 0U);
}

TEST(Message, InPartIsCountedApart) {
  EXPECT_EQ(writes_of("W 100-103 open | ACK 103 | W 104 | ACK 104").partial, 1U);
  const MessageCounts missed =
      writes_of("W 96 | ACK 96 | W 100-103 | drop 101 | ACK 103 | wait 5ms | W 104-105 | ACK 105");
  EXPECT_EQ(missed.complete, 2U);
  EXPECT_EQ(missed.partial, 1U);
  EXPECT_EQ(writes_of("W 99 | ACK 99 | W 100-103").open, 1U);
}

TEST(Message, AReadIsCompleteWithItsLastResponse) {
  const MessageCounts half = reads_of("R 100-103 | RR 100-101 more");
  EXPECT_EQ(half.complete, 0U);
  EXPECT_EQ(half.open, 1U);
  const MessageCounts again = reads_of("pmtu 256 | R 100-107 | RR 100-107 | drop 103 | R 103-107 | RR 103-107");
  EXPECT_EQ(again.complete, 1U);
}

TEST(Message, UnacknowledgedTransportsHaveNone) {
  const MessageCounts m = writes_of("uc | W 100-103 | W 104-107");
  EXPECT_EQ(m.complete + m.open, 0U);
}

TEST(Message, IdleIsFromNothingOutstandingToTheNext) {
  const MessageCounts m = writes_of("W 100-101 | ACK 101 | wait 50us | W 102-103 | ACK 103");
  EXPECT_EQ(m.idle_ns.count(), 1U);
  EXPECT_EQ(m.idle_ns.max(), 51'000);
  const MessageCounts busy = writes_of("W 100-101 | W 102-103 | ACK 101 | W 104-105 | ACK 105");
  EXPECT_EQ(busy.idle_ns.count(), 0U);
}

TEST(Message, DeepQueuesWithoutRepliesStayBounded) {
  std::string scenario;
  for (int i = 0; i < 3000; ++i) scenario += "W " + std::to_string(i) + " | ";
  const MessageCounts m = writes_of(scenario);
  EXPECT_EQ(m.open, 3000U);
}

// ---------------------------------------------------------------------------------------------- where the time went

TEST(TimeSplit, HostWhileNothingIsOutstanding) {
  const TimeSplit t = split_of("W 100-101 | ACK 101 | wait 99us | W 102-103 | ACK 103");
  EXPECT_EQ(t.host.count, 100'000);
}

TEST(TimeSplit, PeerWhileTheReplyIsOutstanding) {
  const TimeSplit t = split_of("W 100-103 | wait 49us | ACK 103");
  EXPECT_EQ(t.moving.count, 3'000);
  EXPECT_EQ(t.peer.count, 50'000);
  EXPECT_EQ(t.host.count, 0);
}

TEST(TimeSplit, NetworkWhileRecovering) {
  const TimeSplit t = split_of("W 96 | ACK 96 | W 97-103 | wait 70ms | W 97-103 | ACK 103");
  EXPECT_GT(t.network.count, 69'000'000);
  EXPECT_LT(t.peer.count, 10'000);
}

TEST(TimeSplit, NetworkWhileHeldUpInMidMessage) {
  const TimeSplit t = split_of("W 100-101 more | wait 1ms | W 102-103 open | ACK 103");
  EXPECT_GT(t.network.count, 999'000);
}

TEST(TimeSplit, PeerWhileNotReady) {
  const auto d = requests_of("W 99 | ACK 99 | S 100 | RNR 100 timer=14 | wait 2ms | S 100 | ACK 100");
  EXPECT_GT(split_of(d).peer.count, 1'990'000);
  EXPECT_EQ(d.messages.rnr_waits, 1U);
  EXPECT_GT(d.messages.rnr_waited.count, 1'990'000);
  EXPECT_EQ(d.messages.rnr_advertised.count, 1'280'000);
}

TEST(TimeSplit, MovingWhileReadDataFlows) {
  const TimeSplit t = split_of("pmtu 1024 | R 100-119 | wait 9us | RR 100-119");
  EXPECT_EQ(t.peer.count, 10'000);
  EXPECT_EQ(t.moving.count, 19'000);
}

TEST(TimeSplit, UnknownWithoutReplies) { EXPECT_EQ(split_of("W 100-103 | W 104-107").wall.count, 0); }

// ---------------------------------------------------------------------------------------------- the tap

DirectionCounts with(std::int64_t rtt_ns, std::uint8_t hop_limit) {
  DirectionCounts d;
  d.hop_limit = hop_limit;
  for (int i = 0; i < 20; ++i) d.round_trips.rtt_ns.add(rtt_ns);
  return d;
}

Tap tap_of(DirectionCounts d, const DirectionCounts& opposite) {
  judge_tap(d, &opposite);
  return d.tap;
}

TEST(TapPlace, ByHops) {
  EXPECT_EQ(tap_of(with(0, 64), with(0, 61)), Tap::kNearSource);
  EXPECT_EQ(tap_of(with(0, 250), with(0, 255)), Tap::kNearDestination);
  EXPECT_EQ(tap_of(with(0, 62), with(0, 61)), Tap::kUnknown);
  EXPECT_EQ(tap_of(with(0, 64), with(0, 64)), Tap::kUnknown);
  EXPECT_EQ(tap_of(with(0, 1), with(0, 64)), Tap::kUnknown);
}

TEST(TapPlace, ByWhoAnswersAtOnce) {
  EXPECT_EQ(tap_of(with(20'000, 64), with(2'000, 64)), Tap::kNearSource);
  EXPECT_EQ(tap_of(with(2'000, 64), with(20'000, 64)), Tap::kNearDestination);
  EXPECT_EQ(tap_of(with(2'000, 64), with(3'000, 64)), Tap::kUnknown);
  EXPECT_EQ(tap_of(with(20'000'000, 64), with(2'000, 64)), Tap::kUnknown) << "a slow host, perhaps";
}

TEST(TapPlace, SaysWhenSignsContradict) {
  DirectionCounts d = with(20'000, 61);
  const DirectionCounts opposite = with(2'000, 64);
  judge_tap(d, &opposite);
  EXPECT_EQ(d.tap, Tap::kUnknown);
  EXPECT_NE(d.tap_evidence.why.find("contradictory"), std::string::npos);
}

}  // namespace
}  // namespace rocetop::track
