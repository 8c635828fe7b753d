// SPDX-License-Identifier: BSD-3-Clause
// veRoCE in simulated scenarios, told in the language: what passes the tap under the default layout, read here byte by
// byte, and what the truth says of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "generate/generator.h"

namespace rocetop::generate {
namespace {

constexpr unsigned kWriteOnly = 0x0A;
constexpr unsigned kAck = 0x11;
constexpr unsigned kSack = 0x18;
constexpr unsigned kAckResponse = 0x19;
constexpr unsigned kSackResponse = 0x1E;
constexpr unsigned kCnp = 0x81;
constexpr unsigned kRttRequest = 0x82;
constexpr unsigned kRttResponse = 0x83;
constexpr unsigned kSlowPath = 0x84;

struct VeroceFrame {
  std::int64_t ns = 0;
  FrameBytes bytes;

  unsigned port() const { return load_be16(&bytes[34]); }
  unsigned udp_dst() const { return load_be16(&bytes[36]); }
  unsigned opcode() const { return bytes[42]; }
  bool retransmit() const { return (bytes[50] & 0x40) != 0; }
  std::uint32_t psn() const { return load_be32(&bytes[50]) & 0xFFFFFF; }
  std::uint32_t word(std::size_t behind_bth) const { return load_be32(&bytes[54 + behind_bth]); }
  bool request() const { return opcode() <= 12 || opcode() == 20; }
};

struct VeroceCapture {
  std::vector<VeroceFrame> frames;
  std::string truth;

  std::vector<VeroceFrame> of(unsigned opcode) const {
    std::vector<VeroceFrame> found;
    std::copy_if(frames.begin(), frames.end(), std::back_inserter(found),
                 [&](const VeroceFrame& f) { return f.opcode() == opcode; });
    return found;
  }
  /// PSNs of requests that are sent again, in order.
  std::vector<std::uint32_t> again() const {
    std::vector<std::uint32_t> psns;
    for (const VeroceFrame& f : frames) {
      if (f.request() && f.retransmit()) psns.push_back(f.psn());
    }
    return psns;
  }
  bool says(std::string_view words) const { return truth.find(words) != std::string::npos; }
};

VeroceCapture captured_veroce(std::string_view text, const std::string& tap = "") {
  GenerateOptions options;
  options.tap = tap;
  const auto generator = Generator::create(text, options);
  VeroceCapture result;
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

using Psns = std::vector<std::uint32_t>;

TEST(VeroceSimulation, ALostPacketIsAskedForBySacksAndSentAgainOnce) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce psn=100 paths=4 cc=none | write a/b size=64k depth=1 count=1"
      " | lose a/b nth=3");
  EXPECT_EQ(r.again(), Psns{102});
  const auto sacks = r.of(kSack);
  ASSERT_FALSE(sacks.empty());
  EXPECT_EQ(sacks[0].psn(), 101U);
  EXPECT_EQ(sacks[0].word(8), 6U << 24 | 101U);        // six PSNs from 101 on
  EXPECT_EQ(sacks[0].bytes[54 + 12 + 15], 0b111101U);  // 101, 103 to 106
  EXPECT_EQ(r.of(kAck).back().psn(), 163U);
  EXPECT_TRUE(r.says(R"("resends": {"sack": 1, "second_round": 0, "drop_nak": 0, "timeout": 0})")) << r.truth;
  for (const VeroceFrame& f : r.frames) EXPECT_EQ(f.udp_dst(), 4794U);
}

TEST(VeroceSimulation, PathsTakeTurnsAndAFaultMayBeOfOne) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce ports=5001,5002,5003 lazy=64 cc=none | write a/b size=30k depth=1 count=1"
      " | delay a/b port=5002 by=3us",
      "b");
  std::map<unsigned, int> packets;
  std::uint32_t late = 0;
  std::uint32_t highest = 0;
  for (const VeroceFrame& f : r.frames) {
    if (!f.request()) continue;
    ++packets[f.port()];
    if (f.psn() < highest) {
      ++late;
      EXPECT_EQ(f.port(), 5002U);
    }
    highest = std::max(highest, f.psn());
  }
  EXPECT_EQ(packets, (std::map<unsigned, int>{{5001, 10}, {5002, 10}, {5003, 10}}));
  EXPECT_GT(late, 5U);
  EXPECT_TRUE(r.says(R"({"udp_src": 5002, "frames": 10, "data": 10)")) << r.truth;
}

