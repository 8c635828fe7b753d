// SPDX-License-Identifier: BSD-3-Clause
// What the screens share while they draw: the grid, the rows between header and footer, tables and pages of text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "present/screens/screen.h"

namespace rocetop::present {

/// Rows of the grid that a tab may draw on.
struct Area {
  std::size_t y = 0;
  std::size_t height = 0;
};

struct Drawing {
  const ScreenInput& in;
  const UiState& state;
  Grid grid;
  OnScreen on;

  const model::LiveSnapshot& s() const { return *in.snapshot; }
  std::size_t width() const { return in.width; }
};

inline constexpr std::size_t kNoSort = static_cast<std::size_t>(-1);

struct TableColumn {
  std::string heading;
  std::size_t width = 5;       ///< cells
  int importance = 0;          ///< low ones stay when the screen is narrow; 0 always
  bool left = false;           ///< aligned left
  std::size_t least = 0;       ///< flexible: from so many cells up to `width`
  std::size_t sort = kNoSort;  ///< what a click on the heading sorts by
};

struct TableRow {
  std::vector<Piece> cells;  ///< by column
  bool quiet = false;        ///< what is plain of it fades
};

struct Table {
  std::vector<TableColumn> columns;
  std::size_t rows = 0;
  /// `room`: the widths of the columns, 0 for those that are not shown.
  std::function<TableRow(std::size_t row, const std::vector<std::size_t>& room)> row;
  std::string nothing;  ///< said where there are no rows
  std::size_t sorted_by = kNoSort;
  bool reversed = false;
};

/// The table with its headings, the cursor on a row. `keys` of the rows must be in `d.on` before.
void draw_table(Drawing& d, Area area, const Table& table);

/// Lines, scrolled to where the list state says.
void draw_page(Drawing& d, Area area, const std::vector<StyledLine>& lines);

/// `text` wrapped to the grid's width, behind `indent`; more for lines after the first.
void add_text(std::vector<StyledLine>& lines, const Drawing& d, std::string_view text, Role role = Role::kPlain,
              std::size_t indent = 0, std::size_t hanging = 0);

std::string clock_text(const Drawing& d, Nanos time, bool fraction = false);  ///< "12:00:01", "12:00:01.123"
std::string rate_text(const Drawing& d, double bits_per_second);              ///< in the units that were chosen
std::string a_second(std::uint64_t count, Nanos duration);                    ///< "12/s", "<1/s", "0"
/// "▲", or what ASCII has.
std::string mark_text(const Drawing& d, verdict::Severity severity);
Role severity_role(verdict::Severity severity);
/// The host's name if names are wanted and it has one, else the address.
std::string host_text(const Drawing& d, const IpAddress& ip);
/// "192.0.2.1/17 ↔ 192.0.2.2/18", or with "qp" if `room` allows; heads of addresses go first where it is short.
std::string peers_text(const Drawing& d, const track::ConnectionCounts& c, std::size_t room);
/// The end of `text`, if it is longer than `room`.
std::string fit_tail(std::string_view text, std::size_t room, bool unicode);
std::string_view arrow(const Drawing& d);  ///< "→"
/// What each finding of the snapshot is known by while its numbers change.
std::vector<std::uint64_t> finding_ids(const Drawing& d);
/// The finding of that index in words: the whole of it, or what matters most.
std::vector<StyledLine> finding_lines(const Drawing& d, std::size_t index, bool whole);
/// A finding stays in the list when its cause has ended.
bool finding_is_over(const Drawing& d, std::size_t index);
std::string last_seen_text(const Drawing& d, std::size_t index);  ///< "12 s ago"

// One file each.
void draw_connections(Drawing& d, Area area);
void draw_host_pairs(Drawing& d, Area area);
void draw_findings(Drawing& d, Area area);
void draw_congestion(Drawing& d, Area area);
void draw_management(Drawing& d, Area area);
void draw_adapters(Drawing& d, Area area);
void draw_capture(Drawing& d, Area area);
void draw_connection(Drawing& d, Area area);
void draw_finding(Drawing& d, Area area);
void draw_help(Drawing& d, Area area);
void draw_column_choice(Drawing& d, Area area);

}  // namespace rocetop::present
