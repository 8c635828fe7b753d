// SPDX-License-Identifier: BSD-3-Clause
// Which findings a trace must and must not draw: each row is a rule, said as a scenario (generate/scenario.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "generate/scenario.h"
#include "support/scenario_run.h"
#include "track/directions.h"
#include "verdict/docket.h"
#include "verdict/judge.h"
#include "verdict/rule_book.h"

namespace rocetop::verdict {
namespace {

/// Nothing to follow: for rules about the capture as a whole.
std::vector<Finding> findings_of(const CaptureEvidence& capture) {
  const std::vector<track::ConnectionCounts> connections;
  const std::vector<track::CmRejection> rejections;
  return judge({capture, connections, rejections}, Thresholds{});
}

bool holds(const std::vector<Finding>& findings, std::string_view rule) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
}

std::vector<Finding> findings_of(const test::TrackerRun& run) {
  Evidence evidence{{}, run.connections, run.rejections, run.set_ups};
  std::uint64_t seen = 0;
  for (const auto& c : run.connections) {
    for (const auto* d : {&c.a_to_b, &c.b_to_a}) {
      if (!*d) continue;
      for (const auto* space : {&(*d)->requests, &(*d)->responses}) {
        seen += space->packets;
        evidence.capture.capture_missed_packets +=
            space->missing_packets[static_cast<std::size_t>(track::Outcome::kCaptureMissed)];
      }
    }
    if (evidence.capture.first_time.count == 0) evidence.capture.first_time = c.first_time;
    evidence.capture.last_time = std::max(evidence.capture.last_time, c.last_time);
  }
  const auto missed = static_cast<double>(evidence.capture.capture_missed_packets);
  evidence.capture.completeness = static_cast<double>(seen) / std::max(1.0, static_cast<double>(seen) + missed);
  evidence.capture.stray_damaged_packets = run.stray_damaged_packets;
  return judge(evidence, Thresholds{});
}

std::vector<Finding> findings_of(std::string_view scenario) { return findings_of(test::track_scenario(scenario)); }

/// That nobody asks again says as much for a capture that missed the answer as for a peer that gave none.
TEST(Stopped, IsNoMoreThanInformationWhereTheAnswerMayHaveBeenMissed) {
  for (const char* scenario :
       {"pmtu 256 | R 100-107 | RR 100-107 | R 108-115 | RR 108-111 more | wait 2s | qp 27/28 | W 100 | ACK 100",
        "W 96-99 | ACK 99 | W 100-103 | wait 2s | qp 27/28 | W 100 | ACK 100"}) {
    const auto findings = findings_of(scenario);
    const auto stopped =
        std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.rule == "stream.stopped"; });
    ASSERT_NE(stopped, findings.end()) << scenario;
    EXPECT_EQ(stopped->severity, Severity::kInfo);
    EXPECT_EQ(stopped->confidence, Confidence::kLow);
  }
}

/// Going back is answered each time; more often than is listed, and then one packet is on its way.
TEST(Silent, IsNobodyWhoAnsweredMoreOftenThanIsListed) {
  std::string scenario = "W 96-99 | ACK 99";
  std::uint32_t psn = 100;
  for (std::size_t i = 0; i < track::Limits{}.listed_runs + 10; ++i, psn += 4) {
    scenario += fmt::format(" | W {0}-{2} | drop {1} | NAK {1} | W {1}-{2} | ACK {2}", psn, psn + 1, psn + 3);
  }
  const test::TrackerRun run = test::track_scenario(scenario + fmt::format(" | W {}", psn));
  ASSERT_GT(run.connections.at(0).a_to_b->requests.episodes_omitted, 2U);
  EXPECT_FALSE(holds(findings_of(run), "peer.silent"));
}

TEST(Holes, AreTheCapturesAndNoLoss) {
  const test::TrackerRun run = test::track_scenario("uc | W 100-107 | W 200-207");
  ASSERT_EQ(run.connections.size(), 1U);
  const FrameId jump = run.connections[0].a_to_b->requests.missing.at(0).seen_at;
  Evidence evidence{{}, run.connections, run.rejections, run.set_ups};
  EXPECT_TRUE(holds(judge(evidence, Thresholds{}), "loss.uc"));
  evidence.capture.holes = {{FrameId(0, 8), jump, seconds(1), seconds(2), 1, 92, 0, {jump}}};
  const auto findings = judge(evidence, Thresholds{});
  EXPECT_FALSE(holds(findings, "loss.uc"));
  EXPECT_FALSE(holds(findings, "loss.burst"));
  ASSERT_TRUE(holds(findings, "capture.incomplete"));
  EXPECT_NE(findings[0].explanation.find("nothing was captured for 1.00 s"), std::string::npos);
}

struct Row {
  const char* name;
  const char* scenario;
  std::vector<std::string> fires;  ///< with a severity above info, unless the rule has none
  std::vector<std::string> never;  ///< at any severity
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.name; }

class Scenarios : public ::testing::TestWithParam<Row> {};

TEST_P(Scenarios, FireAsTheTraceSays) {
  const Row& row = GetParam();
  const auto findings = findings_of(row.scenario);
  std::string said;
  for (const Finding& f : findings) said += f.rule + ": " + f.title + "\n";
  for (const std::string& rule : row.fires) {
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(),
                            [&](const Finding& f) {
                              return f.rule == rule &&
                                     (f.severity > Severity::kInfo || find_rule(rule)->worst == Severity::kInfo);
                            }))
        << rule << " should fire; said:\n"
        << said;
  }
  for (const std::string& rule : row.never) {
    EXPECT_FALSE(holds(findings, rule)) << rule << " must not fire; said:\n" << said;
  }
}

