// SPDX-License-Identifier: BSD-3-Clause
// What each verb, edit and setting of a scenario puts on the wire, shown as one word a packet: "A>WF100!" is a WRITE
// First from A with PSN 100 and AckReq; an AETH adds "/syndrome.msn". Read at the fixed offsets of untagged IPv4
// frames.
#include "generate/scenario.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/byte_reader.h"

namespace rocetop::generate {
namespace {

constexpr std::size_t kIp = 14;
constexpr std::size_t kUdp = 34;
constexpr std::size_t kBth = 42;

const std::map<int, std::string>& short_names() {
  static const std::map<int, std::string> names{
      {0, "SF"},   {1, "SM"},   {2, "SL"},   {3, "SLi"},  {4, "SO"},     {5, "SOi"},    {6, "WF"},    {7, "WM"},
      {8, "WL"},   {9, "WLi"},  {10, "WO"},  {11, "WOi"}, {12, "R"},     {13, "RRF"},   {14, "RRM"},  {15, "RRL"},
      {16, "RRO"}, {17, "ACK"}, {18, "ATA"}, {20, "AT"},  {0x26, "uWF"}, {0x28, "uWL"}, {0x64, "UD"}, {0x81, "CNP"}};
  return names;
}

bool has_aeth(int opcode) { return opcode == 13 || (opcode >= 15 && opcode <= 18); }

std::string word(const FrameBytes& f) {
  const int opcode = f[kBth];
  std::string out = f[kIp + 15] == 1 ? "A>" : "B>";
  out += short_names().at(opcode) + std::to_string(load_be24(&f[kBth + 9]));
  if ((f[kBth + 8] & 0x80) != 0) out += "!";
  if (has_aeth(opcode)) out += "/" + std::to_string(f[kBth + 12]) + "." + std::to_string(load_be24(&f[kBth + 13]));
  return out;
}

std::vector<TimedFrame> frames(const char* scenario) {
  auto result = run_scenario(scenario);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(result.value()) : std::vector<TimedFrame>{};
}

std::string words(const char* scenario) {
  std::string out;
  for (const TimedFrame& frame : frames(scenario)) out += (out.empty() ? "" : " ") + word(frame.bytes);
  return out;
}

std::string error(const char* scenario) {
  const auto result = run_scenario(scenario);
  return result ? "no error" : result.error().message;
}

struct Rule {
  const char* scenario;
  const char* packets;
};

class ScenarioWords : public testing::TestWithParam<Rule> {};

TEST_P(ScenarioWords, Draw) { EXPECT_EQ(words(GetParam().scenario), GetParam().packets) << GetParam().scenario; }

INSTANTIATE_TEST_SUITE_P(
    Rules, ScenarioWords,
    testing::Values(
        Rule{"", ""},  //
        Rule{"W 100", "A>WO100!"}, Rule{"W 100-102", "A>WF100 A>WM101 A>WL102!"},
        Rule{"S 16777215-1", "A>SF16777215 A>SM0 A>SL1!"}, Rule{"S 0xFFFFFF-0x0", "A>SF16777215 A>SL0!"},
        Rule{"W 5 imm | S 6-7 imm", "A>WOi5! A>SF6 A>SLi7!"},
        Rule{"W 5-6 noack | W 7-8 ackall", "A>WF5 A>WL6 A>WF7! A>WL8!"},
        Rule{"W 1-2 more | W 3-4 open more | W 5 open", "A>WF1 A>WM2 A>WM3 A>WM4 A>WL5!"},
        Rule{"uc | W 1-2", "A>uWF1 A>uWL2!"}, Rule{"UD 4-5", "A>UD4 A>UD5"}, Rule{"CNP | A: CNP", "B>CNP0 A>CNP0"},
        // sent again as it was; what was not sent before is a new message
        Rule{"W 1-3 | W 2-4", "A>WF1 A>WM2 A>WL3! A>WM2 A>WL3! A>WO4!"},
        Rule{"W 1-2 | W 1-2 new | W 1 new", "A>WF1 A>WL2! A>WF1 A>WL2! A>WO1!"},
        Rule{"W 1-2 | qp 33/44 | W 1 | qp 17/18 | W 1 | qp 17/18 new | W 1", "A>WF1 A>WL2! A>WO1! A>WF1 A>WO1!"},
        Rule{"S 1-2 | W 1", "A>SF1 A>SL2! A>WO1!"},
        // replies, with the count of completed messages
        Rule{"ACK 7", "B>ACK7/31.0"},
        Rule{"W 1-2 | W 3 | ACK 2 | ACK 3", "A>WF1 A>WL2! A>WO3! B>ACK2/31.1 B>ACK3/31.2"},
        Rule{"W 1-3 | ACK 2", "A>WF1 A>WM2 A>WL3! B>ACK2/31.0"},
        Rule{"W 1 | W 2 | NAK 2 | W 2 | ACK 2", "A>WO1! A>WO2! B>ACK2/96.1 A>WO2! B>ACK2/31.2"},
        Rule{"W 1 | W 2 more | W 3 open | ACK 2 | ACK 3", "A>WO1! A>WF2 A>WL3! B>ACK2/31.1 B>ACK3/31.2"},
        Rule{"NAK 5 code=access | NAK 5 code=rd msn=9", "B>ACK5/98.0 B>ACK5/100.9"},
        Rule{"RNR 5 | RNR 5 timer=0", "B>ACK5/44.0 B>ACK5/32.0"},
        Rule{"R 4-6 | RR 4-6", "A>R4! B>RRF4/31.1 B>RRM5 B>RRL6/31.1"}, Rule{"R 4 | RR 4", "A>R4! B>RRO4/31.1"},
        Rule{"R 4-6 | R 5-6 | RR 5-6 open", "A>R4! A>R5! B>RRM5 B>RRL6/31.1"},
        Rule{"AT 9 | ATA 9", "A>AT9! B>ATA9/0.1"}, Rule{"B: W 9 | A: ACK 9", "B>WO9! A>ACK9/31.1"},
        // edits
        Rule{"W 1-3 | drop 2", "A>WF1 A>WL3!"}, Rule{"W 1-3 | drop 2 | W 2 | drop 2", "A>WF1 A>WL3!"},
        Rule{"W 1 | ACK 1 | drop 1", "A>WO1!"}, Rule{"W 1 | ACK 1 | A: drop 1", "B>ACK1/31.1"},
        Rule{"W 1-3 | dup 2", "A>WF1 A>WM2 A>WM2 A>WL3!"}, Rule{"W 1-4 | late 2 after=3", "A>WF1 A>WM3 A>WM2 A>WL4!"},
        // layout of the text
        Rule{"W 1|W 2 # W 3\n| \n  W 4\r\n", "A>WO1! A>WO2! A>WO4!"}));

TEST(Scenario, StepsTime) {
  const auto f = frames("W 1-2 | wait 70ms | step 10us | W 3-4 | dup 3 | drop 4 | W 5");
  ASSERT_EQ(f.size(), 5U);
  const auto since_start = [&](std::size_t i) { return (f[i].time - kScenarioStart).count; };
  EXPECT_EQ(since_start(0), 0);
  EXPECT_EQ(since_start(1), 1'000);
  EXPECT_EQ(since_start(2), 70'002'000);
  EXPECT_EQ(since_start(3), 70'007'000);
  EXPECT_EQ(since_start(4), 70'022'000);
}

TEST(Scenario, CountsIpIdentificationsButCopiesThemInDuplicates) {
  const auto f = frames("W 1 | W 1 | dup 1 | ACK 1");
  ASSERT_EQ(f.size(), 4U);
  const auto id = [&](std::size_t i) { return load_be16(&f[i].bytes[kIp + 4]); };
  EXPECT_EQ(id(0), 1);
  EXPECT_EQ(id(1), 2);
  EXPECT_EQ(id(2), 2);
  EXPECT_EQ(id(3), 1);
}

TEST(Scenario, SetsLengthsAndAddresses) {
  const auto f = frames("pmtu 256 | W 1-2 len=5 | R 3-5 len=7 | R 4-5 len=7");
  ASSERT_EQ(f.size(), 4U);
  EXPECT_EQ(f[0].bytes.size(), kBth + 12 + 16 + 256 + 4);
  EXPECT_EQ(f[1].bytes.size(), kBth + 12 + 8 + 4);
  EXPECT_EQ(f[1].bytes[kBth + 1] >> 4 & 3, 3);
  const auto address = [&](std::size_t i) { return load_be64(&f[i].bytes[kBth + 12]); };
  const auto length = [&](std::size_t i) { return load_be32(&f[i].bytes[kBth + 24]); };
  EXPECT_EQ(length(0), 261U);
  EXPECT_EQ(length(2), 256U * 2 + 7);
  EXPECT_EQ(length(3), 256U + 7);
  EXPECT_EQ(address(3), address(2) + 256);
}

TEST(Scenario, SetsWhoTalks) {
  const auto f = frames("W 1 | ACK 1 | qp 5/6 | B: port 1234 | ip 10.0.0.1/10.0.0.2 | W 1 | ACK 1 | CNP");
  ASSERT_EQ(f.size(), 5U);
  const auto dest_qp = [&](std::size_t i) { return load_be24(&f[i].bytes[kBth + 5]); };
  const auto port = [&](std::size_t i) { return load_be16(&f[i].bytes[kUdp]); };
  EXPECT_EQ(dest_qp(0), 18U);
  EXPECT_EQ(dest_qp(1), 17U);
  EXPECT_EQ(dest_qp(2), 6U);
  EXPECT_EQ(dest_qp(4), 5U);
  EXPECT_NE(port(0), port(1));
  EXPECT_EQ(port(3), 1234);
  EXPECT_EQ(load_be32(&f[2].bytes[kIp + 12]), 0x0A000001U);
}

TEST(Scenario, MarksAndTags) {
  const auto f = frames("dscp 3 | ecn 1 | W 1-2 | ce 2 | CNP | vlan 7 | W 3 | vlan none | ip ::1/::2 | W 4");
  ASSERT_EQ(f.size(), 5U);
  EXPECT_EQ(f[0].bytes[kIp + 1], 3 << 2 | 1);
  EXPECT_EQ(f[1].bytes[kIp + 1], 3 << 2 | 3);
  EXPECT_EQ(f[2].bytes[kIp + 1], 48 << 2 | 1);
  EXPECT_EQ(load_be32(&f[3].bytes[12]), 0x81000007U);
  EXPECT_EQ(load_be16(&f[4].bytes[12]), 0x86DD);
}

std::vector<std::uint8_t> bytes(const FrameBytes& frame, std::size_t at, std::size_t n) {
  const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(at);
  return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

TEST(Scenario, PausesClassesAndLinks) {
  const auto f = frames("XOFF 3 | A: XOFF 0-1 quanta=9 | XON 3 | XOFF all quanta=258 | W 1 | drop 1");
  ASSERT_EQ(f.size(), 4U);
  EXPECT_EQ(bytes(f[0].bytes, 0, 18),
            (std::vector<std::uint8_t>{1, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0x08, 1, 1, 0, 8}));
  EXPECT_EQ(bytes(f[0].bytes, 22, 4), (std::vector<std::uint8_t>{0, 0, 0xFF, 0xFF}));  // classes 2 and 3
  EXPECT_EQ(f[0].bytes.size(), 60U);
  EXPECT_EQ(bytes(f[1].bytes, 11, 1), (std::vector<std::uint8_t>{1}));  // the port of A
  EXPECT_EQ(bytes(f[1].bytes, 16, 6), (std::vector<std::uint8_t>{0, 3, 0, 9, 0, 9}));
  EXPECT_EQ(bytes(f[2].bytes, 16, 10), (std::vector<std::uint8_t>{0, 8, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(bytes(f[3].bytes, 14, 6), (std::vector<std::uint8_t>{0, 1, 1, 2, 0, 0}));
  EXPECT_EQ((f[3].time - f[0].time).count, 3'000) << "each takes a step";
}

TEST(Scenario, FastCnpComesFromTheSwitchAndNamesTheReceiver) {
  const auto f = frames("ip 2001:db8::1/2001:db8::2 | FCNP | A: FCNP switch=2001:db8::fe");
  ASSERT_EQ(f.size(), 2U);
  const FrameBytes& told = f[0].bytes;
  EXPECT_EQ(told[kIp + 6], 60) << "next header: Destination Options";
  EXPECT_EQ(told[kIp + 23], 0xFF) << "from the switch";
  EXPECT_EQ(told[kIp + 39], 1) << "to A";
  constexpr std::size_t kOptions = kIp + 40;
  EXPECT_EQ(bytes(told, kOptions, 4), (std::vector<std::uint8_t>{17, 2, kFastCnpOption, 16}));
  EXPECT_EQ(told[kOptions + 19], 2) << "about data to B";
  EXPECT_EQ(bytes(told, kOptions + 20, 4), (std::vector<std::uint8_t>{1, 2, 0, 0})) << "PadN";
  const std::size_t bth = kOptions + 24 + 8;
  EXPECT_EQ(told[bth], 0x81);
  EXPECT_EQ(load_be24(&told[bth + 5]), 18U) << "the queue pair of B";
  EXPECT_EQ(f[1].bytes[kIp + 23], 0xFE);
  EXPECT_EQ(f[1].bytes[kIp + 39], 2) << "to B";
  EXPECT_EQ(load_be24(&f[1].bytes[bth + 5]), 17U);
}

TEST(Scenario, DamagesOnlyThePacketThatWasNamed) {
  const auto good = frames("W 1 | W 1");
  const auto bad = frames("W 1 | bad 1 | W 1");
  ASSERT_EQ(bad.size(), 2U);
  EXPECT_NE(bad[0].bytes, good[0].bytes);
  EXPECT_EQ(bad[1].bytes, good[1].bytes);
}

TEST(Scenario, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(error("W 1 | NAKK 2"), "line 1, column 7: \"NAKK\": not a verb");
  EXPECT_EQ(error("W 1\n  W 2 fast"), "line 2, column 7: \"fast\": not an option of W");
  EXPECT_EQ(error("W 5-3"), "line 1, column 3: \"5-3\": the range ends before it starts");
  EXPECT_EQ(error("W x"), "line 1, column 3: \"x\": a PSN such as 100, or a range such as 100-103, is expected");
  EXPECT_EQ(error("W 16777216"),
            "line 1, column 3: \"16777216\": a PSN such as 100, or a range such as 100-103, is expected");
  EXPECT_EQ(error("W"), "line 1, column 1: \"W\": an argument must follow");
  EXPECT_EQ(error("B:"), "line 1, column 1: \"B:\": a statement must follow");
  EXPECT_EQ(error("W 1 | drop 2"), "line 1, column 12: \"2\": no packet with PSN 2 was drawn");
  EXPECT_EQ(error("W 1 len="), "line 1, column 5: \"len=\": a value is expected, as in name=5");
  EXPECT_EQ(error("W 1 len=2000"), "line 1, column 9: \"2000\": a number from 0 to 1024 is expected");
  EXPECT_EQ(error("RNR 1 timer=32"), "line 1, column 13: \"32\": a number from 0 to 31 is expected");
  EXPECT_EQ(error("wait 5"), "line 1, column 6: \"5\": a duration such as 500ns, 10us, 70ms or 3s is expected");
  EXPECT_EQ(error("qp 17"), "line 1, column 4: \"17\": two values with a slash between them are expected");
  EXPECT_EQ(error("ip 1.2.3.4/x"), "line 1, column 12: \"x\": an IP address is expected");
  EXPECT_EQ(error("pmtu 1000"), "line 1, column 6: \"1000\": 256, 512, 1024, 2048 or 4096 is expected");
  EXPECT_EQ(error("late 1"), "line 1, column 1: \"late\": after=PSN is expected");
  EXPECT_EQ(error("AT 1-2"), "line 1, column 4: \"1-2\": an atomic takes one PSN");
  EXPECT_EQ(error("ACK 1-2"), "line 1, column 5: \"1-2\": a reply carries one PSN");
  EXPECT_EQ(error("NAK 1 code=x"),
            "line 1, column 7: \"code=x\": code=sequence, invalid, access, operational or rd is expected");
  EXPECT_EQ(error("W 0-8000000"), "line 1, column 3: \"0-8000000\": a scenario holds at most 100000 packets");
  EXPECT_EQ(error("FCNP"), "line 1, column 1: \"FCNP\": only hosts with IPv6 addresses are sent Fast CNPs: ip A/B");
  EXPECT_EQ(error("ip ::1/::2 | FCNP switch=1.2.3.4"), "line 1, column 26: \"1.2.3.4\": an IPv6 address is expected");
  for (const std::string classes : {"8", "3-8", "x", "5-3"}) {
    EXPECT_EQ(error(("XOFF " + classes).c_str()),
              "line 1, column 6: \"" + classes + "\": a class from 0 to 7, a range such as 3-4, or all is expected");
  }
  EXPECT_EQ(error("\x1b[31m"), "line 1, column 1: \"?[31m\": not a verb");
}

}  // namespace
}  // namespace rocetop::generate