TEST(VeroceSimulation, ALoneLostPacketIsSentAgainAfterTheTimeout) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce timeout=8 | write a/b size=100 count=1 depth=1 | lose a/b nth=1");
  const auto writes = r.of(kWriteOnly);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[1].ns - writes[0].ns, 4'096 << 8);
  EXPECT_TRUE(writes[1].retransmit());
}

TEST(VeroceSimulation, ATrimmedPacketKeepsItsHeadersAndIsAskedForByItsPsn) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce psn=100 lazy=64 cc=none | write a/b size=64k depth=1 count=1 | trim a/b "
      "nth=5",
      "b");
  EXPECT_EQ(r.again(), Psns{104});
  const auto cut = std::find_if(r.frames.begin(), r.frames.end(),
                                [](const VeroceFrame& f) { return f.request() && f.psn() == 104; });
  EXPECT_EQ(cut->bytes.size(), 54U + 4 + 16 + 4 + 4);
  EXPECT_EQ(cut->word(0), 1U);       // MSNETH
  EXPECT_EQ(cut->word(4 + 16), 4U);  // POETH
  const auto acks = r.of(kAck);
  const auto nak = std::find_if(acks.begin(), acks.end(), [](const VeroceFrame& f) { return f.bytes[54] == 0x60; });
  ASSERT_NE(nak, acks.end());
  EXPECT_EQ(nak->psn(), 104U);
  EXPECT_TRUE(r.says(R"("what": "trimmed")"));
  EXPECT_TRUE(r.of(kSack).empty());
}

TEST(VeroceSimulation, ReadResponsesHavePsnsOfTheirOwn) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce psn=100 cc=none | read a/b size=64k count=2 depth=2 | atomic a/b count=1"
      " depth=1 start=1ms | lose b/a nth=10");
  const auto requests = r.of(12);
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[1].psn(), 101U);
  EXPECT_EQ(r.of(20).at(0).psn(), 102U);
  const auto atomic = r.of(18);
  ASSERT_EQ(atomic.size(), 1U);
  EXPECT_EQ(atomic[0].psn(), 100U + 128);
  EXPECT_EQ(atomic[0].word(0), 3U);             // MSN among responses
  EXPECT_EQ(atomic[0].word(4) & 0xFFFFFF, 3U);  // MSN of the request
  EXPECT_FALSE(r.of(kSackResponse).empty());
  EXPECT_EQ(r.of(kAckResponse).back().psn(), 100U + 128);
  EXPECT_TRUE(r.says(R"("of_responses": true)") || r.says(R"("packet": "response")"));
  EXPECT_TRUE(r.again().empty());
}

TEST(VeroceSimulation, ACnpNamesTheMarkedPath) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce ports=5001,5002,5003,5004 | write a/b size=64k"
      " | mark a/b port=5003 | duration 300us");
  const auto cnps = r.of(kCnp);
  ASSERT_GT(cnps.size(), 3U);
  for (const VeroceFrame& f : cnps) EXPECT_EQ(f.port(), 5003U);
  std::map<unsigned, int> packets;
  for (const VeroceFrame& f : r.frames) packets[f.port()] += f.request() ? 1 : 0;
  EXPECT_LT(packets[5003] * 3, packets[5002]);
}

TEST(VeroceSimulation, TheSlowPathIsNamedByPortAndPsn) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce ports=5001,5002 lazy=64 slow=8 cc=none | write a/b size=64k count=1"
      " depth=1 | delay a/b port=5002 by=8us",
      "b");
  const auto signals = r.of(kSlowPath);
  ASSERT_GT(signals.size(), 5U);
  for (const VeroceFrame& f : signals) EXPECT_EQ(f.port(), 5002U);
  EXPECT_TRUE(r.again().empty());
}

