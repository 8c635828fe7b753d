// SPDX-License-Identifier: BSD-3-Clause
#include "present/triage_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "present/text.h"
#include "sample_snapshot.h"
#include "support/written.h"

namespace rocetop::present {
namespace {

using testing::finding;
using testing::quiet_connection;
using testing::snapshot;
using ::testing::Test;
using testing::troubled_connection;
using verdict::Severity;

TriageTextOptions at_width(std::size_t width) {
  TriageTextOptions options;
  options.style.width = width;
  return options;
}

std::string rendered(const model::Snapshot& s, const TriageTextOptions& options) {
  return test::written([&](const TextSink& sink) { write_triage_text(s, s, options, sink); });
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

model::Snapshot crowd() {
  model::Snapshot s = snapshot();
  s.findings.push_back(finding(2, Severity::kWarning, "a second one with a title that goes on for quite a while"));
  s.findings[1].caused_by = 1;
  s.connections.push_back(troubled_connection(2, "2001:db8:1234:5678:9abc:def0:1234:5678", "2001:db8::2"));
  s.connections[1].transport = wire::Transport::kUc;
  s.connections[1].network.vlan_outer = 4000;
  for (std::uint32_t id = 3; id < 30; ++id) s.connections.push_back(quiet_connection(id, "192.0.2.1", "192.0.2.2"));
  return s;
}

TEST(TriageText, StaysWithinTheWidth) {
  model::Snapshot s = crowd();
  s.connections.push_back(testing::sprayed_connection(40, "2001:db8:1234:5678:9abc:def0:1234:5678", "2001:db8::2"));
  for (std::size_t width = 40; width <= 200; width += 4) {
    for (const bool all : {false, true}) {
      for (const bool unicode : {false, true}) {
        TriageTextOptions options = at_width(width);
        options.all = all;
        options.style.unicode = unicode;
        for (const std::string& line : lines(rendered(s, options))) EXPECT_LE(cells(line), width) << line;
      }
    }
  }
}

TEST(TriageText, HasATableOfPathsForEachDirectionOfVeroce) {
  model::Snapshot s = snapshot();
  EXPECT_FALSE(contains(rendered(s, at_width(100)), "UDP source port"));
  s.connections.push_back(testing::sprayed_connection(2, "198.51.100.1", "198.51.100.2"));
  const std::string text = rendered(s, at_width(100));
  EXPECT_TRUE(contains(text, "paths (UDP source ports) 198.51.100.1 → 198.51.100.2 qp 18: 42 SACKs, 31 packets sent"))
      << text;
  EXPECT_TRUE(contains(text, "   path packets  share lost resent trimmed late late by CE CNP slow   probe\n")) << text;
  EXPECT_TRUE(contains(text, "  49422     250 25.0 %   30      6       5  200 97.0 µs  4   3  758 12.0 µs\n")) << text;
  EXPECT_TRUE(contains(text, "  49408     250 25.0 %    -      -       -    -       -  -   -    - 12.0 µs\n")) << text;
  // What is 0 everywhere is no column.
  auto& paths = s.connections.back().a_to_b->veroce.use().paths;
  for (auto& path : paths) path.trimmed = path.resent = 0;
  EXPECT_FALSE(contains(rendered(s, at_width(100)), "trimmed"));
}

TEST(TriageText, ShowsManyPathsAndDirectionsOnlyWhenAsked) {
  model::Snapshot s = snapshot();
  for (std::uint32_t id = 2; id < 9; ++id) {
    s.connections.push_back(testing::sprayed_connection(id, "198.51.100.1", "198.51.100.2"));
    auto& paths = s.connections.back().a_to_b->veroce.use().paths;
    for (std::uint16_t port = 1; port <= 20; ++port) {
      track::VerocePath more;
      more.udp_src = static_cast<std::uint16_t>(50'000 + port);
      more.packets = 10;
      paths.push_back(more);
    }
  }
  const std::string brief = rendered(s, at_width(100));
  EXPECT_TRUE(contains(brief, "8 more paths: 80 packets (--all shows every path that is told apart)")) << brief;
  EXPECT_LT(brief.find("49422 "), brief.find("49408 ")) << "where not all are told, the worst come first";
  EXPECT_TRUE(contains(brief, "paths of 3 more directions (--all shows them)")) << brief;
  TriageTextOptions options = at_width(100);
  options.all = true;
  EXPECT_FALSE(contains(rendered(s, options), "--all"));
  EXPECT_TRUE(contains(rendered(s, options), "50020"));
}

TEST(TriageText, BeginsWithWhatTheCaptureIsWorth) {
  const std::string good = rendered(snapshot(), at_width(200));
  EXPECT_TRUE(
      good.starts_with("capture: 2,002 frames in 1.00 s, 2,000 RoCE: complete as far as acknowledgements show, "
                       "nothing truncated, both directions seen\n"))
      << good;
  model::Snapshot s = snapshot();
  s.capture.capture_missed_packets = 12;
  s.capture.completeness = 0.994;
  s.capture.truncated_roce_frames = 9;
  s.capture.snap_length = 96;
  s.capture.one_way_connections = 1;
  s.capture.duplicated_frames = 3;
  s.capture.backward_clock_steps = 1;
  s.capture.largest_backward_step = milliseconds(2);
  s.capture.dropped_reported = 4;
  s.partial = s.parts.before = true;
  const std::string bad = lines(rendered(s, at_width(1000)))[0];
  for (const char* part :
       {"INCOMPLETE, 12 packets acknowledged but not captured (99.4 % complete)",
        "9 RoCE packets cut by the snap length (96 bytes)", "1 of 1 connection seen in one direction only",
        "3 frames captured twice", "clock went back 1 time (at most 2.00 ms)", "the capture reports 4 dropped packets",
        "a window of the capture: what was sent before it is not known"}) {
    EXPECT_TRUE(contains(bad, part)) << part << "\n" << bad;
  }
}

TEST(TriageText, SaysInWordsWhatCouldNotBeDecoded) {
  model::Snapshot s = snapshot();
  s.capture.undecodable[static_cast<std::size_t>(wire::Undecodable::kShortUdp)] = 2;
  s.capture.undecodable[static_cast<std::size_t>(wire::Undecodable::kBadVersion)] = 1'000;
  const std::string text = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(text,
                       "1,002 RoCE frames undecodable (2: too short for its headers by the UDP or IP length; "
                       "1,000: the BTH version is not 0)"))
      << text;
}

TEST(TriageText, WritesMicrosecondsAsOneDoes) {
  model::Snapshot s = snapshot();
  s.start = seconds(1'700'000'000);
  s.findings[0].first_time = *s.start + microseconds(415) + Nanos{600};
  s.findings[0].last_time = *s.start + milliseconds(2);
  EXPECT_TRUE(contains(rendered(s, at_width(1000)), "+415.6µs to +2ms"));
  TriageTextOptions ascii = at_width(1000);
  ascii.style.unicode = false;
  EXPECT_TRUE(contains(rendered(s, ascii), "+415.6us to +2ms"));
}

TEST(TriageText, SaysWhatOneDirectionAndDatagramsCannotShow) {
  model::Snapshot s = snapshot();
  s.findings.clear();
  s.connections.clear();
  s.connections.push_back(quiet_connection(1, "192.0.2.1", "192.0.2.2"));
  s.connections[0].transport = wire::Transport::kUd;
  s.connections[0].b_to_a.reset();
  const std::string datagrams = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(datagrams, "one direction seen (UC and UD are not acknowledged)")) << datagrams;
  EXPECT_TRUE(contains(datagrams, "no rule fired. Nothing is said about losses of UD")) << datagrams;
  EXPECT_FALSE(contains(datagrams, "none is missing")) << datagrams;
  s.connections.push_back(quiet_connection(2, "192.0.2.1", "192.0.2.2"));
  const std::string both = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(both, "both directions seen")) << both;
  EXPECT_TRUE(contains(both, "none is missing")) << both;
  EXPECT_TRUE(contains(both, "Nothing is said about losses of UD")) << both;
}

TEST(TriageText, SaysWhereAClosedLoopMayBeChance) {
  model::Snapshot s = snapshot();
  auto& d = *s.connections[0].a_to_b;
  d.loop = track::Loop::kClosed;
  d.congestion.use().cnps = 1;
  d.congestion.use().slowdowns = d.congestion.use().prompt_slowdowns = 1;
  d.ecn[static_cast<std::size_t>(wire::Ecn::kCe)] = 7;
  s.connections[0].b_to_a->cnps = 1;
  EXPECT_TRUE(contains(rendered(s, at_width(1000)), "1 congestion loop closed (on so few CNPs that it may be chance)"))
      << rendered(s, at_width(1000));
  d.congestion.use().slowdowns = d.congestion.use().prompt_slowdowns = 3;
  EXPECT_FALSE(contains(rendered(s, at_width(1000)), "chance"));
}

TEST(TriageText, AFilterIsStatedCalmly) {
  model::Snapshot s = snapshot();
  s.partial = true;
  s.parts.filtered_frames = 98;
  const std::string text = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(text, "filtered: 2,002 of 2,100 frames analysed")) << text;
  EXPECT_FALSE(contains(text, "not known")) << text;
  s.parts.after = true;
  EXPECT_TRUE(contains(rendered(s, at_width(1000)), "a window of the capture: what came after it is not known"));
  s.interrupted = true;  // beside a window, too
  EXPECT_TRUE(contains(rendered(s, at_width(1000)), "reading was interrupted"));
}

TEST(TriageText, ProblemsOfTheInputComeFirst) {
  model::Snapshot s = snapshot();
  s.problems = {{"a.pcap: at byte 77: flaw", false}};
  EXPECT_TRUE(
      contains(rendered(s, at_width(1000)),
               "2,000 RoCE: the input HAS A FLAW (a.pcap: at byte 77: flaw): 2,002 frames read, what was read"));
  s.problems.push_back({"a.pcap: at byte 99: no such block\x1b[2J", true});
  const std::string text = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(text, "the input is DAMAGED (a.pcap: at byte 99: no such block")) << text;
  EXPECT_TRUE(contains(text, "and 1 further problem): only what is before it was read")) << text;
  EXPECT_FALSE(contains(text, "\x1b"));
}

