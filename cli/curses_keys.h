// SPDX-License-Identifier: BSD-3-Clause
// What ncurses reads, as keys of the screens. Not what they do: that is present's ui_state.
#pragma once

#include <optional>

#include "present/ui_state.h"

namespace rocetop::cli {

struct ReadKey {
  std::optional<present::Key> key;  ///< nothing: none was pressed, or one that means nothing
  bool gone = false;                ///< nobody types any more: the terminal was closed
  bool more = false;                ///< there may be another one
};

/// The next key of the terminal that ncurses has. Waits for none.
ReadKey read_key();
/// What is told of the mouse: presses of its first button, and the wheel.
void watch_mouse(bool on);

}  // namespace rocetop::cli
