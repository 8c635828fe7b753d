// SPDX-License-Identifier: BSD-3-Clause
// The tab of connections, and the choice of its columns.
#include <algorithm>
#include <numeric>

#include "base/number_text.h"
#include "present/live_text.h"
#include "present/screens/connection_columns.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

struct Rows {
  std::vector<model::Trouble> list;  // as shown
  std::size_t all = 0;
};

const model::ConnectionTotals& recent_of(const Drawing& d, std::size_t index) {
  static const model::ConnectionTotals nothing;
  return index < d.s().recent.size() ? d.s().recent[index] : nothing;
}

ConnectionRow row_of_list(const Drawing& d, const model::Trouble& t) {
  return {d, d.s().totals.connections[t.index], t, t.totals, recent_of(d, t.index)};
}

/// Those that the filter lets through, in the order that was chosen.
Rows sorted_rows(const Drawing& d) {
  Rows rows;
  rows.list = model::by_trouble(d.s().totals);
  rows.all = rows.list.size();
  if (!d.state.filter.empty()) {
    std::erase_if(rows.list, [&](const auto& t) { return !matches(d.state.filter, row_of_list(d, t)); });
  }
  const ListState& list = d.state.lists[0];
  const auto columns = connection_columns();
  const std::size_t sort = std::min(list.sort, columns.size() - 1);
  std::vector<double> values(rows.list.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    // By trouble: quiet ones by what they move now.
    const ConnectionRow row = row_of_list(d, rows.list[i]);
    values[i] = sort != kTroubleColumn ? columns[sort].value(row)
                : rows.list[i].quiet   ? -1 / (1 + row.recent.bits_per_second().value_or(0))
                                       : static_cast<double>(values.size() - i);
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  if (list.reversed) std::reverse(order.begin(), order.end());
  std::vector<model::Trouble> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(rows.list[i]);
  rows.list = std::move(sorted);
  return rows;
}

std::string nothing_text(const Drawing& d, const Rows& rows) {
  if (rows.all != 0)
    return "None of the " + plural(rows.all, "connection") + " fits the filter " + d.state.filter + ".";
  std::string bypass = bypass_text(d.s());
  if (!bypass.empty()) return bypass;
  if (d.s().totals.capture.frames == 0) return "Nothing captured yet.";
  return "No RoCE connection yet: " + plural(d.s().totals.capture.frames, "packet") + " captured, " +
         plural(d.s().totals.capture.roce_frames, "RoCE packet") + " among them.";
}

/// Digits of the largest id, so that the column is no wider than it must be.
std::size_t id_width(const Rows& rows) {
  std::size_t widest = 0;
  for (const auto& t : rows.list) widest = std::max(widest, t.index + 1);
  return std::max<std::size_t>(std::to_string(widest).size(), 2);
}

}  // namespace

void draw_connections(Drawing& d, Area area) {
  const Rows rows = sorted_rows(d);
  const auto& connections = d.s().totals.connections;
  for (const auto& t : rows.list) d.on.keys.push_back(connections[t.index].id);
  std::uint32_t largest_id = 0;
  std::size_t widest = 26;
  for (std::size_t i = 0; i < rows.list.size(); ++i) {
    const auto& c = connections[rows.list[i].index];
    largest_id = std::max(largest_id, c.id);
    if (i < 200) widest = std::max(widest, cells(peers_text(d, c, Grid::kAll)));
  }
  Table table;
  table.rows = rows.list.size();
  table.sorted_by = std::min(d.state.lists[0].sort, connection_columns().size() - 1);
  table.reversed = d.state.lists[0].reversed;
  table.nothing = nothing_text(d, rows);
  std::size_t i = 0;
  for (const ConnectionColumn& column : connection_columns()) {
    const bool hidden = column.importance != 0 && (d.state.hidden_columns >> i & 1) != 0;
    TableColumn& shown = table.columns.emplace_back();
    shown.heading = column.heading;
    shown.width = hidden ? 0 : column.width;
    shown.importance = hidden ? 1'000 : column.importance;
    shown.sort = i;
    shown.left = i == kTroubleColumn || i == kPeersColumn || column.heading == "state";
    ++i;
  }
  table.columns[kTroubleColumn].width = std::max(id_width(rows), std::to_string(largest_id).size()) + 2;
  TableColumn& peers = table.columns[kPeersColumn];
  // In full where there is room; else it makes do with less, and a column more fits.
  peers.width = widest;
  constexpr std::size_t kShorter = 6;  // "192.0.2.1/17" for "192.0.2.1 qp 17", twice
  peers.least = std::min(widest - kShorter, std::max<std::size_t>(d.width() * 2 / 5, 20));
  table.row = [&](std::size_t row, const std::vector<std::size_t>& room) {
    const ConnectionRow r = row_of_list(d, rows.list[row]);
    TableRow out;
    out.quiet = r.recent.frames == 0;
    for (std::size_t column = 0; column < room.size(); ++column) {
      out.cells.push_back(room[column] == 0 ? Piece{} : connection_columns()[column].cell(r, room[column]));
    }
    return out;
  };
  d.on.columns = connection_columns().size();
  draw_table(d, area, table);
  if (d.on.row < rows.list.size()) d.on.connection = connections[rows.list[d.on.row].index].id;
}

void draw_column_choice(Drawing& d, Area area) {
  const auto columns = connection_columns();
  Table table;
  table.columns = {{"shown", 6, 0, true, 0, kNoSort},
                   {"column", 10, 0, true, 0, kNoSort},
                   {"what it says (space: show or hide)", 100, 0, true, 10, kNoSort}};
  table.rows = columns.size();
  table.row = [&](std::size_t row, const std::vector<std::size_t>&) {
    const bool fixed = columns[row].importance == 0;
    const bool hidden = !fixed && (d.state.hidden_columns >> row & 1) != 0;
    TableRow out;
    out.quiet = hidden;
    out.cells = {{fixed    ? "always"
                  : hidden ? "[ ]"
                           : "[x]"},
                 {std::string(columns[row].heading)},
                 {std::string(columns[row].help), Role::kQuiet}};
    return out;
  };
  draw_table(d, area, table);
}

}  // namespace rocetop::present
