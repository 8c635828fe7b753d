// SPDX-License-Identifier: BSD-3-Clause
// The named scenarios of rocetop generate, each over several seeds and at several places: triage finds what was made to
// go wrong, and nothing else; and it counts what the simulation knows. Those of veRoCE also as captures that hold each
// packet twice, or that begin in mid-stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "engine/analysis.h"
#include "generate/generator.h"
#include "generate/scenario_library.h"
#include "model/words.h"
#include "present/triage_json.h"
#include "support/memory_source.h"

namespace rocetop {
namespace {

constexpr std::uint64_t kSeeds[] = {1, 2, 3, 4, 5};

struct Made {
  std::vector<generate::TimedFrame> frames;
  nlohmann::json truth;
  std::optional<std::uint64_t> link_speed;
};

Made make(std::string_view text, std::uint64_t seed, const std::string& tap) {
  generate::GenerateOptions options;
  options.seed = seed;
  options.tap = tap;
  const auto generator = generate::Generator::create(text, options);
  Made made;
  EXPECT_TRUE(generator) << (generator ? "" : generator.error().message);
  if (!generator) return made;
  made.link_speed = generator.value().link_speed();
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

model::Snapshot triage(const Made& made) {
  test::MemorySource source(made.frames, {});
  engine::Options options;
  options.link_speed = made.link_speed;
  auto analysis = engine::Analysis::create(options);
  (*analysis)->run(source, {}, {}, nullptr);
  return (*analysis)->finish();
}

std::set<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

struct Expected {
  const char* scenario;
  const char* tap;   ///< empty: the scenario's
  const char* must;  ///< rules that are found with every seed
  const char* may;   ///< … that may be: consequences, and what chance decides
};

// What is not named must not be found.
constexpr Expected kExpected[] = {
    {"access-error", "", "nak.fatal", ""},
    {"access-error", "b", "nak.fatal", ""},
    {"ack-lost", "", "retransmit.spurious", ""},
    {"ack-lost", "a", "loss.after_tap retransmit.timeout", ""},
    {"burst-loss", "", "loss.burst loss.before_tap retransmit.nak", "retransmit.waste"},
    {"burst-loss", "a", "loss.after_tap retransmit.nak", "loss.burst retransmit.waste"},
    {"capture-misses", "", "capture.incomplete", ""},
    {"clean", "", "", ""},
    {"clean", "b", "", ""},
    {"clean", "sw", "", ""},
    {"cm-rejected", "", "cm.rejected", ""},
    {"cm-slow", "", "cm.slow", ""},
    {"cm-slow", "b", "", ""},
    {"cnp-ignored", "", "ecn.cnp_without_slowdown", ""},
    {"cnp-in-data-class", "", "ecn.cnp_class incast", ""},
    {"cnp-lost", "", "ecn.marks_without_cnp incast", ""},
    {"cnp-lost", "r", "incast", ""},
    {"dirty-fibre", "", "icrc.bad retransmit.nak", ""},
    {"dirty-fibre", "a", "loss.after_tap retransmit.nak", ""},
    {"dscp-changed", "", "dscp.changed", ""},
    {"ecn-off", "", "ecn.not_ect loss.before_tap loss.burst retransmit.nak",
     "retransmit.timeout retransmit.waste incast"},
    {"host-limited", "", "host.limited", ""},
    {"incast", "", "incast", ""},
    {"incast", "r", "incast", ""},
    {"incast", "s1", "", ""},
    {"link-flap", "", "loss.after_tap retransmit.timeout", ""},
    {"link-flap", "sw2/sw1", "retransmit.timeout", "retransmit.spurious"},
    {"lossy-link", "", "loss.after_tap retransmit.nak", ""},
    {"lossy-link", "b", "loss.before_tap retransmit.nak", ""},
    {"lossy-link", "sw1/sw2", "loss.after_tap retransmit.nak", ""},
    {"lossy-link", "sw2/sw1", "loss.before_tap retransmit.nak", ""},
    {"low-entropy", "", "ecmp.low_entropy", ""},
    {"multipath", "", "order.reordered", ""},
    {"multipath", "a", "", ""},
    {"peer-dead", "", "peer.silent retransmit.timeout", ""},
    {"pfc-storm", "", "pfc.storm pfc.paused", ""},
    {"pfc-storm", "a", "pfc.paused", "pfc.storm"},
    {"read-loss", "", "loss.before_tap retransmit.read_restart", ""},
    {"read-loss", "b", "loss.after_tap retransmit.read_restart", ""},
    {"rnr-storm", "", "rnr.stall", ""},
    {"rnr-storm", "b", "rnr.stall", ""},
    {"slow-receiver", "", "pfc.paused", ""},
    {"small-mtu", "", "mtu.small", ""},
    {"straggler", "", "straggler", ""},
    {"tail-loss", "", "loss.after_tap retransmit.timeout", ""},
    {"tail-loss", "b", "", ""},
    {"uc-loss", "", "loss.uc", ""},
    {"unfair", "", "unfair incast", ""},
    {"unreachable", "", "peer.unreachable", "capture.one_way retransmit.timeout"},
    {"veroce-atomics", "", "", ""},
    {"veroce-becn", "", "", ""},
    {"veroce-becn", "a", "", ""},
    {"veroce-clean", "", "", ""},
    {"veroce-clean", "b", "", ""},
    {"veroce-ecn-path", "", "", ""},
    {"veroce-fallback", "", "veroce.fallback", ""},
    {"veroce-marks-unanswered", "", "ecn.marks_without_cnp", ""},
    {"veroce-multipath-loss", "", "veroce.path_lossy loss.after_tap", "veroce.timeout_recovery"},
    {"veroce-multipath-loss", "b", "loss.before_tap", "veroce.timeout_recovery"},  // what never came tells no path
    {"veroce-read", "", "loss.before_tap", "loss.burst"},
    {"veroce-read", "b", "loss.after_tap", "loss.burst"},
    {"veroce-reorder-window", "", "veroce.reorder_window", "loss.after_tap mtu.small veroce.path_slow veroce.spurious"},
    {"veroce-second-round", "", "loss.after_tap", "loss.burst veroce.reorder_window veroce.timeout_recovery"},
    {"veroce-second-round", "b", "loss.before_tap", "loss.burst veroce.reorder_window veroce.timeout_recovery"},
    {"veroce-slow-path", "", "veroce.path_slow", ""},
    {"veroce-slow-path", "a", "veroce.path_slow", ""},
    {"veroce-spray-imbalance", "", "veroce.spray_imbalance", ""},
    {"veroce-spurious", "", "veroce.spurious", "veroce.path_slow"},
    {"veroce-timeout", "", "veroce.timeout_recovery loss.after_tap", ""},
    {"veroce-timeout", "b", "veroce.timeout_recovery", ""},
    {"veroce-trimmed", "", "veroce.trimmed", ""},
    {"veroce-trimmed", "a", "veroce.trimmed", ""},
    {"veroce-uniform-loss", "", "loss.after_tap", ""},
    {"veroce-uniform-loss", "b", "loss.before_tap", ""},
};

class Scenarios : public testing::TestWithParam<Expected> {};

TEST_P(Scenarios, GiveTheFindingsThatTheyAreFor) {
  const Expected& expected = GetParam();
  const auto* scenario = generate::find_scenario(expected.scenario);
  ASSERT_NE(scenario, nullptr);
  const auto must = words(expected.must);
  auto allowed = words(expected.may);
  allowed.insert(must.begin(), must.end());
  for (const std::uint64_t seed : kSeeds) {
    const model::Snapshot snapshot = triage(make(scenario->text, seed, expected.tap));
    std::set<std::string> found;
    for (const verdict::Finding& finding : snapshot.findings) {
      found.insert(finding.rule);
      EXPECT_TRUE(allowed.count(finding.rule)) << "seed " << seed << ": " << finding.rule << ": " << finding.title;
    }
    for (const std::string& rule : must) EXPECT_TRUE(found.count(rule)) << "seed " << seed << ": no " << rule;
  }
}

std::uint64_t sum(const nlohmann::json& numbers) {
  std::uint64_t all = 0;
  for (const auto& number : numbers) all += number.get<std::uint64_t>();
  return all;
}

/// What triage says of a PSN space, in the truth's words.
nlohmann::json space_of(const nlohmann::json& triaged) {
  return {{"packets", triaged["packets"]},
          {"missing", sum(triaged["missing_packets"])},
          {"original_seen", triaged["retransmitted_packets"]["original_seen"]},
          {"original_unseen", triaged["retransmitted_packets"]["original_unseen"]},
          {"reordered", triaged["reordered_packets"]},
          {"copies", triaged["duplicate_packets"]}};
}

/// … of a direction.
nlohmann::json direction_of(const nlohmann::json& triaged) {
  return {{"src", triaged["src"]},
          {"dst", triaged["dst"]},
          {"dst_qpn", triaged["dst_qpn"]},
          {"frames", triaged["frames"]},
          {"acks", triaged["acks"]},
          {"naks", sum(triaged["naks"])},
          {"rnr_naks", triaged["rnr_naks"]},
          {"cnps", triaged["cnps"]},
          {"ce", triaged["ecn"]["ce"]},
          {"bad_icrc", triaged["icrc"]["bad"]},
          {"requests", space_of(triaged["requests"])},
          {"responses", space_of(triaged["responses"])}};
}

std::map<std::string, nlohmann::json> by_receiver(const nlohmann::json& connections) {
  std::map<std::string, nlohmann::json> directions;
  for (const auto& connection : connections) {
    for (const auto& direction : connection["directions"]) {
      if (direction["frames"] != 0) directions[direction["dst"].dump() + direction["dst_qpn"].dump()] = direction;
    }
  }
  return directions;
}

/// veRoCE: the truth has as unseen what came behind its resend, and as new a resend that nothing was seen behind;
/// triage knows better of both, the one by what comes later, the other by the Retrans flag. How many there are it must
/// know.
void compare_resends(nlohmann::json& got, nlohmann::json& wanted, const nlohmann::json& resends) {
  std::uint64_t all = 0;
  std::uint64_t known = 0;
  for (const char* name : {"requests", "responses"}) {
    for (const char* kind : {"original_seen", "original_unseen"}) {
      all += got[name][kind].get<std::uint64_t>();
      known += wanted[name][kind].get<std::uint64_t>();
      got[name].erase(kind);
      wanted[name].erase(kind);
    }
  }
  EXPECT_GE(all, known);
  EXPECT_LE(all, sum(resends));
}

/// veRoCE: SACKs, and acknowledgements with BECN. The truth has them where they were sent, triage with what they are
/// about.
void compare_replies(const std::map<std::string, nlohmann::json>& triaged,
                     const std::map<std::string, nlohmann::json>& truth) {
  std::array<std::uint64_t, 2> got{};
  std::array<std::uint64_t, 2> wanted{};
  for (const auto& [receiver, direction] : triaged) {
    if (!direction.contains("veroce")) continue;
    for (const char* space : {"requests", "responses"}) {
      got[0] += direction["veroce"][space]["sacks"].get<std::uint64_t>();
      got[1] += direction["veroce"][space]["becn_replies"].get<std::uint64_t>();
    }
  }
  for (const auto& [receiver, direction] : truth) {
    if (!direction.contains("veroce")) continue;
    wanted[0] += direction["veroce"]["sacks"].get<std::uint64_t>();
    wanted[1] += direction["veroce"]["becn"].get<std::uint64_t>();
  }
  EXPECT_EQ(got, wanted) << "SACKs, BECNs";
}

TEST_P(Scenarios, AreCountedByTriageAsTheTruthHasThem) {
  const Expected& expected = GetParam();
  const Made made = make(generate::find_scenario(expected.scenario)->text, 1, expected.tap);
  std::string text;
  present::write_triage_json(triage(made), [&](std::string_view words) { text += words; });
  const auto triaged = by_receiver(nlohmann::json::parse(text)["connections"]);
  const auto truth = by_receiver(made.truth["connections"]);
  EXPECT_EQ(triaged.size(), truth.size());
  for (const auto& [receiver, direction] : truth) {
    auto wanted = direction;
    wanted.erase("go_backs");
    wanted.erase("veroce");
    if (std::string_view(expected.scenario) == "multipath" && wanted["requests"]["reordered"] > 0) {
      // Of a connection whose first packet is overtaken, triage cannot tell that one from a resend.
      wanted["requests"]["reordered"] = wanted["requests"]["missing"];
      wanted["requests"]["original_unseen"] =
          triaged.at(receiver)["requests"]["retransmitted_packets"]["original_unseen"];
    }
    ASSERT_TRUE(triaged.count(receiver)) << receiver;
    nlohmann::json got = direction_of(triaged.at(receiver));
    if (direction.contains("veroce")) compare_resends(got, wanted, direction["veroce"]["resends"]);
    EXPECT_EQ(got, wanted) << receiver;
  }
  compare_replies(triaged, truth);
}

INSTANTIATE_TEST_SUITE_P(Named, Scenarios, testing::ValuesIn(kExpected), [](const auto& parameter) {
  std::string name = std::string(parameter.param.scenario) + (*parameter.param.tap ? "_at_" : "") + parameter.param.tap;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
});

/// A timer's wait is no time in which the loss might have been spread.
TEST(SteadyLoss, IsNoBurstWhereTheSenderWaitsForItsTimer) {
  const std::string text = "host a,b | connect a/b | write a/b | lose a/b chance=0.5% | duration 40ms";
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const verdict::Finding& f : triage(make(text, seed, "")).findings) {
      EXPECT_NE(f.rule, "loss.burst") << "seed " << seed << ": " << f.title;
    }
  }
}

TEST(Scenarios, AreAllExpectedToGiveSomething) {
  for (const auto& scenario : generate::named_scenarios()) {
    EXPECT_LT(scenario.summary().size(), 120) << scenario.name;
    const auto names = [&](const Expected& expected) { return scenario.name == expected.scenario; };
    EXPECT_TRUE(std::any_of(std::begin(kExpected), std::end(kExpected), names)) << scenario.name;
  }
}

/// What the findings say, in order; but for the rules of `without`.
std::vector<std::string> said(const model::Snapshot& snapshot, const std::set<std::string>& without) {
  std::vector<std::string> out;
  for (const verdict::Finding& f : snapshot.findings) {
    if (without.count(f.rule)) continue;
    out.push_back(f.rule + " " + std::string(model::word(f.severity)) + " " + std::string(model::word(f.confidence)) +
                  ": " + f.title);
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// What is counted of both directions' recovery and paths, without the frames.
std::string recovery_of(const model::Snapshot& snapshot) {
  nlohmann::json out;
  std::string text;
  present::write_triage_json(snapshot, [&](std::string_view words) { text += words; });
  for (const auto& connection : nlohmann::json::parse(text)["connections"]) {
    for (const auto& direction : connection["directions"]) {
      out.push_back(direction.value("veroce", nlohmann::json()));
      out.push_back(direction.value("messages", nlohmann::json()));
      for (const char* name : {"requests", "responses"}) {
        const auto& space = direction[name];
        for (const char* count : {"missing_packets", "retransmitted_packets", "reordered_packets", "episodes"}) {
          out.push_back(space.value(count, nlohmann::json()));
        }
      }
    }
  }
  for (auto& part : out) {
    if (part.is_array()) part = part.size();  // episodes name frames
    if (part.is_object()) part.erase("raw_packets");
  }
  return out.dump();
}

struct Copied {
  const char* name;
  Nanos behind;
  bool ids_count = true;  ///< else all packets have the same IP identification
  bool tagged = false;    ///< the copy has a VLAN tag
};

constexpr std::size_t kMacs = 12;

void make_ids_alike(generate::FrameBytes& bytes) {
  constexpr std::size_t kId = 18;
  constexpr std::size_t kChecksum = 24;
  for (const std::size_t at : {kId, kChecksum}) bytes[at] = bytes[at + 1] = 0;
}

Made doubled(const Made& made, const Copied& how) {
  constexpr std::array<std::uint8_t, 4> kTag{0x81, 0x00, 0x00, 0x64};
  Made out;
  out.link_speed = made.link_speed;
  for (generate::TimedFrame frame : made.frames) {
    if (!how.ids_count) make_ids_alike(frame.bytes);
    out.frames.push_back(frame);
    frame.time = frame.time + how.behind;
    if (how.tagged) frame.bytes.insert(frame.bytes.begin() + kMacs, kTag.begin(), kTag.end());
    out.frames.push_back(frame);
  }
  std::stable_sort(out.frames.begin(), out.frames.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return out;
}

std::vector<std::string> veroce_scenarios() {
  std::vector<std::string> names;
  for (const auto& scenario : generate::named_scenarios()) {
    if (scenario.text.find("protocol=veroce") != std::string_view::npos) names.emplace_back(scenario.name);
  }
  return names;
}

class VeroceCaptures : public testing::TestWithParam<std::string> {};

TEST_P(VeroceCaptures, SayTheSameWhereEachPacketIsInThemTwice) {
  Made made = make(generate::find_scenario(GetParam())->text, 1, "");
  // Marked packets are counted as frames are, and copies of RoCEv2 in another VLAN are a connection of their own.
  const std::set<std::string> about_copies{"capture.duplicated", "icrc.bad", "ecn.marks_without_cnp",
                                           "veroce.fallback"};
  for (const Copied& how :
       {Copied{"at once", microseconds(1)}, Copied{"later", microseconds(20)},
        Copied{"tagged", microseconds(20), true, true}, Copied{"without identifications", microseconds(1), false}}) {
    SCOPED_TRACE(how.name);
    if (!how.ids_count) {
      for (generate::TimedFrame& frame : made.frames) make_ids_alike(frame.bytes);
    }
    const model::Snapshot once = triage(made);
    const model::Snapshot twice = triage(doubled(made, how));
    EXPECT_EQ(said(twice, about_copies), said(once, about_copies));
    EXPECT_EQ(twice.connections.size(), once.connections.size());
    EXPECT_EQ(recovery_of(twice), recovery_of(once));
    EXPECT_TRUE(std::any_of(twice.findings.begin(), twice.findings.end(),
                            [](const verdict::Finding& f) { return f.rule == "capture.duplicated"; }));
  }
}

TEST_P(VeroceCaptures, ThatBeginInMidStreamMissNothing) {
  const Made made = make(generate::find_scenario(GetParam())->text, 1, "");
  constexpr std::size_t kApart = 331;
  for (std::size_t first = kApart; first + kApart < made.frames.size() && first < 8 * kApart; first += kApart) {
    Made part;
    part.link_speed = made.link_speed;
    part.frames.assign(made.frames.begin() + static_cast<std::ptrdiff_t>(first), made.frames.end());
    EXPECT_EQ(triage(part).capture.capture_missed_packets, 0U) << "from frame " << first;
  }
}

INSTANTIATE_TEST_SUITE_P(Named, VeroceCaptures, testing::ValuesIn(veroce_scenarios()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace rocetop
