// SPDX-License-Identifier: BSD-3-Clause
// Thresholds at their edges: what a rule compares is exactly at the threshold, and then just beyond it. The numbers are
// set, not measured, so that nothing else decides; or measured, and the threshold set to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/scenario_run.h"
#include "verdict/judge.h"
#include "verdict/loop.h"
#include "verdict/standstill.h"

namespace rocetop::verdict {
namespace {

using track::ConnectionCounts;
using track::DirectionCounts;

IpAddress host(int n) { return *IpAddress::parse("192.0.2." + std::to_string(n)); }

/// `packets` SEND Onlys from host `from` to host `to` over a second, and as many acknowledgements.
ConnectionCounts connection(std::uint32_t id, int from, int to, std::uint64_t packets = 1'000) {
  ConnectionCounts c;
  c.id = id;
  c.first_frame = FrameId(0, id);
  DirectionCounts& data = c.a_to_b.emplace();
  DirectionCounts& replies = c.b_to_a.emplace();
  for (DirectionCounts* d : {&data, &replies}) {
    d->frames = packets;
    d->first_frame = FrameId(0, id);
    d->first_time = seconds(1);
    d->last_time = seconds(2);
    d->udp_src = static_cast<std::uint16_t>(50'000 + id);
  }
  c.a_ip = data.src = replies.dst = host(from);
  c.b_ip = data.dst = replies.src = host(to);
  data.dst_qpn = c.b_qpn = Qpn{100 + id};
  replies.dst_qpn = c.a_qpn = Qpn{200 + id};
  data.requests.packets = packets;
  data.requests.payload_bytes = packets * 1'000;
  data.opcodes = {{0x04, packets}};
  data.first_data_time = seconds(1);
  data.last_data_time = seconds(2);
  data.ecn[static_cast<std::size_t>(wire::Ecn::kEct0)] = packets;
  data.messages.time.wall = seconds(1);
  replies.acks = packets;
  return c;
}

track::CongestionCounts& congestion_of(ConnectionCounts& c) { return c.a_to_b->congestion.use(); }

void mark(ConnectionCounts& c, std::uint64_t packets) {
  congestion_of(c).ce_packets = packets;
  congestion_of(c).first_ce = FrameId(0, 1);
  congestion_of(c).first_ce_time = seconds(1);
  congestion_of(c).last_ce_time = seconds(2);
}

void answer(ConnectionCounts& c, std::uint64_t cnps, std::uint64_t with_naks = 0) {
  congestion_of(c).cnps = cnps;
  congestion_of(c).cnps_with_nak = with_naks;
  congestion_of(c).first_cnp = FrameId(0, 2);
  c.b_to_a->cnps = cnps;
  c.b_to_a->first_cnp = FrameId(0, 2);
}

class Edges : public testing::Test {
 protected:
  std::vector<Finding> judged() {
    capture.first_time = seconds(1);
    capture.last_time = seconds(2);
    judge_loops(connections, capture, thresholds);
    const std::vector<track::CmRejection> rejections;
    return judge({capture, connections, rejections}, thresholds);
  }
  /// With a severity above info.
  bool fires(std::string_view rule) {
    const auto findings = judged();
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& f) { return f.rule == rule && f.severity > Severity::kInfo; });
  }

