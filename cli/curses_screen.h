// SPDX-License-Identifier: BSD-3-Clause
// The terminal as a screen of cells (ncursesw): only cells that changed are written. The terminal's own mode comes back
// on every way out: see terminal_restore.h.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>

#include "present/cells.h"
#include "present/ui_state.h"

namespace rocetop::cli {

class CursesScreen {
 public:
  /// Whether the terminal can do this, as far as that shows without trying.
  static bool possible();
  /// Null: there is no terminal that can do this. `colour`: false as for NO_COLOR.
  static std::unique_ptr<CursesScreen> open(bool colour);
  CursesScreen(const CursesScreen&) = delete;
  CursesScreen& operator=(const CursesScreen&) = delete;
  ~CursesScreen();

  std::size_t width() const;
  std::size_t height() const;
  void draw(const present::Grid& grid, present::Theme theme);
  /// Everything is written once more at the next draw().
  void forget() { forget_ = true; }
  void ring();

  /// The next key that was pressed; nothing if there is none.
  std::optional<present::Key> key();
  int key_descriptor() const { return fileno(input_); }
  bool gone() const { return gone_; }  ///< nobody is there any more: reading fails

  /// What signals asked for: to stop until a shell continues the program, to look at the size again.
  void obey_signals();

 private:
  CursesScreen(std::FILE* input, bool own_input, bool colour) : input_(input), own_input_(own_input), colour_(colour) {}
  bool start();

  std::FILE* input_;
  bool own_input_;  // /dev/tty, as standard input is something else
  bool colour_;
  bool gone_ = false;
  bool forget_ = true;
  void* screen_ = nullptr;  // ncurses' SCREEN
  present::Grid shown_;
  present::Theme theme_ = present::Theme::kDark;
};

}  // namespace rocetop::cli
