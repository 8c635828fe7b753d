// SPDX-License-Identifier: BSD-3-Clause
// What the keys do.
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

struct Help {
  std::string_view keys;
  std::string_view text;
};

constexpr Help kHelp[] = {
    {"1-7, Tab", "the tabs; Shift-Tab goes back"},
    {"arrows, hjkl", "up and down; left and right scroll the columns"},
    {"PgUp PgDn", "a page; Home, g and End, G: the first and the last"},
    {"Enter", "opens the connection or the finding; once more: the connection it is about"},
    {"Esc", "back; clears the filter"},
    {"/", "filters connections while you type: words that all have to fit"},
    {"", "ip:192.0.2.1 qp:17 qp:0x11 state:idle or any part of a line; !word: not that"},
    {"s S < >", "sorts by the next column; the other way round; columns back and forth"},
    {"c", "chooses the columns"},
    {"p, Space", "stops the display; the capture goes on"},
    {"w", "begins to write the packets that pass the filter to a file, and ends it"},
    {"r", "begins all counters again, after asking"},
    {"+ -", "a longer or shorter interval"},
    {"u", "bits or bytes"},
    {"n", "names of hosts or addresses"},
    {"b", "a bell for new findings, or none"},
    {"t", "other colours"},
    {"q", "quits, and leaves a summary"},
    {"mouse", "tabs, headings (sorts), lines (once more: opens), wheel"},
};

}  // namespace

void draw_help(Drawing& d, Area area) {
  std::vector<StyledLine> lines;
  for (const Help& help : kHelp) {
    constexpr std::size_t kKeys = 15;
    const std::size_t first = lines.size();
    add_text(lines, d, help.text, Role::kPlain, kKeys);
    lines[first][0] = {pad_right(" " + std::string(help.keys), kKeys), Role::kKey};
  }
  lines.emplace_back();
  add_text(lines, d,
           "Shares and counts are since the start, or since r; rates are of the last interval. Grey connections are "
           "idle: nothing was seen of them in the last interval. After 5 minutes of silence they leave.",
           Role::kQuiet, 1);
  draw_page(d, area, lines);
}

}  // namespace rocetop::present
