// SPDX-License-Identifier: BSD-3-Clause
// The tab of host pairs: what all connections from one host to another make together.
#include "model/host_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using model::HostPair;

struct PairColumn {
  std::string_view heading;
  std::size_t width;
  int importance;
  double (*value)(const HostPair&);
  Piece (*cell)(const HostPair&);
};

Piece count(std::uint64_t n, Role role = Role::kPlain) { return {short_count(n), n == 0 ? Role::kQuiet : role}; }
double number(std::uint64_t n) { return static_cast<double>(n); }
double resent(const HostPair& p) { return p.data_packets == 0 ? 0 : number(p.retransmitted) / number(p.data_packets); }

constexpr PairColumn kColumns[] = {
    {"conns", 5, 3, [](const HostPair& p) { return number(p.connections); },
     [](const HostPair& p) { return count(p.connections); }},
    {"packets", 7, 8, [](const HostPair& p) { return number(p.packets); },
     [](const HostPair& p) { return count(p.packets); }},
    {"bytes", 8, 2, [](const HostPair& p) { return number(p.bytes_on_wire); },
     [](const HostPair& p) { return Piece{bytes_text(p.bytes_on_wire)}; }},
    {"resent", 6, 1, resent,
     [](const HostPair& p) {
       return resent(p) > 0 ? Piece{percent(std::min(resent(p), 1.0)), Role::kWarning} : Piece{"0", Role::kQuiet};
     }},
    {"miss", 5, 4, [](const HostPair& p) { return number(p.missing); },
     [](const HostPair& p) { return count(p.missing, Role::kWarning); }},
    {"late", 5, 9, [](const HostPair& p) { return number(p.reordered); },
     [](const HostPair& p) { return count(p.reordered, Role::kWarning); }},
    {"NAK", 5, 5, [](const HostPair& p) { return number(p.naks); },
     [](const HostPair& p) { return count(p.naks, Role::kWarning); }},
    {"RNR", 5, 6, [](const HostPair& p) { return number(p.rnr_naks); },
     [](const HostPair& p) { return count(p.rnr_naks, Role::kWarning); }},
    {"CE", 5, 7, [](const HostPair& p) { return number(p.ce_packets); },
     [](const HostPair& p) { return count(p.ce_packets, Role::kInfo); }},
    {"CNP", 5, 7, [](const HostPair& p) { return number(p.cnps); },
     [](const HostPair& p) { return count(p.cnps, Role::kInfo); }},
    {"ports", 5, 10, [](const HostPair& p) { return number(p.ports.size()); },
     [](const HostPair& p) { return count(p.ports.size()); }},
    {"paths", 5, 11, [](const HostPair& p) { return number(p.hop_limits.size()); },
     [](const HostPair& p) { return count(p.hop_limits.size()); }},
    {"even", 5, 12, [](const HostPair& p) { return p.jain_index.value_or(0); },
     [](const HostPair& p) {
       return p.jain_index ? Piece{fmt::format("{:.2f}", *p.jain_index)} : Piece{"-", Role::kQuiet};
     }},
};
constexpr std::size_t kColumnCount = std::size(kColumns);

std::string pair_text(const Drawing& d, const HostPair& p, std::size_t room) {
  const std::string between = " " + std::string(arrow(d)) + " ";
  std::string text = host_text(d, p.src) + between + host_text(d, p.dst);
  if (cells(text) <= room) return text;
  const std::size_t halves = room > cells(between) ? room - cells(between) : 0;
  return fit_tail(host_text(d, p.src), halves / 2, d.in.unicode) + between +
         fit_tail(host_text(d, p.dst), halves - halves / 2, d.in.unicode);
}

}  // namespace

void draw_host_pairs(Drawing& d, Area area) {
  std::vector<HostPair> pairs = model::host_pairs(d.s().totals.connections);
  const ListState& list = d.state.list();
  // Column 0 is as they come: those with the most data first.
  if (list.sort != 0 && list.sort <= kColumnCount) {
    const auto value = kColumns[list.sort - 1].value;
    std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) { return value(a) > value(b); });
  }
  if (list.reversed) std::reverse(pairs.begin(), pairs.end());
  std::size_t widest = 20;
  for (const HostPair& p : pairs) {
    d.on.keys.push_back(std::hash<std::string>{}(p.src.to_string() + " " + p.dst.to_string()));
    widest = std::max(widest, cells(pair_text(d, p, Grid::kAll)));
  }
  Table table;
  table.rows = pairs.size();
  table.nothing = "No RoCE packet between any hosts yet.";
  table.sorted_by = std::min(list.sort, kColumnCount);
  table.reversed = list.reversed;
  table.columns.push_back({"from " + std::string(arrow(d)) + " to", widest, 0, true,
                           std::min(widest, std::max<std::size_t>(d.width() * 2 / 5, 20)), 0});
  std::size_t sort = 1;
  for (const PairColumn& column : kColumns) {
    table.columns.push_back({std::string(column.heading), column.width, column.importance, false, 0, sort++});
  }
  table.row = [&](std::size_t row, const std::vector<std::size_t>& room) {
    TableRow out;
    out.cells.push_back({pair_text(d, pairs[row], room[0])});
    for (const PairColumn& column : kColumns) out.cells.push_back(column.cell(pairs[row]));
    return out;
  };
  d.on.columns = kColumnCount + 1;
  draw_table(d, area, table);
}

}  // namespace rocetop::present
