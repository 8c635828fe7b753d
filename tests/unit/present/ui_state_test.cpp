// SPDX-License-Identifier: BSD-3-Clause
#include "present/ui_state.h"

#include <gtest/gtest.h>

#include <string_view>

namespace rocetop::present {
namespace {

Key character(char32_t c) { return {Key::Code::kCharacter, c, 0, 0}; }
Key special(Key::Code code) { return {code, 0, 0, 0}; }
Key click(std::size_t x, std::size_t y) { return {Key::Code::kClick, 0, x, y}; }

/// A list of ten connections, four of them on the screen.
OnScreen ten_rows() {
  OnScreen on;
  for (std::uint64_t id = 101; id <= 110; ++id) on.keys.push_back(id);
  on.rows = 10;
  on.page = 4;
  on.columns = 5;
  on.most_skipped = 2;
  on.connection = 101;
  return on;
}

/// Presses the keys one after the other; the screen follows the cursor.
class Presser {
 public:
  Step on(const Key& key) {
    screen.row = row_of(state.list(), screen.keys, screen.rows);
    screen.top = top_of(state.list().top, screen.row, screen.rows, screen.page);
    Step step = press(key, screen, state);
    state = step.state;
    return step;
  }
  Step on(std::u32string_view text) {
    Step step;
    for (const char32_t c : text) step = on(character(c));
    return step;
  }
  std::size_t row() const { return row_of(state.list(), screen.keys, screen.rows); }

