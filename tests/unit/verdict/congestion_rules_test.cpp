// SPDX-License-Identifier: BSD-3-Clause
// Which findings about congestion a trace must and must not draw: each must-fire has a near miss beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/scenario_run.h"
#include "verdict/judge.h"
#include "verdict/loop.h"

namespace rocetop::verdict {
namespace {

struct Judged {
  test::TrackerRun run;
  std::vector<Finding> findings;

  const Finding* find(std::string_view rule) const {
    const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
    return at == findings.end() ? nullptr : &*at;
  }
  bool fires(std::string_view rule) const {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& f) { return f.rule == rule && f.severity > Severity::kInfo; });
  }
  std::string said() const {
    std::string text;
    for (const Finding& f : findings) text += f.rule + ": " + f.title + "\n";
    return text;
  }
  track::Loop loop() const { return run.connections.at(0).a_to_b->loop; }
};

Judged judge_scenario(const std::string& scenario, const Expectations& expectations = {},
                      std::optional<std::uint64_t> link_speed = {}) {
  Judged out{test::track_scenario(scenario, link_speed), {}};
  CaptureEvidence capture;
  capture.receivers = out.run.receivers;
  capture.pauses = out.run.pauses;
  capture.fast_cnps = out.run.fast_cnps;
  for (const auto& c : out.run.connections) {
    if (capture.first_time.count == 0) capture.first_time = c.first_time;
    capture.last_time = std::max(capture.last_time, c.last_time);
  }
  const Thresholds thresholds;
  judge_loops(out.run.connections, capture, thresholds);
  out.findings = judge({capture, out.run.connections, out.run.rejections, out.run.set_ups, expectations}, thresholds);
  return out;
}

/// "W 100-131 | " and so on: messages of 32 packets, of which one is always outstanding.
class Stream {
 public:
  explicit Stream(std::string setting = "") : text_(std::move(setting)) {}

  /// One message; then the acknowledgement of the one before it.
  Stream& message(const std::string& between = "") {
    text_ += "W " + range(next_) + " | " + between;
    if (next_ != kFirst) text_ += "ACK " + std::to_string(next_ - 1) + " | ";
    next_ += kPackets;
    return *this;
  }
  Stream& messages(int n, const std::string& between = "") {
    for (int i = 0; i < n; ++i) message(between);
    return *this;
  }
  /// Marks the latest message CE.
  Stream& marked() {
    text_ += "ce " + range(next_ - kPackets) + " | ";
    return *this;
  }
  Stream& say(const std::string& text) {
    text_ += text + " | ";
    return *this;
  }
  std::string done() const { return text_ + "ACK " + std::to_string(next_ - 1); }

 private:
  static constexpr int kFirst = 100;
  static constexpr int kPackets = 32;
  static std::string range(int first) { return std::to_string(first) + "-" + std::to_string(first + kPackets - 1); }

  std::string text_;
  int next_ = kFirst;
};

Stream steady() { return Stream("step 2us | "); }

TEST(MarksWithoutCnp, FiresWhereTheWayBackWasCaptured) {
  Stream s = steady();
  for (int i = 0; i < 40; ++i) s.message().marked();
  const Judged judged = judge_scenario(s.done());
  ASSERT_TRUE(judged.fires("ecn.marks_without_cnp")) << judged.said();
  EXPECT_EQ(judged.loop(), track::Loop::kNotificationMissing);
  EXPECT_FALSE(judged.find("ecn.marks_without_cnp")->frames.empty());
}

TEST(MarksWithoutCnp, IsSilentWhereOneCnpCame) {
  Stream s = steady();
  for (int i = 0; i < 40; ++i) s.message(i == 20 ? "CNP | " : "").marked();
  EXPECT_FALSE(judge_scenario(s.done()).find("ecn.marks_without_cnp"));
}

TEST(MarksWithoutCnp, IsSilentInACaptureOfOneDirection) {
  std::string s = "step 2us | ";
  for (int i = 0; i < 40; ++i) {
    const std::string range = std::to_string(100 + 32 * i) + "-" + std::to_string(131 + 32 * i);
    s += "W " + range + " | ce " + range + " | ";
  }
  const Judged judged = judge_scenario(s + "wait 1us");
  EXPECT_FALSE(judged.find("ecn.marks_without_cnp")) << judged.said();
}

