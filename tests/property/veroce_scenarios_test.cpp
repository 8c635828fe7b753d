// SPDX-License-Identifier: BSD-3-Clause
// The named scenarios of veRoCE, and made traffic under each layout that the generator knows: the decoder reads every
// packet, reads of all of them one story, and finds the layout out by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "generate/generator.h"
#include "generate/scenario_library.h"
#include "generate/sim/veroce_options.h"
#include "track/veroce_layouts.h"
#include "wire/decode.h"
#include "wire/veroce.h"

namespace rocetop {
namespace {

using track::VeroceLayouts;
using wire::VeroceCheck;

struct MadeFrame {
  Nanos time;
  generate::FrameBytes bytes;
};

struct Made {
  std::vector<MadeFrame> frames;
  nlohmann::json truth;
};

Made make(std::string_view text, const std::string& tap, std::uint64_t seed) {
  generate::GenerateOptions options;
  options.tap = tap;
  options.seed = seed;
  const auto generator = generate::Generator::create(text, options);
  Made made;
  EXPECT_TRUE(generator) << (generator ? "" : generator.error().message);
  if (!generator) return made;
  std::string truth;
  generator.value().run(
      [&](const generate::sim::CapturedFrame& frame) {
        made.frames.push_back({frame.time, {frame.bytes.begin(), frame.bytes.end()}});
        return true;
      },
      [&](std::string_view words) { truth += words; });
  made.truth = nlohmann::json::parse(truth);
  return made;
}

/// Every frame, by the layouts that `judge` knows by then.
template <typename See>
void decode_all(const Made& made, VeroceLayouts& judge, See see) {
  wire::Decoded decoded;
  for (const MadeFrame& frame : made.frames) {
    wire::decode(LinkType::kEthernet, frame.bytes, static_cast<std::uint32_t>(frame.bytes.size()), {}, decoded);
    ASSERT_EQ(decoded.kind, wire::FrameKind::kRoce);
    judge.settle(decoded.packet, frame.time);
    see(decoded.packet);
  }
}

/// What the packets of one sender and one PSN space said: all have to say the same of a PSN, and acknowledgements what
/// fits it.
class Story {
 public:
  void add_data(const wire::Packet& p, std::uint32_t path_mtu) {
    const Said said{p.veroce.msn, p.has(wire::kPoeth) ? p.veroce.packet_order : 0};
    const auto [known, first] = said_.try_emplace(p.bth.psn.value, said);
    if (!first) {
      EXPECT_EQ(known->second.msn, said.msn);
      EXPECT_EQ(known->second.order, said.order);
      EXPECT_TRUE(p.veroce.retransmit) << "PSN " << p.bth.psn.value;
    }
    const std::uint32_t begins = Psn{p.bth.psn.value - said.order}.value;
    EXPECT_EQ(begins_.try_emplace(said.msn, begins).first->second, begins) << "MSN " << said.msn;
    if (!p.has(wire::kReth) || said.order > 0xFFFF) return;
    const std::uint64_t base = p.reth.virtual_address - std::uint64_t{said.order} * path_mtu;
    EXPECT_EQ(bases_.try_emplace(said.msn, base).first->second, base) << "MSN " << said.msn;
  }
  void check_acknowledgement(const wire::Packet& p) const {
    const auto next = said_.find(Psn{p.bth.psn.value + 1}.value);
    const bool nak = (p.aeth.syndrome & 0x60) == 0x60;
    if (next != said_.end() && !nak) {
      EXPECT_EQ(p.veroce.packet_order, next->second.order) << "PSN " << p.bth.psn.value;
    }
    const auto last = said_.find(p.bth.psn.value);
    if (last != said_.end()) {
      EXPECT_LE(p.aeth.msn.value, last->second.msn);
      EXPECT_GE(p.aeth.msn.value + 1 + (nak ? 128U : 0U), last->second.msn);
    }
    if (!p.has(wire::kSacketh)) return;
    EXPECT_EQ(p.veroce.sack.start, p.bth.psn);
    EXPECT_EQ(p.veroce.sack.bitmap.highest() + 1, p.veroce.sack.valid_length);
    EXPECT_TRUE(said_.count(Psn{p.bth.psn.value + p.veroce.sack.valid_length - 1}.value));
  }

