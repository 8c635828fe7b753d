// SPDX-License-Identifier: BSD-3-Clause
// Simulated scenarios, told in the language: what passes the tap, when, and what the truth says of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "generate/generator.h"
#include "generate/scenario_library.h"
#include "generate/sim/random.h"

namespace rocetop::generate {
namespace {

/// A frame of a capture: what the tests ask about. Read here and not by the wire layer: this is the encoder's side.
struct Seen {
  std::int64_t ns = 0;  ///< since the start
  FrameBytes bytes;

  bool pause() const { return bytes[12] == 0x88 && bytes[13] == 0x08; }
  unsigned opcode() const { return bytes[42]; }
  unsigned ecn() const { return bytes[15] & 3U; }
  unsigned host() const { return bytes[29]; }  ///< last octet of the source
  std::uint32_t psn() const { return load_be32(&bytes[50]) & 0xFFFFFF; }
  bool data() const { return !pause() && opcode() <= 16; }
  unsigned syndrome() const { return bytes[54]; }
};

struct Capture {
  std::vector<Seen> frames;
  std::string truth;

  std::vector<Seen> of(unsigned opcode) const {
    std::vector<Seen> found;
    for (const Seen& f : frames) {
      if (!f.pause() && f.opcode() == opcode) found.push_back(f);
    }
    return found;
  }
  std::vector<std::uint32_t> psns() const {
    std::vector<std::uint32_t> found;
    for (const Seen& f : frames) {
      if (f.data()) found.push_back(f.psn());
    }
    return found;
  }
};

Capture captured(std::string_view text, GenerateOptions options = {}) {
  const auto generator = Generator::create(text, options);
  Capture result;
  EXPECT_TRUE(generator) << (generator ? "" : generator.error().message);
  if (!generator) return result;
  generator.value().run(
      [&](const sim::CapturedFrame& frame) {
        result.frames.push_back({(frame.time - kScenarioStart).count, {frame.bytes.begin(), frame.bytes.end()}});
        return true;
      },
      [&](std::string_view words) { result.truth += words; });
  return result;
}

GenerateOptions at(std::string tap, std::uint64_t seed = 1) {
  GenerateOptions options;
  options.tap = std::move(tap);
  options.seed = seed;
  return options;
}

std::string refusal(std::string_view text) {
  const auto generator = Generator::create(text, {});
  return generator ? "" : generator.error().message;
}

constexpr unsigned kWriteOnly = 10;
constexpr unsigned kReadRequest = 12;
constexpr unsigned kAck = 17;
constexpr unsigned kCnp = 0x81;

TEST(Simulation, APacketTakesItsTimeOnEachWireAndInEachSwitch) {
  // 8 ns a byte. WRITE: 14+20+8+12+16+1000+4 = 1074 and 24 around it; ACK: 62 and 24. Twice over 1 µs, by a switch;
  // and what the host takes to answer.
  const Capture r = captured(
      "host a,b latency=300ns | switch sw | link a,b/sw rate=1g delay=1us | write a/b size=1000 count=1 depth=1");
  ASSERT_EQ(r.frames.size(), 2U);
  EXPECT_EQ(r.frames[0].opcode(), kWriteOnly);
  EXPECT_EQ(r.frames[1].opcode(), kAck);
  EXPECT_EQ(r.frames[1].ns - r.frames[0].ns, 2 * (1'098 * 8 + 1'000) + 300 + 2 * (86 * 8 + 1'000));
}

TEST(Simulation, ASeedAlwaysGivesTheSameBytesAndAnotherOneOthers) {
  const auto* scenario = find_scenario("lossy-link");
  const auto bytes = [&](std::uint64_t seed) {
    FrameBytes all;
    const Capture r = captured(scenario->text, at("", seed));
    for (const Seen& f : r.frames) all.insert(all.end(), f.bytes.begin(), f.bytes.end());
    return all;
  };
  EXPECT_EQ(bytes(7), bytes(7));
  EXPECT_NE(bytes(7), bytes(8));
}

TEST(Simulation, WhereTheCaptureIsMadeChangesNothingOfWhatHappens) {
  const auto* scenario = find_scenario("lossy-link");
  const auto lost = [&](const char* tap) {
    std::vector<std::string> times;
    const std::string truth = captured(scenario->text, at(tap)).truth;
    for (std::size_t i = truth.find("time_ns"); i != std::string::npos; i = truth.find("time_ns", i + 1)) {
      times.push_back(truth.substr(i, 60));
    }
    return times;
  };
  EXPECT_EQ(lost("a"), lost("b"));
  EXPECT_EQ(lost("a"), lost("sw1/sw2"));
  EXPECT_GT(lost("a").size(), 1U);
}

TEST(Simulation, TheSenderGoesBackToWhatANakNames) {
  const char* const text =
      "host a,b | connect a/b psn=100 cc=none | write a/b size=8k depth=1 count=1 | lose a/b nth=3";
  const Capture r = captured(text);
  const auto psns = r.psns();
  EXPECT_EQ(std::vector(psns.begin(), psns.begin() + 3), (std::vector<std::uint32_t>{100, 101, 102}));
  EXPECT_EQ(std::count(psns.begin(), psns.end(), 102U), 2);
  EXPECT_EQ(std::count(psns.begin(), psns.end(), 101U), 1);
  const auto answers = r.of(kAck);
  EXPECT_EQ(answers.front().syndrome(), 0x60U);
  EXPECT_EQ(answers.front().psn(), 102U);
  EXPECT_EQ(answers.back().psn(), 107U);
  EXPECT_NE(r.truth.find(R"("what": "lost", "where": "a/b", "packet": "request", "connection": 1)"), std::string::npos);
  EXPECT_NE(r.truth.find(R"("psn": 102, "frame": 3})"), std::string::npos) << r.truth;
  EXPECT_NE(r.truth.find(R"("go_backs": {"nak": 1, "rnr": 0, "timeout": 0, "read_restart": 0})"), std::string::npos);
}

TEST(Simulation, WhatWasLostBeforeTheTapHasNoFrame) {
  const Capture r =
      captured("host a,b | connect a/b psn=100 | write a/b size=8k count=1 depth=1 | lose a/b nth=3", at("b"));
  EXPECT_NE(r.truth.find(R"("psn": 102, "frame": null})"), std::string::npos) << r.truth;
  EXPECT_NE(r.truth.find(R"("missing": 1, "original_seen": 5, "original_unseen": 1)"), std::string::npos) << r.truth;
}

TEST(Simulation, ALostTailIsSentAgainAfterTheTimeoutAndOnlyThen) {
  const Capture r = captured("host a,b | connect a/b timeout=8 | write a/b size=100 count=1 depth=1 | lose a/b nth=1");
  const auto writes = r.of(kWriteOnly);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[1].ns - writes[0].ns, 4'096 << 8);
}

TEST(Simulation, ASenderGivesUpAfterItsRetries) {
  const Capture r =
      captured("host a,b | connect a/b timeout=1 retries=3 | write a/b size=1 count=2 depth=1 | lose a/b");
  EXPECT_EQ(r.of(kWriteOnly).size(), 4U);
}

TEST(Simulation, AnRnrNakIsWaitedFor) {
  const Capture r =
      captured("host a,b | connect a/b receives=1 post-every=100us rnr-timer=12 | send a/b size=100 count=2 depth=2");
  const auto answers = r.of(kAck);
  const auto sends = r.of(4);
  ASSERT_EQ(sends.size(), 3U);
  ASSERT_GE(answers.size(), 2U);
  EXPECT_EQ(answers[1].syndrome(), 0x2CU);
  EXPECT_EQ(sends[2].psn(), sends[1].psn());
  EXPECT_GE(sends[2].ns - answers[1].ns, 640'000);
}

TEST(Simulation, AReadIsAskedForAgainFromItsFirstMissingResponseOn) {
  const Capture r = captured("host a,b | connect a/b psn=50 | read a/b size=8k count=1 depth=1 | lose b/a nth=3");
  const auto requests = r.of(kReadRequest);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].psn(), 52U);
  EXPECT_EQ(load_be32(&requests[1].bytes[66]), 6U * 1'024);
}

TEST(Simulation, AQueueDropsWhatDoesNotFitAndMarksWhatStandsFar) {
  const char* const text =
      "host a,b | switch sw | link a/sw rate=100g | link sw/b rate=10g buffer=20k kmin=4k kmax=8k pmax=100%"
      " | connect a/b cc=none window=64 timeout=8 | write a/b size=64k count=1 depth=1";
  const Capture r = captured(text, at("sw/b"));
  EXPECT_NE(r.truth.find("queue_full"), std::string::npos);
  const auto marked = std::count_if(r.frames.begin(), r.frames.end(), [](const Seen& f) { return f.ecn() == 3; });
  EXPECT_GT(marked, 5);
  EXPECT_NE(r.frames.front().ecn(), 3U);
  const Capture before = captured(text, at("a"));
  EXPECT_TRUE(std::none_of(before.frames.begin(), before.frames.end(), [](const Seen& f) { return f.ecn() == 3; }));
}

TEST(Simulation, OneCnpInItsTimeForAQueuePairAndTheSenderSlowsDown) {
  const char* const text =
      "host a,b | switch sw | link a/sw rate=10g | link b/sw rate=10g | connect a/b cc=dcqcn pmtu=4096 window=1000"
      " | write a/b size=64k depth=4 | mark a/sw from=1ms to=1100us | duration 4ms";
  const Capture r = captured(text);
  const auto cnps = r.of(kCnp);
  ASSERT_GE(cnps.size(), 2U);
  for (std::size_t i = 1; i < cnps.size(); ++i) EXPECT_GE(cnps[i].ns - cnps[i - 1].ns, 49'000);
  const auto sent = [&](std::int64_t from, std::int64_t to) {
    return std::count_if(r.frames.begin(), r.frames.end(),
                         [&](const Seen& f) { return f.data() && f.ns >= from && f.ns < to; });
  };
  EXPECT_LT(sent(1'200'000, 1'700'000) * 2, sent(500'000, 1'000'000));
  EXPECT_GT(sent(3'500'000, 4'000'000), sent(1'200'000, 1'700'000));
}

TEST(Simulation, ASlowHostPausesItsPeerWhichSendsNothingMeanwhile) {
  const Capture r = captured(
      "host a | host b drain=1g | link a/b rate=10g delay=100ns xoff=16k xon=8k | connect a/b cc=none window=200"
      " | write a/b size=64k count=4 depth=4");
  std::size_t pauses = 0;
  bool paused = false;
  std::int64_t since = 0;
  for (const Seen& f : r.frames) {
    if (f.pause()) {
      paused = f.bytes[24] != 0 || f.bytes[25] != 0;  // the time of class 3
      since = f.ns;
      ++pauses;
    } else if (f.data() && paused) {
      EXPECT_LE(f.ns, since + 900);  // what was being sent when the pause came
    }
  }
  EXPECT_GT(pauses, 2U);
  EXPECT_NE(r.truth.find(R"("queue_full": 0)"), std::string::npos);
}

TEST(Simulation, PacketsOfAFlowKeepToOnePathUnlessSprayed) {
  const char* const text =
      "host a,b | switch l1,l2%s | switch s1,s2 | link a/l1 | link b/l2 | links delay=1us | link l1,l2/s1"
      " | link l1,l2/s2 delay=20us | connect a/b reorder=64 | write a/b size=32k count=8 depth=1";
  const auto in_order = [&](const char* spray) {
    std::string filled(text);
    filled.replace(filled.find("%s"), 2, spray);
    const auto psns = captured(filled, at("b")).psns();
    return std::is_sorted(psns.begin(), psns.end()) || psns.front() > psns.back();
  };
  EXPECT_TRUE(in_order(""));
  EXPECT_FALSE(in_order(" spray"));
}

TEST(Simulation, NothingIsSentOnAConnectionBeforeItIsSetUp) {
  const Capture r = captured("host a,b | connect a/b cm psn=7 | write a/b size=1 count=1 depth=1");
  ASSERT_EQ(r.frames.size(), 5U);
  // Attribute IDs of the MADs: behind Ethernet, IPv4, UDP, BTH and DETH, 16 bytes in.
  const auto attribute = [&](std::size_t i) { return r.frames[i].bytes[62 + 16 + 1]; };
  EXPECT_EQ(attribute(0), 0x10);
  EXPECT_EQ(attribute(1), 0x13);
  EXPECT_EQ(attribute(2), 0x14);
  EXPECT_EQ(r.frames[3].opcode(), kWriteOnly);
  EXPECT_EQ(r.frames[4].opcode(), kAck);
  // Of a lost RTU the first data tells; a rejected connection is not used.
  EXPECT_EQ(
      captured("host a,b | connect a/b cm | write a/b size=1 count=1 depth=1 | lose a/b what=cm nth=2").of(kAck).size(),
      1U);
  EXPECT_TRUE(captured("host a,b | connect a/b cm=rejected | write a/b").of(kWriteOnly).empty());
}

TEST(Simulation, ThePacketLimitEndsTheCaptureWhateverTheDuration) {
  GenerateOptions options;
  options.packets = 5'000;
  EXPECT_EQ(captured("host a,b | write a/b | duration 10us", options).frames.size(), 5'000U);
  options.packets = 0;
  options.duration = microseconds(10);
  EXPECT_LT(captured("host a,b | write a/b | duration 1s", options).frames.size(), 500U);
}

TEST(Simulation, TimeNeverGoesBack) {
  for (const NamedScenario& scenario : named_scenarios()) {
    GenerateOptions options;
    options.packets = 3'000;
    const Capture r = captured(scenario.text, options);
    EXPECT_TRUE(std::is_sorted(r.frames.begin(), r.frames.end(), [](const Seen& x, const Seen& y) {
      return x.ns < y.ns;
    })) << scenario.name;
  }
}

TEST(Simulation, DrawnScenariosHaveATruthToo) {
  const Capture r = captured("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103 | ce 103");
  EXPECT_EQ(r.frames.size(), 7U);
  EXPECT_NE(r.truth.find(R"("psn": 102, "frame": null})"), std::string::npos) << r.truth;
  EXPECT_NE(r.truth.find(R"("what": "marked")"), std::string::npos) << r.truth;
  EXPECT_NE(r.truth.find(R"("totals": {"frames": 7, "lost": 1, "marked": 1)"), std::string::npos) << r.truth;
}

TEST(SimulationText, ErrorsSayWhereAndWhatWasExpected) {
  const auto says = [](std::string_view text, std::string_view words) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find(words), std::string::npos) << text << " -> " << said;
  };
  says("host a,b | write a/c", "line 1, column 20: \"c\": there is no host or switch c");
  says("host a,b | write a/b size=0", "at least one byte");
  says("host a,b | write a/b sized=1", "\"sized=1\": not an option of write");
  says("host a,a", "a is there already");
  says("host a,b | W 1", "not a verb of simulated scenarios");
  says("W 1 | write a/b", "not a verb of simulated scenarios");
  says("host a,b,c | switch s | link a,b/s", "host c has 0 links, not one");
  says("host a,b | switch s,t | link a/s | link b/t | write a/b", "there is no way from a to b");
  says("host a,b | link a/b rate=1", "a rate from 1m to 1t");
  says("host a,b | connect a/b pmtu=1500", "256, 512, 1024, 2048 or 4096");
  says("host a,b | lose a/b chance=200%", "a share from 0 to 1");
  says("host a,b | tap a/c", "a host, a switch, or NODE/NEIGHBOUR");
  says("host s9-s1", "names, such as");
  says("host s1-s9999", "names, such as");
  says("host a,b | connect a/b uc | read a/b", "knows no READs");
  says("host a,b | switch s | link a,b/s | write a/s", "s is a switch");
  says("host a ip=10.0.0.2 | host b", "10.0.0.2 is of two hosts");
  says("host a,b | connect a/b qp=7/8 | connect a/b qp=7/9", "host a has two queue pairs 7");
  says("tap a", "the scenario has no hosts");
  says("duration 1ms", "the scenario has no hosts");
}

/// Nothing but an error may come of it; what is understood runs to its end, which is bounded.
TEST(SimulationText, AnyTextIsUnderstoodOrRefused) {
  sim::Random random(4791, 1);
  std::size_t understood = 0;
  for (const NamedScenario& scenario : named_scenarios()) {
    for (int i = 0; i < 40; ++i) {
      std::string text(scenario.text);
      for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
        const std::size_t at = random.below(text.size());
        const std::size_t from = random.below(text.size());
        text.replace(at, random.below(6), text.substr(from, random.below(6)));
      }
      GenerateOptions options;
      options.packets = 200;
      const auto generator = Generator::create(text, options);
      if (!generator) continue;
      ++understood;
      std::size_t frames = 0;
      generator.value().run([&](const sim::CapturedFrame&) { return ++frames < 200; }, [](std::string_view) {});
    }
  }
  EXPECT_GT(understood, 50U);
}

TEST(SimulationText, WhatWouldNotFitIntoMemoryIsRefused) {
  EXPECT_NE(refusal("host a1-a200,b1-b200 | connect a1-a200/b1-b200 window=65536").find("too much under way"),
            std::string::npos);
  EXPECT_NE(refusal("host a1-a1000,b1-b1000").find("too many hosts"), std::string::npos);
  EXPECT_NE(refusal("host a,b | connect a/b count=65536 | connect a/b").find("too many connections"),
            std::string::npos);
}

}  // namespace
}  // namespace rocetop::generate