TEST(MarksWithoutCnp, IsSilentAboutMarksThatTheCaptureEndsOn) {
  Stream s = steady();
  s.messages(40).message().marked();
  EXPECT_FALSE(judge_scenario(s.done()).find("ecn.marks_without_cnp"));
}

TEST(CnpWithoutSlowdown, FiresOnASenderThatGoesOn) {
  const Judged judged = judge_scenario(steady().messages(10).messages(60, "CNP | ").done());
  ASSERT_TRUE(judged.fires("ecn.cnp_without_slowdown")) << judged.said();
  EXPECT_EQ(judged.loop(), track::Loop::kReactionMissing);
  EXPECT_FALSE(judged.find("ecn.cnp_without_marks")) << "this capture point may be before the queue that marks";
}

TEST(CnpWithoutSlowdown, IsSilentWhereTheRateFalls) {
  const Judged judged =
      judge_scenario(steady().messages(20).messages(5, "CNP | ").say("step 6us").messages(40, "CNP | ").done());
  EXPECT_FALSE(judged.find("ecn.cnp_without_slowdown")) << judged.said();
  EXPECT_EQ(judged.loop(), track::Loop::kClosed);
}

TEST(CnpWithoutSlowdown, IsSilentWhereTheApplicationOffersLittle) {
  std::string s = "step 2us | ";
  for (int i = 0; i < 60; ++i) {
    const int first = 100 + 32 * i;
    s += "W " + std::to_string(first) + "-" + std::to_string(first + 31) + " | CNP | ACK " +
         std::to_string(first + 31) + " | wait 300us | ";
  }
  const Judged judged = judge_scenario(s + "wait 1us");
  EXPECT_FALSE(judged.find("ecn.cnp_without_slowdown")) << judged.said();
}

TEST(CnpWithoutSlowdown, IsSilentBehindTheQueueThatMarks) {
  Stream s = steady();
  s.messages(10);
  for (int i = 0; i < 60; ++i) s.message("CNP | ").marked();
  EXPECT_FALSE(judge_scenario(s.done()).find("ecn.cnp_without_slowdown"));
}

TEST(CnpWithoutMarks, FiresWhereCnpsTravelWithNaks) {
  const Judged judged = judge_scenario(
      "W 100-131 | ACK 131 | W 132-163 | drop 140 | NAK 140 | CNP | W 140-163 | ACK 163 | wait 1ms | W 164-195 | "
      "drop 170 | NAK 170 | CNP | W 170-195 | ACK 195");
  ASSERT_TRUE(judged.fires("ecn.cnp_without_marks")) << judged.said();
  const Finding* loss = judged.find("loss.before_tap");
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(judged.find("ecn.cnp_without_marks")->caused_by, loss->id);
}

TEST(CnpWithoutMarks, IsSilentWhereTheQueueMayMarkBehindTheCapturePoint) {
  const Judged judged = judge_scenario(
      "W 100-131 | ACK 131 | W 132-163 | drop 140 | NAK 140 | W 140-163 | ACK 163 | wait 1ms | CNP | wait 1ms | CNP | "
      "W 164-195 | ACK 195");
  EXPECT_FALSE(judged.find("ecn.cnp_without_marks")) << judged.said();
}

/// Cycles of a fast and a slow phase, with marks and a CNP at each peak.
std::string cycles(int n, bool marks) {
  Stream s("");
  for (int i = 0; i < n; ++i) {
    s.say("step 2us").messages(16);
    if (marks) s.marked().say("CNP");
    s.say("step 16us").messages(2);
  }
  return s.say("step 2us").messages(8).done();
}

