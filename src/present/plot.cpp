// SPDX-License-Identifier: BSD-3-Clause
#include "present/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "present/utf8.h"

namespace rocetop::present {
namespace {

constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kAsciiBlocks = {" ", "_", ".", "-", "=", "+", "*", "%", "#"};
constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr std::string_view kAsciiDots = " .:-=+*%#";  // by dots that are set

/// A dot of a braille pattern (U+2800 on), by column and row from the top.
constexpr unsigned char kBrailleDots[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

int urgency(Role role) {
  switch (role) {
    case Role::kCritical:
      return 4;
    case Role::kWarning:
      return 3;
    case Role::kGraphMark:
      return 2;
    case Role::kInfo:
      return 1;
    default:
      return 0;
  }
}

}  // namespace

std::string sparkline(const std::vector<double>& values, std::size_t width, bool unicode, double top) {
  const std::size_t count = std::min(width, values.size());
  const auto begin = values.end() - static_cast<std::ptrdiff_t>(count);
  if (top <= 0 && count > 0) top = *std::max_element(begin, values.end());
  std::string out(width - count, ' ');
  for (auto v = begin; v != values.end(); ++v) {
    std::size_t level = 0;
    if (*v > 0 && top > 0) level = static_cast<std::size_t>(std::clamp(std::ceil(*v / top * 8), 1.0, 8.0));
    out += (unicode ? kBlocks : kAsciiBlocks)[level];
  }
  return out;
}

std::string bar(double share, std::size_t width, bool unicode) {
  if (!(share > 0)) return {};
  const double eighths = std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8;
  auto whole = static_cast<std::size_t>(std::ceil(eighths));
  std::string out;
  for (std::size_t i = 0; i < whole / 8; ++i) out += unicode ? "█" : "#";
  if (whole % 8 != 0) out += unicode ? kParts[whole % 8] : (out.empty() ? ":" : "");
  return out;
}

Canvas::Canvas(std::size_t columns, std::size_t rows, bool unicode)
    : columns_(columns), rows_(rows), unicode_(unicode), spots_(columns * rows) {}

void Canvas::dot(std::size_t x, std::size_t y, Role role) {
  if (x >= width() || y >= height()) return;
  const std::size_t from_top = height() - 1 - y;
  Spot& spot = spots_[from_top / 4 * columns_ + x / 2];
  spot.dots = static_cast<unsigned char>(spot.dots | kBrailleDots[x % 2][from_top % 4]);
  if (urgency(role) > urgency(spot.role)) spot.role = role;
}

void Canvas::line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1, Role role) {
  x0 = std::min(x0, width());
  x1 = std::min(x1, width());
  y0 = std::min(y0, height());
  y1 = std::min(y1, height());
  const auto span = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
  const std::size_t steps = std::max<std::size_t>({span(x0, x1), span(y0, y1), 1});
  for (std::size_t i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(steps);
    const auto between = [share](std::size_t a, std::size_t b) {
      return static_cast<std::size_t>(
          std::lround(static_cast<double>(a) * (1 - share) + static_cast<double>(b) * share));
    };
    dot(between(x0, x1), between(y0, y1), role);
  }
}

StyledLine Canvas::row(std::size_t y) const {
  StyledLine line;
  for (std::size_t x = 0; x < columns_ && y < rows_; ++x) {
    const Spot& spot = spots_[y * columns_ + x];
    const Role role = spot.dots == 0 ? Role::kPlain : spot.role;
    if (line.empty() || line.back().role != role) line.push_back({"", role});
    if (spot.dots == 0) {
      line.back().text += ' ';
    } else if (unicode_) {
      append_utf8(line.back().text, 0x2800 + char32_t{spot.dots});
    } else {
      line.back().text += kAsciiDots[static_cast<std::size_t>(__builtin_popcount(spot.dots))];
    }
  }
  return line;
}

}  // namespace rocetop::present
