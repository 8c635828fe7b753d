// SPDX-License-Identifier: BSD-3-Clause
// The screens, compared with those that were accepted (tests/golden/expected/screens). After a change that is meant:
// ROCETOP_ACCEPT=1 unit_present --gtest_filter='Screens*', and read the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "present/screens/connection_columns.h"
#include "present/screens/event_text.h"
#include "present/screens/screen.h"
#include "present/text.h"
#include "present/utf8.h"
#include "sample_live.h"

namespace rocetop::present {
namespace {

/// Everything that a screen is made from.
struct Scene {
  model::LiveSnapshot snapshot = testing::live_snapshot();
  LiveHistory history;
  model::RecentPackets recent = testing::recent_packets(1);
  AdapterReadings adapters = testing::adapters();
  HostNames names{{testing::ip("192.0.2.1"), "alpha\x1b[0m"}};
  UiState state;

  Scene() {
    model::LiveSnapshot before = snapshot;
    before.number = 6;
    for (auto& recent_of : before.recent) recent_of.bytes_on_wire /= 2;
    before.interval.bytes_on_wire /= 2;
    before.time = before.time - seconds(1);
    for (std::size_t i = 0; i < 2; ++i) {
      track::DirectionCounts& to = *before.totals.connections[i].a_to_b;
      to.frames -= i == 0 ? 40'000 : 9'000;
      to.bytes_on_wire -= i == 0 ? 200'000'000 : 48'000'000;
    }
    before.totals.findings.clear();
    history.add(before);
    history.add(snapshot);
    state.connection = 1;
  }