/// `count` WRITEs of 8 packets, one at a time, each with `pause` after its acknowledgement.
std::string writes(int count, const std::string& pause, int first = 1000) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::string last = std::to_string(first + 8 * i + 7);
    out += " | W " + std::to_string(first + 8 * i) + "-" + last + " | ACK " + last + pause;
  }
  return out;
}

/// Six connections with the same work, the last one at another step.
std::string race(const std::string& last_step) {
  std::string out = "pmtu 4096";
  for (int q = 0; q < 6; ++q) {
    out += " | qp " + std::to_string(17 + q) + "/" + std::to_string(217 + q) + " | step " +
           (q == 5 ? last_step : std::string("1us")) + writes(10, "", 1000 * (q + 1));
  }
  return out;
}

/// Six connections with the same work, one message at a time; the last one's peer is far away.
std::string far_race() {
  std::string out = "pmtu 4096";
  for (int q = 0; q < 6; ++q) {
    out += " | qp " + std::to_string(17 + q) + "/" + std::to_string(217 + q);
    for (int i = 0; i < 20; ++i) {
      const int first = 1000 * (q + 1) + 8 * i;
      out += " | W " + std::to_string(first) + "-" + std::to_string(first + 7) + " | wait " +
             (q == 5 ? "200us" : "10us") + " | ACK " + std::to_string(first + 7);
    }
  }
  return out;
}

const std::string kPauses = "pmtu 4096" + writes(20, " | wait 600us");
const std::string kNoPauses = "pmtu 4096" + writes(20, "");
const std::string kOneSlow = race("8us");
const std::string kOneFar = far_race();
const std::string kAllAlike = race("1us");

