// SPDX-License-Identifier: BSD-3-Clause
// Rules about speed: what must and what must not draw them. Traces of many messages are made by loops; the frames are
// a scenario's (generate/scenario.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/scenario_run.h"
#include "verdict/judge.h"

namespace rocetop::verdict {
namespace {

std::vector<Finding> findings_of(const std::string& scenario) {
  const test::TrackerRun run = test::track_scenario(scenario);
  return judge({{}, run.connections, run.rejections, run.set_ups}, Thresholds{});
}

bool fires(const std::string& scenario, std::string_view rule) {
  const auto findings = findings_of(scenario);
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
}

/// WRITEs of `packets` packets, one at a time.
std::string writes(int messages, int packets, const std::string& before_ack, const std::string& after_ack,
                   int first = 1000) {
  std::string out;
  for (int i = 0; i < messages; ++i) {
    const int psn = first + i * packets;
    const std::string last = std::to_string(psn + packets - 1);
    out += " | W " + std::to_string(psn) + "-" + last + before_ack + " | ACK " + last + after_ack;
  }
  return out;
}

TEST(HostLimited, WhenNothingIsAskedMostOfTheTime) {
  EXPECT_TRUE(fires("pmtu 4096" + writes(20, 8, "", " | wait 600us"), "host.limited"));
}

TEST(HostLimited, NotWhileAReplyIsOutstanding) {
  EXPECT_FALSE(fires("pmtu 4096" + writes(20, 8, " | wait 600us", ""), "host.limited"));
}

TEST(HostLimited, NotForSmallMessagesAndFewOnes) {
  EXPECT_FALSE(fires("pmtu 1024" + writes(20, 1, "", " | wait 600us"), "host.limited"));
  EXPECT_FALSE(fires("pmtu 4096" + writes(5, 8, "", " | wait 600us"), "host.limited"));
  EXPECT_FALSE(fires("pmtu 4096" + writes(20, 8, "", " | wait 20us"), "host.limited"));
}

TEST(HostLimited, NotWhereThePeersTakeTurns) {
  std::string scenario = "pmtu 4096";
  for (int i = 0; i < 20; ++i) {
    const std::string a = std::to_string(1000 + 8 * i) + "-" + std::to_string(1007 + 8 * i);
    const std::string b = std::to_string(5000 + 8 * i) + "-" + std::to_string(5007 + 8 * i);
    scenario += " | W " + a + " | ACK " + std::to_string(1007 + 8 * i) + " | wait 300us | B: W " + b + " | A: ACK " +
                std::to_string(5007 + 8 * i) + " | wait 300us";
  }
  EXPECT_FALSE(fires(scenario, "host.limited"));
}

TEST(HostLimited, NotWhereOtherConnectionsOfTheHostAreBusy) {
  // Two connections in turn: each idles while the other moves.
  std::string scenario = "pmtu 4096 | step 20us";
  for (int i = 0; i < 20; ++i) {
    for (int q = 0; q < 6; ++q) {
      const int psn = 1000 + 8 * i;
      scenario += " | qp " + std::to_string(17 + q) + "/" + std::to_string(117 + q) + " | W " + std::to_string(psn) +
                  "-" + std::to_string(psn + 7) + " | ACK " + std::to_string(psn + 7);
    }
  }
  EXPECT_FALSE(fires(scenario, "host.limited"));
}

/// Connections of one host pair, one after the other; the step of the last one apart.
std::string race(int connections, const std::string& step, const std::string& last_step, int packets = 8,
                 const std::string& pause = "") {
  std::string out = "pmtu 4096";
  for (int q = 0; q < connections; ++q) {
    const bool last = q == connections - 1;
    out += " | qp " + std::to_string(17 + q) + "/" + std::to_string(217 + q) + " | step " + (last ? last_step : step);
    out += writes(10, packets, "", last ? pause : "", 1000 * (q + 1));
  }
  return out;
}

TEST(Straggler, OneFarSlowerThanItsLike) {
  EXPECT_TRUE(fires(race(6, "1us", "8us"), "straggler"));
  const auto findings = findings_of(race(6, "1us", "8us"));
  const auto f = std::find_if(findings.begin(), findings.end(), [](const Finding& x) { return x.rule == "straggler"; });
  ASSERT_NE(f, findings.end());
  EXPECT_EQ(f->connections, (std::vector<std::uint32_t>{6}));
}

TEST(Straggler, NotWhereAllAreAlikeOrTooFewOrSmall) {
  EXPECT_FALSE(fires(race(6, "1us", "2us"), "straggler"));
  EXPECT_FALSE(fires(race(6, "8us", "8us"), "straggler"));
  EXPECT_FALSE(fires(race(3, "1us", "8us"), "straggler"));
  EXPECT_FALSE(fires("pmtu 256 | " + race(6, "1us", "8us", 1).substr(9 + 3), "straggler"));
}

TEST(Straggler, NotOneThatIsGivenLessToDo) {
  EXPECT_FALSE(fires(race(6, "1us", "1us", 8, " | wait 500us"), "straggler"));
}

TEST(Mtu, SmallOnlyForLargeMessages) {
  EXPECT_TRUE(fires("pmtu 1024" + writes(2, 16, "", ""), "mtu.small"));
  EXPECT_FALSE(fires("pmtu 1024" + writes(2, 4, "", ""), "mtu.small"));
  EXPECT_FALSE(fires("pmtu 4096" + writes(2, 16, "", ""), "mtu.small"));
}

TEST(Mtu, MismatchOfTheEnds) {
  EXPECT_TRUE(fires("pmtu 1024 | W 100-103 | ACK 103 | pmtu 2048 | B: W 500-503 | A: ACK 503", "mtu.mismatch"));
  EXPECT_FALSE(fires("pmtu 1024 | W 100-103 | ACK 103 | B: W 500-503 | A: ACK 503", "mtu.mismatch"));
  EXPECT_FALSE(fires("pmtu 1024 | W 100-103 | ACK 103 | pmtu 2048 | B: W 500 | A: ACK 500", "mtu.mismatch"));
}

TEST(SetUp, SlowOrRepeated) {
  EXPECT_TRUE(fires("REQ 100 | wait 1s | REP 500 | RTU | B: W 100 | A: ACK 100", "cm.slow"));
  EXPECT_TRUE(fires("REQ 100 | wait 100ms | REQ 100 | REP 500 | RTU | B: W 100 | A: ACK 100", "cm.slow"));
  EXPECT_FALSE(fires("REQ 100 | wait 5ms | REP 500 | RTU | B: W 100 | A: ACK 100", "cm.slow"));
  EXPECT_FALSE(fires("REQ 100 | wait 5ms | REJ reason=8", "cm.slow"));
}

}  // namespace
}  // namespace rocetop::verdict
