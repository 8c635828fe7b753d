// SPDX-License-Identifier: BSD-3-Clause
// Series lose resolution and nothing else; a timeline that must be smaller keeps the important connections whole.
#include "model/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace rocetop::model {
namespace {

Cell cell(std::int64_t time, std::int64_t psn) {
  return {Nanos{time}, Nanos{time}, psn, psn, FrameId(0, static_cast<std::uint64_t>(psn) + 1), 100, 1};
}

std::uint64_t bytes(const Series& s) {
  std::uint64_t n = 0;
  for (const Cell& c : s.cells()) n += c.bytes;
  return n;
}

TEST(Series, KeepsEachPacketWhileThereIsRoom) {
  Series s(4);
  for (int i = 0; i < 4; ++i) s.add(cell(i * 10, i));
  EXPECT_EQ(s.cells().size(), 4u);
  EXPECT_FALSE(s.binned());
  EXPECT_EQ(s.bin(), Nanos{});
}

TEST(Series, DrawsNeighboursTogetherWhenThereIsNone) {
  Series s(4);
  for (int i = 0; i < 1000; ++i) s.add(cell(i * 10, i));
  EXPECT_TRUE(s.binned());
  EXPECT_LE(s.cells().size(), 4u);
  EXPECT_GE(s.cells().size(), 2u);
  EXPECT_EQ(s.packets(), 1000u);
  EXPECT_EQ(bytes(s), 100'000u);
  EXPECT_EQ(s.cells().front().low, 0);
  EXPECT_EQ(s.cells().front().frame, FrameId(0, 1));
  EXPECT_EQ(s.cells().back().high, 999);
  EXPECT_EQ(s.cells().back().last_time, Nanos{9990});
  for (const Cell& c : s.cells()) EXPECT_LT((c.last_time - c.first_time).count, s.bin().count);
}

TEST(Series, SurvivesTimesInAnyOrderAndOfAnySize) {
  std::mt19937_64 random(4791);
  Series s(16);
  for (int i = 0; i < 5000; ++i) {
    const auto t = static_cast<std::int64_t>(random()) >> (random() % 60);
    s.add(cell(t, i));
    ASSERT_LE(s.cells().size(), 16u);
  }
  EXPECT_EQ(s.packets(), 5000u);
  EXPECT_EQ(bytes(s), 500'000u);
  s.sort();
  EXPECT_TRUE(std::is_sorted(s.cells().begin(), s.cells().end(),
                             [](const Cell& a, const Cell& b) { return a.first_time < b.first_time; }));
}

TEST(Series, AbsorbsAnother) {
  Series a(8);
  Series b(8);
  for (int i = 0; i < 6; ++i) a.add(cell(i * 20, i));
  for (int i = 0; i < 6; ++i) b.add(cell(i * 20 + 10, i + 6));
  a.absorb(b, 20);
  EXPECT_EQ(a.cells().size(), 12u);
  EXPECT_EQ(a.packets(), 12u);
  EXPECT_EQ(a.cells()[1].low, 6);
  a.restrict_to(3);
  EXPECT_LE(a.cells().size(), 3u);
  EXPECT_EQ(a.packets(), 12u);
}

TEST(Series, WidensItsBinsNoMoreThanNeeded) {
  Series whole(64);
  for (int piece = 0; piece < 500; ++piece) {  // of as many connections, all over the same millisecond
    Series s(64);
    for (int i = 0; i < 100; ++i) s.add(cell(i * 10'000 + piece, i));
    whole.absorb(s, 64);
  }
  EXPECT_EQ(whole.packets(), 50'000u);
  EXPECT_LE(whole.cells().size(), 64u);
  EXPECT_GE(whole.cells().size(), 16u);
  EXPECT_LE(whole.bin().count, 1 << 16);
  Series late(64);
  for (int i = 0; i < 100'000; ++i) late.add(cell((i * 7919) % 1'000'000, i));
  EXPECT_GE(late.cells().size(), 16u);
  EXPECT_LE(late.bin().count, 1 << 16);
}

TEST(Mark, EachHasAWordOfItsOwn) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < kMarks; ++i) {
    EXPECT_FALSE(word(static_cast<Mark>(i)).empty());
    words.insert(word(static_cast<Mark>(i)));
  }
  EXPECT_EQ(words.size(), kMarks);
}

Timeline three(int packets) {
  Timeline timeline;
  for (std::uint32_t id = 1; id <= 3; ++id) {
    ConnectionTimeline c{id, {{}}};
    Series& s = series_of(c.directions[0].marks, Mark::kNew, track::SpaceName::kRequests, 10'000).series;
    for (int i = 0; i < packets; ++i) s.add(cell(i * 10, i));
    timeline.connections.push_back(std::move(c));
  }
  return timeline;
}

TEST(Timeline, KeepsAllThatFits) {
  Timeline timeline = three(100);
  timeline.fit(300, 3, {3, 1, 2});
  for (const auto& c : timeline.connections) EXPECT_TRUE(c.in_full()) << c.id;
}

TEST(Timeline, KeepsTheImportantOnesWhole) {
  Timeline timeline = three(100);
  timeline.fit(200, 3, {3, 1, 2});
  ASSERT_EQ(timeline.connections.size(), 3u);
  EXPECT_TRUE(timeline.connections[2].in_full());
  EXPECT_FALSE(timeline.connections[0].in_full());
  EXPECT_FALSE(timeline.connections[1].in_full());
  for (const auto& c : timeline.connections) EXPECT_EQ(c.directions[0].marks[0].series.packets(), 100u);
  EXPECT_LE(timeline.connections[0].cells() + timeline.connections[1].cells() + timeline.connections[2].cells(), 200u);
}

TEST(Timeline, DrawsTheLeastImportantOnesTogetherAndLeavesOutWhatIsNotAskedFor) {
  Timeline timeline = three(100);
  timeline.fit(1000, 1, {2, 3});
  ASSERT_EQ(timeline.connections.size(), 1u);
  EXPECT_EQ(timeline.connections[0].id, 2u);
  EXPECT_EQ(timeline.other_connections, 1u);
  ASSERT_EQ(timeline.others.size(), 1u);
  EXPECT_EQ(timeline.others[0].series.packets(), 100u);
}

}  // namespace
}  // namespace rocetop::model