const Row kRows[] = {
    {"NothingAskedMostOfTheTime", kPauses.c_str(), {"host.limited"}, {"mtu.small", "straggler"}},
    {"BusyAllTheTime", kNoPauses.c_str(), {}, {"host.limited", "cm.slow"}},
    {"OneFarSlowerThanItsLike", kOneSlow.c_str(), {"straggler"}, {"host.limited"}},
    {"OneFarAway", kOneFar.c_str(), {}, {"host.limited", "loss.burst"}},
    {"AllAlike", kAllAlike.c_str(), {}, {"straggler"}},
    {"EndsOfTwoMtus",
     "pmtu 1024 | W 100-103 | ACK 103 | pmtu 2048 | B: W 500-503 | A: ACK 503",
     {"mtu.mismatch"},
     {"mtu.small"}},
    {"EndsOfOneMtu", "pmtu 1024 | W 100-103 | ACK 103 | B: W 500-503 | A: ACK 503", {}, {"mtu.mismatch"}},
    {"SetUpRepeated",
     "REQ 100 | wait 700ms | REQ 100 | REP 500 | RTU | B: W 100 | A: ACK 100",
     {"cm.slow"},
     {"cm.rejected"}},
    {"Clean",
     "W 100-103 | ACK 103 | W 104-107 | ACK 107",
     {},
     {"loss.before_tap", "loss.after_tap", "retransmit.nak", "retransmit.timeout", "peer.silent", "capture.one_way",
      "icrc.bad", "capture.truncated", "ip.fragments"}},
    {"LossBeforeTheTap",
     "W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103",
     {"loss.before_tap", "retransmit.nak"},
     {"loss.after_tap", "order.reordered", "capture.incomplete", "loss.burst", "retransmit.waste", "nak.fatal",
      "capture.duplicated", "loss.uc"}},
    {"ManyInARow",
     "W 96-99 | ACK 99 | W 100-119 | drop 105-114 | NAK 105 | W 105-119 | ACK 119 | wait 50ms | W 120-123 | ACK 123",
     {"loss.before_tap", "loss.burst"},
     {"loss.after_tap", "retransmit.waste"}},
    {"AWindowAgainForOnePacket",
     "W 100-399 | drop 102 | NAK 102 | W 102-399 | ACK 399",
     {"loss.before_tap", "retransmit.waste"},
     {"loss.burst", "retransmit.spurious"}},
    {"TooSoonForATimer",
     "W 96-99 | ACK 99 | W 100-103 | wait 200us | W 100-103 | ACK 103",
     {"retransmit.early"},
     {"retransmit.timeout", "loss.after_tap", "loss.before_tap"}},
    {"NobodyThere",
     "W 99 | ACK 99 | qp 27/28 | W 100-103 | wait 70ms | W 100-103 | wait 70ms | W 100-103 | wait 70ms | W 100-103",
     {"peer.unreachable"},
     {"peer.silent", "loss.after_tap"}},
    {"Mirrored", "W 100-103 | ACK 103 | dup 100-103", {"capture.duplicated"}, {"retransmit.spurious"}},
    {"ReadAfterRead",
     "R 100-103 | RR 100-103 | wait 1ms | R 104-107 | RR 104-107",
     {},
     {"retransmit.read_restart", "retransmit.spurious", "loss.before_tap"}},
    {"SetUpAndTornDown", "REQ 100 | REP 200 | RTU | W 100 | ACK 100 | DREQ | DREP", {}, {"cm.rejected"}},
    {"LossAfterTheTap",
     "W 100-103 | NAK 102 | W 102-103 | ACK 103",
     {"loss.after_tap", "retransmit.nak"},
     {"loss.before_tap", "retransmit.timeout"}},
    {"TailLostBeforeTheTap",
     "W 96-99 | ACK 99 | W 100-103 | drop 103 | wait 70ms | W 100-103 | ACK 103",
     {"loss.before_tap", "retransmit.timeout"},
     {"loss.after_tap"}},
    {"TailOrItsAckLostAfterTheTap",
     "W 96-99 | ACK 99 | W 100-103 | wait 70ms | W 100-103 | ACK 103",
     {"loss.after_tap", "retransmit.timeout"},
     {"loss.before_tap"}},
    {"AResponseInsideWhatIsAskedForAgainMayBeTheCaptures",
     "W 90-99 | drop 95 | ACK 99 | wait 5ms | R 100-131 | RR 100-131 | drop 110 | R 104-131 | RR 104-131 open",
     {"capture.incomplete", "retransmit.read_restart"},
     {"loss.before_tap", "loss.burst"}},
    {"AReadRequestOfManyPsnsIsOnePacket",
     "W 90-99 | ACK 99 | R 100-135 | drop 100 | W 136 | NAK 100 | R 100-135 | W 136 | RR 100-135 | ACK 136",
     {"loss.before_tap", "retransmit.nak"},
     {"loss.burst"}},
    {"ASecondAcknowledgementMayComeAfterTheEnd",
     "W 100 | wait 7ms | ACK 100 | W 101 | wait 7ms | ACK 101 | W 102 | wait 8ms | W 102 | wait 2ms | ACK 102",
     {"retransmit.timeout"},
     {"loss.after_tap", "loss.before_tap"}},
    {"TheReceiverAnswersEachDuplicate",
     "W 96-99 | ACK 99 | W 100-103 | wait 70ms | W 100-103 | ACK 103 | wait 1ms | ACK 103 | wait 1ms | ACK 103",
     {"retransmit.timeout"},
     {"loss.after_tap", "loss.before_tap"}},
    {"ResentThoughAcknowledged",
     "W 96-99 | ACK 99 | W 100-103 | ACK 103 | wait 70ms | W 100-103 | ACK 103",
     {"retransmit.spurious"},
     {"loss.after_tap", "loss.before_tap", "retransmit.timeout"}},
    {"TheCaptureMissedIt",
     "W 100-103 | drop 102 | ACK 103 | wait 5ms | W 104-107 | ACK 107",
     {"capture.incomplete"},
     {"loss.before_tap", "loss.after_tap", "retransmit.nak"}},
    {"Reordering",
     "W 96-99 | ACK 99 | W 100-107 | late 102 after=103 | late 105 after=106 | ACK 107 | W 108-109 | ACK 109",
     {"order.reordered"},
     {"loss.before_tap", "loss.after_tap", "retransmit.nak"}},
    {"LateBehindItsNak",
     "W 96-99 | ACK 99 | W 100-109 more | late 103 after=106 | NAK 103 | wait 20us | W 110-111 more open | W 103-111 "
     "more | W 112-113 open | ACK 113",
     {"order.reordered", "retransmit.nak"},
     {"loss.before_tap", "loss.after_tap", "loss.burst"}},
    {"NotReady",
     "W 99 | ACK 99 | S 100 | RNR 100 timer=14 | wait 2ms | S 100 | RNR 100 timer=14 | wait 2ms | S 100 | ACK 100",
     {"rnr.stall"},
     {"loss.after_tap", "loss.before_tap", "retransmit.timeout", "rnr.timer_zero"}},
    {"OneRnrIsStartUp",
     "S 100 | RNR 100 timer=1 | wait 20us | S 100 | ACK 100 | wait 900ms | S 101 | ACK 101",
     {},
     {"rnr.stall", "loss.after_tap"}},
    {"RnrTimerZero", "W 99 | ACK 99 | S 100 | RNR 100 timer=0 | wait 700ms | S 100 | ACK 100", {"rnr.timer_zero"}, {}},
    {"Refused",
     "W 96-99 | ACK 99 | W 100-103 | NAK 100 code=access",
     {"nak.fatal"},
     {"loss.after_tap", "retransmit.nak", "peer.silent"}},
    {"SilentPeer",
     "W 96-99 | ACK 99 | W 100-103 | wait 70ms | W 100-103 | wait 70ms | W 100-103 | wait 70ms | W 100-103",
     {"peer.silent"},
     {"peer.unreachable", "loss.after_tap", "capture.one_way"}},
    {"OneDirectionIsNoSilentPeer",
     "W 100-103 | wait 70ms | W 100-103 | wait 70ms | W 100-103",
     {"capture.one_way"},
     {"peer.silent", "peer.unreachable", "retransmit.spurious"}},
    {"UnreliableGap", "uc | W 100-103 | drop 102 | W 104-105", {"loss.uc"}, {"retransmit.nak", "loss.before_tap"}},
    {"Damaged",
     "W 96-99 | ACK 99 | W 100-103 | bad 102 | NAK 102 | W 102-103 | ACK 103",
     {"icrc.bad", "retransmit.nak"},
     {"loss.after_tap", "loss.before_tap"}},
    {"ReadDataLost",
     "pmtu 256 | R 100-107 | RR 100-107 | drop 103 | R 103-107 | RR 103-107 more | R 108-109 | RR 108-109",
     {"loss.before_tap", "retransmit.read_restart"},
     {"loss.after_tap", "retransmit.timeout"}},
    {"ReadDataLostBehindTheTap",
     "pmtu 256 | R 100-107 | RR 100-107 | R 103-107 | RR 103-107 more | R 108-109 | RR 108-109",
     {"loss.after_tap", "retransmit.read_restart"},
     {"loss.before_tap", "retransmit.timeout", "peer.silent"}},
    {"ReadAskedForBeforeItsDataCame",
     "pmtu 256 | W 99 | ACK 99 | R 100-107 | RR 100-102 more | wait 3ms | RR 103-107 open | R 103-107 | RR 103-107 "
     "more",
     {"retransmit.read_restart"},
     {"loss.after_tap", "loss.before_tap"}},
    {"ReadRequestLost",
     "R 100-103 | RR 100-103 | R 104-107 | R 108-111 | NAK 104 | R 104-107 | R 108-111 | RR 104-107 | RR 108-111",
     {"loss.after_tap", "retransmit.nak"},
     {"loss.before_tap", "retransmit.read_restart"}},
    {"ReadAnsweredAgainAndAgain",
     "pmtu 256 | R 100-103 | RR 100-103 | wait 70ms | R 100-103 | RR 100-103 | wait 70ms | R 100-103 | RR 100-103 | "
     "wait 70ms | R 100-103 | RR 100-103",
     {"retransmit.spurious"},
     {"peer.silent", "loss.after_tap", "loss.before_tap"}},
    {"ReadAnsweredInPart",
     "pmtu 256 | R 100-103 | RR 100-103 | drop 101 | drop 103 | wait 70ms | R 101-103 | RR 101-103 open | drop 101 | "
     "drop 103 | wait 70ms | R 101-103 | RR 101-103 open | drop 101 | drop 103 | wait 70ms | R 101-103 | RR 101-103 "
     "open | drop 101 | drop 103",
     {"retransmit.timeout"},
     {"peer.silent"}},
    {"StoppedInMidMessage",
     "W 96-99 | ACK 99 | W 100-109 more | wait 2s | qp 27/28 | W 100 | ACK 100",
     {"stream.stopped"},
     {"peer.silent", "peer.unreachable", "capture.one_way"}},
    {"StoppedInMidAnswer",
     "pmtu 256 | R 100-107 | RR 100-107 | R 108-115 | RR 108-111 more | wait 2s | qp 27/28 | W 100 | ACK 100",
     {},
     {"peer.silent"}},
    {"StoppedBeforeItAnswered",
     "W 96-99 | ACK 99 | W 100-103 | wait 2s | qp 27/28 | W 100 | ACK 100",
     {},
     {"peer.silent", "loss.after_tap"}},
    {"StoppedUcDatagramsHaveNoAnswer",
     "uc | W 96-99 | W 100-109 more | wait 2s | qp 27/28 | W 100",
     {},
     {"stream.stopped"}},
    {"TheCaptureMissedTheEndOfTheMessage",
     "W 96-99 | ACK 99 | W 100-109 more | ACK 110 | wait 2s | qp 27/28 | W 100 | ACK 100",
     {},
     {"stream.stopped"}},
    {"TheCaptureEndsInMidMessage",
     "W 96-99 | ACK 99 | W 100-109 more | wait 300ms | qp 27/28 | W 100 | ACK 100",
     {},
     {"stream.stopped"}},
    {"NothingWasLeft",
     "W 96-99 | ACK 99 | W 100-109 noack | wait 2s | qp 27/28 | R 100 | RR 100 | wait 2s | R 101 | RR 101",
     {},
     {"stream.stopped"}},
    {"SetUpRefused", "REQ 100 | REJ reason=8", {"cm.rejected"}, {}},
    {"TimerThenNak",
     "W 96-99 | ACK 99 | W 100-109 | wait 67ms | W 100-109 | NAK 100 | W 100-109 | ACK 109",
     {"retransmit.timeout", "retransmit.nak"},
     {"retransmit.early"}},
};

