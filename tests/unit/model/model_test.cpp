// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/fields.h"
#include "model/selection.h"
#include "model/totals.h"
#include "model/trouble.h"
#include "model/words.h"
#include "sample_snapshot.h"

namespace rocetop::model {
namespace {

using rocetop::testing::finding;
using rocetop::testing::ip;
using rocetop::testing::quiet_connection;
using rocetop::testing::snapshot;
using rocetop::testing::troubled_connection;
using verdict::Severity;

template <typename Table>
void check_table(const Table& table) {
  std::set<std::string_view> keys;
  for (const auto& field : table) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_FALSE(field.heading.empty()) << field.key;
    EXPECT_FALSE(field.unit.empty()) << field.key;
    EXPECT_TRUE(field.help.ends_with(".")) << field.key;
    EXPECT_NE(field.get, nullptr) << field.key;
  }
}

TEST(Fields, AreCompleteAndUnique) {
  check_table(capture_fields());
  check_table(connection_fields());
  check_table(direction_fields());
  check_table(space_fields());
}

TEST(Fields, ReadTheRightMember) {
  track::SpaceCounts space;
  space.missing_packets[static_cast<std::size_t>(track::Outcome::kCaptureMissed)] = 4;
  for (const auto& field : space_fields()) {
    const bool here = field.key == "missing_packets.capture_missed";
    EXPECT_EQ(field.get(space), FieldValue{std::uint64_t{here ? 4U : 0U}}) << field.key;
  }
}

TEST(Totals, SumOverDirectionsAndSpaces) {
  track::ConnectionCounts c = troubled_connection(1, "192.0.2.1", "192.0.2.2");
  c.a_to_b->requests.missing_packets = {1, 10, 100, 1000};
  c.b_to_a->responses.retransmitted_original_seen = 3;
  c.b_to_a->responses.packets = 500;
  c.b_to_a->naks[3] = 2;
  c.a_to_b->ecn[static_cast<std::size_t>(wire::Ecn::kCe)] = 9;
  const ConnectionTotals t = totals(c);
  EXPECT_EQ(t.frames, 2'000U);
  EXPECT_EQ(t.retransmitted, 15U);
  EXPECT_EQ(t.missing, 1'001U);  // neither late nor lost by the capture
  EXPECT_EQ(t.capture_missed, 100U);
  EXPECT_EQ(t.naks, 3U);
  EXPECT_EQ(t.ce, 9U);
  EXPECT_DOUBLE_EQ(*t.retransmitted_ratio(), 15.0 / 1500);
  EXPECT_DOUBLE_EQ(*t.bits_per_second(), 2'200'000 * 8);
}

TEST(Totals, AMomentHasNoRate) {
  track::ConnectionCounts c = quiet_connection(1, "192.0.2.1", "192.0.2.2");
  c.last_time = c.first_time;
  EXPECT_FALSE(totals(c).bits_per_second());
}

TEST(Trouble, WorstFindingFirstThenDamageThenMarks) {
  Snapshot s = snapshot();
  s.connections = {quiet_connection(1, "192.0.2.1", "192.0.2.2"), troubled_connection(2, "192.0.2.1", "192.0.2.2"),
                   quiet_connection(3, "192.0.2.1", "192.0.2.2"), quiet_connection(4, "192.0.2.1", "192.0.2.2")};
  s.connections[2].b_to_a->cnps = 1;
  s.findings = {finding(1, Severity::kInfo, "x"), finding(2, Severity::kCritical, "y")};
  s.findings[0].connections = {4};
  s.findings[1].connections = {4};
  std::vector<std::uint32_t> ids;
  for (const Trouble& t : by_trouble(s)) ids.push_back(s.connections[t.index].id);
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{4, 2, 3, 1}));
  EXPECT_TRUE(by_trouble(s)[3].quiet);
  EXPECT_FALSE(by_trouble(s)[2].quiet);
  EXPECT_EQ(by_trouble(s)[0].severity, Severity::kCritical);
}

TEST(Selection, KeepsWhatMatchesAndWhatExplainsIt) {
  Snapshot s = snapshot();
  s.connections.push_back(quiet_connection(2, "192.0.2.3", "192.0.2.4"));
  s.connections[1].a_qpn = Qpn{99};
  s.findings = {finding(1, Severity::kWarning, "cause, elsewhere"), finding(2, Severity::kWarning, "of 2"),
                finding(3, Severity::kWarning, "of 1"), finding(4, Severity::kInfo, "of the capture")};
  s.findings[1].connections = {2};
  s.findings[1].caused_by = 1;
  s.findings[3].connections.clear();
  Selection by_qp;
  by_qp.qp = Qpn{99};
  const Snapshot chosen = select(s, by_qp);
  ASSERT_EQ(chosen.connections.size(), 1U);
  EXPECT_EQ(chosen.connections[0].id, 2U);
  std::vector<std::uint32_t> ids;
  for (const auto& f : chosen.findings) ids.push_back(f.id);
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(chosen.capture.frames, s.capture.frames);
  EXPECT_FALSE(chosen.partial);
}

TEST(Selection, ByHostAndById) {
  const Snapshot s = snapshot();
  Selection selection;
  selection.host = ip("192.0.2.2");
  EXPECT_EQ(select(s, selection).connections.size(), 1U);
  selection.connection = 7;
  EXPECT_EQ(select(s, selection).connections.size(), 0U);
}

TEST(Selection, BySeveralIds) {
  Snapshot s = snapshot();
  s.connections.push_back(quiet_connection(2, "192.0.2.3", "192.0.2.4"));
  s.connections.push_back(quiet_connection(3, "192.0.2.5", "192.0.2.6"));
  Selection selection;
  EXPECT_TRUE(selection.everything());
  selection.connections = {2, 3, 99};
  EXPECT_FALSE(selection.everything());
  const Snapshot chosen = select(s, selection);
  ASSERT_EQ(chosen.connections.size(), 2U);
  EXPECT_EQ(chosen.connections[0].id, 2U);
  selection.connections = std::unordered_set<std::uint32_t>{};
  EXPECT_TRUE(select(s, selection).connections.empty());
}

TEST(Words, CoverTheirEnums) {
  for (int i = 0; i <= static_cast<int>(track::Kind::kUntracked); ++i)
    EXPECT_NE(word(static_cast<track::Kind>(i)), "?");
  for (std::size_t i = 0; i < track::kCauses; ++i) EXPECT_NE(word(static_cast<track::Cause>(i)), "?");
  EXPECT_EQ(word(track::Cause::kReadRestart), "read_restart");
  EXPECT_EQ(word(wire::Ecn::kEct0), "ect0");
  EXPECT_EQ(word(static_cast<track::Cause>(200)), "?");
  EXPECT_EQ(severity_from("warning"), Severity::kWarning);
  EXPECT_FALSE(severity_from("never"));
}

/// All values of an enum up to `last`, as people read them: all there, and none a name.
template <typename Enum>
void check_words(Enum last) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    const std::string_view words = in_words(static_cast<Enum>(i));
    EXPECT_NE(words, "?") << i;
    EXPECT_EQ(words.find('_'), std::string_view::npos) << words;
  }
}

TEST(Words, ForPeopleAreNoNames) {
  check_words(track::Kind::kUntracked);
  check_words(track::Cause::kUnknown);
  check_words(track::Outcome::kUnresolved);
  check_words(track::Tap::kNearDestination);
  check_words(track::PairedBy::kUdpPort);
  check_words(track::Loop::kOscillating);
  check_words(wire::Ecn::kCe);
  check_words(static_cast<wire::Undecodable>(wire::kUndecodableCount - 1));
  EXPECT_EQ(in_words(wire::Undecodable::kLengthMismatch), "the UDP length exceeds what the IP header says it carries");
  EXPECT_EQ(in_words(wire::Undecodable::kBadGrh), "RoCEv1 with a broken GRH");
}

}  // namespace
}  // namespace rocetop::model