 private:
  struct Said {
    std::uint32_t msn = 0;
    std::uint32_t order = 0;
  };
  std::map<std::uint32_t, Said> said_;             ///< by PSN
  std::map<std::uint32_t, std::uint32_t> begins_;  ///< first PSN by MSN
  std::map<std::uint32_t, std::uint64_t> bases_;   ///< address by MSN
};

class VeroceScenarios : public testing::TestWithParam<std::string> {};

TEST_P(VeroceScenarios, DecodeWithoutAWrongField) {
  const auto* scenario = generate::find_scenario(GetParam());
  ASSERT_NE(scenario, nullptr);
  const std::uint32_t path_mtu = scenario->text.find("pmtu=4096") != std::string_view::npos ? 4'096 : 1'024;
  for (const std::uint64_t seed : {1U, 2U}) {
    const Made made = make(scenario->text, "a", seed);
    EXPECT_GT(made.frames.size(), 500U);
    EXPECT_LE(made.frames.size(), 20'000U);
    VeroceLayouts judge({});
    std::map<std::pair<bool, bool>, Story> stories;  // of whose PSNs: from A?, responses?
    std::uint64_t resent = 0;
    std::uint64_t trimmed = 0;
    decode_all(made, judge, [&](const wire::Packet& p) {
      ASSERT_EQ(p.protocol, wire::Protocol::kVeroce);
      ASSERT_EQ(p.veroce.check, VeroceCheck::kPassed);
      ASSERT_EQ(p.icrc, wire::IcrcStatus::kGood);
      const wire::VeroceOpcode opcode = wire::veroce_opcode(p.bth.opcode);
      const bool from_a = p.src == *IpAddress::parse("10.0.0.1");
      const bool responses = opcode.space == wire::VeroceSpace::kResponses;
      if (opcode.sequenced) stories[{from_a, responses}].add_data(p, path_mtu);
      if (opcode.acknowledges()) stories[{!from_a, responses}].check_acknowledgement(p);
      resent += p.veroce.retransmit;
      trimmed += p.veroce.trimmed;
    });
    std::uint64_t truly_resent = 0;
    std::uint64_t truly_trimmed = 0;
    for (const auto& direction : made.truth["connections"][0]["directions"]) {
      for (const auto& path : direction["veroce"]["paths"]) {
        truly_resent += path["resent"].get<std::uint64_t>();
        truly_trimmed += path["trimmed"].get<std::uint64_t>();
      }
    }
    EXPECT_EQ(resent, truly_resent);
    EXPECT_EQ(trimmed, truly_trimmed);
    EXPECT_EQ(judge.report().uses.at(0).layout, "") << "no difference from the default";
  }
}

/// All named scenarios of which all data goes to veRoCE's port.
std::vector<std::string> veroce_scenarios() {
  std::vector<std::string> names;
  for (const auto& scenario : generate::named_scenarios()) {
    const bool mixed = scenario.name == "veroce-fallback";
    if (!mixed && scenario.text.find("protocol=veroce") != std::string_view::npos) names.emplace_back(scenario.name);
  }
  return names;
}

std::string test_name(std::string name) {
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Named, VeroceScenarios, testing::ValuesIn(veroce_scenarios()),
                         [](const auto& of) { return test_name(of.param); });

/// Messages of every kind, what is lost of them, and marks.
std::string traffic_of(const std::string& layout) {
  return "host a,b | connect a/b protocol=veroce paths=2 timeout=8 layout=" + layout +
         " | write a/b size=6000 count=60 depth=2 | write a/b size=5100 imm count=30 depth=1"
         " | write a/b size=700 imm count=10 depth=1 | send a/b size=3000 count=20 depth=1"
         " | send a/b size=2900 imm count=30 depth=1 | send a/b size=2800 inv count=30 depth=1"
         " | read a/b size=9000 count=20 depth=1 | atomic a/b count=20 depth=1"
         " | lose a/b chance=3% | lose b/a chance=3% | mark a/b chance=2%";
}

class VeroceLayoutWords : public testing::TestWithParam<std::string> {};

TEST_P(VeroceLayoutWords, AreFoundOutFromTheBytes) {
  const Made made = make(traffic_of(GetParam()), "a", 1);
  auto judge = std::make_shared<VeroceLayouts>(wire::VeroceLayout{});
  std::size_t passed = 0;
  std::size_t raw = 0;
  decode_all(made, *judge, [&](const wire::Packet& p) { ++(p.veroce.check == VeroceCheck::kPassed ? passed : raw); });
  const track::VeroceReport report = judge->report();
  if (GetParam() == "headers=unknown") {
    EXPECT_LT(passed, 40U) << "of the first packets, before it is clear; and those without a header";
    return;
  }
  wire::VeroceLayout found;
  for (const auto& item : report.items) found.set(item.item, item.choice.alternative);
  wire::VeroceLayout wanted;
  const bool cnp_body = GetParam().starts_with("cnp_body");  // read by its length, whatever it is
  if (!cnp_body) {
    ASSERT_TRUE(set_veroce_item(wanted, GetParam()));
  }
  EXPECT_EQ(differences(found), differences(wanted));

  VeroceLayouts again({}, judge);  // a second pass reads every packet
  std::size_t cnps = 0;
  decode_all(made, again, [&](const wire::Packet& p) {
    EXPECT_EQ(p.veroce.check, VeroceCheck::kPassed);
    EXPECT_EQ(p.icrc, wire::IcrcStatus::kGood);
    cnps += p.bth.opcode == wire::kVeroceCnp;
  });
  EXPECT_GT(cnps, 0U);
}

std::vector<std::string> words_of_veroce() {
  std::vector<std::string> words = generate::sim::layout_words();
  std::erase(words, "headers=ibta");
  return words;
}

INSTANTIATE_TEST_SUITE_P(Each, VeroceLayoutWords, testing::ValuesIn(words_of_veroce()),
                         [](const auto& of) { return test_name(of.param); });

TEST(VeroceLayoutWords, PlainRoceOnVerocesPortIsRecognised) {
  const Made made = make(
      "host a,b | connect a/b protocol=veroce layout=headers=ibta cc=none | write a/b size=6000 count=50"
      " | send a/b size=3000 count=50",
      "a", 1);
  VeroceLayouts judge({});
  std::size_t plain = 0;
  decode_all(made, judge, [&](const wire::Packet& p) { plain += p.protocol == wire::Protocol::kRoceV2; });
  EXPECT_GT(plain, made.frames.size() / 2);
  EXPECT_EQ(judge.report().uses.at(0).layout, wire::kPlainLayout);
}

}  // namespace
}  // namespace rocetop
