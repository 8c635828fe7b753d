// SPDX-License-Identifier: BSD-3-Clause
// Grid: a screen as cells, each with a character and the role it plays. What a role looks like is the terminal's
// business; a screen stays readable without any. Whatever is written, nothing leaves the grid and nothing in it can
// move a cursor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "present/paint.h"

namespace rocetop::present {

enum class Role : std::uint8_t {
  kPlain,
  kStrong,
  kQuiet,  ///< idle, zero, less important
  kGood,
  kInfo,
  kWarning,
  kCritical,
  kHeading,    ///< over columns
  kSorted,     ///< the heading that is sorted by
  kSelected,   ///< the row that keys act on
  kTab,        ///< not shown now
  kActiveTab,  ///< shown now
  kBar,        ///< first and last line
  kKey,        ///< a key in the last line
  kGraph,      ///< sparklines and plots
  kGraphMark,  ///< what sticks out of them
  kPrompt,     ///< being typed
};
inline constexpr std::size_t kRoles = 17;
std::string_view word(Role role);  ///< "selected"
Role role_of(Tone tone);

struct GridCell {
  std::string text = " ";  ///< one character with its combining marks; empty: right half of a wide one
  Role role = Role::kPlain;
  friend bool operator==(const GridCell&, const GridCell&) = default;
};

/// A piece of a line with one role.
struct Piece {
  std::string text;
  Role role = Role::kPlain;
};
using StyledLine = std::vector<Piece>;
std::size_t cells(const StyledLine& line);

class Grid {
 public:
  /// `unicode`: false leaves ASCII only.
  Grid(std::size_t width, std::size_t height, bool unicode);
  Grid() : Grid(0, 0, true) {}

  std::size_t width() const { return width_; }
  std::size_t height() const { return height_; }
  bool unicode() const { return unicode_; }
  const GridCell& at(std::size_t x, std::size_t y) const { return cells_[y * width_ + x]; }

  /// Writes at most `most` cells from (x, y) on, cut with an ellipsis; gives the column behind them.
  std::size_t put(std::size_t x, std::size_t y, std::string_view text, Role role = Role::kPlain,
                  std::size_t most = kAll);
  /// The pieces one after the other, cut at `most` cells in all.
  std::size_t put(std::size_t x, std::size_t y, const StyledLine& line, std::size_t most = kAll);
  /// Right-aligned in `room` cells.
  void put_right(std::size_t x, std::size_t y, std::size_t room, std::string_view text, Role role = Role::kPlain);
  /// Every cell of the row from x on, `room` cells, gets the role.
  void tint(std::size_t x, std::size_t y, std::size_t room, Role role);

  /// The row without blanks at its end.
  std::string row(std::size_t y) const;
  /// Rows with line feeds. With `roles` text that is not plain stands in {role:…}.
  std::string text(bool roles = false) const;

  friend bool operator==(const Grid&, const Grid&) = default;
  static constexpr std::size_t kAll = static_cast<std::size_t>(-1);

 private:
  void set(std::size_t x, std::size_t y, std::string_view character, std::size_t wide, Role role);

  std::size_t width_;
  std::size_t height_;
  bool unicode_;
  std::vector<GridCell> cells_;  // row by row
};

}  // namespace rocetop::present
