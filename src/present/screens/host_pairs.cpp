// SPDX-License-Identifier: BSD-3-Clause
// The tab of host pairs: what all connections from one host to another make together.
#include "model/host_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

/// A host pair, and what passed of it lately.
struct PairRow {
  model::HostPair all;
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

struct PairColumn {
  std::string_view heading;
  std::size_t width;
  int importance;
  double (*value)(const PairRow&);
  Piece (*cell)(const Drawing&, const PairRow&);
};

Piece count(std::uint64_t n, Role role = Role::kPlain) { return {short_count(n), n == 0 ? Role::kQuiet : role}; }
double number(std::uint64_t n) { return static_cast<double>(n); }
double resent(const PairRow& p) {
  return p.all.data_packets == 0 ? 0 : number(p.all.retransmitted) / number(p.all.data_packets);
}
Nanos span(const Drawing& d) { return d.in.history == nullptr ? Nanos{} : d.in.history->passed_in(); }

constexpr PairColumn kColumns[] = {
    {"conns", 6, 3, [](const PairRow& p) { return number(p.all.connections); },
     [](const Drawing&, const PairRow& p) {
       // Only what answers comes this way: data of no connection, and yet not nothing.
       return p.all.connections == 0 ? Piece{"-", Role::kQuiet} : count(p.all.connections);
     }},
    {"rate", 9, 1, [](const PairRow& p) { return number(p.bytes); },
     [](const Drawing& d, const PairRow& p) {
       const double bits = 8 * model::per_second(p.bytes, span(d));
       return bits > 0 ? Piece{rate_text(d, bits)} : Piece{"-", Role::kQuiet};
     }},
    {"pkt/s", 6, 4, [](const PairRow& p) { return number(p.frames); },
     [](const Drawing& d, const PairRow& p) {
       const double rate = model::per_second(p.frames, span(d));
       if (p.frames != 0 && rate < 0.5) return Piece{"<1"};
       return count(static_cast<std::uint64_t>(std::llround(std::min(rate, 1e18))));
     }},
    {"packets", 8, 9, [](const PairRow& p) { return number(p.all.packets); },
     [](const Drawing&, const PairRow& p) { return count(p.all.packets); }},
    {"bytes", 8, 2, [](const PairRow& p) { return number(p.all.bytes_on_wire); },
     [](const Drawing&, const PairRow& p) { return Piece{bytes_text(p.all.bytes_on_wire)}; }},
    {"resent", 7, 1, resent,
     [](const Drawing&, const PairRow& p) {
       return resent(p) > 0 ? Piece{percent(std::min(resent(p), 1.0)), Role::kWarning} : Piece{"0", Role::kQuiet};
     }},
    {"miss", 5, 4, [](const PairRow& p) { return number(p.all.missing); },
     [](const Drawing&, const PairRow& p) { return count(p.all.missing, Role::kWarning); }},
    {"late", 5, 9, [](const PairRow& p) { return number(p.all.reordered); },
     [](const Drawing&, const PairRow& p) { return count(p.all.reordered, Role::kWarning); }},
    {"NAK", 5, 5, [](const PairRow& p) { return number(p.all.naks); },
     [](const Drawing&, const PairRow& p) { return count(p.all.naks, Role::kWarning); }},
    {"RNR", 5, 6, [](const PairRow& p) { return number(p.all.rnr_naks); },
     [](const Drawing&, const PairRow& p) { return count(p.all.rnr_naks, Role::kWarning); }},
    {"CE", 5, 7, [](const PairRow& p) { return number(p.all.ce_packets); },
     [](const Drawing&, const PairRow& p) { return count(p.all.ce_packets, Role::kInfo); }},
    {"CNP", 5, 7, [](const PairRow& p) { return number(p.all.cnps); },
     [](const Drawing&, const PairRow& p) { return count(p.all.cnps, Role::kInfo); }},
    {"ports", 6, 10, [](const PairRow& p) { return number(p.all.ports.size()); },
     [](const Drawing&, const PairRow& p) { return count(p.all.ports.size()); }},
    {"paths", 6, 11, [](const PairRow& p) { return number(p.all.hop_limits.size()); },
     [](const Drawing&, const PairRow& p) { return count(p.all.hop_limits.size()); }},
    {"even", 5, 12, [](const PairRow& p) { return p.all.jain_index.value_or(0); },
     [](const Drawing&, const PairRow& p) {
       return p.all.jain_index ? Piece{fmt::format("{:.2f}", *p.all.jain_index)} : Piece{"-", Role::kQuiet};
     }},
};
constexpr std::size_t kColumnCount = std::size(kColumns);

std::string pair_text(const Drawing& d, const model::HostPair& p, std::size_t room) {
  const std::string between = " " + std::string(arrow(d)) + " ";
  std::string text = host_text(d, p.src) + between + host_text(d, p.dst);
  if (cells(text) <= room) return text;
  const std::size_t halves = room > cells(between) ? room - cells(between) : 0;
  return fit_tail(host_text(d, p.src), halves / 2, d.in.unicode) + between +
         fit_tail(host_text(d, p.dst), halves - halves / 2, d.in.unicode);
}

std::vector<PairRow> pair_rows(const Drawing& d) {
  std::vector<PairRow> rows;
  std::map<std::pair<IpAddress, IpAddress>, std::size_t> places;
  for (model::HostPair& pair : model::host_pairs(d.s().totals.connections)) {
    places.emplace(std::pair(pair.src, pair.dst), rows.size());
    rows.push_back({std::move(pair)});
  }
  if (d.in.history == nullptr) return rows;
  for (const track::ConnectionCounts& c : d.s().totals.connections) {
    const LiveHistory::Passed passed = d.in.history->passed(c.id);
    for (std::size_t way = 0; way < 2; ++way) {
      const auto& direction = way == 0 ? c.a_to_b : c.b_to_a;
      if (!direction || passed.frames[way] == 0) continue;
      const auto place = places.find({direction->src, direction->dst});
      if (place == places.end()) continue;
      rows[place->second].frames += passed.frames[way];
      rows[place->second].bytes += passed.bytes[way];
    }
  }
  return rows;
}

}  // namespace

void draw_host_pairs(Drawing& d, Area area) {
  std::vector<PairRow> pairs = pair_rows(d);
  const ListState& list = d.state.list();
  // Column 0 is as they come: those with the most data first.
  if (list.sort != 0 && list.sort <= kColumnCount) {
    const auto value = kColumns[list.sort - 1].value;
    std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) { return value(a) > value(b); });
  }
  if (list.reversed) std::reverse(pairs.begin(), pairs.end());
  std::size_t widest = 20;
  for (const auto& [p, frames, bytes] : pairs) {
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
    out.cells.push_back({pair_text(d, pairs[row].all, room[0])});
    for (const PairColumn& column : kColumns) out.cells.push_back(column.cell(d, pairs[row]));
    return out;
  };
  d.on.columns = kColumnCount + 1;
  draw_table(d, area, table);
}

}  // namespace rocetop::present
