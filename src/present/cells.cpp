// SPDX-License-Identifier: BSD-3-Clause
#include "present/cells.h"

#include <algorithm>

#include "present/text.h"
#include "present/utf8.h"

namespace rocetop::present {
namespace {

constexpr std::size_t kCharacterBytes = 16;  // combining marks beyond that are left out

}  // namespace

std::string_view word(Role role) {
  static constexpr std::string_view kWords[kRoles] = {"plain",    "strong",  "quiet",  "good",     "info",  "warning",
                                                      "critical", "heading", "sorted", "selected", "tab",   "active",
                                                      "bar",      "key",     "graph",  "mark",     "prompt"};
  return kWords[static_cast<std::size_t>(role)];
}

Role role_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return Role::kPlain;
    case Tone::kStrong:
      return Role::kStrong;
    case Tone::kQuiet:
      return Role::kQuiet;
    case Tone::kGood:
      return Role::kGood;
    case Tone::kInfo:
      return Role::kInfo;
    case Tone::kWarning:
      return Role::kWarning;
    case Tone::kCritical:
      return Role::kCritical;
  }
  return Role::kPlain;
}

std::size_t cells(const StyledLine& line) {
  std::size_t sum = 0;
  for (const Piece& piece : line) sum += cells(piece.text);
  return sum;
}

Grid::Grid(std::size_t width, std::size_t height, bool unicode)
    : width_(width), height_(height), unicode_(unicode), cells_(width * height) {}

/// A wide character that is written over in part becomes a blank.
void Grid::set(std::size_t x, std::size_t y, std::string_view character, std::size_t wide, Role role) {
  GridCell* row = &cells_[y * width_];
  if (row[x].text.empty() && x > 0) row[x - 1].text = " ";
  const std::size_t behind = x + wide;
  if (behind < width_ && row[behind].text.empty()) row[behind].text = " ";
  row[x] = {std::string(character), role};
  if (wide == 2) row[x + 1] = {"", role};
}

std::size_t Grid::put(std::size_t x, std::size_t y, std::string_view text, Role role, std::size_t most) {
  if (y >= height_ || x >= width_) return x;
  const std::size_t room = std::min(most, width_ - x);
  if (room == 0) return x;
  const std::string shown = fit(clean(text, unicode_), room, unicode_);
  const std::size_t end = x + room;
  std::size_t last = width_;  // of the character before
  for (std::string_view rest = shown; !rest.empty();) {
    const std::string_view character = rest.substr(0, first_code_point(rest).bytes);
    rest.remove_prefix(character.size());
    const std::size_t wide = cells(character);
    if (wide == 0) {
      if (last == width_) continue;
      std::string& before = cells_[y * width_ + last].text;
      if (before.size() + character.size() <= kCharacterBytes) before += character;
      continue;
    }
    if (x + wide > end) break;
    set(x, y, character, wide, role);
    last = x;
    x += wide;
  }
  return x;
}

std::size_t Grid::put(std::size_t x, std::size_t y, const StyledLine& line, std::size_t most) {
  const std::size_t end = most > kAll - x ? kAll : x + most;
  for (const Piece& piece : line) {
    if (x >= end) break;
    x = put(x, y, piece.text, piece.role, end - x);
  }
  return x;
}

void Grid::put_right(std::size_t x, std::size_t y, std::size_t room, std::string_view text, Role role) {
  const std::size_t wide = cells(clean(text, unicode_));
  put(wide < room ? x + room - wide : x, y, text, role, room);
}

void Grid::tint(std::size_t x, std::size_t y, std::size_t room, Role role) {
  if (y >= height_) return;
  for (std::size_t i = x; i < width_ && i - x < room; ++i) cells_[y * width_ + i].role = role;
}

std::string Grid::row(std::size_t y) const {
  std::string out;
  for (std::size_t x = 0; x < width_; ++x) out += at(x, y).text;
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Grid::text(bool roles) const {
  std::string out;
  for (std::size_t y = 0; y < height_; ++y) {
    if (!roles) {
      out += row(y) + "\n";
      continue;
    }
    Role role = Role::kPlain;
    std::string line;
    for (std::size_t x = 0; x < width_; ++x) {
      if (at(x, y).role != role) {
        if (role != Role::kPlain) line += "}";
        role = at(x, y).role;
        if (role != Role::kPlain) line += "{" + std::string(word(role)) + ":";
      }
      line += at(x, y).text;
    }
    if (role != Role::kPlain) line += "}";
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace rocetop::present