TEST(Oscillation, FiresOnRegularSwings) {
  const Judged judged = judge_scenario(cycles(8, true));
  ASSERT_TRUE(judged.fires("ecn.oscillation")) << judged.said();
  EXPECT_EQ(judged.loop(), track::Loop::kOscillating);
  const auto& congestion = *judged.run.connections[0].a_to_b->congestion;
  EXPECT_NEAR(congestion.swing_ns, (16 * 33 * 2 + 2 * 33 * 16) * 1000.0, 200'000.0);
  EXPECT_GT(congestion.swing_depth, 0.5);
}

TEST(Oscillation, IsSilentAboutOneEventAndAboutSwingsWithoutMarks) {
  EXPECT_FALSE(judge_scenario(cycles(2, true)).find("ecn.oscillation"));
  EXPECT_FALSE(judge_scenario(cycles(8, false)).find("ecn.oscillation"));
}

TEST(CnpClass, FiresOnCnpsInTheDatasClassOnly) {
  EXPECT_TRUE(judge_scenario("dscp 48 | W 100-103 | CNP | ACK 103").fires("ecn.cnp_class"));
  EXPECT_FALSE(judge_scenario("W 100-103 | CNP | ACK 103").find("ecn.cnp_class"));
}

TEST(UnmatchedCnps, FireForQueuePairsThatSendNothing) {
  const Judged judged = judge_scenario("W 100-131 | ACK 131 | qp 77/88 | CNP | wait 100us | CNP");
  EXPECT_TRUE(judged.fires("cnp.unmatched")) << judged.said();
}

TEST(UnmatchedCnps, AreSilentWhereAQueuePairsOwnNumberIsNotKnown) {
  EXPECT_FALSE(judge_scenario("uc | W 100-131 | CNP").find("cnp.unmatched"));
  EXPECT_FALSE(judge_scenario("W 100-131 | CNP | ACK 131").find("cnp.unmatched"));
}

TEST(Classes, ChangedAndAsymmetric) {
  const std::string changed = "W 100-103 | ACK 103 | wait 1ms | dscp 0 | W 104-107 | ACK 107";
  EXPECT_TRUE(judge_scenario(changed).fires("dscp.changed"));
  EXPECT_FALSE(judge_scenario(changed).find("dscp.asymmetric"));
  const std::string asymmetric = "W 100-103 | dscp 0 | ACK 103 | dscp 26 | W 104-107 | dscp 0 | ACK 107";
  EXPECT_TRUE(judge_scenario(asymmetric).fires("dscp.asymmetric"));
  EXPECT_FALSE(judge_scenario(asymmetric).find("dscp.changed"));
  const Judged cnps = judge_scenario("W 100-103 | ACK 103 | CNP | W 104-107 | ACK 107 | CNP | W 108-111 | ACK 111");
  EXPECT_FALSE(cnps.find("dscp.changed")) << cnps.said();
  EXPECT_FALSE(cnps.find("dscp.asymmetric")) << cnps.said();
}

std::string sender(int i) {
  return "ip 192.0.2." + std::to_string(10 + i) + "/192.0.2.2 | qp " + std::to_string(30 + i) + "/" +
         std::to_string(60 + i) + " | ";
}

std::string fan_in(int senders, bool marks) {
  std::string s;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < senders; ++i) {
      const std::string range = std::to_string(100 + 32 * round) + "-" + std::to_string(131 + 32 * round);
      s += sender(i) + "W " + range + " | " + (marks ? "ce " + range + " | CNP | " : "") + "ACK " +
           std::to_string(131 + 32 * round) + " | ";
    }
  }
  return s + "wait 1us";
}

TEST(Incast, FiresOnSeveralCongestedSendersAtOnce) {
  const Judged judged = judge_scenario(fan_in(4, true));
  ASSERT_TRUE(judged.fires("incast")) << judged.said();
  EXPECT_EQ(judged.find("incast")->connections.size(), 4u);
  EXPECT_EQ(judged.find("incast")->hosts.front(), *IpAddress::parse("192.0.2.2"));
}

TEST(Incast, IsSilentWithoutCongestionAndAboutTwoSenders) {
  EXPECT_FALSE(judge_scenario(fan_in(4, false)).find("incast"));
  EXPECT_FALSE(judge_scenario(fan_in(2, true)).find("incast"));
}

