// SPDX-License-Identifier: BSD-3-Clause
#include "present/cells.h"

#include <gtest/gtest.h>

#include "present/plot.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

TEST(Grid, CutsAtItsEdges) {
  Grid grid(5, 2, true);
  EXPECT_EQ(grid.put(0, 0, "abcdefgh"), 5U);
  EXPECT_EQ(grid.row(0), "abcd…");
  EXPECT_EQ(grid.put(7, 0, "x"), 7U);
  grid.put(0, 9, "x");
  grid.tint(0, 9, 100, Role::kBar);
  EXPECT_EQ(grid.put(1, 1, "abc", Role::kStrong, 2), 3U);
  EXPECT_EQ(grid.row(1), " a…");
  EXPECT_EQ(Grid(0, 0, true).text(), "");
}

TEST(Grid, WideCharactersTakeTwoCellsOrNone) {
  Grid grid(4, 1, true);
  grid.put(0, 0, "世界");
  EXPECT_EQ(grid.at(0, 0).text, "世");
  EXPECT_EQ(grid.at(1, 0).text, "");
  EXPECT_EQ(grid.row(0), "世界");
  grid.put(1, 0, "a");  // over the right half of the first
  EXPECT_EQ(grid.row(0), " a界");
  grid.put(1, 0, "ab");  // over the left half of the second
  EXPECT_EQ(grid.row(0), " ab");
  Grid narrow(3, 1, true);
  narrow.put(2, 0, "世");
  EXPECT_EQ(narrow.row(0), "") << "no half characters";
}

TEST(Grid, CombiningMarksJoinTheirCharacter) {
  Grid grid(3, 1, true);
  grid.put(0, 0, "e\u0301x");
  EXPECT_EQ(grid.at(0, 0).text, "e\u0301");
  EXPECT_EQ(grid.at(1, 0).text, "x");
  std::string many = "e";
  for (int i = 0; i < 100; ++i) many += "\u0301";
  grid.put(0, 0, many);
  EXPECT_LE(grid.at(0, 0).text.size(), 16U);
}

TEST(Grid, ControlsAreSpeltOut) {
  Grid grid(20, 1, true);
  grid.put(0, 0, "a\x1b[2J\n");
  EXPECT_EQ(grid.row(0), "a\\x1b[2J\\x0a");
}

TEST(Grid, AsciiModeHoldsNothingElse) {
  Grid grid(20, 1, false);
  grid.put(0, 0, "→ 1 µs ▲ 世");
  EXPECT_EQ(grid.row(0), "-> 1 us ! ?");
}

TEST(Grid, RolesAreTold) {
  Grid grid(6, 1, true);
  grid.put(0, 0, {{"ab", Role::kWarning}, {"c"}});
  EXPECT_EQ(grid.text(true), "{warning:ab}c\n");
  grid.put_right(0, 0, 6, "9", Role::kQuiet);
  EXPECT_EQ(grid.row(0), "abc  9");
}

TEST(Sparkline, GrowsFromZero) {
  EXPECT_EQ(sparkline({0, 1, 4, 8}, 6, true), "   ▁▄█");
  EXPECT_EQ(sparkline({1, 2, 3, 4}, 2, true, 8), "▃▄");
  EXPECT_EQ(sparkline({0, 8}, 2, false), " #");
  EXPECT_EQ(sparkline({}, 3, true), "   ");
  EXPECT_EQ(sparkline({0, 0}, 2, true), "  ");
}

TEST(Canvas, DotsAreBraille) {
  Canvas canvas(2, 1, true);
  canvas.dot(0, 0);
  canvas.dot(3, 3, Role::kCritical);
  canvas.dot(4, 0);  // outside
  canvas.dot(0, 4);
  const StyledLine line = canvas.row(0);
  ASSERT_EQ(line.size(), 2U);
  EXPECT_EQ(line[0].text, "⡀");
  EXPECT_EQ(line[1].text, "⠈");
  EXPECT_EQ(line[1].role, Role::kCritical);
  EXPECT_TRUE(canvas.row(7).empty());
  canvas.line(0, 0, 1'000'000, 1'000'000);  // ends at the edge
  Canvas plain(1, 1, false);
  plain.dot(0, 0);
  EXPECT_EQ(plain.row(0)[0].text, ".");
}

}  // namespace
}  // namespace rocetop::present
