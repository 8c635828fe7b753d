// SPDX-License-Identifier: BSD-3-Clause
#include "present/ui_state.h"

#include <algorithm>
#include <utility>

#include "present/utf8.h"

namespace rocetop::present {
namespace {

using Code = Key::Code;

constexpr std::size_t kFilterMost = 200;  // bytes
constexpr std::array<std::int64_t, 8> kIntervalsMs = {100, 200, 500, 1'000, 2'000, 5'000, 10'000, 60'000};
constexpr std::size_t kWheelRows = 3;

class Press {
 public:
  Press(const OnScreen& screen, UiState state) : screen_(screen), s_(std::move(state)) {
    s_.message.clear();
    if (screen_.news != 0) s_.news_seen = screen_.news;
    s_.list().row = screen_.scrolls ? screen_.top : screen_.row;
    s_.list().top = screen_.top;
  }

  Step on(const Key& key) {
    if (key.code == Code::kCharacter && key.character == 0x0C) return done(Command::kRedraw);  // Ctrl-L
    if (s_.asking == Asking::kReset) return on_answer(key);
    if (s_.asking == Asking::kFilter && on_filter(key)) return done();
    if (on_mouse(key) || on_movement(key)) return done(command_);
    if (s_.overlay == Overlay::kColumns && on_columns(key)) return done();
    if (key.code == Code::kEscape || key.code == Code::kBackspace) return on_escape();
    if (key.code == Code::kEnter) return on_enter();
    if (key.code == Code::kTab) return on_tab((static_cast<std::size_t>(s_.tab) + 1) % kTabs);
    if (key.code == Code::kBackTab) return on_tab((static_cast<std::size_t>(s_.tab) + kTabs - 1) % kTabs);
    return on_character(key.character);
  }

 private:
  Step done(Command command = Command::kNone) { return {std::move(s_), command}; }

  Step on_answer(const Key& key) {
    s_.asking = Asking::kNothing;
    if (key.character == U'y' || key.character == U'Y') {
      s_.message = "counters begin again";
      return done(Command::kReset);
    }
    s_.message = "not reset";
    return done();
  }

  /// True if the key belonged to the filter being typed.
  bool on_filter(const Key& key) {
    if (key.code == Code::kEnter) {
      s_.asking = Asking::kNothing;
    } else if (key.code == Code::kEscape) {
      s_.asking = Asking::kNothing;
      s_.filter.clear();
    } else if (key.code == Code::kBackspace) {
      while (!s_.filter.empty() && (static_cast<unsigned char>(s_.filter.back()) & 0xC0) == 0x80) s_.filter.pop_back();
      if (!s_.filter.empty()) s_.filter.pop_back();
    } else if (key.code == Code::kCharacter) {
      if (key.character == 0x15) s_.filter.clear();  // Ctrl-U
      if (!is_control(key.character) && s_.filter.size() < kFilterMost) append_utf8(s_.filter, key.character);
    } else {
      return false;  // the cursor may move meanwhile
    }
    return true;
  }

  void move_to(std::size_t row) {
    ListState& list = s_.list();
    list.row = screen_.rows == 0 ? 0 : std::min(row, last_row());
    list.key.reset();
    // At the very top it stays there: with the worst, whoever that is.
    if (list.row != 0 && list.row < screen_.keys.size()) list.key = screen_.keys[list.row];
  }

  std::size_t last_row() const {
    const std::size_t beyond = screen_.scrolls ? std::max<std::size_t>(screen_.page, 1) : 1;
    return screen_.rows > beyond ? screen_.rows - beyond : 0;
  }
  void up(std::size_t rows) { move_to(s_.list().row - std::min(s_.list().row, rows)); }
  void down(std::size_t rows) { move_to(s_.list().row + rows); }

  bool on_movement(const Key& key) {
    const std::size_t page = std::max<std::size_t>(screen_.page, 2) - 1;
    const auto is = [&](char32_t c) { return key.code == Code::kCharacter && key.character == c; };
    if (key.code == Code::kUp || is(U'k')) {
      up(1);
    } else if (key.code == Code::kDown || is(U'j')) {
      down(1);
    } else if (key.code == Code::kPageUp || is(0x02)) {  // Ctrl-B
      up(page);
    } else if (key.code == Code::kPageDown || is(0x06)) {  // Ctrl-F
      down(page);
    } else if (key.code == Code::kHome || is(U'g')) {
      move_to(0);
    } else if (key.code == Code::kEnd || is(U'G')) {
      move_to(last_row());
    } else if (key.code == Code::kWheelUp) {
      up(kWheelRows);
    } else if (key.code == Code::kWheelDown) {
      down(kWheelRows);
    } else if (key.code == Code::kLeft || is(U'h')) {
      std::size_t& skipped = s_.list().skipped_columns;
      skipped = std::min(skipped, screen_.most_skipped);
      skipped -= std::min<std::size_t>(skipped, 1);
    } else if (key.code == Code::kRight || is(U'l')) {
      std::size_t& skipped = s_.list().skipped_columns;
      skipped = std::min(skipped + 1, screen_.most_skipped);
    } else {
      return false;
    }
    return true;
  }

  bool on_mouse(const Key& key) {
    if (key.code != Code::kClick) return false;
    for (const HotSpot& spot : screen_.spots) {
      if (key.y != spot.y || key.x < spot.x || key.x - spot.x >= spot.width) continue;
      on_spot(spot);
      break;
    }
    return true;
  }

  void on_spot(const HotSpot& spot) {
    switch (spot.kind) {
      case HotSpot::Kind::kTab:
        on_tab_chosen(spot.value);
        return;
      case HotSpot::Kind::kColumn:
        sort_by(spot.value);
        return;
      case HotSpot::Kind::kRow: {
        // A second click on the row with the cursor opens it.
        spot.value == screen_.row ? open_chosen() : move_to(spot.value);
        return;
      }
      case HotSpot::Kind::kKey: {
        Step step = spot.value == '\r' ? on_enter() : on_character(static_cast<char32_t>(spot.value));
        s_ = std::move(step.state);
        command_ = step.command;
        return;
      }
    }
  }

  bool on_columns(const Key& key) {
    if (key.code == Code::kEnter || (key.code == Code::kCharacter && key.character == U'c')) {
      s_.overlay = Overlay::kNone;
    } else if (key.code == Code::kCharacter && (key.character == U' ' || key.character == U'x')) {
      s_.hidden_columns ^= std::uint32_t{1} << (screen_.row & 31);
    } else {
      return false;
    }
    return true;
  }

  void close() {
    const Opened before = s_.below.empty() ? Opened{} : s_.below.back();
    if (!s_.below.empty()) s_.below.pop_back();
    s_.overlay = before.overlay;
    s_.overlay_list = before.list;
  }
  void close_all() {
    s_.below.clear();
    close();
  }
  void open(Overlay overlay) {
    if (s_.overlay != Overlay::kNone) s_.below.push_back({s_.overlay, s_.overlay_list});
    s_.overlay = overlay;
    s_.overlay_list = {};
  }

  Step on_escape() {
    if (s_.overlay != Overlay::kNone) {
      close();
    } else {
      s_.filter.clear();
    }
    return done();
  }

  /// What the cursor is on, or the connection that the opened finding is about.
  void open_chosen() {
    if (s_.overlay == Overlay::kNone && screen_.finding) {
      open(Overlay::kFinding);
      s_.finding = *screen_.finding;
    } else if ((s_.overlay == Overlay::kNone || s_.overlay == Overlay::kFinding) && screen_.connection) {
      open(Overlay::kConnection);
      s_.connection = *screen_.connection;
    }
  }
  Step on_enter() {
    s_.overlay == Overlay::kHelp ? close() : open_chosen();
    return done();
  }

  void on_tab_chosen(std::size_t tab) {
    close_all();
    s_.tab = static_cast<Tab>(std::min(tab, kTabs - 1));
  }
  Step on_tab(std::size_t tab) {
    on_tab_chosen(tab);
    return done();
  }

  void sort_by(std::size_t column) {
    if (s_.overlay != Overlay::kNone || screen_.columns == 0) return;
    ListState& list = s_.list();
    list.reversed = list.sort == column ? !list.reversed : false;
    list.sort = column;
    list.row = 0;
    list.key.reset();
  }
  void sort_next(std::size_t step) {
    if (screen_.columns != 0) sort_by((s_.list().sort + step) % screen_.columns);
  }

  void change_interval(bool slower) {
    auto at = std::lower_bound(kIntervalsMs.begin(), kIntervalsMs.end(), s_.interval.count / 1'000'000);
    if (slower) {
      if (at != kIntervalsMs.end() && milliseconds(*at) == s_.interval) ++at;
      if (at == kIntervalsMs.end()) --at;
    } else if (at != kIntervalsMs.begin()) {
      --at;
    }
    s_.interval = milliseconds(*at);
  }

  void filter() {
    if (s_.tab != Tab::kConnections || s_.overlay != Overlay::kNone) on_tab_chosen(0);
    s_.asking = Asking::kFilter;
  }

  Step on_character(char32_t c) {
    if (c >= U'1' && c <= U'9') return c - U'1' < kTabs ? on_tab(c - U'1') : done();
    switch (c) {
      case U'q':
        if (s_.overlay == Overlay::kHelp) return on_escape();
        return done(Command::kQuit);
      case U'?':
        s_.overlay == Overlay::kHelp ? close() : open(Overlay::kHelp);
        return done();
      case U'/':
        filter();
        return done();
      case U' ':
      case U'p':
      case U'Z':
        s_.paused = !s_.paused;
        return done();
      case U's':
      case U'>':
        sort_next(1);
        return done();
      case U'<':
        sort_next(std::max<std::size_t>(screen_.columns, 1) - 1);
        return done();
      case U'S':
      case U'I':
        sort_by(s_.list().sort);
        return done();
      default:
        return on_switch(c);
    }
  }

  /// Keys that change how things are shown, or that are for somebody else to carry out.
  Step on_switch(char32_t c) {
    switch (c) {
      case U'+':
      case U'=':
        change_interval(true);
        return done(Command::kInterval);
      case U'-':
        change_interval(false);
        return done(Command::kInterval);
      case U'c':
        if (s_.tab == Tab::kConnections && s_.overlay == Overlay::kNone) open(Overlay::kColumns);
        return done();
      case U'u':
        s_.units = s_.units == Units::kBits ? Units::kBytes : Units::kBits;
        return done();
      case U't':
        s_.theme = static_cast<Theme>((static_cast<std::size_t>(s_.theme) + 1) % kThemes);
        return done();
      case U'n':
        s_.names = !s_.names;
        s_.message = s_.names ? "names of hosts, where there are any" : "addresses";
        return done();
      case U'b':
        s_.bell = !s_.bell;
        s_.message = s_.bell ? "the bell rings for new findings" : "no bell";
        return done();
      case U'r':
        s_.asking = Asking::kReset;
        return done();
      case U'w':
        return done(Command::kRecord);
      default:
        return done();
    }
  }

  const OnScreen& screen_;
  UiState s_;
  Command command_ = Command::kNone;  // of a key that was clicked
};

}  // namespace

Step press(const Key& key, const OnScreen& screen, UiState state) { return Press(screen, std::move(state)).on(key); }

std::size_t row_of(const ListState& list, const std::vector<std::uint64_t>& keys, std::size_t rows) {
  if (rows == 0) return 0;
  if (list.key) {
    const auto found = std::find(keys.begin(), keys.end(), *list.key);
    if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin());
  }
  return std::min(list.row, rows - 1);
}

std::size_t top_of(std::size_t top, std::size_t row, std::size_t rows, std::size_t page) {
  if (page == 0 || rows <= page) return 0;
  if (row < top) top = row;
  if (row >= top + page) top = row - page + 1;
  return std::min(top, rows - page);
}

}  // namespace rocetop::present
