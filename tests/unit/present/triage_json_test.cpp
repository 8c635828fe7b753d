// SPDX-License-Identifier: BSD-3-Clause
#include "present/triage_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "model/fields.h"
#include "sample_snapshot.h"
#include "support/written.h"

namespace rocetop::present {
namespace {

using nlohmann::json;

json rendered(const model::Snapshot& snapshot, const TriageJsonLimits& limits = {}) {
  return json::parse(test::written([&](const TextSink& sink) { write_triage_json(snapshot, sink, limits); }));
}

/// Is `key` ("a.b") a path in `object`?
bool has_path(const json& object, std::string_view key) {
  const std::size_t dot = key.find('.');
  const std::string first(key.substr(0, dot));
  if (!object.contains(first)) return false;
  return dot == std::string_view::npos || has_path(object.at(first), key.substr(dot + 1));
}

TEST(TriageJson, HoldsEveryFieldOfTheTable) {
  const json report = rendered(testing::snapshot());
  const json& connection = report.at("connections").at(0);
  const json& direction = connection.at("directions").at(0);
  for (const auto& f : model::capture_fields()) EXPECT_TRUE(has_path(report.at("capture"), f.key)) << f.key;
  for (const auto& f : model::connection_fields()) EXPECT_TRUE(has_path(connection.at("totals"), f.key)) << f.key;
  for (const auto& f : model::direction_fields()) EXPECT_TRUE(has_path(direction, f.key)) << f.key;
  for (const auto& f : model::space_fields()) EXPECT_TRUE(has_path(direction.at("requests"), f.key)) << f.key;
}

TEST(TriageJson, TellsPathsAndRecoveryOfVeroce) {
  model::Snapshot s = testing::snapshot();
  s.connections.push_back(testing::sprayed_connection(2, "198.51.100.1", "198.51.100.2"));
  const json report = rendered(s);
  EXPECT_FALSE(report.at("connections").at(0).at("directions").at(0).contains("veroce"));
  const json& direction = report.at("connections").at(1).at("directions").at(0);
  const json& veroce = direction.at("veroce");
  for (const auto& f : model::veroce_fields()) EXPECT_TRUE(has_path(veroce, f.key)) << f.key;
  for (const auto& f : model::recovery_fields()) EXPECT_TRUE(has_path(veroce.at("requests"), f.key)) << f.key;
  const json& path = veroce.at("paths").at(2);
  for (const auto& f : model::path_fields()) EXPECT_TRUE(has_path(path, f.key)) << f.key;
  EXPECT_EQ(path.at("udp_source_port"), 49'422);
  EXPECT_EQ(path.at("lost_packets"), 30);
  EXPECT_EQ(path.at("slow_signals"), 758);
  EXPECT_EQ(path.at("late_ns").at("max"), 97'000);
  EXPECT_TRUE(veroce.at("paths").at(0).at("late_ns").is_null());
  EXPECT_EQ(veroce.at("requests").at("sacks"), 42);
  EXPECT_EQ(veroce.at("requests").at("reorder_depth_frame"), 77);
  EXPECT_EQ(veroce.at("requests").at("sack_depth_packets").at("min"), 5);
  EXPECT_TRUE(veroce.at("responses").at("reorder_depth_frame").is_null());
  const json& episode = direction.at("requests").at("episodes").at(0);
  EXPECT_EQ(episode.at("cause"), "sack");
  EXPECT_EQ(episode.at("wait_ns"), 21'000);
  EXPECT_EQ(direction.at("requests").at("episodes_by_cause").at("sack"), 1);
}

TEST(TriageJson, TellsProblemsOfTheInput) {
  model::Snapshot s = testing::snapshot();
  s.problems = {{"a.pcap: at byte 99: no such block", true}};
  const json want = {{{"message", "a.pcap: at byte 99: no such block"}, {"fatal", true}, {"limit", false}}};
  EXPECT_EQ(rendered(s).at("problems"), want);
}

TEST(TriageJson, FindingsHaveTheirTimesAsTextToo) {
  model::Snapshot s = testing::snapshot();
  EXPECT_TRUE(rendered(s).at("findings").at(0).at("first_time").is_null());
  s.findings[0].first_time = Nanos{1'700'000'000'123'456'789};
  s.findings[0].last_time = Nanos{1'700'000'001'000'000'001};
  const json finding = rendered(s).at("findings").at(0);
  EXPECT_EQ(finding.at("first_time"), "2023-11-14T22:13:20.123456789Z");
  EXPECT_EQ(finding.at("last_time"), "2023-11-14T22:13:21.000000001Z");
}

TEST(TriageJson, TellsFastCnpsByWhatTheyAreAbout) {
  model::Snapshot s = testing::snapshot();
  track::FastCnpCounts cnps;
  cnps.from = testing::ip("2001:db8::ff");
  cnps.sender = testing::ip("2001:db8::1");
  cnps.dst_qpn = Qpn{18};
  cnps.cnps = 3;
  cnps.first_frame = FrameId{0, 7};
  s.fast_cnps = {cnps};
  s.fast_cnps_omitted = 2;
  const json report = rendered(s);
  const json& entry = report.at("fast_cnps").at(0);
  EXPECT_EQ(entry.at("switch"), "2001:db8::ff");
  EXPECT_EQ(entry.at("sender"), "2001:db8::1");
  EXPECT_TRUE(entry.at("receiver").is_null());
  EXPECT_EQ(entry.at("dst_qpn"), 18);
  EXPECT_EQ(entry.at("cnps"), 3);
  EXPECT_EQ(entry.at("first_frame"), 7);
  EXPECT_FALSE(entry.contains("first_file"));
  EXPECT_EQ(report.at("fast_cnps_omitted"), 2);
}

TEST(TriageJson, NamesTheInterfacesOfPauses) {
  model::Snapshot s = testing::snapshot();
  s.pauses.resize(2);
  for (std::uint32_t i : {0u, 1u}) {
    s.pauses[i].interface = i;
    s.pauses[i].classes[3].xoff_frames = 1;
  }
  s.interface_names = {"swp1"};
  const json ports = rendered(s).at("capture").at("pausing_ports");
  EXPECT_EQ(ports.at(0).at("interface_name"), "swp1");
  EXPECT_TRUE(ports.at(1).at("interface_name").is_null());
}

TEST(TriageJson, HostPairsAreThoseWithDataAndHoldEveryFieldOfTheTable) {
  const json pairs = rendered(testing::snapshot()).at("host_pairs");
  ASSERT_EQ(pairs.size(), 1u) << "the other way only ACKs passed";
  EXPECT_EQ(pairs[0].at("src"), "192.0.2.1");
  for (const auto& f : model::host_pair_fields()) EXPECT_TRUE(pairs[0].contains(std::string(f.key))) << f.key;
  EXPECT_EQ(pairs[0].at("retransmitted_packets"), 12);
  const json loop = rendered(testing::snapshot()).at("connections").at(0).at("directions").at(0).at("congestion");
  for (const auto& f : model::congestion_fields()) EXPECT_TRUE(loop.contains(std::string(f.key))) << f.key;
}

TEST(TriageJson, FollowsTheContract) {
  const json report = rendered(testing::snapshot());
  EXPECT_EQ(report.at("schema"), "rocetop.triage/1");
  EXPECT_EQ(report.at("rocetop_version"), "1.2.3");
  EXPECT_EQ(report.at("partial"), false);
  EXPECT_EQ(report.at("problems"), json::array());
  EXPECT_EQ(report.at("capture").at("first_ns"), 1'700'000'000'123'456'789);
  EXPECT_EQ(report.at("capture").at("first_time"), "2023-11-14T22:13:20.123456789Z");
  const json& c = report.at("connections").at(0);
  EXPECT_EQ(c.at("a"), (json{{"ip", "192.0.2.1"}, {"qpn", 17}}));
  EXPECT_EQ(c.at("protocol"), "RoCEv2");
  EXPECT_EQ(c.at("transport"), "RC");
  EXPECT_EQ(c.at("paired_by"), "ack");
  EXPECT_TRUE(c.at("network").is_null());
  const json& d = c.at("directions").at(0);
  EXPECT_EQ(d.at("tap"), "unknown");
  EXPECT_EQ(d.at("dscp"), (json{{"26", 1000}}));
  EXPECT_EQ(d.at("opcodes"), (json{{"RC RDMA WRITE First", 100}}));
  EXPECT_EQ(c.at("directions").at(1).at("naks"), (json{{"psn_sequence_error", 1}}));
  const json& space = d.at("requests");
  EXPECT_EQ(space.at("missing").at(0),
            (json{{"first_psn", 7}, {"last_psn", 8}, {"seen_at_frame", 9}, {"outcome", "retransmitted"}}));
  EXPECT_EQ(space.at("retransmitted_packets"), (json{{"original_seen", 10}, {"original_unseen", 2}}));
  const json& episode = space.at("episodes").at(0);
  EXPECT_EQ(episode.at("cause"), "nak");
  EXPECT_EQ(episode.at("first_frame"), 12);
  EXPECT_EQ(episode.at("trigger_frame"), 11);
  EXPECT_EQ(episode.at("wait_ns"), 21'000);
  const json& finding = report.at("findings").at(0);
  EXPECT_EQ(finding.at("severity"), "critical");
  EXPECT_EQ(finding.at("frames"), (json{11, 12}));
  EXPECT_EQ(finding.at("values"), (json{{"packets", 12}, {"wait_ms", 0.021}}));
  EXPECT_TRUE(finding.at("caused_by").is_null());
}

TEST(TriageJson, WhatIsNotKnownIsNull) {
  model::Snapshot s = testing::snapshot();
  s.capture.first_time.reset();
  auto& c = s.connections[0];
  c.b_qpn.reset();
  c.path_mtu.reset();
  c.paired_by = track::PairedBy::kNone;
  c.a_to_b->dst_qpn.reset();
  c.a_to_b->requests.first_psn.reset();
  c.a_to_b->requests.episodes[0].trigger_frame = {};
  c.a_to_b->requests.episodes[0].cause = track::Cause::kUnknown;
  const json report = rendered(s);
  const json& shown = report.at("connections").at(0);
  EXPECT_TRUE(report.at("capture").at("first_ns").is_null());
  EXPECT_TRUE(report.at("capture").at("first_time").is_null());
  EXPECT_TRUE(shown.at("b").at("qpn").is_null());
  EXPECT_TRUE(shown.at("path_mtu").is_null());
  EXPECT_TRUE(shown.at("paired_by").is_null());
  const json& d = shown.at("directions").at(0);
  EXPECT_TRUE(d.at("dst_qpn").is_null());
  EXPECT_TRUE(d.at("requests").at("first_psn").is_null());
  EXPECT_TRUE(d.at("requests").at("episodes").at(0).at("trigger_frame").is_null());
  EXPECT_TRUE(d.at("requests").at("episodes").at(0).at("wait_ns").is_null());
}

TEST(TriageJson, NamesFilesOnlyWhenThereAreSeveral) {
  model::Snapshot s = testing::snapshot();
  const json one = rendered(s).at("connections").at(0);
  EXPECT_FALSE(one.contains("first_file"));
  s.files.push_back("b.pcap");
  s.connections[0].last_frame = FrameId{1, 5};
  s.findings[0].frames = {FrameId{1, 3}};
  const json report = rendered(s);
  const json& c = report.at("connections").at(0);
  EXPECT_EQ(c.at("first_file"), 0);
  EXPECT_EQ(c.at("last_file"), 1);
  const json& space = c.at("directions").at(0).at("requests");
  EXPECT_EQ(space.at("missing").at(0).at("seen_at_file"), 0);
  EXPECT_EQ(space.at("episodes").at(0).at("trigger_file"), 0);
  EXPECT_EQ(report.at("findings").at(0).at("frame_files"), (json{1}));
}

TEST(TriageJson, CutsLongListsAndSaysSo) {
  model::Snapshot s = testing::snapshot();
  auto& space = s.connections[0].a_to_b->requests;
  space.missing.resize(30, space.missing[0]);
  space.missing_omitted = 5;
  space.episodes.resize(30, space.episodes[0]);
  const json a_list = rendered(s, {10, 1'000}).at("connections").at(0).at("directions").at(0).at("requests");
  EXPECT_EQ(a_list.at("missing").size(), 10U);
  EXPECT_EQ(a_list.at("missing_omitted"), 25);
  EXPECT_EQ(a_list.at("episodes_omitted"), 20);
  const json in_all = rendered(s, {1'000, 35}).at("connections").at(0).at("directions").at(0).at("requests");
  EXPECT_EQ(in_all.at("missing").size(), 30U);
  EXPECT_EQ(in_all.at("episodes").size(), 5U);
  EXPECT_EQ(in_all.at("episodes_omitted"), 25);
}

TEST(TriageJson, SaysWhenTotalsAreNotExact) {
  model::Snapshot s = testing::snapshot();
  EXPECT_FALSE(rendered(s)["connections"][0]["directions"][0]["requests"].contains("inexact"));
  s.connections[0].a_to_b->requests.inexact = "limit of 4096 holes reached";
  EXPECT_EQ(rendered(s)["connections"][0]["directions"][0]["requests"]["inexact"], "limit of 4096 holes reached");
}

TEST(TriageJson, HostileNamesStayStrings) {
  model::Snapshot s = testing::snapshot();
  s.files = {"\x1b]0;owned\x07\xff\".pcap"};
  EXPECT_EQ(rendered(s).at("files").at(0), "\x1b]0;owned\x07\xef\xbf\xbd\".pcap");
}

TEST(TriageJson, NetworkAndPauseAppearWhenThere) {
  model::Snapshot s = testing::snapshot();
  s.connections[0].network.vlan_outer = 100;
  s.connections[0].network.vni = 5000;
  s.capture.pfc[3].xoff_frames = 7;
  const json report = rendered(s);
  EXPECT_EQ(report["connections"][0]["network"], (json{{"vlan", 100}, {"vni", 5000}}));
  EXPECT_EQ(report["capture"]["pfc"],
            (json::array({{{"class", 3}, {"xoff_frames", 7}, {"xon_frames", 0}, {"paused_ns", nullptr}}})));
}

}  // namespace
}  // namespace rocetop::present
