// SPDX-License-Identifier: BSD-3-Clause
// What the terminal can do: its width, colour, Unicode.
#pragma once

#include <cstddef>
#include <string_view>

#include "present/paint.h"

namespace rocetop::cli {

bool stdout_is_terminal();
bool stderr_is_terminal();

/// Cells of a line: COLUMNS, else the terminal's, else 80; at least 20.
std::size_t terminal_width();

/// True if the locale's character set is UTF-8 (asked once).
bool locale_is_utf8();

/// `color`: "auto", "always", "never"; auto is colour on a terminal that can, unless NO_COLOR is set.
/// `width`: cells, 0 = COLUMNS, else the terminal's width, else 80.
present::TextStyle text_style(std::string_view color, std::size_t width);

}  // namespace rocetop::cli