INSTANTIATE_TEST_SUITE_P(Rules, Scenarios, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

/// Timeouts with these waits, each of a PSN of its own.
std::string timeouts(const std::vector<std::string>& waits) {
  std::string text = "W 98-99 | ACK 99 | ";
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const std::string psn = std::to_string(100 + i);
    text += "W " + psn + " | wait " + waits[i] + " | W " + psn + " | ACK " + psn + " | ";
  }
  return text + "W 400 | ACK 400";
}

TEST(Rules, AQpTimeoutIsEstimatedWhereTheWaitsAgree) {
  const auto explained = [](const std::vector<std::string>& waits) {
    for (const Finding& f : findings_of(timeouts(waits))) {
      if (f.rule == "retransmit.timeout") return f.explanation;
    }
    return std::string("no timeout");
  };
  EXPECT_NE(explained({"67ms", "70ms", "130ms"}).find("n = 13 to 14: an estimate"), std::string::npos)
      << explained({"67ms", "70ms", "130ms"});
  for (const auto& scattered : {std::vector<std::string>{"3ms", "40ms", "700ms"}, {"5ms", "5ms", "90ms", "90ms"}}) {
    EXPECT_EQ(explained(scattered).find("QP timeout of n"), std::string::npos) << explained(scattered);
    EXPECT_NE(explained(scattered).find("Waits since"), std::string::npos);
  }
}

TEST(Rules, AQpTimeoutIsEstimatedFromTheFirstOfWaitsThatDouble) {
  const auto findings = findings_of(
      "W 98-99 | ACK 99 | W 100 | wait 67ms | W 100 | wait 134ms | W 100 | wait 268ms | W 100 | "
      "wait 536ms | W 100 | ACK 100");
  const auto timeout =
      std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.rule == "retransmit.timeout"; });
  ASSERT_NE(timeout, findings.end());
  EXPECT_NE(timeout->explanation.find("n = 12 to 14: an estimate"), std::string::npos) << timeout->explanation;
}

