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

Judged judge_run(test::TrackerRun run, const Expectations& expectations = {}) {
  Judged out{std::move(run), {}};
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

Judged judge_scenario(const std::string& scenario, const Expectations& expectations = {},
                      std::optional<std::uint64_t> link_speed = {}) {
  return judge_run(test::track_scenario(scenario, link_speed), expectations);
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

TEST(MarksWithoutCnp, SaysWhereTheCnpsWent) {
  // Another queue pair of the same sender gets them all.
  std::string other = "qp 27/28 | W 100-131 | ACK 131 | ";
  for (int i = 0; i < 60; ++i) other += "CNP | wait 20us | ";
  Stream s("step 2us | " + other + "qp 17/18 | ");
  for (int i = 0; i < 40; ++i) s.message().marked();
  const Judged judged = judge_scenario(s.done());
  const Finding* f = judged.find("ecn.marks_without_cnp");
  ASSERT_NE(f, nullptr) << judged.said();
  EXPECT_EQ(f->title.find("not one CNP"), std::string::npos) << f->title;
  EXPECT_NE(f->title.find("none of the 60 CNPs"), std::string::npos) << f->title;
  EXPECT_NE(f->explanation.find("60 of them of the same sender"), std::string::npos) << f->explanation;
  Stream alone = steady();
  for (int i = 0; i < 40; ++i) alone.message().marked();
  EXPECT_NE(judge_scenario(alone.done()).find("ecn.marks_without_cnp")->title.find("not one CNP"), std::string::npos);
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

/// Small messages, one at a time, each after the answer to the one before: there is no rate to cut.
std::string one_at_a_time(int messages, const std::string& between, int packets = 1) {
  std::string s;
  for (int i = 0; i < messages; ++i) {
    const int first = 100 + packets * i;
    s += "W " + std::to_string(first) + "-" + std::to_string(first + packets - 1) + " len=256 | " + between +
         "wait 10us | ACK " + std::to_string(first + packets - 1) + " | ";
  }
  return s;
}

TEST(CnpWithoutSlowdown, IsSilentAboutASenderThatWaitsForEachAnswer) {
  const Judged judged = judge_scenario("step 1us | " + one_at_a_time(400, "CNP | ") + "wait 1us");
  EXPECT_FALSE(judged.find("ecn.cnp_without_slowdown")) << judged.said();
  EXPECT_EQ(judged.loop(), track::Loop::kUnknown);
  const auto& direction = *judged.run.connections[0].a_to_b;
  EXPECT_LT(direction.congestion->idle_ratio(), 0.2) << "it always had work";
  EXPECT_GT(direction.congestion->rest_ratio(), 0.8);
  EXPECT_NE(loop_facts(direction).find("waited"), std::string::npos) << loop_facts(direction);
}

TEST(CnpWithoutSlowdown, IsSilentAboutASenderThatKeepsTwoSmallMessagesUnderWay) {
  std::string s = "step 500ns | W 100 | wait 2us | W 101 | ";
  for (int i = 0; i < 600; ++i) {
    s += "wait 1us | " + std::string(i % 8 == 0 ? "CNP | " : "wait 500ns | ") + "ACK " + std::to_string(100 + i) +
         " | W " + std::to_string(102 + i) + " | ";
  }
  const Judged judged = judge_scenario(s + "wait 1us");
  EXPECT_FALSE(judged.find("ecn.cnp_without_slowdown")) << judged.said();
}

TEST(CnpWithoutSlowdown, FiresOnLargeMessagesOneAtATime) {
  std::string s = "step 1us | ";
  for (int i = 0; i < 60; ++i) {
    const int first = 100 + 64 * i;
    s += "W " + std::to_string(first) + "-" + std::to_string(first + 63) + " | CNP | wait 5us | ACK " +
         std::to_string(first + 63) + " | ";
  }
  const Judged judged = judge_scenario(s + "wait 1us");
  EXPECT_TRUE(judged.fires("ecn.cnp_without_slowdown")) << judged.said();
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

/// A server of READs, two of them always outstanding. Every few answers its storage is slow: each READ waits.
std::string slow_storage(int rounds) {
  std::string s = "step 1us | R 100-107 | ";
  int next = 108;
  const auto read = [&](int reads, const std::string& fetch) {
    for (int i = 0; i < reads; ++i, next += 8) {
      s += "R " + std::to_string(next) + "-" + std::to_string(next + 7) + " | " + fetch + "RR " +
           std::to_string(next - 8) + "-" + std::to_string(next - 1) + " | ";
    }
  };
  for (int i = 0; i < rounds; ++i) {
    read(32, "");
    s += "B: ce " + std::to_string(next - 16) + "-" + std::to_string(next - 9) + " | A: CNP | ";
    read(12, "wait 40us | ");
  }
  return s + "wait 1us";
}

TEST(Oscillation, IsSilentAboutAStorageThatIsSlowNowAndThen) {
  const Judged judged = judge_scenario(slow_storage(10));
  EXPECT_FALSE(judged.find("ecn.oscillation")) << judged.said();
  const auto& server = *judged.run.connections[0].b_to_a;
  ASSERT_TRUE(server.congestion);
  EXPECT_NE(server.loop, track::Loop::kOscillating);
  EXPECT_LT(server.congestion->idle_ratio(), 0.2) << "READs were outstanding all the time";
  EXPECT_GT(server.congestion->rest_ratio(), 0.4);
}

TEST(ClosedLoop, TakesMoreThanOneFallByChance) {
  // One CNP, then the rate falls: it may have been why.
  const Judged once = judge_scenario(steady().messages(20).message("CNP | ").say("step 6us").messages(40).done());
  ASSERT_EQ(once.loop(), track::Loop::kClosed);
  EXPECT_TRUE(slowed_by_chance(*once.run.connections[0].a_to_b->congestion));
  // Each of several CNPs is followed by a slower stretch.
  Stream s = steady();
  for (int i = 0; i < 5; ++i) s.say("step 2us").messages(40).message("CNP | ").say("step 3us").messages(12);
  const Judged often = judge_scenario(s.say("step 2us").messages(20).done());
  ASSERT_EQ(often.loop(), track::Loop::kClosed) << loop_facts(*often.run.connections[0].a_to_b);
  EXPECT_FALSE(slowed_by_chance(*often.run.connections[0].a_to_b->congestion));
}

TEST(ClosedLoop, IsNotWhereTheRateFallsAnyway) {
  // The rate goes up and down by itself; a CNP now and then changes nothing about it.
  Stream s = steady();
  s.message("CNP | ");
  for (int i = 0; i < 40; ++i) {
    s.say("step 2us").messages(12);
    if (i % 8 == 4) s.message("CNP | ");
    s.say("step 3us").messages(8);
  }
  const Judged judged = judge_scenario(s.done());
  const auto& c = *judged.run.connections[0].a_to_b->congestion;
  EXPECT_GT(c.slowdowns, 0u);
  EXPECT_GT(c.calm_falls, 0u);
  EXPECT_EQ(judged.loop(), track::Loop::kUnknown) << loop_facts(*judged.run.connections[0].a_to_b);
}

TEST(CnpClass, FiresOnCnpsInTheDatasClassOnly) {
  EXPECT_TRUE(judge_scenario("dscp 48 | W 100-103 | CNP | ACK 103").fires("ecn.cnp_class"));
  EXPECT_FALSE(judge_scenario("W 100-103 | CNP | ACK 103").find("ecn.cnp_class"));
}

TEST(CnpClass, IsSilentWherePrioritiesTellTheClassesApart) {
  auto run = test::track_scenario("dscp 48 | W 100-103 | CNP | ACK 103");
  run.connections[0].a_to_b->priorities = {{3, 4}};
  run.connections[0].b_to_a->priorities = {{6, 2}};
  EXPECT_FALSE(judge_run(run).find("ecn.cnp_class"));
  run.connections[0].b_to_a->priorities = {{3, 1}, {6, 1}};
  EXPECT_FALSE(judge_run(run).find("ecn.cnp_class")) << "ACKs may share the data's class";
  run.connections[0].b_to_a->priorities = {{3, 2}};
  EXPECT_TRUE(judge_run(run).fires("ecn.cnp_class"));
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

TEST(Incast, TakesMoreThanAFewMarks) {
  // Three senders, one mark and one CNP each, then with more.
  std::string few = "step 1us | ";
  for (int i = 0; i < 3; ++i) few += sender(i) + "W 100-131 | ce 120 | CNP | ACK 131 | ";
  EXPECT_FALSE(judge_scenario(few + "wait 1us").find("incast"));
  std::string more = "step 1us | ";
  for (int i = 0; i < 3; ++i) more += sender(i) + "W 100-131 | ce 120-123 | CNP | ACK 131 | ";
  EXPECT_TRUE(judge_scenario(more + "wait 1us").fires("incast"));
}

TEST(Incast, IsSilentWithoutCongestionAndAboutTwoSenders) {
  EXPECT_FALSE(judge_scenario(fan_in(4, false)).find("incast"));
  EXPECT_FALSE(judge_scenario(fan_in(2, true)).find("incast"));
}

/// `senders` hosts send to one; of each one's second message six packets are lost, all within a moment or one host
/// after the other.
std::string fan_in_with_loss(int senders, bool at_once) {
  std::string s = "step 1us | ";
  const auto each = [&](const std::string& text, const std::string& then = "") {
    for (int i = 0; i < senders; ++i) s += sender(i) + text + " | " + then;
  };
  each("W 100-131 | ACK 131");
  const std::string apart = at_once ? "" : "wait 5ms | ";
  each("W 132-163 | drop 140-145 | NAK 140", apart);
  each("wait 20us | W 140-163 | ACK 163");
  return s + "wait 1ms | " + sender(0) + "W 164-195 | ACK 195";
}

TEST(Incast, FiresOnSendersThatLosePacketsAtOnce) {
  const Judged judged = judge_scenario(fan_in_with_loss(8, true));
  ASSERT_TRUE(judged.fires("incast")) << judged.said();
  EXPECT_EQ(judged.find("incast")->connections.size(), 8u);
  EXPECT_TRUE(judged.fires("loss.burst")) << "48 packets of 8 connections within a millisecond, in a capture of three";
  EXPECT_FALSE(judge_scenario(fan_in_with_loss(8, false)).find("incast"));
  EXPECT_FALSE(judge_scenario(fan_in_with_loss(8, false)).find("loss.burst"));
  EXPECT_FALSE(judge_scenario(fan_in_with_loss(2, true)).find("incast"));
}

TEST(Incast, IsSilentAboutLossThatGoesOnAllTheTime) {
  std::string s = "step 1us | ";
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 4; ++i) {
      const int first = 100 + 8 * round;
      const std::string last = std::to_string(first + 7);
      const std::string lost = std::to_string(first + 3);
      s += sender(i) + "W " + std::to_string(first) + "-" + last + " | drop " + lost + " | NAK " + lost + " | W " +
           lost + "-" + last + " | ACK " + last + " | ";
    }
  }
  const Judged judged = judge_scenario(s + "wait 1us");
  EXPECT_TRUE(judged.fires("loss.before_tap"));
  EXPECT_FALSE(judged.find("incast")) << judged.said();
  EXPECT_FALSE(judged.find("loss.burst")) << judged.said();
}

/// Two senders to one receiver, the second with `share` packets for 16 of the first, spread evenly among them. Each has
/// one long message and a short one behind it.
std::string two_flows(int share, bool marks) {
  std::string s = "step 1us | ";
  const auto packet = [&](int i, int n, bool first) {
    const std::string psn = std::to_string(100 + n);
    s += sender(i) + "W " + psn + " more " + (first ? "" : "open ") + (n % 16 == 15 ? "ackall" : "noack") + " | ";
    if (marks) s += "ce " + psn + " | " + (n % 16 == 0 ? "CNP | " : "");
    if (n % 16 == 15 && n > 32) s += "ACK " + std::to_string(100 + n - 32) + " | ";
  };
  int slow = 0;
  for (int n = 0; n < 640; ++n) {
    packet(0, n, n == 0);
    for (; slow < (n + 1) * share / 16; ++slow) packet(1, slow, slow == 0);
  }
  return s + "wait 1us";
}

/// Two senders to one receiver: the first always has work, the second sends one small message at a time.
std::string bulk_and_ping(bool marks) {
  std::string s = "step 1us | ";
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 2; ++i) {
      const int packets = i == 0 ? 16 : 1;
      const int first = 100 + packets * round;
      const std::string range = std::to_string(first) + "-" + std::to_string(first + packets - 1);
      const int acked = i == 1 ? first - 1 : first - 17;  // the first stays a message ahead of its answers
      s += sender(i) + (acked >= 100 ? "ACK " + std::to_string(acked) + " | " : "");
      s += "W " + range + " | " + (marks ? "ce " + range + " | CNP | " : "");
    }
  }
  return s + "wait 1us";
}

TEST(Unfair, FiresWhereACongestedReceiverIsSharedBadly) {
  const Judged judged = judge_scenario(two_flows(3, true));
  EXPECT_TRUE(judged.fires("unfair")) << judged.said();
}

TEST(Unfair, IsSilentAboutASenderThatWaitsForEachAnswer) {
  const Judged judged = judge_scenario(bulk_and_ping(true));
  EXPECT_FALSE(judged.find("unfair")) << judged.said();
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

TEST(Expected, SaysWhatItCouldNotCheck) {
  const auto unchecked = [](const std::string& trace, const char* expected) {
    const Judged judged = judge_scenario(trace, parse_expectations(expected).value());
    const Finding* f = judged.find("expect.unchecked");
    return f ? f->title : std::string();
  };
  const std::string small = "W 100 | ACK 100";
  EXPECT_EQ(unchecked(small, "cnp-dscp=48"), "not checked: cnp-dscp (no CNP passed)");
  EXPECT_EQ(unchecked(small, "mtu=4096"), "not checked: mtu (no message of more than one packet passed)");
  EXPECT_EQ(unchecked(small, "priority=3"), "not checked: priority (no data with an 802.1Q tag passed)");
  EXPECT_EQ(unchecked(small, "dscp=26,ecn=on,port=4791"), "");
  EXPECT_EQ(unchecked("W 100-103 | ACK 103 | CNP", "cnp-dscp=48,mtu=1024"), "");
  EXPECT_NE(unchecked("CNP", "dscp=26,ecn=on").find("ecn (no data passed)"), std::string::npos);
  EXPECT_FALSE(judge_scenario(small).find("expect.unchecked"));
}

TEST(NotEct, CountsNoRequestsAsData) {
  // 200 READs, whose requests cannot be marked while the answers can.
  std::string s = "pmtu 1024 | ";
  for (int i = 0; i < 200; ++i) {
    const std::string psn = std::to_string(100 + i);
    s += "ecn 0 | R " + psn + " | ecn 2 | RR " + psn + " | ";
  }
  const Judged reads = judge_scenario(s + "wait 1us");
  EXPECT_FALSE(reads.find("ecn.not_ect")) << reads.said();
  std::string w = "ecn 0 | ";
  for (int i = 0; i < 150; ++i) w += "W " + std::to_string(100 + i) + " | ACK " + std::to_string(100 + i) + " | ";
  const Judged writes = judge_scenario(w + "R 250-449 | RR 250-449");
  ASSERT_TRUE(writes.find("ecn.not_ect"));
  EXPECT_NE(writes.find("ecn.not_ect")->title.find("350 data packets"), std::string::npos)
      << writes.find("ecn.not_ect")->title;
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

/// `senders` hosts with 128 packets each to one receiver, who all wait while `pause` lasts.
std::string fan_in_of_bulk(int senders, const std::string& pause, const std::string& setting = "") {
  std::string s = "step 2us | " + setting;
  for (int round = 0; round < 4; ++round) {
    const std::string first = std::to_string(100 + 32 * round);
    const std::string last = std::to_string(131 + 32 * round);
    for (int i = 0; i < senders; ++i) s += sender(i) + "W " + first + "-" + last + " | ACK " + last + " | ";
    if (round < 3) s += pause;
  }
  return s + "wait 1us";
}
constexpr const char* kPauseOfClass3 = "XOFF 3 | wait 100us | XON 3 | ";

TEST(Incast, FiresOnSendersThatStandStillInTheSamePauses) {
  const Judged judged = judge_scenario(fan_in_of_bulk(4, kPauseOfClass3), {}, k25Gb);
  ASSERT_TRUE(judged.fires("pfc.paused")) << judged.said();
  ASSERT_TRUE(judged.fires("incast")) << judged.said();
  EXPECT_EQ(judged.find("incast")->connections.size(), 4u);
  EXPECT_FALSE(judge_scenario(fan_in_of_bulk(2, kPauseOfClass3), {}, k25Gb).find("incast"));
  EXPECT_FALSE(judge_scenario(fan_in_of_bulk(4, "wait 100us | ")).find("incast"));
}

TEST(Pauses, ConcernOnlySendersOfTheirClass) {
  const Judged untagged = judge_scenario(fan_in_of_bulk(4, kPauseOfClass3), {}, k25Gb);
  EXPECT_EQ(untagged.find("pfc.paused")->connections.size(), 4u);
  // Tagged with priority 0: class 3 is not theirs.
  const Judged tagged = judge_scenario(fan_in_of_bulk(4, kPauseOfClass3, "vlan 7 | "), {}, k25Gb);
  ASSERT_TRUE(tagged.fires("pfc.paused")) << tagged.said();
  EXPECT_TRUE(tagged.find("pfc.paused")->connections.empty());
  EXPECT_FALSE(tagged.find("incast")) << tagged.said();
}

TEST(Pauses, OfUnknownSpeedAreAStormOnlyWhereRenewedInTimeForAFastLink) {
  // 65535 quanta are 336 us at 100 Gb/s, and 1.34 ms at 25 Gb/s.
  EXPECT_TRUE(judge_scenario(between_writes("XOFF 3 | wait 290us", 40)).fires("pfc.storm"));
  EXPECT_FALSE(judge_scenario(between_writes("XOFF 3 | wait 390us", 40)).find("pfc.storm"));
  EXPECT_TRUE(judge_scenario(between_writes("XOFF 3 | wait 390us", 40), {}, k25Gb).fires("pfc.storm"));
}

}  // namespace
}  // namespace rocetop::verdict
