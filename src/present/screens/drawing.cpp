// SPDX-License-Identifier: BSD-3-Clause
#include "present/screens/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "present/finding_text.h"
#include "present/text.h"
#include "present/utf8.h"

namespace rocetop::present {
namespace {

/// Widths of the columns that fit, the important ones first; what is left over goes to the flexible ones.
std::vector<std::size_t> widths_of(const Drawing& d, const Table& table) {
  const auto& columns = table.columns;
  std::vector<std::size_t> widths(columns.size(), 0);
  std::vector<std::size_t> order(columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return columns[a].importance < columns[b].importance; });
  std::size_t skip = std::min(d.state.list().skipped_columns, d.on.most_skipped);
  std::vector<bool> skipped(columns.size());
  for (std::size_t i = 0; i < columns.size() && skip > 0; ++i) {
    if (columns[i].importance == 0 || columns[i].least != 0 || columns[i].width == 0) continue;
    skipped[i] = true;
    --skip;
  }
  std::size_t left = d.width();
  for (const std::size_t i : order) {
    if (skipped[i] || columns[i].width == 0) continue;
    const std::size_t wanted = columns[i].least != 0 ? std::min(columns[i].least, columns[i].width) : columns[i].width;
    const std::size_t gap = left == d.width() ? 0 : 1;
    if (wanted + gap > left) {
      if (columns[i].importance == 0 && left > gap) widths[i] = left - gap, left = 0;
      continue;
    }
    widths[i] = wanted;
    left -= wanted + gap;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].least == 0 || widths[i] == 0) continue;
    const std::size_t more = std::min(left, columns[i].width - widths[i]);
    widths[i] += more;
    left -= more;
  }
  return widths;
}

void draw_headings(Drawing& d, std::size_t y, const Table& table, const std::vector<std::size_t>& widths) {
  d.grid.tint(0, y, d.width(), Role::kHeading);
  std::size_t x = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;
    const TableColumn& column = table.columns[i];
    const bool sorted = column.sort != kNoSort && column.sort == table.sorted_by;
    std::string heading = column.heading;
    if (sorted) heading += d.in.unicode ? (table.reversed ? "▴" : "▾") : (table.reversed ? "+" : "-");
    const Role role = sorted ? Role::kSorted : Role::kHeading;
    // The arrow may use the gap to the left.
    const std::size_t from = sorted && !column.left && x > 0 ? x - 1 : x;
    const std::size_t room = widths[i] + (x - from);
    if (column.left) {
      d.grid.put(x, y, heading, role, room);
    } else {
      d.grid.put_right(from, y, room, heading, role);
    }
    if (column.sort != kNoSort) d.on.spots.push_back({HotSpot::Kind::kColumn, x, y, widths[i], column.sort});
    x += widths[i] + 1;
  }
}

void draw_row(Drawing& d, std::size_t y, const Table& table, const TableRow& row,
              const std::vector<std::size_t>& widths, bool selected) {
  std::size_t x = 0;
  if (selected) d.grid.tint(0, y, d.width(), Role::kSelected);
  for (std::size_t i = 0; i < widths.size() && i < row.cells.size(); ++i) {
    if (widths[i] == 0) continue;
    Role role = row.cells[i].role;
    if (row.quiet && (role == Role::kPlain || role == Role::kGraph)) role = Role::kQuiet;
    // The cursor is a bar over the whole line; what is urgent keeps its mark.
    if (selected) role = Role::kSelected;
    if (table.columns[i].left) {
      d.grid.put(x, y, row.cells[i].text, role, widths[i]);
    } else {
      d.grid.put_right(x, y, widths[i], row.cells[i].text, role);
    }
    x += widths[i] + 1;
  }
}

std::string half_text(const Drawing& d, const IpAddress& ip, std::optional<Qpn> qpn, bool roomy) {
  const std::string number = qpn ? std::to_string(qpn->value) : "?";
  return host_text(d, ip) + (roomy ? " qp " : "/") + number;
}

}  // namespace