TEST(Rules, EightPacketsProveWhatMoreCould) {
  std::string damaged = "W 98-99 | ACK 99 | W 100-120 | ";
  for (int psn = 100; psn < 120; ++psn) damaged += "bad " + std::to_string(psn) + " | ";
  const auto findings = findings_of(damaged + "NAK 100 | W 100-120 | ACK 120");
  const auto bad = std::find_if(findings.begin(), findings.end(), [](const auto& f) { return f.rule == "icrc.bad"; });
  ASSERT_NE(bad, findings.end());
  EXPECT_EQ(bad->frames.size(), 8U);
  EXPECT_EQ(bad->frames_total, 20U);
  CaptureEvidence capture;
  capture.roce_frames = 100;
  capture.truncated_frames = 50;
  for (std::uint32_t i = 1; i <= 50; ++i) capture.truncated.add(FrameId(0, i), milliseconds(i));
  const auto cut = findings_of(capture);
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].frames.size(), 8U);
  EXPECT_EQ(cut[0].frames.back(), FrameId(0, 50));
  EXPECT_EQ(cut[0].frames_total, 50U);
}

TEST(Rules, OfTheCaptureFireAsItsFramesSay) {
  CaptureEvidence capture;
  capture.roce_frames = 100;
  EXPECT_TRUE(findings_of(capture).empty());
  capture.ip_fragments = 3;
  capture.fragments.add(FrameId(0, 7), milliseconds(1));
  capture.fragments.add(FrameId(0, 9), milliseconds(2));
  EXPECT_TRUE(holds(findings_of(capture), "ip.fragments"));
  EXPECT_FALSE(holds(findings_of(capture), "capture.truncated")) << "the rest of a fragment is not cut off";
  capture.truncated_frames = 5;
  EXPECT_TRUE(holds(findings_of(capture), "capture.truncated"));
}

/// Every rule of the book has a row that must draw it and one that must not.
TEST(Rules, EachIsTriedBothWays) {
  // OfTheCaptureFireAsItsFramesSay; mtu.small is info, delay_rules_test.cpp tries it.
  const std::set<std::string> apart = {"ip.fragments", "capture.truncated", "mtu.small"};
  // Tried both ways in congestion_rules_test.cpp.
  const std::set<std::string> elsewhere = {"ecn.not_ect",
                                           "ecn.marks_without_cnp",
                                           "ecn.cnp_without_marks",
                                           "ecn.cnp_without_slowdown",
                                           "ecn.oscillation",
                                           "ecn.cnp_class",
                                           "cnp.unmatched",
                                           "dscp.asymmetric",
                                           "dscp.changed",
                                           "pfc.paused",
                                           "pfc.storm",
                                           "incast",
                                           "unfair",
                                           "ecmp.low_entropy",
                                           "expect.violated",
                                           "expect.unchecked"};
  for (const RuleFacts& rule : kRuleBook) {
    const std::string id(rule.id);
    if (elsewhere.count(id) != 0 || id.starts_with("veroce.")) continue;  // the latter in veroce_rules_test.cpp
    const auto in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    EXPECT_TRUE(apart.count(id) ||
                std::any_of(std::begin(kRows), std::end(kRows), [&](auto& r) { return in(r.fires); }))
        << id << ": no trace must draw it";
    EXPECT_TRUE(std::any_of(std::begin(kRows), std::end(kRows), [&](auto& r) { return in(r.never); }))
        << id << ": no trace must not draw it";
  }
}

const Finding* find(const std::vector<Finding>& findings, std::string_view rule) {
  const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
  return at == findings.end() ? nullptr : &*at;
}

TEST(Straggler, OneThatIsFarAwayIsToldSo) {
  const auto findings = findings_of(far_race());
  const Finding* f = find(findings, "straggler");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->severity, Severity::kInfo);
  EXPECT_NE(f->title.find("round trips"), std::string::npos) << f->title;
  const auto slow = findings_of(race("8us"));
  ASSERT_NE(find(slow, "straggler"), nullptr);
  EXPECT_EQ(find(slow, "straggler")->severity, Severity::kWarning);
}

TEST(Rnr, IsCriticalWhereTheSenderGaveUp) {
  const std::string refused =
      "W 99 | ACK 99 | S 100 | RNR 100 timer=14 | wait 2ms | S 100 | RNR 100 timer=14 | wait 2ms | S 100 | RNR 100 "
      "timer=14";
  const auto dead = findings_of(refused + " | wait 200ms | qp 27/28 | W 100 | ACK 100");
  ASSERT_NE(find(dead, "rnr.stall"), nullptr);
  EXPECT_EQ(find(dead, "rnr.stall")->severity, Severity::kCritical);
  EXPECT_EQ(find(dead, "stream.stopped"), nullptr) << "told already";
  const auto open = findings_of(refused + " | wait 10ms | qp 27/28 | W 100 | ACK 100");
  ASSERT_NE(find(open, "rnr.stall"), nullptr);
  EXPECT_EQ(find(open, "rnr.stall")->severity, Severity::kWarning);
  const auto recovered =
      findings_of(refused + " | wait 2ms | S 100 | ACK 100 | wait 200ms | qp 27/28 | W 100 | ACK 100");
  ASSERT_NE(find(recovered, "rnr.stall"), nullptr);
  EXPECT_EQ(find(recovered, "rnr.stall")->severity, Severity::kWarning);
  const auto at_once =
      findings_of("W 99 | ACK 99 | S 100 | RNR 100 timer=14 | wait 200ms | qp 27/28 | W 100 | ACK 100");
  ASSERT_NE(find(at_once, "rnr.stall"), nullptr) << "one is enough where it was the end";
}

