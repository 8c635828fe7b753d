// SPDX-License-Identifier: BSD-3-Clause
#include "curses_keys.h"

#include <algorithm>
#include <cerrno>

#include "ncurses_wide.h"

namespace rocetop::cli {
namespace {

using present::Key;

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

}  // namespace

ReadKey read_key() {
  wint_t code = 0;
  errno = 0;
  const int kind = get_wch(&code);
  if (kind == ERR) return {std::nullopt, errno != 0 && errno != EAGAIN && errno != EINTR, false};
  if (kind == KEY_CODE_YES) return {code == KEY_MOUSE ? mouse_key() : key_of(code), false, true};
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
  return {key, false, true};
}

void watch_mouse(bool on) {
  if (on) mouseinterval(0);  // a click at once, not after the time of a second one
  mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, nullptr);
}

}  // namespace rocetop::cli