/// Two senders to one receiver, the second with `share` packets for 16 of the first.
std::string two_flows(int share, bool marks) {
  std::string s = "step 1us | ";
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 2; ++i) {
      const int packets = i == 0 ? 16 : share;
      const int first = 100 + packets * round;
      const std::string range = std::to_string(first) + "-" + std::to_string(first + packets - 1);
      s += sender(i) + "W " + range + " | " + (marks ? "ce " + range + " | CNP | " : "");
      if (round > 0) s += "ACK " + std::to_string(first - 1) + " | ";
    }
  }
  return s + "wait 1us";
}

TEST(Unfair, FiresWhereACongestedReceiverIsSharedBadly) {
  const Judged judged = judge_scenario(two_flows(3, true));
  EXPECT_TRUE(judged.fires("unfair")) << judged.said();
}

TEST(Unfair, IsSilentAboutEvenSharesAndWithoutCongestion) {
  EXPECT_FALSE(judge_scenario(two_flows(14, true)).find("unfair"));
  EXPECT_FALSE(judge_scenario(two_flows(3, false)).find("unfair"));
}

std::string connections(int n, const std::string& port) {
  std::string s = port;
  for (int i = 0; i < n; ++i) {
    s += "qp " + std::to_string(20 + i) + "/" + std::to_string(120 + i) + " | W 100-103 | ACK 103 | ";
  }
  return s + "wait 1us";
}

TEST(Entropy, FiresOnManyConnectionsWithOnePort) {
  EXPECT_TRUE(judge_scenario(connections(8, "port 49152 | ")).fires("ecmp.low_entropy"));
  EXPECT_FALSE(judge_scenario(connections(8, "")).find("ecmp.low_entropy"));
  EXPECT_FALSE(judge_scenario(connections(1, "port 49152 | ")).find("ecmp.low_entropy"));
}

TEST(NotEct, IsAWarningOnlyWhereCongestionShows) {
  const std::string calm = "ecn 0 | " + steady().messages(8).done();
  const Judged quiet = judge_scenario(calm);
  ASSERT_TRUE(quiet.find("ecn.not_ect")) << quiet.said();
  EXPECT_FALSE(quiet.fires("ecn.not_ect"));
  EXPECT_EQ(quiet.loop(), track::Loop::kIdle);
  const Judged congested = judge_scenario(calm + " | ecn 2 | " + sender(1) + "W 100-131 | ce 100-131 | CNP | ACK 131");
  EXPECT_TRUE(congested.fires("ecn.not_ect")) << congested.said();
  EXPECT_EQ(congested.loop(), track::Loop::kNotMarked);
}

TEST(Expected, IsJudgedOnlyWhereItWasSaid) {
  const std::string trace = "W 100-107 | ACK 107 | CNP";
  EXPECT_FALSE(judge_scenario(trace).find("expect.violated"));
  for (const char* holds : {"dscp=26", "dscp=24|26", "cnp-dscp=48", "ecn=on", "mtu=1024", "port=4791",
                            "dscp=26,cnp-dscp=48,ecn=on,mtu=1024,port=4791"}) {
    const Judged judged = judge_scenario(trace, parse_expectations(holds).value());
    EXPECT_FALSE(judged.find("expect.violated")) << holds << "\n" << judged.said();
  }
  for (const char* broken : {"dscp=24", "cnp-dscp=26", "ecn=off", "mtu=4096", "port=4792"}) {
    const Judged judged = judge_scenario(trace, parse_expectations(broken).value());
    EXPECT_TRUE(judged.fires("expect.violated")) << broken << "\n" << judged.said();
  }
}

TEST(Expectations, ReadListsAndFilesAndRefuseTheRest) {
  const auto e = parse_expectations("# fabric A\ndscp = 26 | 24\ncnp-dscp=48, ecn=on\nmtu=4096 # jumbo\nport=4791\n");
  ASSERT_TRUE(e) << e.error().message;
  EXPECT_EQ(e.value().data_dscps, (std::vector<std::uint8_t>{26, 24}));
  EXPECT_EQ(e.value().path_mtu, 4096u);
  EXPECT_EQ(e.value().ecn, true);
  for (const char* bad : {"", "#", "dscp", "dscp=", "dscp=64", "dscp=26|", "ecn=maybe", "mtu=1500", "port=0",
                          "port=70000", "color=blue", "dscp=2 6", "dscp=-1"}) {
    EXPECT_FALSE(parse_expectations(bad)) << bad;
  }
  const auto hostile = parse_expectations("\x1b[31m=1");
  ASSERT_FALSE(hostile);
  EXPECT_EQ(hostile.error().message.find('\x1b'), std::string::npos);
}