TEST(Loss, IsNotWhereTheOriginalComesBehindItsResend) {
  // The fourth packet is held up for longer than it takes to draw a NAK and to send it again.
  auto frames = generate::run_scenario(
      "W 96-99 | ACK 99 | W 100-109 more | NAK 103 | wait 20us | W 103-109 more | W 110-113 open | ACK 113");
  ASSERT_TRUE(frames);
  std::vector<generate::TimedFrame>& trace = frames.value();
  constexpr std::size_t kOriginal = 8;     // 96..99, ACK, 100..102 are before it
  constexpr std::size_t kResendsEnd = 23;  // 104..109, NAK, 103..109 again
  trace[kOriginal].time = trace[kResendsEnd - 1].time;
  std::rotate(trace.begin() + kOriginal, trace.begin() + kOriginal + 1, trace.begin() + kResendsEnd);
  const auto findings = findings_of(test::track_frames(trace));
  EXPECT_FALSE(holds(findings, "loss.before_tap"));
  EXPECT_FALSE(holds(findings, "loss.after_tap"));
  EXPECT_TRUE(holds(findings, "order.reordered"));
  EXPECT_TRUE(holds(findings, "retransmit.nak"));
}

constexpr const char* kNoIdentifications = "ip 2001:db8::1/2001:db8::2 | ";

TEST(Loss, SaysWhereItMayBeReordering) {
  const std::string alone = "W 96-99 | ACK 99 | W 100-107 more | drop 103 | NAK 103 | W 103 | W 108-111 open | ACK 111";
  const auto findings = findings_of(kNoIdentifications + alone);
  const Finding* loss = find(findings, "loss.before_tap");
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->confidence, Confidence::kLow);
  EXPECT_NE(loss->title.find("lost, or overtaken,"), std::string::npos) << loss->title;
  EXPECT_NE(loss->explanation.find("or they were the originals"), std::string::npos);
  EXPECT_TRUE(std::none_of(loss->ruled_out.begin(), loss->ruled_out.end(),
                           [](const std::string& r) { return r.starts_with("reordering"); }));
  ASSERT_NE(find(findings, "retransmit.nak"), nullptr);
  EXPECT_EQ(find(findings, "retransmit.nak")->confidence, Confidence::kLow);
  // Identifications that count tell a resend, and so does all that was sent again with it.
  for (const std::string& scenario :
       {alone, kNoIdentifications +
                   std::string("W 96-99 | ACK 99 | W 100-107 more | drop 103 | NAK 103 | W 103-107 more | W 108-111 "
                               "open | ACK 111")}) {
    const auto sure = findings_of(scenario);
    ASSERT_NE(find(sure, "loss.before_tap"), nullptr) << scenario;
    EXPECT_EQ(find(sure, "loss.before_tap")->confidence, Confidence::kHigh) << scenario;
    EXPECT_EQ(find(sure, "loss.before_tap")->explanation.find("originals"), std::string::npos) << scenario;
  }
}

TEST(Loss, OfSeveralIsSaidOfTheCertainOnes) {
  const auto findings = findings_of(std::string(kNoIdentifications) +
                                    "W 96-99 | ACK 99 | W 100-107 more | drop 103 | NAK 103 | W 103-107 more | W "
                                    "108-115 open more | drop 110 | NAK 110 | W 110 | W 116-119 open | ACK 119");
  const Finding* loss = find(findings, "loss.before_tap");
  ASSERT_NE(loss, nullptr);
  EXPECT_NE(loss->title.find("2 packets lost before"), std::string::npos) << loss->title;
  EXPECT_NE(loss->explanation.find("1 of them came after a NAK"), std::string::npos) << loss->explanation;
}

TEST(Loss, IsNotWhereTheOriginalComesBehindItsNakAndTheResendToo) {
  for (const char* wait : {"1us", "500us"}) {
    const auto findings = findings_of(std::string(kNoIdentifications) +
                                      "W 96-99 | ACK 99 | W 100-107 more | NAK 103 | W 108-110 open more | A: late 103 "
                                      "after=108 | wait " +
                                      wait + " | W 103-110 | W 111-113 open | ACK 113");
    EXPECT_FALSE(holds(findings, "loss.before_tap"));
    EXPECT_FALSE(holds(findings, "loss.after_tap"));
    EXPECT_FALSE(holds(findings, "loss.burst"));
    EXPECT_TRUE(holds(findings, "order.reordered"));
    const Finding* nak = find(findings, "retransmit.nak");
    ASSERT_NE(nak, nullptr);
    EXPECT_EQ(nak->confidence, Confidence::kHigh);
    EXPECT_NE(nak->title.find("went back once"), std::string::npos) << nak->title;
  }
}

TEST(Burst, SaysWhereItMayBeReordering) {
  const std::string alone =
      "W 96-99 | ACK 99 | W 100-131 more | drop 103-114 | NAK 103 | W 103-114 | W 132-139 open | ACK 139";
  const auto findings = findings_of(kNoIdentifications + alone);
  ASSERT_NE(find(findings, "loss.burst"), nullptr);
  EXPECT_EQ(find(findings, "loss.burst")->confidence, Confidence::kLow);
  EXPECT_EQ(find(findings_of(alone), "loss.burst")->confidence, Confidence::kHigh);
}

TEST(Loss, NoMoreThanTheCaptureMissedIsLessCertain) {
  const auto confidence = [](const std::string& before) {
    const auto findings =
        findings_of(before + " | ACK 199 | wait 5ms | W 200-207 | drop 203 | NAK 203 | W 203-207 | ACK 207");
    return find(findings, "loss.before_tap")->confidence;
  };
  EXPECT_EQ(confidence("W 0-199"), Confidence::kHigh);
  EXPECT_EQ(confidence("W 0-199 | drop 50"), Confidence::kMedium);
}

TEST(ReadRestart, WithoutAResponseSentTwiceNamesNoDirection) {
  const auto findings = findings_of("R 100-103 | RR 100-103 | R 104-107 | wait 1ms | R 104-107 | RR 104-107");
  const Finding* restart = find(findings, "retransmit.read_restart");
  ASSERT_NE(restart, nullptr);
  EXPECT_EQ(restart->confidence, Confidence::kLow);
  EXPECT_EQ(restart->explanation.find("The loss is in the direction"), std::string::npos);
}

