// SPDX-License-Identifier: BSD-3-Clause
#include "curses_screen.h"

#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <utility>

#include "curses_keys.h"
#include "curses_looks.h"
#include "terminal_restore.h"

namespace rocetop::cli {
namespace {

using present::Theme;

constexpr std::size_t kLargest = 1'000;  // cells of a side: a terminal that says more is lying

/// Whether the terminal has what full-screen programs need; asked before ncurses is, which would end the program.
bool terminal_can() {
  int error = 0;
  if (setupterm(nullptr, STDOUT_FILENO, &error) != OK) return false;
  return capability("cup") != nullptr && capability("clear") != nullptr && tigetflag("hc") != 1;
}

}  // namespace

bool CursesScreen::possible() {
  if (isatty(STDOUT_FILENO) == 0 || !terminal_can()) return false;
  return isatty(STDIN_FILENO) == 1 || access("/dev/tty", R_OK) == 0;
}

std::unique_ptr<CursesScreen> CursesScreen::open(bool colour) {
  if (!possible()) return nullptr;
  std::FILE* input = stdin;
  bool own = false;
  if (isatty(STDIN_FILENO) == 0) {
    input = std::fopen("/dev/tty", "re");  // a capture comes from standard input
    if (input == nullptr) return nullptr;
    own = true;
  }
  std::unique_ptr<CursesScreen> screen(new CursesScreen(input, own, colour));
  return screen->start() ? std::move(screen) : nullptr;
}

bool CursesScreen::start() {
  std::setlocale(LC_ALL, "");
  watch_terminal(fileno(input_));  // before ncurses would set its own signal handlers
  SCREEN* screen = newterm(nullptr, stdout, input_);
  if (screen == nullptr) {
    leave_terminal();
    return false;
  }
  screen_ = screen;
  set_term(screen);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(100);  // ms: over slow lines the keys with names come in pieces
  leaveok(stdscr, TRUE);
  curs_set(0);
  watch_mouse(true);
  if (has_colors() && colour_) {
    start_color();
    use_default_colors();
    set_pairs(theme_);
  } else {
    colour_ = false;
  }
  return true;
}

CursesScreen::~CursesScreen() {
  if (screen_ != nullptr) {
    watch_mouse(false);
    endwin();
    leave_terminal();
    delscreen(static_cast<SCREEN*>(screen_));
  }
  if (own_input_) std::fclose(input_);
}

std::size_t CursesScreen::width() const { return std::min(static_cast<std::size_t>(std::max(COLS, 1)), kLargest); }
std::size_t CursesScreen::height() const { return std::min(static_cast<std::size_t>(std::max(LINES, 1)), kLargest); }

void CursesScreen::draw(const present::Grid& grid, Theme theme) {
  if (theme != theme_ && colour_) set_pairs(theme);
  const bool all = forget_ || theme != theme_ || grid.width() != shown_.width() || grid.height() != shown_.height();
  if (all) erase();
  if (forget_) clearok(stdscr, TRUE);
  for (std::size_t y = 0; y < grid.height(); ++y) {
    for (std::size_t x = 0; x < grid.width(); ++x) {
      const present::GridCell& cell = grid.at(x, y);
      if (cell.text.empty() || (!all && cell == shown_.at(x, y))) continue;
      const cchar_t out = cell_of(cell, theme, colour_);
      mvadd_wch(static_cast<int>(y), static_cast<int>(x), &out);
    }
  }
  refresh();
  shown_ = grid;
  theme_ = theme;
  forget_ = false;
}

void CursesScreen::ring() { beep(); }

std::optional<present::Key> CursesScreen::key() {
  while (true) {
    ReadKey read = read_key();
    gone_ = gone_ || read.gone;
    if (read.key || !read.more) return read.key;
  }
}

void CursesScreen::obey_signals() {
  TerminalSignals signals = take_signals();
  if (signals.stop) {
    endwin();
    stop_here();
    signals.continued = signals.size = true;
  }
  if (signals.continued) {
    reset_prog_mode();
    forget_ = true;
  }
  if (!signals.size) return;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    resize_term(std::min<int>(size.ws_row, kLargest), std::min<int>(size.ws_col, kLargest));
  }
  forget_ = true;
}

}  // namespace rocetop::cli
