// SPDX-License-Identifier: BSD-3-Clause
// What the roles of a screen look like: colours of 256 or of 8, or none, then brightness and reverse.
#pragma once

#include "ncurses_wide.h"
#include "present/cells.h"
#include "present/ui_state.h"

namespace rocetop::cli {

/// Sets ncurses' colour pairs, one a role; after start_color().
void set_pairs(present::Theme theme);
/// The cell as ncurses writes it.
cchar_t cell_of(const present::GridCell& cell, present::Theme theme, bool colour);

}  // namespace rocetop::cli