TEST(Loss, AfterTheTapBesideRnrNaksMayBeTheirEcho) {
  const auto findings = findings_of(
      "S 96-99 | ACK 99 | S 100 | RNR 100 | wait 8ms | S 100 | ACK 100 | S 101-103 | NAK 101 | S 101-103 | "
      "ACK 103");
  const Finding* loss = find(findings, "loss.after_tap");
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->confidence, Confidence::kMedium);
  EXPECT_NE(loss->explanation.find("may be the echo"), std::string::npos);
  EXPECT_TRUE(std::none_of(loss->ruled_out.begin(), loss->ruled_out.end(),
                           [](const std::string& r) { return r.find("receive queue") != std::string::npos; }));
}

TEST(Burst, OfUnreliableConnectionsMayBeTheCaptures) {
  const auto findings = findings_of("uc | W 100-131 | drop 103-114 | W 132-139");
  ASSERT_NE(find(findings, "loss.burst"), nullptr);
  EXPECT_EQ(find(findings, "loss.burst")->confidence, Confidence::kMedium);
  EXPECT_NE(find(findings, "loss.burst")->explanation.find("the capture stood still"), std::string::npos);
}

TEST(Loss, AfterTheTapMayBeDamageWhereNoIcrcIsChecked) {
  test::TrackerRun run = test::track_scenario("W 96-99 | ACK 99 | W 100-103 | NAK 101 | W 101-103 | ACK 103");
  const auto explanation = [&] { return find(findings_of(run), "loss.after_tap")->explanation; };
  ASSERT_TRUE(holds(findings_of(run), "loss.after_tap"));
  EXPECT_EQ(explanation().find("ICRC"), std::string::npos);
  track::each_direction(run.connections, [](track::DirectionCounts& d) { d.icrc = {d.frames, 0, 0}; });
  EXPECT_NE(explanation().find("no ICRC could be checked"), std::string::npos);
}

TEST(Findings, KeepToTheRuleBookAndSayWhen) {
  for (const Row& row : kRows) {
    for (const Finding& f : findings_of(row.scenario)) {
      const RuleFacts* rule = find_rule(f.rule);
      ASSERT_NE(rule, nullptr) << f.rule;
      EXPECT_GE(f.severity, rule->least) << f.rule;
      EXPECT_LE(f.severity, rule->worst) << f.rule;
      ASSERT_TRUE(f.first_time && f.last_time) << f.rule << " in " << row.name;
      EXPECT_LE(*f.first_time, *f.last_time) << f.rule;
      EXPECT_GE(f.frames_total, f.frames.size()) << f.rule;
      EXPECT_LE(f.frames.size(), kProofPackets) << f.rule;
    }
  }
}

TEST(Thresholds, DecideWhatFires) {
  const test::TrackerRun run = test::track_scenario("W 96-99 | ACK 99 | W 100-103 | wait 200us | W 100-103 | ACK 103");
  Thresholds t;
  t.early_wait = microseconds(100);
  const auto findings = judge({{}, run.connections, run.rejections}, t);
  EXPECT_TRUE(holds(findings, "retransmit.timeout"));
  EXPECT_FALSE(holds(findings, "retransmit.early"));
}

/// A threshold, another value for it, and a trace that the rule judges one way by default and the other way by that.
struct Edge {
  const char* threshold;
  const char* value;
  const char* rule;
  bool by_default;
  std::string scenario;
};

/// An RNR NAK, waited for, and then traffic for `rest` ms.
std::string one_rnr(const std::string& rest) {
  return "W 99 | ACK 99 | S 100 | RNR 100 timer=1 | wait 2ms | S 100 | ACK 100 | wait " + rest + " | S 101 | ACK 101";
}

