// SPDX-License-Identifier: BSD-3-Clause
// Small plots made of characters: sparklines of blocks, and canvases of braille dots (2 by 4 to a cell). Without
// Unicode both make do with ASCII.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "present/cells.h"

namespace rocetop::present {

/// The last `width` of `values` as bars from 0 to `top` (0: their largest); shorter ones are aligned right.
std::string sparkline(const std::vector<double>& values, std::size_t width, bool unicode, double top = 0);

/// A bar of `width` cells, `share` (0..1) of it full.
std::string bar(double share, std::size_t width, bool unicode);

class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool unicode);

  std::size_t width() const { return columns_ * 2; }  ///< in dots
  std::size_t height() const { return rows_ * 4; }
  /// Sets the dot at (x, y), y from the bottom. The cell takes the most urgent role of its dots. Dots outside are
  /// ignored.
  void dot(std::size_t x, std::size_t y, Role role = Role::kGraph);
  /// Every dot between the two, the ends included.
  void line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1, Role role = Role::kGraph);
  StyledLine row(std::size_t y) const;  ///< from the top

 private:
  struct Spot {
    unsigned char dots = 0;
    Role role = Role::kGraph;
  };

  std::size_t columns_;
  std::size_t rows_;
  bool unicode_;
  std::vector<Spot> spots_;
};

}  // namespace rocetop::present