TEST(TriageText, CongestionIsNotPassedOver) {
  model::Snapshot s = snapshot();
  EXPECT_FALSE(contains(rendered(s, at_width(1000)), "congestion"));
  s.findings.clear();
  s.connections[0].a_to_b->ecn[static_cast<std::size_t>(wire::Ecn::kCe)] = 7;
  s.connections[0].b_to_a->cnps = 1;
  const std::string text = rendered(s, at_width(1000));
  const std::string said = "7 CE-marked packets and 1 CNP passed";
  EXPECT_TRUE(contains(lines(text)[1], said)) << text;
  EXPECT_TRUE(contains(text, said + ".")) << text;
}

TEST(TriageText, FastCnpsAreToldApart) {
  model::Snapshot s = snapshot();
  s.connections[0].b_to_a->cnps = 5;
  s.connections[0].b_to_a->fast_cnps = 3;
  EXPECT_TRUE(contains(rendered(s, at_width(200)), "5 CNPs (3 of them sent by switches: Fast CNPs) passed"));
  s.connections[0].b_to_a->fast_cnps = 5;
  EXPECT_TRUE(contains(rendered(s, at_width(200)), "5 CNPs (all sent by switches: Fast CNPs) passed"));
  s.connections[0].b_to_a->fast_cnps = 0;
  EXPECT_FALSE(contains(rendered(s, at_width(200)), "Fast"));
}