void draw_table(Drawing& d, Area area, const Table& table) {
  d.on.rows = table.rows;
  d.on.most_skipped = 0;
  for (const TableColumn& column : table.columns) {
    if (column.importance != 0 && column.least == 0 && column.width != 0) ++d.on.most_skipped;
  }
  if (d.on.most_skipped > 0) --d.on.most_skipped;
  if (area.height == 0) return;
  const std::vector<std::size_t> widths = widths_of(d, table);
  draw_headings(d, area.y, table, widths);
  d.on.page = area.height - 1;
  d.on.row = row_of(d.state.list(), d.on.keys, table.rows);
  d.on.top = top_of(d.state.list().top, d.on.row, table.rows, d.on.page);
  if (table.rows == 0 && area.height > 1) {
    std::vector<StyledLine> lines;
    add_text(lines, d, table.nothing, Role::kQuiet, 1);
    for (std::size_t i = 0; i < lines.size() && i + 1 < area.height; ++i) d.grid.put(0, area.y + 1 + i, lines[i]);
  }
  for (std::size_t i = 0; i < d.on.page && d.on.top + i < table.rows; ++i) {
    const std::size_t row = d.on.top + i;
    const std::size_t y = area.y + 1 + i;
    draw_row(d, y, table, table.row(row, widths), widths, row == d.on.row);
    d.on.spots.push_back({HotSpot::Kind::kRow, 0, y, d.width(), row});
  }
}

void draw_page(Drawing& d, Area area, const std::vector<StyledLine>& lines) {
  d.on.scrolls = true;
  d.on.rows = lines.size();
  d.on.page = area.height;
  const std::size_t most = lines.size() > area.height ? lines.size() - area.height : 0;
  d.on.top = std::min(d.state.list().row, most);
  for (std::size_t i = 0; i < area.height && d.on.top + i < lines.size(); ++i) {
    d.grid.put(0, area.y + i, lines[d.on.top + i]);
  }
}

void add_text(std::vector<StyledLine>& lines, const Drawing& d, std::string_view text, Role role, std::size_t indent,
              std::size_t hanging) {
  constexpr std::size_t kProseWidth = 110;
  const std::size_t width = std::min(d.width(), kProseWidth);
  const std::size_t used = indent + hanging;
  const auto wrapped = wrap(keep_together(text), width > used ? width - used : 1, d.in.unicode);
  bool first = true;
  for (const std::string& line : wrapped) {
    lines.push_back({{std::string(first ? indent : used, ' ')}, {line, role}});
    first = false;
  }
}

std::string clock_text(const Drawing& d, Nanos time, bool fraction) {
  return rfc3339(time, d.in.zone).substr(11, fraction ? 12 : 8);
}

std::string rate_text(const Drawing& d, double bits_per_second) {
  if (d.state.units == Units::kBits) return rate_text(bits_per_second);
  const double bytes = std::clamp(bits_per_second / 8, 0.0, 1e18);
  return bytes_text(static_cast<std::uint64_t>(std::llround(bytes))) + "/s";
}

std::string a_second(std::uint64_t count, Nanos duration) {
  const double rate = model::per_second(count, duration);
  if (count == 0) return "0";
  if (rate < 1) return "<1/s";
  return short_count(static_cast<std::uint64_t>(std::llround(std::min(rate, 1e18)))) + "/s";
}

std::string mark_text(const Drawing& d, verdict::Severity severity) {
  return clean(severity_mark(severity), d.in.unicode);
}

Role severity_role(verdict::Severity severity) { return role_of(severity_tone(severity)); }

std::string host_text(const Drawing& d, const IpAddress& ip) {
  if (d.state.names && d.in.names != nullptr) {
    const auto found = d.in.names->find(ip);
    if (found != d.in.names->end() && !found->second.empty()) return clean(found->second, d.in.unicode);
  }
  return ip.to_string();
}

std::string fit_tail(std::string_view text, std::size_t room, bool unicode) {
  if (cells(text) <= room) return std::string(text);
  const std::string_view dots = unicode ? "…" : "..";
  const std::size_t kept = room > cells(dots) ? room - cells(dots) : 0;
  while (!text.empty() && cells(text) > kept) text.remove_prefix(first_code_point(text).bytes);
  return kept == 0 ? std::string(room, '.') : std::string(dots) + std::string(text);
}

std::string peers_text(const Drawing& d, const track::ConnectionCounts& c, std::size_t room) {
  const std::string between = d.in.unicode ? " ↔ " : " <-> ";
  for (const bool roomy : {true, false}) {
    std::string text = half_text(d, c.a_ip, c.a_qpn, roomy) + between + half_text(d, c.b_ip, c.b_qpn, roomy);
    if (cells(text) <= room) return text;
  }
  const std::size_t halves = room > cells(between) ? room - cells(between) : 0;
  return fit_tail(half_text(d, c.a_ip, c.a_qpn, false), halves / 2, d.in.unicode) + between +
         fit_tail(half_text(d, c.b_ip, c.b_qpn, false), halves - halves / 2, d.in.unicode);
}

std::string_view arrow(const Drawing& d) { return d.in.unicode ? "→" : "->"; }

}  // namespace rocetop::present