TEST(Thresholds, EachDecidesAtItsEdge) {
  const std::string again = " | wait 70ms | W 100-103";
  const std::string refused =
      "W 96 | ACK 96 | W 97 | NAK 97 code=access | wait 1s | ip 192.0.2.1/192.0.2.3 | qp 27/28 | "
      "W 96 | ACK 96 | W 97 | NAK 97 code=access";
  std::string bad = "W 96-99 | bad 96 | ACK 99 | W 100-105 | bad 100-105 | ACK 105";
  std::string dscps = "W 100 | ACK 100";
  for (int i = 1; i < 12; ++i) {
    dscps += " | dscp " + std::to_string(i % 2 == 0 ? 26 : 24) + " | W " + std::to_string(100 + i) + " | ACK " +
             std::to_string(100 + i);
  }
  const Edge edges[] = {
      {"rnr_naks", "1", "rnr.stall", false, one_rnr("10ms")},
      {"rnr_stall_share", "90%", "rnr.stall", true,
       "W 99 | ACK 99 | S 100 | RNR 100 timer=1 | wait 2ms | S 100 | RNR 100 timer=1 | wait 2ms | S 100 | ACK 100 | "
       "wait "
       "20ms | S 101 | ACK 101"},
      {"silent_resends", "5", "peer.silent", true, "W 96-99 | ACK 99 | W 100-103" + again + again + again},
      {"silent_time", "500ms", "stream.stopped", false,
       "W 96-99 | ACK 99 | W 100-109 more | wait 700ms | qp 27/28 | W 100 | ACK 100"},
      {"reordered_packets", "1", "order.reordered", false,
       "W 96-99 | ACK 99 | W 100-107 | late 102 after=103 | ACK 107 | W 108 | ACK 108"},
      {"wasted_packets", "1000", "retransmit.waste", true, "W 100-399 | drop 102 | NAK 102 | W 102-399 | ACK 399"},
      {"waste_ratio", "1000", "retransmit.waste", true, "W 100-399 | drop 102 | NAK 102 | W 102-399 | ACK 399"},
      {"duplicated_share", "60%", "capture.duplicated", true, "W 100-103 | ACK 103 | dup 100-103"},
      {"host_idle", "1ms", "host.limited", true, kPauses},
      {"host_messages", "100", "host.limited", true, kPauses},
      {"straggler_peers", "8", "straggler", true, kOneSlow},
      {"straggler_ratio", "20", "straggler", true, kOneSlow},
      {"burst_packets", "20", "loss.burst", true,
       "W 96-99 | ACK 99 | W 100-119 | drop 105-114 | NAK 105 | W 105-119 | ACK 119 | wait 50ms | W 120-123 | ACK 123"},
      {"slow_set_up", "1ms", "cm.slow", false, "REQ 100 | wait 5ms | REP 500 | RTU | B: W 100 | A: ACK 100"},
  };
  for (const Edge& edge : edges) {
    const test::TrackerRun run = test::track_scenario(edge.scenario);
    CaptureEvidence capture;
    capture.first_time = run.connections.at(0).first_time;
    for (const auto& c : run.connections) capture.last_time = std::max(capture.last_time, c.last_time);
    Thresholds t;
    const Evidence evidence{capture, run.connections, run.rejections, run.set_ups};
    EXPECT_EQ(holds(judge(evidence, t), edge.rule), edge.by_default) << edge.rule << " by default";
    ASSERT_TRUE(set_threshold(t, edge.threshold, edge.value)) << edge.threshold;
    EXPECT_NE(holds(judge(evidence, t), edge.rule), edge.by_default) << edge.threshold << "=" << edge.value;
  }
  const auto linked = [&](Nanos follows) {
    const test::TrackerRun run = test::track_scenario(refused);
    Thresholds t;
    t.fatal_follows = follows;
    const auto findings = judge({{}, run.connections, run.rejections}, t);
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.rule == "nak.fatal" && f.caused_by.has_value(); });
  };
  EXPECT_TRUE(linked(seconds(5)));
  EXPECT_FALSE(linked(milliseconds(500)));
  const auto severity = [&](double share) {
    const test::TrackerRun run = test::track_scenario(bad);
    Thresholds t;
    t.unfilled_icrc_share = share;
    const auto findings = judge({{}, run.connections, run.rejections}, t);
    return find(findings, "icrc.bad")->severity;
  };
  EXPECT_EQ(severity(0.9), Severity::kWarning);
  EXPECT_EQ(severity(0.5), Severity::kInfo);
  const auto often = [&](std::uint64_t changes) {
    const test::TrackerRun run = test::track_scenario(dscps);
    Thresholds t;
    t.dscp_changes = changes;
    const auto findings = judge({{}, run.connections, run.rejections}, t);
    return find(findings, "dscp.changed")->title.find("packets of one kind carry") != std::string::npos;
  };
  EXPECT_TRUE(often(4));
  EXPECT_FALSE(often(100));
}

TEST(Findings, CiteTheirPacketsAndNameTheirHosts) {
  const auto findings = findings_of("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103");
  for (const Finding& f : findings) {
    EXPECT_FALSE(f.frames.empty()) << f.rule;
    EXPECT_EQ(f.hosts.size(), 2U) << f.rule;
    EXPECT_FALSE(f.explanation.empty()) << f.rule;
  }
}

TEST(Findings, BeginWithTheFirstPacketOfTheirProof) {
  const auto run = test::track_scenario("REQ 100 | wait 3ms | REJ reason=8");
  const auto findings = findings_of(run);
  const Finding* rejected = find(findings, "cm.rejected");
  ASSERT_NE(rejected, nullptr);
  ASSERT_EQ(rejected->frames.size(), 2U);
  EXPECT_EQ(rejected->frames[0], FrameId(0, 1));
  EXPECT_EQ(rejected->first_time, run.rejections.at(0).request_time);
  EXPECT_EQ(rejected->last_time, run.rejections.at(0).time);
  EXPECT_GE(*rejected->last_time - *rejected->first_time, milliseconds(3));
}

TEST(Findings, FoldNothingUnderWhatHappenedTheOtherWay) {
  // A repeats after a timer, B after none that there is: two matters on one connection.
  const auto findings = findings_of(
      "W 96-99 | ACK 99 | B: W 500-503 | A: ACK 503 | W 100-103 | wait 70ms | W 100-103 | ACK 103 | B: W 504-507 | "
      "wait 200us | B: W 504-507 | A: ACK 507");
  ASSERT_NE(find(findings, "retransmit.timeout"), nullptr);
  ASSERT_NE(find(findings, "retransmit.early"), nullptr);
  EXPECT_FALSE(find(findings, "retransmit.early")->caused_by);
  // READ data that is lost makes the other side ask again.
  const auto read = findings_of(
      "pmtu 256 | R 100-107 | RR 100-107 | drop 103 | R 103-107 | RR 103-107 more | R 108-109 | RR 108-109");
  ASSERT_NE(find(read, "retransmit.read_restart"), nullptr);
  EXPECT_EQ(find(read, "retransmit.read_restart")->caused_by, find(read, "loss.before_tap")->id);
}

TEST(Findings, FoldAConsequenceUnderItsCause) {
  const auto findings = findings_of("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103");
  const auto find = [&](std::string_view rule) {
    return std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
  };
  ASSERT_NE(find("loss.before_tap"), findings.end());
  ASSERT_NE(find("retransmit.nak"), findings.end());
  EXPECT_EQ(find("retransmit.nak")->caused_by, find("loss.before_tap")->id);
}

}  // namespace
}  // namespace rocetop::verdict