TEST(TriageText, AChoiceOfProofSaysOfHowManyAndWhen) {
  model::Snapshot s = snapshot();
  EXPECT_FALSE(contains(rendered(s, at_width(200)), "(of"));
  s.findings[0].frames_total = 1'234;
  EXPECT_TRUE(contains(rendered(s, at_width(200)), "packets #11, #12 (of 1,234)"));
  s.start = *s.capture.first_time - seconds(2);
  s.findings[0].first_time = *s.start + microseconds(12'345);
  s.findings[0].last_time = *s.start + seconds(200) + microseconds(1);
  EXPECT_TRUE(contains(rendered(s, at_width(200)), "+12.34ms to +200.1s"))
      << "a window of --from and --to that holds it all";
  s.findings[0].last_time = s.findings[0].first_time;
  EXPECT_TRUE(contains(rendered(s, at_width(200)), "at +12.34ms"));
}

TEST(TriageText, TellsTimesInTheZoneAskedForAndWhichItIs) {
  TriageTextOptions options = at_width(200);
  options.zone = Zone::kUtc;
  EXPECT_TRUE(contains(rendered(snapshot(), options), "from 2023-11-14T22:13:20.123456789Z"));
}

TEST(TriageText, ChangedThresholdsAreNamed) {
  model::Snapshot s = snapshot();
  EXPECT_FALSE(contains(rendered(s, at_width(200)), "thresholds"));
  s.thresholds.early_wait = milliseconds(5);
  EXPECT_TRUE(contains(rendered(s, at_width(200)), "thresholds set: early_wait 5ms (default 1ms)"));
}

TEST(TriageText, ALimitOfRocetopIsNoDamage) {
  model::Snapshot s = snapshot();
  s.problems = {{"a.pcapng: rocetop reads no more than 16,384 interface descriptions of a file", true, true}};
  const std::string text = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(text, "a LIMIT of rocetop was reached (a.pcapng: rocetop reads no more")) << text;
  EXPECT_FALSE(contains(text, "DAMAGED")) << text;
}

