// SPDX-License-Identifier: BSD-3-Clause
#include "curses_looks.h"

#include <array>
#include <string_view>

#include "present/utf8.h"

namespace rocetop::cli {
namespace {

using present::Role;
using present::Theme;

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

}  // namespace

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

}  // namespace rocetop::cli