  ScreenView draw(std::size_t width, std::size_t height, bool unicode = true) const {
    ScreenInput in;
    in.snapshot = &snapshot;
    in.history = &history;
    in.recent = &recent;
    in.adapters = &adapters;
    in.names = &names;
    in.title = "eth0, eth1\x1b[2J";
    in.zone = Zone::kUtc;
    in.width = width;
    in.height = height;
    in.unicode = unicode;
    return draw_screen(in, state);
  }
};

/// The key of the first finding.
std::uint64_t first_finding(Scene scene) {
  scene.state.overlay = Overlay::kNone;
  scene.state.tab = Tab::kFindings;
  return scene.draw(120, 40).on.finding.value_or(0);
}

void expect_accepted(const std::string& name, const std::string& text) {
  const std::string path = std::string(ROCETOP_SCREENS) + "/" + name + ".txt";
  if (std::getenv("ROCETOP_ACCEPT") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::stringstream accepted;
  accepted << file.rdbuf();
  EXPECT_EQ(text, accepted.str()) << name << ": ROCETOP_ACCEPT=1 accepts it";
}

void expect_sizes_accepted(const std::string& name, const Scene& scene) {
  expect_accepted(name + "_80x24", scene.draw(80, 24).grid.text());
  expect_accepted(name + "_120x40", scene.draw(120, 40).grid.text());
  expect_accepted(name + "_40x10", scene.draw(40, 10).grid.text());
  expect_accepted(name + "_80x24_roles", scene.draw(80, 24).grid.text(true));
  expect_accepted(name + "_80x24_ascii", scene.draw(80, 24, false).grid.text());
}

TEST(Screens, Connections) { expect_sizes_accepted("connections", Scene()); }

TEST(Screens, Tabs) {
  Scene scene;
  const std::pair<Tab, const char*> tabs[] = {{Tab::kHostPairs, "host_pairs"},  {Tab::kFindings, "findings"},
                                              {Tab::kCongestion, "congestion"}, {Tab::kManagement, "management"},
                                              {Tab::kAdapters, "adapters"},     {Tab::kCapture, "capture"}};
  for (const auto& [tab, name] : tabs) {
    scene.state.tab = tab;
    expect_sizes_accepted(name, scene);
  }
}

TEST(Screens, Overlays) {
  Scene scene;
  scene.state.overlay = Overlay::kConnection;
  expect_sizes_accepted("connection", scene);
  scene.state.overlay = Overlay::kFinding;
  scene.state.finding = first_finding(scene);
  expect_sizes_accepted("finding", scene);
  scene.state.overlay = Overlay::kHelp;
  expect_sizes_accepted("help", scene);
  scene.state.overlay = Overlay::kColumns;
  expect_sizes_accepted("columns", scene);
}

TEST(Screens, PathsOfAVeroceConnection) {
  Scene scene;
  scene.snapshot.totals.connections[0] = testing::sprayed_connection(1, "192.0.2.1", "192.0.2.2");
  scene.state.overlay = Overlay::kConnection;
  expect_accepted("veroce_connection_120x60", scene.draw(120, 60).grid.text());
  expect_accepted("veroce_connection_120x60_roles", scene.draw(120, 60).grid.text(true));
  expect_accepted("veroce_connection_80x60_ascii", scene.draw(80, 60, false).grid.text());
}

TEST(Screens, OfManyPathsTheWorstAndHowManyThereAreBesides) {
  Scene scene;
  track::ConnectionCounts& c = scene.snapshot.totals.connections[0];
  c = testing::sprayed_connection(1, "192.0.2.1", "192.0.2.2");
  track::VeroceDirection& veroce = c.a_to_b->veroce.use();
  veroce.paths.clear();
  for (std::uint16_t i = 0; i < track::kVerocePaths; ++i) {
    veroce.paths.emplace_back().udp_src = static_cast<std::uint16_t>(50'000 + i);
    veroce.paths.back().packets = 10;
  }
  veroce.paths[200].lost = 3;
  veroce.packets_elsewhere = 4'321;
  scene.state.overlay = Overlay::kConnection;
  const std::string text = scene.draw(120, 100).grid.text();
  EXPECT_LT(text.find(" 50200 "), text.find(" 50000 ")) << text;
  EXPECT_NE(text.find(" 50014 "), std::string::npos) << text;
  EXPECT_EQ(text.find(" 50015 "), std::string::npos) << text;
  EXPECT_NE(text.find("not shown: 240 more paths: 2,400 packets; over ports beyond the 256 told apart"),
            std::string::npos)
      << text;
}

/// Every combination of what can be open, at every size from nothing on.
template <typename Function>
void each_view(Scene& scene, Function function) {
  for (std::size_t tab = 0; tab < kTabs; ++tab) {
    for (const Overlay overlay :
         {Overlay::kNone, Overlay::kConnection, Overlay::kFinding, Overlay::kHelp, Overlay::kColumns}) {
      scene.state.tab = static_cast<Tab>(tab);
      scene.state.overlay = overlay;
      function();
    }
  }
}

TEST(Screens, StayWithinTheGridAtAnySize) {
  Scene scene;
  scene.state.lists[0].skipped_columns = 3;
  each_view(scene, [&] {
    for (const std::size_t width : {0, 1, 2, 3, 5, 9, 14, 23, 37, 61, 99, 250}) {
      for (const std::size_t height : {0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 17, 60}) {
        const ScreenView view = scene.draw(width, height, (width + height) % 2 == 0);
        ASSERT_EQ(view.grid.width(), width);
        ASSERT_EQ(view.grid.height(), height);
        for (std::size_t y = 0; y < height; ++y) {
          std::size_t used = 0;
          for (std::size_t x = 0; x < width; ++x) used += cells(view.grid.at(x, y).text);
          ASSERT_EQ(used, width) << "a wide character without its other half, row " << y;
        }
        for (const HotSpot& spot : view.on.spots) ASSERT_TRUE(spot.y < height || height == 0);
      }
    }
  });
}

TEST(Screens, HostileTextIsHarmless) {
  Scene scene;
  scene.state.names = true;
  scene.state.filter = "\x1b[31m";
  scene.state.message = "\x1b]0;title\x07";
  each_view(scene, [&] {
    for (const bool unicode : {true, false}) {
      const Grid grid = scene.draw(120, 40, unicode).grid;
      for (std::size_t y = 0; y < 40; ++y) {
        for (std::size_t x = 0; x < 120; ++x) {
          for (std::string_view rest = grid.at(x, y).text; !rest.empty();) {
            const CodePoint c = first_code_point(rest);
            ASSERT_FALSE(is_control(c.value)) << y << ":" << x;
            ASSERT_TRUE(unicode || c.value < 0x80) << y << ":" << x << " " << rest;
            rest.remove_prefix(c.bytes);
          }
        }
      }
    }
  });
}

TEST(Screens, BeforeTheFirstSnapshot) {
  ScreenInput in;
  EXPECT_NE(draw_screen(in, {}).grid.text().find("waiting for packets"), std::string::npos);
}

TEST(Screens, WhatThereIsNotIsSaid) {
  Scene scene;
  scene.snapshot = {};
  scene.snapshot.number = 1;
  scene.adapters = {};
  const std::pair<Tab, const char*> said[] = {{Tab::kConnections, "Nothing captured yet"},
                                              {Tab::kHostPairs, "No RoCE packet between any hosts yet"},
                                              {Tab::kCongestion, "No packet was marked"},
                                              {Tab::kManagement, "No CM message"},
                                              {Tab::kAdapters, "This machine has no RDMA adapter"}};
  for (const auto& [tab, text] : said) {
    scene.state.tab = tab;
    EXPECT_NE(scene.draw(120, 40).grid.text().find(text), std::string::npos) << text;
  }
  scene.state.overlay = Overlay::kConnection;
  EXPECT_NE(scene.draw(80, 24).grid.text().find("Connection 1 left"), std::string::npos);
}

TEST(Screens, FilterByWords) {
  Scene scene;
  const auto shown = [&](const std::string& filter) {
    scene.state.filter = filter;
    std::string ids;
    for (const std::uint64_t id : scene.draw(120, 40).on.keys) ids += std::to_string(id);
    return ids;
  };
  EXPECT_EQ(shown(""), "123");
  EXPECT_EQ(shown("ip:192.0.2.3"), "3");
  EXPECT_EQ(shown("ip:192.0.2"), "13");
  EXPECT_EQ(shown("!ip:192.0.2"), "2");
  EXPECT_EQ(shown("qp:17"), "123");
  EXPECT_EQ(shown("qp:0x11"), "123");
  EXPECT_EQ(shown("qp:1"), "");
  EXPECT_EQ(shown("state:idle"), "3");
  EXPECT_EQ(shown("!state:idle qp:18"), "12");
  EXPECT_EQ(shown("resends"), "1");
  EXPECT_EQ(shown("!"), "123");
}

TEST(Screens, AFilterThatNothingCanFitIsKnownAsOne) {
  for (const char* good : {"", "  ", "ip:", "ip:fe80::1", "fe80::1", "2001:db8::", "qp:17 qp:0x11", "!state:idle",
                           "state:not ready", "state:", "storage", "!"}) {
    EXPECT_EQ(impossible_word(good), "") << good;
  }
  EXPECT_EQ(impossible_word("zz:"), "zz:");
  EXPECT_EQ(impossible_word("ip:192.0.2.1 !stat:idle qp:x"), "!stat:idle");
  EXPECT_EQ(impossible_word("qp:"), "qp:");
  EXPECT_EQ(impossible_word("qp:17 state:broken"), "state:broken");
}

TEST(Screens, SortByAnyColumn) {
  Scene scene;
  for (std::size_t column = 0; column < scene.draw(120, 40).on.columns; ++column) {
    scene.state.lists[0].sort = column;
    scene.state.lists[0].reversed = false;
    const auto down = scene.draw(120, 40).on.keys;
    scene.state.lists[0].reversed = true;
    auto up = scene.draw(120, 40).on.keys;
    std::reverse(up.begin(), up.end());
    EXPECT_EQ(down, up) << column;
  }
  scene.state.lists[0] = {};
  scene.state.lists[0].sort = 3;  // rate
  EXPECT_EQ(scene.draw(120, 40).on.keys, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(Screens, HostPairsTellWhatTheyMoveNow) {
  Scene scene;
  scene.state.tab = Tab::kHostPairs;
  const auto line = [&](std::size_t row) {  // of the table
    const Grid grid = scene.draw(120, 40).grid;
    std::size_t y = 0;
    while (grid.row(y).find("from → to") == std::string::npos) ++y;
    return grid.row(y + 1 + row);
  };
  EXPECT_NE(line(0).find("1.60 Gb/s  40.0k"), std::string::npos) << line(0);
  EXPECT_NE(line(1).find("384 Mb/s  9,000"), std::string::npos) << line(1);
  scene.state.lists[static_cast<std::size_t>(Tab::kHostPairs)].sort = 2;  // rate
  EXPECT_EQ(line(0).find("192.0.2.1"), 0U);
  scene.state.lists[static_cast<std::size_t>(Tab::kHostPairs)].reversed = true;
  EXPECT_EQ(line(scene.draw(120, 40).on.rows - 1).find("192.0.2.1"), 0U);
  EXPECT_EQ(line(scene.draw(120, 40).on.rows - 2).find("2001:db8::1"), 0U);
}

TEST(Screens, DamageToTheInputIsSaidOnEveryTab) {
  Scene scene;
  scene.snapshot.totals.problems = {{"x.pcap: at byte 7: a record that cannot be", true, false}};
  EXPECT_EQ(scene.draw(80, 24).grid.text().find("DAMAGED"), std::string::npos) << "interfaces have a state instead";
  scene.snapshot.interfaces.clear();
  each_view(scene, [&] {
    for (const bool unicode : {true, false}) {
      const std::string text = scene.draw(80, 24, unicode).grid.text();
      ASSERT_NE(text.find("capture DAMAGED, the rest is not read"), std::string::npos) << text;
      ASSERT_NE(text.find("x.pcap: at byte 7: a record that cannot be"), std::string::npos) << text;
    }
    ASSERT_NE(scene.draw(40, 10).grid.text().find("x.pcap: at byte 7"), std::string::npos);
  });
  scene.snapshot.totals.problems[0].fatal = false;
  EXPECT_NE(scene.draw(80, 24).grid.text().find("capture CUT OFF at its end"), std::string::npos);
}

TEST(Screens, NewsOnALowScreenGoWithTheNextKey) {
  Scene scene;
  ScreenView view = scene.draw(40, 10);
  EXPECT_NE(view.grid.row(9).find("new: "), std::string::npos);
  scene.state = press({Key::Code::kDown, 0, 0, 0}, view.on, scene.state).state;
  view = scene.draw(40, 10);
  EXPECT_NE(view.grid.row(9).find("? Help"), std::string::npos) << view.grid.text();
  EXPECT_NE(scene.draw(80, 24).grid.row(22).find("new: "), std::string::npos) << "there is room for both";
}

TEST(Screens, FindingsThatLookAlikeAreToldApart) {
  Scene scene;
  verdict::Finding twin = scene.snapshot.totals.findings[0];
  twin.title = "the other one";
  scene.snapshot.totals.findings.insert(scene.snapshot.totals.findings.begin() + 1, twin);
  scene.state.tab = Tab::kFindings;
  ScreenView view = scene.draw(80, 24);
  scene.state = press({Key::Code::kDown, 0, 0, 0}, view.on, scene.state).state;
  view = scene.draw(80, 24);
  EXPECT_EQ(view.on.row, 1U);
  scene.state = press({Key::Code::kEnter, 0, 0, 0}, view.on, scene.state).state;
  EXPECT_NE(scene.draw(80, 24).grid.text().find("CRITICAL the other one"), std::string::npos);
}

TEST(Screens, ConnectionsThatLeftAreCounted) {
  Scene scene;
  scene.snapshot.totals.silent_connections = 7;
  EXPECT_NE(scene.draw(80, 24).grid.text().find("7 silent left"), std::string::npos);
  scene.snapshot.totals.capture.evicted_connections = 12'345;
  EXPECT_NE(scene.draw(120, 40).grid.text().find("7 silent left  12.3k left at the limit"), std::string::npos)
      << scene.draw(120, 40).grid.text();
}

TEST(Screens, AFindingThatIsGoneIsSaidToBe) {
  Scene scene;
  scene.state.overlay = Overlay::kFinding;
  scene.state.finding = first_finding(scene);
  EXPECT_NE(scene.draw(80, 24).grid.text().find("What to do next"), std::string::npos);
  scene.snapshot.totals.findings.clear();
  EXPECT_NE(scene.draw(80, 24).grid.text().find("does not hold any more"), std::string::npos);
}

TEST(Screens, TheCursorStaysOnItsConnection) {
  Scene scene;
  ScreenView view = scene.draw(80, 24);
  Key down;
  down.code = Key::Code::kDown;
  scene.state = press(down, view.on, scene.state).state;
  view = scene.draw(80, 24);
  ASSERT_EQ(view.on.connection, 2U);
  scene.state.lists[0].reversed = true;
  EXPECT_EQ(scene.draw(80, 24).on.connection, 2U);
  scene.state.filter = "ip:192.0.2";  // it is gone
  EXPECT_TRUE(scene.draw(80, 24).on.connection.has_value());
}

TEST(LiveHistory, TellsWhatIsNewOnce) {
  LiveHistory history;
  model::LiveSnapshot s = testing::live_snapshot();
  history.add(s);
  EXPECT_EQ(history.news().snapshot, 7U);
  EXPECT_EQ(history.news().severity, verdict::Severity::kCritical);
  EXPECT_EQ(history.news().further, 1U);
  s.number = 8;
  s.totals.findings[0].title = "the same with other numbers";
  history.add(s);
  EXPECT_EQ(history.news().snapshot, 7U);
  s.number = 9;
  s.totals.findings[0].rule = "peer.silent";
  history.add(s);
  EXPECT_EQ(history.news().snapshot, 9U);
  EXPECT_EQ(history.news().further, 0U);
  EXPECT_EQ(history.bits_per_second(1).size(), 3U);
  s.number = 10;
  s.totals.connections.clear();
  s.recent.clear();
  history.add(s);
  EXPECT_TRUE(history.bits_per_second(1).empty()) << "a connection that left is forgotten";
  for (s.number = 11; s.number < 1'000; ++s.number) history.add(s);
  EXPECT_EQ(history.bits_per_second().size(), LiveHistory::kKept);
}

TEST(EventText, IsPlainWords) {
  const auto recent = testing::recent_packets(1);
  EXPECT_EQ(event_text(recent.events[0], "192.0.2.2", false), "192.0.2.2 sent a NAK: PSN 45 is missing (#11)");
  EXPECT_EQ(event_text(recent.events[1], "192.0.2.1", true),
            "192.0.2.1 resent 10 packets from PSN 45 on (#1:12), asked to by the NAK in #1:11");
}

}  // namespace
}  // namespace rocetop::present