// ---- pauses

/// A write, then `pauses` as often as given, then another write: data at both ends of the capture.
std::string between_writes(const std::string& pauses, int times) {
  std::string text = "step 10us | W 100-131 | ACK 131 | ";
  for (int i = 0; i < times; ++i) text += pauses + " | ";
  return text + "W 132-135 | ACK 135";
}
constexpr std::uint64_t k25Gb = 25'000'000'000;

TEST(Pauses, FireForANoticeableShare) {
  const Judged judged = judge_scenario(between_writes("XOFF 3 | wait 90us | XON 3 | wait 90us", 50), {}, k25Gb);
  ASSERT_TRUE(judged.fires("pfc.paused")) << judged.said();
  EXPECT_FALSE(judged.find("pfc.storm")) << judged.said();
  EXPECT_EQ(judged.run.pauses.at(0).classes[3].paused->count, 5'000'000);
}

TEST(Pauses, AreSilentAboutXonOnlyAndShortPauses) {
  EXPECT_FALSE(judge_scenario(between_writes("XON 3 | wait 190us", 50)).find("pfc.paused"));
  EXPECT_FALSE(judge_scenario(between_writes("XOFF 3 | XON 3 | wait 980us", 10)).find("pfc.paused"));
}

TEST(Pauses, StormWithoutEnd) {
  EXPECT_TRUE(judge_scenario(between_writes("XOFF 3 | wait 490us", 20), {}, k25Gb).fires("pfc.storm"));
  // Each is over long before the next: 100 quanta are 2 us at 25 Gb/s.
  EXPECT_FALSE(judge_scenario(between_writes("XOFF 3 quanta=100 | wait 490us", 20), {}, k25Gb).find("pfc.storm"));
}

// ---- Fast CNPs

std::uint64_t fast_cnps_about(const Judged& judged, std::size_t connection) {
  const auto& d = *judged.run.connections.at(connection).a_to_b;
  return d.congestion ? d.congestion->fast_cnps : 0;
}

TEST(FastCnps, BelongToTheDataOfTheirReceiver) {
  // Two receivers happen to have the same queue pair number: the address in the options tells them apart.
  const Judged judged = judge_scenario(
      "ip 2001:db8::1/2001:db8::2 | W 1-8 | ACK 8 | ip 2001:db8::1/2001:db8::3 | qp 19/18 | W 1-8 | ACK 8 | FCNP | "
      "FCNP");
  EXPECT_EQ(fast_cnps_about(judged, 0), 0u);
  EXPECT_EQ(fast_cnps_about(judged, 1), 2u);
  EXPECT_EQ(judged.loop(), track::Loop::kIdle);
  EXPECT_EQ(judged.run.connections.at(1).a_to_b->loop, track::Loop::kUnknown)
      << "they were seen; whether they work, not";
  EXPECT_FALSE(judged.find("cnp.unmatched")) << judged.said();
}

TEST(FastCnps, StandInForTheCnpsOfMarks) {
  const auto marked = [](const std::string& verb) {
    std::string s = "ip 2001:db8::1/2001:db8::2 | step 20us | ";
    for (int i = 0; i < 60; ++i) {
      const std::string first = std::to_string(100 + 8 * i);
      const std::string last = std::to_string(107 + 8 * i);
      s += "W " + first + "-" + last + " | ce " + first + "-" + last + " | " + verb + "ACK " + last + " | ";
    }
    return judge_scenario(s + "wait 10ms | W 900 | ACK 900");
  };
  EXPECT_TRUE(marked("").fires("ecn.marks_without_cnp")) << marked("").said();
  EXPECT_FALSE(marked("FCNP | ").find("ecn.marks_without_cnp"));
}

}  // namespace
}  // namespace rocetop::verdict