TEST(VeroceSimulation, ProbesOfEachPathAreAnsweredOnIt) {
  const auto r = captured_veroce(
      "host a | host b latency=700ns | connect a/b protocol=veroce ports=5001,5002 probe=50us | write a/b"
      " | duration 120us");
  const auto asked = r.of(kRttRequest);
  const auto answered = r.of(kRttResponse);
  ASSERT_GE(asked.size(), 6U);
  ASSERT_EQ(answered.size(), asked.size());
  for (std::size_t i = 0; i < answered.size(); ++i) {
    EXPECT_EQ(answered[i].port(), asked[i].port());
    EXPECT_EQ(answered[i].word(4), asked[i].word(4));             // TX1
    EXPECT_GE(answered[i].word(12) - answered[i].word(8), 700U);  // TX2 - RX1
    EXPECT_LT(answered[i].word(12) - answered[i].word(8), 1'400U);
    EXPECT_EQ(answered[i].word(16), 0U);  // RX2
  }
}

TEST(VeroceSimulation, WhatIsBeyondTheBitmapIsDroppedUnlessTheWindowKeepsTo) {
  const auto text = [](const char* window) {
    return std::string(
               "host a,b | link a/b rate=100g | connect a/b protocol=veroce ports=5001,5002 cc=none lazy=128"
               " timeout=6 ") +
           window + " | write a/b size=400k count=1 depth=1 | delay a/b port=5002 by=40us most=1";
  };
  EXPECT_TRUE(captured_veroce(text("window=128")).says(R"("beyond_bitmap": 0, "paths": [{"udp_src": 5001, "frames")"));
  const auto r = captured_veroce(text("window=300 overrun"));
  EXPECT_FALSE(r.says(R"("beyond_bitmap": 0, "paths": [{"udp_src": 5001, "frames": 2)")) << r.truth;
  EXPECT_GT(r.again().size(), 100U);
}

TEST(VeroceSimulation, CmTellsTheProfileAndOfAFallback) {
  const auto vendors = [](const char* options) {
    const auto r =
        captured_veroce(std::string("host a,b | connect a/b cm ") + options + " | write a/b size=1 count=1 depth=1");
    const std::uint8_t* const req = &r.frames.at(0).bytes[62 + 24];
    const std::uint8_t* const rep = &r.frames.at(1).bytes[62 + 24];
    return std::array<std::uint32_t, 3>{load_be32(req + 4) & 0xFFFFFF,
                                        static_cast<std::uint32_t>(rep[15] << 16 | rep[19] << 8 | rep[23]),
                                        r.frames.at(3).udp_dst()};
  };
  EXPECT_EQ(vendors(""), (std::array<std::uint32_t, 3>{0, 0, 4791}));
  EXPECT_EQ(vendors("profile=2"), (std::array<std::uint32_t, 3>{0xFACE52, 0xFACE50, 4791}));
  EXPECT_EQ(vendors("protocol=veroce"), (std::array<std::uint32_t, 3>{0xFACE53, 0xFACE53, 4794}));
}

TEST(VeroceSimulation, ADelayedProbeOrALostAcknowledgementHasAName) {
  const auto r = captured_veroce(
      "host a,b | connect a/b protocol=veroce paths=2 cc=none probe=30us | write a/b size=64k count=4 depth=1"
      " | lose b/a what=sack | lose b/a what=rtt nth=1 | lose a/b nth=5 | lose a/b resent most=1 | lose a/b last "
      "nth=3");
  EXPECT_TRUE(r.says(R"("packet": "sack")"));
  EXPECT_TRUE(r.says(R"("packet": "rtt")"));
  EXPECT_TRUE(r.says(R"("resent": true)"));
}

TEST(VeroceText, ErrorsSayWhereAndWhatWasExpected) {
  const auto says = [](std::string_view text, std::string_view words) {
    const auto generator = Generator::create(text, {});
    const std::string said = generator ? "" : generator.error().message;
    EXPECT_NE(said.find(words), std::string::npos) << text << " -> " << said;
  };
  says("host a,b | connect a/b protocol=iwarp", "protocol=rocev2 or protocol=veroce");
  says("host a,b | connect a/b paths=4", "an option that only veRoCE has");
  says("host a,b | connect a/b protocol=veroce paths=65", "a number from 1 to 64");
  says("host a,b | connect a/b protocol=veroce ports=5,5", "one port is not two paths");
  says("host a,b | connect a/b protocol=veroce ports=5,x", "column 48: \"x\"");
  says("host a,b | connect a/b protocol=veroce paths=3 weights=1,2", "weights= has to name one for each path");
  says("host a,b | connect a/b protocol=veroce weights=0", "numbers from 1 to 1000");
  says("host a,b | connect a/b protocol=veroce uc", "not for veRoCE");
  says("host a,b | connect a/b protocol=veroce layout=sack_order=up", "sack_order=len_psn, sack_order=psn_len");
  says("host a,b | connect a/b protocol=veroce layout=endian=big", "one of headers, retrans_bit");
  says("host a,b | connect a/b protocol=veroce profile=4", "a number from 0 to 3");
  says("host a,b | write a/b imm", "for connections with protocol=veroce");
  says("host a,b | connect a/b protocol=veroce | write a/b inv", "inv for send");
  says("host a,b | connect a/b protocol=veroce | read a/b imm", "imm is for write and send");
}

}  // namespace
}  // namespace rocetop::generate
