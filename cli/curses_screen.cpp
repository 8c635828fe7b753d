// SPDX-License-Identifier: BSD-3-Clause
#include "curses_screen.h"

#define NCURSES_NOMACROS 1
#ifndef _XOPEN_SOURCE_EXTENDED
#define _XOPEN_SOURCE_EXTENDED 1
#endif
#include <curses.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <string_view>

#include "interrupt.h"
#include "present/utf8.h"

namespace rocetop::cli {
namespace {

using present::Key;
using present::Role;
using present::Theme;

constexpr std::size_t kLargest = 1'000;  // cells of a side: a terminal that says more is lying

// --- The way out, also for signal handlers ---------------------------------------------------------------------------

struct WayOut {
  termios modes{};
  std::array<char, 128> text{};
  std::size_t length = 0;
  int fd = -1;
};
WayOut way_out;
volatile std::sig_atomic_t restore_wanted = 0;  // the terminal is not as it was
volatile std::sig_atomic_t stop_wanted = 0;
volatile std::sig_atomic_t size_changed = 0;
volatile std::sig_atomic_t continued = 0;
std::terminate_handler terminate_before = nullptr;

void restore_terminal() {
  if (restore_wanted == 0) return;
  restore_wanted = 0;
  [[maybe_unused]] const ssize_t written = ::write(way_out.fd, way_out.text.data(), way_out.length);
  tcsetattr(way_out.fd, TCSANOW, &way_out.modes);
}

extern "C" void on_death(int signal) {
  restore_terminal();
  raise(signal);  // SA_RESETHAND: the default now
}
extern "C" void on_stop(int) {
  const int saved = errno;
  stop_wanted = 1;
  wake_interrupt_pipe();
  errno = saved;
}
extern "C" void on_resize(int) {
  const int saved = errno;
  size_changed = 1;
  wake_interrupt_pipe();
  errno = saved;
}
extern "C" void on_continue(int) {
  const int saved = errno;
  continued = 1;
  wake_interrupt_pipe();
  errno = saved;
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void on_terminate() {
  restore_terminal();
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

constexpr std::array kDeaths = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT};

void watch_signals() {
  for (const int signal : kDeaths) handle(signal, on_death, static_cast<int>(SA_RESETHAND | SA_NODEFER));
  handle(SIGTSTP, on_stop, SA_RESTART);
  handle(SIGWINCH, on_resize, SA_RESTART);
  handle(SIGCONT, on_continue, SA_RESTART);
  call_when_killed(restore_terminal);
  terminate_before = std::set_terminate(on_terminate);
}

void leave_signals() {
  call_when_killed(nullptr);
  for (const int signal : kDeaths) handle(signal, SIG_DFL, 0);
  for (const int signal : {SIGTSTP, SIGWINCH, SIGCONT}) handle(signal, SIG_DFL, 0);
  std::set_terminate(terminate_before);
}

/// What the terminal needs to be sent for it; null where it cannot do that.
const char* capability(const char* name) {
  const char* text = tigetstr(name);
  // -1: no such capability of the kind.
  return reinterpret_cast<std::uintptr_t>(text) == std::numeric_limits<std::uintptr_t>::max() ? nullptr : text;
}

void append_capability(const char* name) {
  const char* text = capability(name);
  if (text == nullptr) return;
  const std::size_t length = std::strlen(text);
  if (way_out.length + length > way_out.text.size()) return;
  std::memcpy(way_out.text.data() + way_out.length, text, length);
  way_out.length += length;
}

/// What brings the terminal back, put together while that may take time.
void prepare_way_out(int fd) {
  way_out = {};
  way_out.fd = STDOUT_FILENO;
  tcgetattr(fd, &way_out.modes);
  if (capability("kmous") != nullptr) {
    constexpr std::string_view kNoMouse = "\x1b[?1006l\x1b[?1000l";
    std::memcpy(way_out.text.data(), kNoMouse.data(), kNoMouse.size());
    way_out.length = kNoMouse.size();
  }
  for (const char* name : {"sgr0", "cnorm", "rmkx", "rmcup"}) append_capability(name);
}

// --- Colours ---------------------------------------------------------------------------------------------------------

struct Look {
  short foreground;
  short background;
  attr_t attributes;
};

/// 256 colours, 8 colours; -1 is the terminal's own.
struct Looks {
  Look many;
  Look few;
};

constexpr attr_t kBold = A_BOLD;

Looks dark(Role role) {
  switch (role) {
    case Role::kPlain:
      return {{-1, -1, 0}, {-1, -1, 0}};
    case Role::kStrong:
      return {{-1, -1, kBold}, {-1, -1, kBold}};
    case Role::kQuiet:
      return {{244, -1, 0}, {-1, -1, A_DIM}};
    case Role::kGood:
      return {{114, -1, 0}, {COLOR_GREEN, -1, 0}};
    case Role::kInfo:
      return {{80, -1, 0}, {COLOR_CYAN, -1, 0}};
    case Role::kWarning:
      return {{214, -1, 0}, {COLOR_YELLOW, -1, kBold}};
    case Role::kCritical:
      return {{203, -1, kBold}, {COLOR_RED, -1, kBold}};
    case Role::kHeading:
      return {{252, 238, 0}, {COLOR_BLACK, COLOR_CYAN, 0}};
    case Role::kSorted:
      return {{231, 31, kBold}, {COLOR_WHITE, COLOR_CYAN, kBold}};
    case Role::kSelected:
      return {{231, 24, 0}, {COLOR_WHITE, COLOR_BLUE, kBold}};
    case Role::kTab:
      return {{250, 235, 0}, {-1, -1, 0}};
    case Role::kActiveTab:
      return {{231, 31, kBold}, {COLOR_BLACK, COLOR_CYAN, 0}};
    case Role::kBar:
      return {{250, 235, 0}, {COLOR_BLACK, COLOR_WHITE, 0}};
    case Role::kKey:
      return {{80, 235, kBold}, {COLOR_CYAN, -1, kBold}};
    case Role::kGraph:
      return {{75, -1, 0}, {COLOR_CYAN, -1, 0}};
    case Role::kGraphMark:
      return {{213, -1, 0}, {COLOR_MAGENTA, -1, kBold}};
    case Role::kPrompt:
      return {{16, 214, 0}, {COLOR_BLACK, COLOR_YELLOW, 0}};
  }
  return {};
}

Looks light(Role role) {
  switch (role) {
    case Role::kQuiet:
      return {{245, -1, 0}, {-1, -1, A_DIM}};
    case Role::kGood:
      return {{28, -1, 0}, {COLOR_GREEN, -1, 0}};
    case Role::kInfo:
      return {{25, -1, 0}, {COLOR_BLUE, -1, 0}};
    case Role::kWarning:
      return {{130, -1, kBold}, {COLOR_YELLOW, -1, kBold}};
    case Role::kCritical:
      return {{160, -1, kBold}, {COLOR_RED, -1, kBold}};
    case Role::kHeading:
      return {{16, 252, 0}, {COLOR_BLACK, COLOR_CYAN, 0}};
    case Role::kSelected:
      return {{16, 153, 0}, {COLOR_WHITE, COLOR_BLUE, kBold}};
    case Role::kTab:
    case Role::kBar:
      return {{238, 254, 0}, {COLOR_BLACK, COLOR_WHITE, 0}};
    case Role::kKey:
      return {{25, 254, kBold}, {COLOR_BLUE, COLOR_WHITE, kBold}};
    case Role::kGraph:
      return {{25, -1, 0}, {COLOR_BLUE, -1, 0}};
    case Role::kGraphMark:
      return {{127, -1, 0}, {COLOR_MAGENTA, -1, 0}};
    default:
      return dark(role);
  }
}

/// Without colour: brightness and reverse only.
attr_t plain(Role role) {
  switch (role) {
    case Role::kQuiet:
      return A_DIM;
    case Role::kStrong:
    case Role::kWarning:
      return A_BOLD;
    case Role::kCritical:
      return A_BOLD | A_UNDERLINE;
    case Role::kHeading:
      return A_UNDERLINE;
    case Role::kSorted:
      return A_UNDERLINE | A_BOLD;
    case Role::kSelected:
    case Role::kActiveTab:
    case Role::kBar:
    case Role::kPrompt:
      return A_REVERSE;
    case Role::kKey:
      return A_REVERSE | A_BOLD;
    default:
      return A_NORMAL;
  }
}

Looks looks_of(Role role, Theme theme) { return theme == Theme::kLight ? light(role) : dark(role); }

void set_pairs(Theme theme) {
  for (std::size_t i = 0; i < present::kRoles; ++i) {
    const Looks looks = looks_of(static_cast<Role>(i), theme);
    const Look& look = COLORS >= 256 ? looks.many : looks.few;
    init_pair(static_cast<short>(i + 1), look.foreground, look.background);
  }
}

cchar_t cell_of(const present::GridCell& cell, Theme theme, bool colour) {
  std::array<wchar_t, 8> text{};
  std::size_t length = 0;
  for (std::string_view rest = cell.text; !rest.empty() && length + 1 < text.size();) {
    const present::CodePoint c = present::first_code_point(rest);
    text[length++] = static_cast<wchar_t>(c.value);
    rest.remove_prefix(c.bytes);
  }
  const Looks looks = looks_of(cell.role, theme);
  cchar_t out{};
  if (colour && theme != Theme::kPlain) {
    setcchar(&out, text.data(), (COLORS >= 256 ? looks.many : looks.few).attributes,
             static_cast<short>(static_cast<int>(cell.role) + 1), nullptr);
  } else {
    setcchar(&out, text.data(), plain(cell.role), 0, nullptr);
  }
  return out;
}

std::optional<Key> key_of(wint_t code) {
  Key key;
  switch (code) {
    case KEY_UP:
      key.code = Key::Code::kUp;
      return key;
    case KEY_DOWN:
      key.code = Key::Code::kDown;
      return key;
    case KEY_LEFT:
      key.code = Key::Code::kLeft;
      return key;
    case KEY_RIGHT:
      key.code = Key::Code::kRight;
      return key;
    case KEY_PPAGE:
      key.code = Key::Code::kPageUp;
      return key;
    case KEY_NPAGE:
      key.code = Key::Code::kPageDown;
      return key;
    case KEY_HOME:
      key.code = Key::Code::kHome;
      return key;
    case KEY_END:
      key.code = Key::Code::kEnd;
      return key;
    case KEY_ENTER:
      key.code = Key::Code::kEnter;
      return key;
    case KEY_BTAB:
      key.code = Key::Code::kBackTab;
      return key;
    case KEY_BACKSPACE:
      key.code = Key::Code::kBackspace;
      return key;
    case KEY_F(1):
      key.character = U'?';
      return key;
    case KEY_F(3):
    case KEY_F(4):
      key.character = U'/';
      return key;
    case KEY_F(6):
      key.character = U'>';
      return key;
    case KEY_F(10):
      key.character = U'q';
      return key;
    default:
      return std::nullopt;
  }
}

std::optional<Key> mouse_key() {
  MEVENT event{};
  if (getmouse(&event) != OK) return std::nullopt;
  Key key;
  key.x = static_cast<std::size_t>(std::max(event.x, 0));
  key.y = static_cast<std::size_t>(std::max(event.y, 0));
  if ((event.bstate & BUTTON4_PRESSED) != 0) {
    key.code = Key::Code::kWheelUp;
  } else if ((event.bstate & BUTTON5_PRESSED) != 0) {
    key.code = Key::Code::kWheelDown;
  } else if ((event.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED)) != 0) {
    key.code = Key::Code::kClick;
  } else {
    return std::nullopt;
  }
  return key;
}

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
  prepare_way_out(fileno(input_));
  watch_signals();  // before ncurses would set its own
  restore_wanted = 1;
  SCREEN* screen = newterm(nullptr, stdout, input_);
  if (screen == nullptr) {
    restore_wanted = 0;
    leave_signals();
    return false;
  }
  screen_ = screen;
  set_term(screen);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(25);
  leaveok(stdscr, TRUE);
  curs_set(0);
  mouseinterval(0);  // a click at once, not after the time of a second one
  mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, nullptr);
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
    mousemask(0, nullptr);
    endwin();
    restore_wanted = 0;
    leave_signals();
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

std::optional<Key> CursesScreen::key() {
  wint_t code = 0;
  errno = 0;
  const int kind = get_wch(&code);
  if (kind == ERR) {
    // Nobody types any more: the terminal was closed.
    if (errno != 0 && errno != EAGAIN && errno != EINTR) gone_ = true;
    return std::nullopt;
  }
  if (kind == KEY_CODE_YES) return code == KEY_MOUSE ? mouse_key() : key_of(code);
  Key key;
  switch (code) {
    case L'\r':
    case L'\n':
      key.code = Key::Code::kEnter;
      break;
    case 0x1B:
      key.code = Key::Code::kEscape;
      break;
    case L'\t':
      key.code = Key::Code::kTab;
      break;
    case 0x7F:
    case 0x08:
      key.code = Key::Code::kBackspace;
      break;
    default:
      key.character = static_cast<char32_t>(code);
  }
  return key;
}

void CursesScreen::stop_for_shell() {
  endwin();
  restore_wanted = 0;
  handle(SIGTSTP, SIG_DFL, 0);
  raise(SIGTSTP);
  // A shell said to go on.
  handle(SIGTSTP, on_stop, SA_RESTART);
  restore_wanted = 1;
  size_changed = 1;
}

void CursesScreen::obey_signals() {
  if (stop_wanted != 0) {
    stop_wanted = 0;
    stop_for_shell();
  }
  if (continued != 0) {
    continued = 0;
    reset_prog_mode();
    forget_ = true;
  }
  if (size_changed != 0) {
    size_changed = 0;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
      resize_term(std::min<int>(size.ws_row, kLargest), std::min<int>(size.ws_col, kLargest));
    }
    forget_ = true;
  }
}

}  // namespace rocetop::cli
