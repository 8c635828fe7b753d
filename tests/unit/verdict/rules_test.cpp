// SPDX-License-Identifier: BSD-3-Clause
// Which findings a trace must and must not draw: each row is a rule, said as a scenario (generate/scenario.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "support/scenario_run.h"
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

std::vector<Finding> findings_of(std::string_view scenario) {
  const test::TrackerRun run = test::track_scenario(scenario);
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

TEST(Holes, AreTheCapturesAndNoLoss) {
  const test::TrackerRun run = test::track_scenario("uc | W 100-107 | W 200-207");
  ASSERT_EQ(run.connections.size(), 1U);
  const FrameId jump = run.connections[0].a_to_b->requests.missing.at(0).seen_at;
  Evidence evidence{{}, run.connections, run.rejections, run.set_ups};
  EXPECT_TRUE(holds(judge(evidence, Thresholds{}), "loss.uc"));
  evidence.capture.holes = {{FrameId(0, 8), jump, seconds(1), seconds(2), 1, 92, {jump}}};
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

const std::string kPauses = "pmtu 4096" + writes(20, " | wait 600us");
const std::string kNoPauses = "pmtu 4096" + writes(20, "");
const std::string kOneSlow = race("8us");
const std::string kAllAlike = race("1us");

const Row kRows[] = {
    {"NothingAskedMostOfTheTime", kPauses.c_str(), {"host.limited"}, {"mtu.small", "straggler"}},
    {"BusyAllTheTime", kNoPauses.c_str(), {}, {"host.limited", "cm.slow"}},
    {"OneFarSlowerThanItsLike", kOneSlow.c_str(), {"straggler"}, {"host.limited"}},
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
    {"SetUpRefused", "REQ 100 | REJ reason=8", {"cm.rejected"}, {}},
    {"TimerThenNak",
     "W 96-99 | ACK 99 | W 100-109 | wait 67ms | W 100-109 | NAK 100 | W 100-109 | ACK 109",
     {"retransmit.timeout", "retransmit.nak"},
     {"retransmit.early"}},
};

INSTANTIATE_TEST_SUITE_P(Rules, Scenarios, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Rules, OfTheCaptureFireAsItsFramesSay) {
  CaptureEvidence capture;
  capture.roce_frames = 100;
  EXPECT_TRUE(findings_of(capture).empty());
  capture.ip_fragments = 3;
  capture.first_ip_fragment = FrameId(0, 7);
  capture.last_ip_fragment = FrameId(0, 9);
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
                                           "expect.violated"};
  for (const RuleFacts& rule : kRuleBook) {
    const std::string id(rule.id);
    if (elsewhere.count(id) != 0) continue;
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

TEST(Findings, CiteTheirPacketsAndNameTheirHosts) {
  const auto findings = findings_of("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103");
  for (const Finding& f : findings) {
    EXPECT_FALSE(f.frames.empty()) << f.rule;
    EXPECT_EQ(f.hosts.size(), 2U) << f.rule;
    EXPECT_FALSE(f.explanation.empty()) << f.rule;
  }
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
