// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "present/live_json.h"
#include "present/live_text.h"
#include "present/text.h"
#include "present/triage_json.h"
#include "sample_snapshot.h"

namespace rocetop::present {
namespace {

using rocetop::testing::quiet_connection;

model::LiveSnapshot sample() {
  model::LiveSnapshot before;
  before.totals = rocetop::testing::snapshot();
  before.totals.connections.push_back(quiet_connection(2, "192.0.2.3", "192.0.2.4"));
  model::LiveSnapshot s;
  s.number = 7;
  s.time = Nanos{1'700'000'002'000'000'000};
  s.totals = before.totals;
  s.totals.capture.frames += 500;
  s.totals.capture.roce_frames += 400;
  s.totals.capture.bytes_on_wire += 1'000'000;
  s.totals.capture.dropped_reported = 3;
  s.totals.connections[0].a_to_b->frames += 500;
  s.totals.connections[0].a_to_b->bytes_on_wire += 1'000'000;
  model::add_interval(s, &before, milliseconds(500));
  model::LiveInterface up;
  up.name = "eth0";
  up.frames = 500;
  model::LiveInterface down;
  down.name = "eth1\x1b[2J";
  down.state = model::LinkState::kDown;
  down.since = Nanos{1'700'000'001'000'000'000};
  down.rdma_devices = {"mlx5_0"};
  down.bypass_suspected = true;
  s.interfaces = {up, down};
  return s;
}

std::string json_of(const model::LiveSnapshot& s, bool all) {
  std::string out;
  write_live_json(s, all, [&](std::string_view text) { out += text; });
  return out;
}

std::string text_of(const model::LiveSnapshot& s, std::size_t width = 100) {
  std::string out;
  LiveTextOptions options;
  options.style.width = width;
  options.zone = Zone::kUtc;
  write_live_text(s, options, [&](std::string_view text) { out += text; });
  return out;
}

TEST(LiveJson, IsOneLineWithWhatTriageSays) {
  const model::LiveSnapshot s = sample();
  const std::string line = json_of(s, true);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto live = nlohmann::json::parse(line);
  std::string text;
  write_triage_json(s.totals, [&](std::string_view piece) { text += piece; });
  const auto triage = nlohmann::json::parse(text);
  for (const char* name : {"capture", "findings", "files", "partial", "problems", "host_pairs"}) {
    ASSERT_TRUE(triage.contains(name)) << name;
    EXPECT_EQ(live.at(name), triage.at(name)) << name;
  }
  auto connections = live.at("connections");
  for (auto& connection : connections) connection.erase("recent");
  EXPECT_EQ(connections, triage.at("connections"));
}

TEST(LiveJson, TellsTheInterval) {
  const auto live = nlohmann::json::parse(json_of(sample(), true));
  EXPECT_EQ(live["schema"], "rocetop.live/1");
  EXPECT_EQ(live["interval"]["frames"], 500);
  EXPECT_EQ(live["interval"]["packets_per_second"], 1000);
  EXPECT_EQ(live["interval"]["bits_per_second"], 16'000'000);
  EXPECT_EQ(live["interval"]["active_connections"], 1);
  EXPECT_EQ(live["interval"]["frames_dropped"], 3);
  EXPECT_EQ(live["connections"][0]["recent"]["packets"], 500);
  EXPECT_EQ(live["connections"][1]["recent"]["packets"], 0);
  EXPECT_EQ(live["interfaces"][1]["state"], "down");
  EXPECT_EQ(live["interfaces"][1]["bypass_suspected"], true);
  EXPECT_EQ(live["recording"], nullptr);
}

TEST(LiveJson, ListsTheActiveAndAtTheEndAll) {
  model::LiveSnapshot s = sample();
  const auto active = nlohmann::json::parse(json_of(s, false));
  EXPECT_EQ(active["connections"].size(), 1U);
  EXPECT_EQ(active["connections_in_all"], 2);
  EXPECT_EQ(active["connections_listed"], "active");
  s.final = true;
  EXPECT_EQ(nlohmann::json::parse(json_of(s, false))["connections"].size(), 2U);
}

TEST(LiveText, SaysWhatIsGoingOn) {
  const std::string text = text_of(sample());
  EXPECT_NE(text.find("22:13:22  1,000 packets/s  16.0 Mb/s, RoCE 80.0 %  1 of 2 connections active"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("3 packets dropped"), std::string::npos) << text;
  EXPECT_NE(text.find("down since 22:13:21, waited for"), std::string::npos) << text;
  EXPECT_NE(text.find("mlx5_0 moves packets that the kernel does not see"), std::string::npos) << text;
  EXPECT_NE(text.find("critical retransmit.nak"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "a name reached the terminal raw";
}

TEST(LiveText, FitsItsWidth) {
  const std::string text = text_of(sample(), 40);
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    EXPECT_LE(cells(text.substr(begin, end - begin)), 40U);
    begin = end + 1;
  }
}

TEST(LiveText, EmptyIsNoDivisionByZero) {
  const std::string text = text_of({});
  EXPECT_NE(text.find("0 packets/s"), std::string::npos) << text;
  EXPECT_EQ(bypass_text({}), "");
  EXPECT_NE(bypass_text(sample()).find("-i mlx5_0"), std::string::npos);
}

TEST(LiveText, TellsWhatIsOverFromWhatGoesOn) {
  model::LiveSnapshot s = sample();
  ASSERT_FALSE(s.totals.findings.empty());
  s.finding_states.assign(s.totals.findings.size(), {});
  s.finding_states[0].last_seen = s.time - seconds(40);
  EXPECT_NE(text_of(s).find("(last seen 40.0 s ago) "), std::string::npos) << text_of(s);
  EXPECT_NE(json_of(s, false).find("\"active\":false,\"last_seen_ns\":1699999962000000000,\"recent\":null"),
            std::string::npos);
  s.finding_states[0].active = true;
  s.finding_states[0].recent = s.totals.findings[0];
  s.finding_states[0].recent->title = "just now";
  EXPECT_EQ(text_of(s).find("(last seen"), std::string::npos);
  EXPECT_NE(json_of(s, false).find("\"active\":true"), std::string::npos);
  EXPECT_NE(json_of(s, false).find("\"title\":\"just now\""), std::string::npos);
}

}  // namespace
}  // namespace rocetop::present