  Thresholds thresholds;
  CaptureEvidence capture;
  std::vector<ConnectionCounts> connections;
};

/// Whether `rule` fires on a scenario by these thresholds.
const Finding* find(const std::vector<Finding>& findings, std::string_view rule) {
  const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
  return at == findings.end() ? nullptr : &*at;
}

std::vector<Finding> judge_run(const test::TrackerRun& run, const Thresholds& thresholds, double completeness = 1.0) {
  CaptureEvidence capture;
  capture.completeness = completeness;
  capture.first_time = run.connections.at(0).first_time;
  for (const auto& c : run.connections) capture.last_time = std::max(capture.last_time, c.last_time);
  return judge({capture, run.connections, run.rejections, run.set_ups}, thresholds);
}

TEST(LowCompleteness, CostsConfidenceBelowIt) {
  const auto run = test::track_scenario("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103");
  const auto confidence = [&](double completeness) {
    const auto findings = judge_run(run, {}, completeness);
    return find(findings, "loss.before_tap")->confidence;
  };
  EXPECT_EQ(confidence(0.99), Confidence::kHigh);
  EXPECT_EQ(confidence(0.9899), Confidence::kMedium);
  EXPECT_EQ(confidence(0.9), Confidence::kMedium);
  EXPECT_EQ(confidence(0.8999), Confidence::kLow);
}

TEST(LowCompleteness, IsTheUsersToSet) {
  const auto run = test::track_scenario("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103");
  Thresholds t;
  t.low_completeness = 0.5;
  EXPECT_EQ(find(judge_run(run, t, 0.6), "loss.before_tap")->confidence, Confidence::kHigh);
}

/// Whoever gets a reply does not repeat the same PSN: of many resends, the reply to the last alone can be missing.
TEST(PoorCompleteness, MakesAPeerThatIsSilentToFewResendsAWarning) {
  const std::string sent = "W 96-99 | ACK 99 | W 100-103 | wait 70ms | W 100-103 | wait 70ms | W 100-103";
  const auto silent = [&](const std::string& more, double completeness) {
    return *find(judge_run(test::track_scenario(sent + more), {}, completeness), "peer.silent");
  };
  EXPECT_EQ(silent("", 0.95).severity, Severity::kCritical);
  EXPECT_EQ(silent("", 0.5).severity, Severity::kWarning);
  EXPECT_EQ(silent("", 0.5).confidence, Confidence::kLow);
  EXPECT_EQ(silent(" | wait 70ms | W 100-103", 0.5).severity, Severity::kCritical);
  EXPECT_EQ(silent(" | wait 70ms | W 100-103", 0.5).confidence, Confidence::kMedium);
}

/// Whoever goes back to what is behind the last acknowledgement that was captured has had another one.
TEST(Silent, IsDoubtfulWhereTheCaptureLacksReplies) {
  const std::string sent = "W 96-99 | ACK 99 | W 100-107 | wait 70ms | W 104-107 | wait 70ms | W 104-107";
  const Finding few = *find(judge_run(test::track_scenario(sent), {}), "peer.silent");
  EXPECT_EQ(few.severity, Severity::kWarning);
  EXPECT_EQ(few.confidence, Confidence::kLow);
  const Finding many = *find(judge_run(test::track_scenario(sent + " | wait 70ms | W 104-107"), {}), "peer.silent");
  EXPECT_EQ(many.severity, Severity::kCritical);
}

TEST(TailSilence, MakesALostTail) {
  const auto fires = [](const std::string& wait, std::optional<Nanos> threshold = {}) {
    const auto run = test::track_scenario("W 96-99 | ACK 99 | W 100-109 more | drop 106-109 | wait " + wait +
                                          " | W 100-109 more | W 110-111 open | ACK 111");
    Thresholds t;
    const Nanos silence = run.connections.at(0).a_to_b->requests.episodes.at(0).silence;
    if (threshold) t.tail_silence = silence + *threshold;
    return find(judge_run(run, t), "loss.before_tap") != nullptr;
  };
  EXPECT_TRUE(fires("13ms"));
  EXPECT_FALSE(fires("11ms"));
  EXPECT_TRUE(fires("13ms", Nanos{0}));
  EXPECT_FALSE(fires("13ms", Nanos{1}));
}

TEST(BurstWindow, HoldsWhatIsThatNear) {
  const auto run = test::track_scenario("uc | W 100-199 | drop 110-113 | drop 130-133");  // a microsecond each
  Thresholds t;
  t.burst_window = microseconds(20);
  EXPECT_TRUE(find(judge_run(run, t), "loss.burst"));
  t.burst_window = t.burst_window - Nanos{1};
  EXPECT_FALSE(find(judge_run(run, t), "loss.burst"));
}

TEST(BurstConnections, OfThatMany) {
  const auto fires = [](int connections) {
    std::string scenario = "uc | ";
    for (int i = 0; i < connections; ++i) {
      scenario += "qp " + std::to_string(20 + i) + "/" + std::to_string(40 + i) + " | W 100-109 | drop 105 | ";
    }
    return find(judge_run(test::track_scenario(scenario + "wait 50ms | W 110"), {}), "loss.burst") != nullptr;
  };
  EXPECT_TRUE(fires(4));
  EXPECT_FALSE(fires(3));
}

TEST(LadderWait, IsWhereALadderEnds) {
  const auto run =
      test::track_scenario("W 99 | ACK 99 | W 100 | wait 2ms | W 100 | wait 4ms | W 100 | wait 8ms | W 100 | ACK 100");
  Thresholds t;
  t.ladder_wait = run.connections.at(0).a_to_b->requests.episodes.at(2).wait + Nanos{1};
  EXPECT_TRUE(find(judge_run(run, t), "retransmit.early"));
  t.ladder_wait = t.ladder_wait - Nanos{1};
  EXPECT_FALSE(find(judge_run(run, t), "retransmit.early"));
}

TEST_F(Edges, CnpsPerTurnForOthers) {
  connections = {connection(1, 1, 9), connection(2, 2, 9)};
  mark(connections[0], 100);
  mark(connections[1], 100);
  answer(connections[1], 40);  // 20 for each of the two
  EXPECT_TRUE(fires("ecn.marks_without_cnp"));
  answer(connections[1], 39);
  EXPECT_FALSE(fires("ecn.marks_without_cnp"));
}

TEST_F(Edges, UnansweredMarks) {
  connections = {connection(1, 1, 9)};
  mark(connections[0], 8);
  EXPECT_TRUE(fires("ecn.marks_without_cnp"));
  mark(connections[0], 7);
  EXPECT_FALSE(fires("ecn.marks_without_cnp"));
  mark(connections[0], 8);
  congestion_of(connections[0]).last_ce_time = seconds(1) + milliseconds(1);
  EXPECT_TRUE(fires("ecn.marks_without_cnp"));
  congestion_of(connections[0]).last_ce_time = seconds(1) + milliseconds(1) - Nanos{1};
  EXPECT_FALSE(fires("ecn.marks_without_cnp"));
}

TEST_F(Edges, BareCnps) {
  connections = {connection(1, 1, 9)};
  answer(connections[0], 2, 2);
  EXPECT_TRUE(fires("ecn.cnp_without_marks"));
  answer(connections[0], 1, 1);
  EXPECT_FALSE(fires("ecn.cnp_without_marks"));
}

TEST_F(Edges, ShareOfCnpsWithNaks) {
  connections = {connection(1, 1, 9)};
  answer(connections[0], 10, 8);
  EXPECT_TRUE(fires("ecn.cnp_without_marks"));
  answer(connections[0], 10, 7);
  EXPECT_FALSE(fires("ecn.cnp_without_marks"));
}

TEST_F(Edges, Swings) {
  connections = {connection(1, 1, 9)};
  mark(connections[0], 100);
  answer(connections[0], 10);
  const auto swing = [&](std::uint64_t swings, double spread, double depth) {
    track::CongestionCounts& c = congestion_of(connections[0]);
    c.swings = swings;
    c.swing_spread = spread;
    c.swing_depth = depth;
    c.swing_ns = 1e6;
    return fires("ecn.oscillation");
  };
  EXPECT_TRUE(swing(4, 0.35, 0.5));
  EXPECT_FALSE(swing(3, 0.35, 0.5));
  EXPECT_FALSE(swing(4, 0.351, 0.5));
  EXPECT_FALSE(swing(4, 0.35, 0.499));
}

/// Two senders whose data cannot be marked.
std::vector<ConnectionCounts> two_without_ect() {
  std::vector<ConnectionCounts> out = {connection(1, 1, 9), connection(2, 2, 9)};
  for (ConnectionCounts& c : out) {
    std::swap(c.a_to_b->ecn[static_cast<std::size_t>(wire::Ecn::kNotEct)],
              c.a_to_b->ecn[static_cast<std::size_t>(wire::Ecn::kEct0)]);
  }
  return out;
}

TEST_F(Edges, QueueDropsOfSeveral) {
  connections = two_without_ect();
  const auto drop = [&](std::uint64_t of_first, std::uint64_t of_second) {
    const auto i = static_cast<std::size_t>(track::Outcome::kRetransmitted);
    connections[0].a_to_b->requests.missing_packets[i] = of_first;
    connections[1].a_to_b->requests.missing_packets[i] = of_second;
    return fires("ecn.not_ect");
  };
  EXPECT_TRUE(drop(4, 4));
  EXPECT_FALSE(drop(4, 3));
}

TEST_F(Edges, RoundTripsThatGrow) {
  connections = two_without_ect();
  for (ConnectionCounts& c : connections) {
    c.a_to_b->tap = track::Tap::kNearSource;
    for (int i = 0; i < 200; ++i) c.a_to_b->round_trips.rtt_ns.add(i == 0 ? 10'000 : 40'000);
  }
  const Histogram& rtt = connections[0].a_to_b->round_trips.rtt_ns;
  thresholds.rtt_inflation = static_cast<double>(rtt.percentile(0.5)) / static_cast<double>(rtt.min());
  EXPECT_NEAR(thresholds.rtt_inflation, 4, 0.1);
  EXPECT_TRUE(fires("ecn.not_ect"));
  thresholds.rtt_inflation *= 1.0001;
  EXPECT_FALSE(fires("ecn.not_ect"));
}

TEST_F(Edges, StoodStill) {
  connections = {connection(1, 1, 9, 1'000)};
  const auto still = [&](std::uint64_t within) {
    connections[0].a_to_b->data_while_paused[3] = within;
    const std::vector<track::CmRejection> rejections;
    const Evidence evidence{capture, connections, rejections};
    return stood_still(Docket(evidence, thresholds), 3, 0.5).size() == 1;
  };
  EXPECT_TRUE(still(125)) << "a quarter of the 500 that half of the time would see";
  EXPECT_FALSE(still(126));
}

TEST_F(Edges, PausesAndStorms) {
  track::PausingPort port;
  track::PauseCounts& c = port.classes[3];
  c.xoff_frames = 10;
  c.first_xoff = c.stretch_first = c.stretch_last = FrameId(0, 1);
  const auto with = [&](Nanos paused, Nanos stretch, std::uint64_t frames, std::string_view rule) {
    c.paused = c.paused_least = c.paused_most = paused;
    c.longest_stretch = stretch;
    c.stretch_frames = frames;
    capture.pauses = {port};
    return fires(rule);
  };
  EXPECT_TRUE(with(milliseconds(50), Nanos{}, 0, "pfc.paused")) << "of a second";
  EXPECT_FALSE(with(milliseconds(50) - Nanos{1}, Nanos{}, 0, "pfc.paused"));
  EXPECT_TRUE(with(Nanos{}, milliseconds(5), 4, "pfc.storm"));
  EXPECT_FALSE(with(Nanos{}, milliseconds(5) - Nanos{1}, 4, "pfc.storm"));
  EXPECT_FALSE(with(Nanos{}, milliseconds(5), 3, "pfc.storm"));
}

TEST_F(Edges, IncastByPauseIsToldOnceAReceiver) {
  track::PausingPort port;
  for (const std::size_t c : {3U, 4U}) {
    track::PauseCounts& counts = port.classes[c];
    counts.xoff_frames = 100;
    counts.first_xoff = FrameId(0, 1);
    counts.paused = counts.paused_least = counts.paused_most = milliseconds(500);
  }
  capture.pauses = {port, port};
  connections = {connection(1, 1, 9), connection(2, 2, 9), connection(3, 3, 9)};
  const auto findings = judged();
  const auto told = [&](std::string_view rule) {
    return std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
  };
  EXPECT_EQ(told("pfc.paused"), 4);
  EXPECT_EQ(told("incast"), 1);
}

/// Two connections share a congested receiver; the second moves a third of what the first does.
std::vector<ConnectionCounts> three_to_one() {
  std::vector<ConnectionCounts> out = {connection(1, 1, 9, 3'000), connection(2, 2, 9, 1'000)};
  for (ConnectionCounts& c : out) mark(c, 100);
  return out;
}

TEST_F(Edges, FairIndex) {
  connections = three_to_one();  // (3 + 1)² / (2 (3² + 1²)) = 0.8
  thresholds.fair_index = 0.8001;
  EXPECT_TRUE(fires("unfair"));
  thresholds.fair_index = 0.7999;
  EXPECT_FALSE(fires("unfair"));
}

TEST_F(Edges, UnfairRatio) {
  connections = three_to_one();
  EXPECT_TRUE(fires("unfair"));
  connections[1].a_to_b->requests.payload_bytes += 1'000;
  EXPECT_FALSE(fires("unfair"));
}

TEST_F(Edges, TimeShared) {
  connections = three_to_one();
  DirectionCounts& slow = *connections[1].a_to_b;
  slow.requests.payload_bytes /= 2;
  slow.last_data_time = seconds(1) + milliseconds(500);
  EXPECT_TRUE(fires("unfair"));
  slow.last_data_time = slow.last_data_time - Nanos{1};
  EXPECT_FALSE(fires("unfair"));
}

TEST_F(Edges, ConnectionsWithoutEntropy) {
  const auto fires_with = [&](std::uint32_t n, std::uint16_t ports) {
    connections.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
      connections.push_back(connection(i + 1, 1, 9));
      connections.back().a_to_b->udp_src = static_cast<std::uint16_t>(50'000 + i % ports);
    }
    return fires("ecmp.low_entropy");
  };
  EXPECT_TRUE(fires_with(6, 1));
  EXPECT_FALSE(fires_with(5, 1));
  EXPECT_TRUE(fires_with(8, 2)) << "four a port";
  EXPECT_FALSE(fires_with(7, 2));
}

TEST_F(Edges, AQueuePairThatIsUsedAgainCountsOnce) {
  for (std::uint32_t use = 0; use < 8; ++use) {
    connections.push_back(connection(use + 1, 1, 9));
    connections.back().a_to_b->udp_src = 50'000;
    connections.back().a_to_b->dst_qpn = Qpn{100 + use % 5};
  }
  EXPECT_FALSE(fires("ecmp.low_entropy")) << "five queue pairs, three of them twice";
  connections.back().a_to_b->dst_qpn = Qpn{105};
  EXPECT_TRUE(fires("ecmp.low_entropy"));
}

TEST_F(Edges, MarksOnWhatCannotBeMarkedAreSaid) {
  connections = two_without_ect();
  EXPECT_EQ(find(judged(), "ecn.not_ect")->title.find("marked CE all the same"), std::string::npos);
  for (ConnectionCounts& c : connections) {
    auto& ecn = c.a_to_b->ecn;
    std::swap(ecn[static_cast<std::size_t>(wire::Ecn::kCe)], ecn[static_cast<std::size_t>(wire::Ecn::kNotEct)]);
    ecn[static_cast<std::size_t>(wire::Ecn::kNotEct)] = 300;
    ecn[static_cast<std::size_t>(wire::Ecn::kCe)] = 700;
    mark(c, 700);
    answer(c, 50);
  }
  const auto findings = judged();
  const Finding* f = find(findings, "ecn.not_ect");
  ASSERT_NE(f, nullptr);
  EXPECT_NE(f->title.find("1400 marked CE all the same"), std::string::npos) << f->title;
  EXPECT_EQ(f->severity, Severity::kInfo);
  EXPECT_NE(connections[0].a_to_b->loop, track::Loop::kNotMarked);
}

}  // namespace
}  // namespace rocetop::verdict