  OnScreen screen = ten_rows();
  UiState state;
};

TEST(UiState, MovesTheCursor) {
  Presser p;
  p.on(U"j");
  p.on(special(Key::Code::kDown));
  EXPECT_EQ(p.row(), 2U);
  EXPECT_EQ(p.state.list().key, 103U);
  p.on(U"k");
  EXPECT_EQ(p.row(), 1U);
  p.on(special(Key::Code::kPageDown));
  EXPECT_EQ(p.row(), 4U);
  p.on(U"G");
  EXPECT_EQ(p.row(), 9U);
  p.on(special(Key::Code::kDown));
  EXPECT_EQ(p.row(), 9U);
  p.on(special(Key::Code::kHome));
  EXPECT_EQ(p.row(), 0U);
  EXPECT_FALSE(p.state.list().key) << "at the top it stays at the top, whoever is there";
  p.on(U"k");
  EXPECT_EQ(p.row(), 0U);
  p.on(special(Key::Code::kWheelDown));
  EXPECT_EQ(p.row(), 3U);
}

TEST(UiState, TheCursorFollowsItsRow) {
  Presser p;
  p.on(U"jj");
  std::swap(p.screen.keys[2], p.screen.keys[7]);
  EXPECT_EQ(p.row(), 7U);
  p.screen.keys.resize(2);
  p.screen.rows = 2;
  EXPECT_EQ(p.row(), 1U);
  p.screen.rows = 0;
  EXPECT_EQ(p.row(), 0U);
  p.on(U"jG");
}

TEST(UiState, Tabs) {
  Presser p;
  p.on(U"3");
  EXPECT_EQ(p.state.tab, Tab::kFindings);
  p.on(special(Key::Code::kTab));
  EXPECT_EQ(p.state.tab, Tab::kCongestion);
  p.on(special(Key::Code::kBackTab));
  EXPECT_EQ(p.state.tab, Tab::kFindings);
  p.on(U"1");
  p.on(special(Key::Code::kBackTab));
  EXPECT_EQ(p.state.tab, Tab::kCapture);
  p.on(U"9");
  EXPECT_EQ(p.state.tab, Tab::kCapture);
}

TEST(UiState, EnterOpensAndEscapeGoesBack) {
  Presser p;
  p.on(special(Key::Code::kEnter));
  EXPECT_EQ(p.state.overlay, Overlay::kConnection);
  EXPECT_EQ(p.state.connection, 101U);
  p.screen.connection = 105;
  p.on(special(Key::Code::kEnter));
  EXPECT_EQ(p.state.connection, 101U) << "nothing opens from there";
  p.on(special(Key::Code::kEscape));
  EXPECT_EQ(p.state.overlay, Overlay::kNone);
  p.screen.connection.reset();
  p.on(special(Key::Code::kEnter));
  EXPECT_EQ(p.state.overlay, Overlay::kNone);
}

TEST(UiState, AFindingOpensAndLeadsToItsConnectionAndBack) {
  Presser p;
  p.on(U"3");
  p.screen.finding = 77;
  p.screen.connection.reset();
  p.on(special(Key::Code::kEnter));
  EXPECT_EQ(p.state.overlay, Overlay::kFinding);
  EXPECT_EQ(p.state.finding, 77U);
  p.screen.finding.reset();
  p.screen.scrolls = true;
  p.state.overlay_list.row = p.state.overlay_list.top = 2;
  p.screen.connection = 105;
  p.on(special(Key::Code::kEnter));
  EXPECT_EQ(p.state.overlay, Overlay::kConnection);
  EXPECT_EQ(p.state.connection, 105U);
  p.on(U"?");
  EXPECT_EQ(p.state.overlay, Overlay::kHelp);
  p.on(U"?");
  EXPECT_EQ(p.state.overlay, Overlay::kConnection);
  p.on(special(Key::Code::kEscape));
  EXPECT_EQ(p.state.overlay, Overlay::kFinding);
  EXPECT_EQ(p.state.overlay_list.row, 2U) << "where it was scrolled to";
  p.on(special(Key::Code::kEscape));
  EXPECT_EQ(p.state.overlay, Overlay::kNone);
  p.on(special(Key::Code::kEscape));
  EXPECT_EQ(p.state.overlay, Overlay::kNone);
  p.screen.finding = 77;
  p.on(special(Key::Code::kEnter));
  p.on(U"?1");
  EXPECT_EQ(p.state.overlay, Overlay::kNone) << "a tab is shown without what was open above another";
  EXPECT_TRUE(p.state.below.empty());
}

TEST(UiState, PagesOfTextScroll) {
  Presser p;
  p.on(U"?");
  EXPECT_EQ(p.state.overlay, Overlay::kHelp);
  p.screen.scrolls = true;
  p.screen.top = 0;
  p.on(U"j");
  EXPECT_EQ(p.state.list().row, 1U);
  EXPECT_EQ(p.on(U"q").command, Command::kNone);
  EXPECT_EQ(p.state.overlay, Overlay::kNone) << "q leaves the help first";
}

TEST(UiState, FiltersWhileTyping) {
  Presser p;
  p.on(U"2/q");
  EXPECT_EQ(p.state.tab, Tab::kConnections);
  EXPECT_EQ(p.state.asking, Asking::kFilter);
  EXPECT_EQ(p.state.filter, "q") << "a letter, not a command";
  p.on(U"p:1é");
  EXPECT_EQ(p.state.filter, "qp:1é");
  p.on(special(Key::Code::kBackspace));
  EXPECT_EQ(p.state.filter, "qp:1");
  p.on(special(Key::Code::kDown));
  EXPECT_EQ(p.row(), 1U);
  p.on(special(Key::Code::kEnter));
  EXPECT_EQ(p.state.asking, Asking::kNothing);
  EXPECT_EQ(p.state.filter, "qp:1");
  p.on(special(Key::Code::kEscape));
  EXPECT_EQ(p.state.filter, "");
  p.on(U"/\x1b\x15");
  EXPECT_EQ(p.state.filter, "");
  for (int i = 0; i < 1'000; ++i) p.on(U"é");
  EXPECT_LE(p.state.filter.size(), 201U);
  p.on(special(Key::Code::kEscape));
  EXPECT_EQ(p.state.filter, "");
}

TEST(UiState, ResetsAfterAsking) {
  Presser p;
  EXPECT_EQ(p.on(U"r").command, Command::kNone);
  EXPECT_EQ(p.state.asking, Asking::kReset);
  EXPECT_EQ(p.on(U"q").command, Command::kNone) << "no is no";
  EXPECT_EQ(p.state.asking, Asking::kNothing);
  EXPECT_EQ(p.on(U"ry").command, Command::kReset);
}

TEST(UiState, Sorts) {
  Presser p;
  p.on(U"s");
  EXPECT_EQ(p.state.list().sort, 1U);
  p.on(U">");
  EXPECT_EQ(p.state.list().sort, 2U);
  p.on(U"<<<");
  EXPECT_EQ(p.state.list().sort, 4U);
  EXPECT_FALSE(p.state.list().reversed);
  p.on(U"S");
  EXPECT_TRUE(p.state.list().reversed);
  p.on(U"I");
  EXPECT_FALSE(p.state.list().reversed);
  p.screen.columns = 0;
  p.on(U"s<>S");
  EXPECT_EQ(p.state.list().sort, 4U);
}

TEST(UiState, Columns) {
  Presser p;
  p.on(U"ll");
  EXPECT_EQ(p.state.list().skipped_columns, 2U);
  p.on(U"l");
  EXPECT_EQ(p.state.list().skipped_columns, 2U);
  p.on(special(Key::Code::kLeft));
  EXPECT_EQ(p.state.list().skipped_columns, 1U);
  p.on(U"c");
  EXPECT_EQ(p.state.overlay, Overlay::kColumns);
  p.on(U"jjj ");
  EXPECT_EQ(p.state.hidden_columns, 8U);
  EXPECT_FALSE(p.state.paused) << "space belongs to the list of columns";
  p.on(U" c");
  EXPECT_EQ(p.state.hidden_columns, 0U);
  EXPECT_EQ(p.state.overlay, Overlay::kNone);
}

TEST(UiState, Switches) {
  Presser p;
  p.on(U"p");
  EXPECT_TRUE(p.state.paused);
  p.on(U" ");
  EXPECT_FALSE(p.state.paused);
  p.on(U"u");
  EXPECT_EQ(p.state.units, Units::kBytes);
  p.on(U"ttt");
  EXPECT_EQ(p.state.theme, Theme::kDark);
  p.on(U"nb");
  EXPECT_TRUE(p.state.names && p.state.bell);
  EXPECT_EQ(p.on(U"w").command, Command::kRecord);
  EXPECT_EQ(p.on(character(0x0C)).command, Command::kRedraw);
  EXPECT_EQ(p.on(U"q").command, Command::kQuit);
  EXPECT_EQ(p.on(U"x").command, Command::kNone);
}

TEST(UiState, IntervalHasLimits) {
  Presser p;
  EXPECT_EQ(p.on(U"+").command, Command::kInterval);
  EXPECT_EQ(p.state.interval, seconds(2));
  p.on(U"--");
  EXPECT_EQ(p.state.interval, milliseconds(500));
  p.on(U"---------");
  EXPECT_EQ(p.state.interval, milliseconds(100));
  p.on(U"++++++++++++");
  EXPECT_EQ(p.state.interval, seconds(60));
  p.state.interval = milliseconds(700);
  p.on(U"+");
  EXPECT_EQ(p.state.interval, seconds(1));
}

TEST(UiState, Mouse) {
  Presser p;
  p.screen.spots = {{HotSpot::Kind::kTab, 10, 0, 5, 3},
                    {HotSpot::Kind::kColumn, 0, 1, 4, 2},
                    {HotSpot::Kind::kRow, 0, 2, 80, 6},
                    {HotSpot::Kind::kKey, 0, 9, 3, 'q'}};
  p.on(click(3, 1));
  EXPECT_EQ(p.state.list().sort, 2U);
  p.on(click(40, 2));
  EXPECT_EQ(p.row(), 6U);
  EXPECT_EQ(p.state.overlay, Overlay::kNone);
  p.screen.connection = 107;
  p.on(click(40, 2));
  EXPECT_EQ(p.state.overlay, Overlay::kConnection);
  EXPECT_EQ(p.state.connection, 107U);
  p.on(click(15, 0));
  EXPECT_EQ(p.state.overlay, Overlay::kConnection) << "just beside";
  p.on(click(14, 0));
  EXPECT_EQ(p.state.tab, Tab::kCongestion);
  EXPECT_EQ(p.on(click(2, 9)).command, Command::kQuit);
}

TEST(UiState, TopKeepsTheCursorOnThePage) {
  EXPECT_EQ(top_of(0, 5, 10, 4), 2U);
  EXPECT_EQ(top_of(6, 3, 10, 4), 3U);
  EXPECT_EQ(top_of(9, 9, 10, 4), 6U);
  EXPECT_EQ(top_of(5, 1, 3, 4), 0U);
  EXPECT_EQ(top_of(5, 1, 3, 0), 0U);
}

}  // namespace
}  // namespace rocetop::present