TEST(TriageText, HolesAreInTheFirstLine) {
  model::Snapshot s = snapshot();
  for (std::uint64_t i = 0; i < 5; ++i) {
    s.holes.push_back({FrameId(0, 10 * i + 1), FrameId(0, 10 * i + 2), seconds(1), seconds(3), 4, 4'000, 0, {}});
  }
  const std::string text = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(text, "NO PACKETS between #1 and #2 (2.00 s), while connections went on")) << text;
  EXPECT_TRUE(contains(text, "and 2 more such holes")) << text;
}

TEST(TriageText, WhatLimitsLeftOutIsSaid) {
  model::Snapshot s = snapshot();
  s.capture.stray_connections = 70'000;
  s.capture.stray_packets = 70'123;
  s.capture.unpaired_at_limit = 5;
  s.capture.set_ups_omitted = 3;
  const std::string text = rendered(s, at_width(1000));
  EXPECT_TRUE(contains(text,
                       "70,000 queue pairs with a packet or two that nothing answered left out (noise, most "
                       "likely): 70,123 packets"))
      << text;
  EXPECT_TRUE(contains(text, "some connections may be given in halves")) << text;
  EXPECT_TRUE(contains(text, "3 CM exchanges beyond the limit not judged")) << text;
}

TEST(TriageText, WithoutAcknowledgementsCompletenessIsUnknown) {
  model::Snapshot s = snapshot();
  s.capture.completeness_known = false;
  EXPECT_TRUE(contains(rendered(s, at_width(200)), "completeness unknown (no acknowledgement captured)"));
}

TEST(TriageText, AFindingShowsProofAndNextSteps) {
  model::Snapshot s = snapshot();
  s.findings[0].confidence = verdict::Confidence::kLow;
  const std::string text = rendered(s, at_width(120));
  EXPECT_TRUE(contains(text, "✖ CRITICAL 192.0.2.1 qp 17 resent 12 packets after a NAK\n")) << text;
  EXPECT_TRUE(contains(text, "    packets #11, #12 · connection 1 · confidence low · rule retransmit.nak\n")) << text;
  EXPECT_TRUE(contains(text, "    → look at the drop counters")) << text;
  EXPECT_TRUE(contains(text, "ruled out: reordering: the sender went back")) << text;
}

TEST(TriageText, NumbersFramesByFileWhenThereAreSeveral) {
  model::Snapshot s = snapshot();
  s.files.push_back("b.pcap");
  s.findings[0].frames = {FrameId{0, 11}, FrameId{1, 12}};
  const std::string text = rendered(s, at_width(120));
  EXPECT_TRUE(contains(text, "packets #1:11, #2:12")) << text;
  EXPECT_TRUE(contains(text, "file 1: a.pcap, file 2: b.pcap")) << text;
}

TEST(TriageText, ConsequencesAreFoldedUnderTheirCause) {
  model::Snapshot s = snapshot();
  s.findings.insert(s.findings.begin(), finding(2, Severity::kWarning, "the consequence"));
  s.findings.push_back(finding(3, Severity::kInfo, "something else"));
  s.findings[0].caused_by = 1;
  const std::string text = rendered(s, at_width(120));
  const std::size_t cause = text.find("CRITICAL");
  const std::size_t consequence = text.find("└ consequence, warning: the consequence (packets #11, #12)");
  const std::size_t other = text.find("INFO something else");
  ASSERT_NE(consequence, std::string::npos) << text;
  EXPECT_LT(cause, consequence);
  EXPECT_LT(consequence, other);
}

TEST(TriageText, AConsequenceInFullStandsUnderItsTitle) {
  model::Snapshot s = snapshot();
  s.findings.push_back(finding(2, Severity::kWarning, "the consequence"));
  s.findings[1].caused_by = 1;
  TriageTextOptions options = at_width(120);
  options.all = true;
  const std::string text = rendered(s, options);
  const std::size_t title = text.find("\n\n    └ consequence, warning: the consequence\n");
  ASSERT_NE(title, std::string::npos) << text;
  for (const char* below : {"\n        12 packets were sent again", "\n        ruled out: ",
                            "\n        packets #11, #12", "\n        → look at the drop counters"}) {
    EXPECT_NE(text.find(below, title), std::string::npos) << below << text;
  }
}

TEST(TriageText, FindingsThatCauseEachOtherAreStillShown) {
  model::Snapshot s = snapshot();
  s.findings = {finding(1, Severity::kWarning, "hen"), finding(2, Severity::kWarning, "egg"),
                finding(3, Severity::kWarning, "cuckoo"), finding(4, Severity::kWarning, "orphan")};
  s.findings[0].caused_by = 2;
  s.findings[1].caused_by = 1;
  s.findings[2].caused_by = 1;
  s.findings[3].caused_by = 99;
  const std::string text = rendered(s, at_width(120));
  for (const char* title : {"hen", "egg", "cuckoo", "orphan"}) EXPECT_TRUE(contains(text, title)) << title << text;
}

TEST(TriageText, ColourOnlyWhenAsked) {
  TriageTextOptions options = at_width(80);
  EXPECT_FALSE(contains(rendered(crowd(), options), "\x1b"));
  options.style.colour = true;
  EXPECT_TRUE(contains(rendered(crowd(), options), "\x1b[1;31m✖ CRITICAL\x1b[0m"));
}

TEST(TriageText, AsciiWhenUnicodeIsNotWelcome) {
  TriageTextOptions options = at_width(80);
  options.style.unicode = false;
  const std::string text = rendered(crowd(), options);
  for (const char c : text) EXPECT_GE(c, 0) << text;
  EXPECT_TRUE(contains(text, "<->"));
}

TEST(TriageText, HostileTextNeverReachesTheTerminal) {
  model::Snapshot s = snapshot();
  s.files = {"evil\x1b[2J\r.pcap"};
  s.findings[0].title = "title\x1b]0;owned\x07";
  s.findings[0].explanation = "back\x08space and \xc2\x9b and \xff";
  s.findings[0].next_steps = {"run\x1b[A"};
  s.findings[0].ruled_out = {"\x7f"};
  for (const std::string& line : lines(rendered(s, at_width(100)))) {
    for (const char c : line) EXPECT_FALSE((c >= 0 && c < 0x20) || c == 0x7f) << line;
    EXPECT_FALSE(contains(line, "\xc2\x9b")) << line;
  }
}

TEST(TriageText, QuietConnectionsHideOnlyInACrowd) {
  const std::string text = rendered(crowd(), at_width(120));
  EXPECT_TRUE(contains(text, "27 quiet connections not shown (--all)")) << text;
  TriageTextOptions all = at_width(120);
  all.all = true;
  EXPECT_FALSE(contains(rendered(crowd(), all), "not shown"));
  model::Snapshot few = snapshot();
  few.connections.push_back(quiet_connection(2, "192.0.2.3", "192.0.2.4"));
  EXPECT_FALSE(contains(rendered(few, at_width(120)), "not shown"));
}

TEST(TriageText, AQuietCrowdShowsItsBusiest) {
  model::Snapshot s = crowd();
  s.findings.clear();
  s.connections.erase(s.connections.begin(), s.connections.begin() + 2);
  s.connections[9].a_to_b->frames = 5'000;
  const std::string text = rendered(s, at_width(120));
  EXPECT_TRUE(contains(text, "\n  12  192.0.2.1 qp 17 ↔ 192.0.2.2 qp 18    6,000")) << text;
  EXPECT_TRUE(contains(text, "22 quiet connections not shown (--all)")) << text;
}

TEST(TriageText, NarrowTablesKeepWhatMattersMost) {
  const std::string wide = rendered(snapshot(), at_width(120));
  for (const char* heading : {"packets", "bytes", "rate", "retrans", "missing", "NAK", "RNR", "CE", "CNP"}) {
    EXPECT_TRUE(contains(wide, heading)) << heading;
  }
  EXPECT_TRUE(contains(wide, "12 (1.2 %)")) << wide;
  model::Snapshot s = snapshot();
  const std::string hundred = rendered(s, at_width(100));
  for (const char* heading : {"pkts", "bytes", "bit/s", "resent", "miss", "NAK", "RNR", "CE", "CNP"}) {
    EXPECT_TRUE(contains(hundred, heading)) << hundred;
  }
  EXPECT_FALSE(contains(hundred, "left out"));
  s.connections[0].a_to_b->ecn[3] = 7;
  const std::string eighty = rendered(s, at_width(72));
  for (const char* heading : {"pkts", "resent", "miss", "NAK"}) EXPECT_TRUE(contains(eighty, heading)) << eighty;
  EXPECT_TRUE(contains(eighty, "left out at this width: rate")) << eighty;
  EXPECT_TRUE(contains(eighty, "nothing to show: RNR")) << eighty;
  const std::string narrow = rendered(s, at_width(40));
  for (const char* heading : {"resent", "miss", "NAK"}) EXPECT_TRUE(contains(narrow, heading)) << narrow;
}

TEST(TriageText, RareColumnsAppearWithTheirNumbers) {
  EXPECT_FALSE(contains(rendered(snapshot(), at_width(160)), "ICRC"));
  model::Snapshot s = snapshot();
  s.connections[0].a_to_b->icrc[static_cast<std::size_t>(wire::IcrcStatus::kBad)] = 5;
  EXPECT_TRUE(contains(rendered(s, at_width(160)), "ICRC"));
}

TEST(TriageText, InexactTotalsAreLowerBounds) {
  model::Snapshot s = snapshot();
  s.connections[0].a_to_b->requests.inexact = "limit";
  EXPECT_TRUE(contains(rendered(s, at_width(160)), "≥12 (1.2 %)"));
}

TEST(TriageText, OneWayConnectionsPointTheirWay) {
  model::Snapshot s = snapshot();
  s.connections[0].b_to_a.reset();
  s.connections[0].b_qpn.reset();
  EXPECT_TRUE(contains(rendered(s, at_width(160)), "192.0.2.1 qp 17 → 192.0.2.2 qp ?"));
}

TEST(TriageText, WithoutRoceSaysWhatIsThere) {
  model::Snapshot s;
  s.files = {"a.pcap"};
  s.capture.frames = 1'200;
  s.capture.not_roce_frames = 1'200;  // the PFC frames are among them
  s.capture.pfc_frames = 10;
  const std::string text = rendered(s, at_width(120));
  EXPECT_TRUE(contains(text, "no RoCE: 0 of 1,200 frames hold RoCE")) << text;
  EXPECT_TRUE(contains(text, "there: 10 PFC frames, 1,190 other frames")) << text;
  EXPECT_TRUE(contains(text, "→ RoCEv2 on another UDP port: --roce-port N")) << text;
  EXPECT_FALSE(contains(text, "no findings"));
}

TEST(TriageText, NoFindingsClaimsOnlyWhatWasCounted) {
  model::Snapshot clean = snapshot();
  clean.findings.clear();
  clean.connections = {quiet_connection(1, "192.0.2.1", "192.0.2.2")};
  EXPECT_TRUE(contains(rendered(clean, at_width(200)),
                       "no findings: no packet was sent again, none is missing, and no NAK or RNR NAK passed."));
  model::Snapshot dirty = snapshot();
  dirty.findings.clear();
  EXPECT_TRUE(
      contains(rendered(dirty, at_width(200)), "no rule fired on 12 packets sent again, 2 PSNs missing, 1 NAK"));
  clean.capture.one_way_connections = 1;
  EXPECT_TRUE(contains(rendered(clean, at_width(200)), "what it does not show may still have happened"));
}

TEST(TriageText, WhatCannotBeDecodedIsNotCalledComplete) {
  model::Snapshot s = snapshot();
  s.findings.clear();
  s.capture.roce_frames = 100;
  s.capture.capture_missed_packets = 0;
  s.capture.completeness_known = true;
  s.problems.clear();
  const auto with = [&](std::uint64_t undecodable) {
    s.capture.undecodable[0] = undecodable;
    return rendered(s, at_width(300));
  };
  EXPECT_TRUE(contains(with(0), ": complete as far as acknowledgements show")) << with(0);
  EXPECT_TRUE(contains(with(5), ": what could be decoded is complete as far as acknowledgements show")) << with(5);
  EXPECT_TRUE(contains(with(5), "what it does not show may still have happened"));
  EXPECT_TRUE(contains(with(95), ": completeness unknown (most of the RoCE frames are undecodable)")) << with(95);
  EXPECT_FALSE(contains(with(95), "complete as far as"));
}

/// A round trip in the middle of its distribution just above the target, and half of the time waited for: told; else
/// not.
TEST(TriageText, NoFindingsTellsWhoWasWaitedFor) {
  model::Snapshot s = snapshot();
  s.findings.clear();
  s.connections = {quiet_connection(7, "192.0.2.1", "192.0.2.2")};
  track::DirectionCounts& d = *s.connections[0].a_to_b;
  d.messages.time.wall = milliseconds(100);
  d.messages.time.peer = milliseconds(50);
  for (int i = 0; i < 10; ++i) d.round_trips.rtt_ns.add(1'000'000);
  s.thresholds.rtt_target = Nanos{d.round_trips.rtt_ns.percentile(0.5)};
  EXPECT_TRUE(
      contains(rendered(s, at_width(300)),
               "1 sender waited for the peer most of the time (connection 7, 50.0 % of the time for 192.0.2.2)"))
      << rendered(s, at_width(300));
  s.thresholds.rtt_target = s.thresholds.rtt_target + Nanos{1};
  EXPECT_FALSE(contains(rendered(s, at_width(300)), "waited for the peer"));
  s.thresholds.rtt_target = microseconds(50);
  d.messages.time.peer = d.messages.time.peer - Nanos{1};
  EXPECT_FALSE(contains(rendered(s, at_width(300)), "waited for the peer"));
}

TEST(TriageText, ASelectionIsNamedAndTheCaptureStillJudgedAsAWhole) {
  const model::Snapshot whole = snapshot();
  model::Snapshot shown = whole;
  shown.connections.clear();
  shown.findings.clear();
  TriageTextOptions options = at_width(200);
  options.selection = "host 192.0.2.9";
  std::string text;
  write_triage_text(whole, shown, options, [&text](std::string_view part) { text += part; });
  EXPECT_TRUE(contains(text, "showing only host 192.0.2.9: 0 of 1 connection")) << text;
  EXPECT_TRUE(contains(text, "both directions seen")) << text;
}

}  // namespace
}  // namespace rocetop::present
