// SPDX-License-Identifier: BSD-3-Clause
#include "present/path_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/path_order.h"
#include "present/peers_text.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using track::VeroceDirection;
using track::VerocePath;
using track::VeroceRecovery;

constexpr std::size_t kDirections = 4;  // told without `all`
constexpr std::size_t kPaths = 16;

std::string count_or_none(std::uint64_t n) { return n == 0 ? "-" : short_count(n); }

/// Zeros are no measurement: of probes, the tap is where they are answered.
std::string median(const Histogram& histogram) {
  return histogram.max() == 0 ? "-" : short_duration(Nanos{histogram.percentile(0.5)});
}

/// A column: what it is called, and its cell of a path among `all` packets.
struct PathColumn {
  std::string_view heading;
  std::string (*cell)(const VerocePath& path, std::uint64_t all);
};

constexpr std::array kColumns = {
    PathColumn{"path", [](const VerocePath& p, std::uint64_t) { return std::to_string(p.udp_src); }},
    PathColumn{"packets", [](const VerocePath& p, std::uint64_t) { return short_count(p.packets); }},
    PathColumn{"share",
               [](const VerocePath& p, std::uint64_t all) {
                 return all == 0 ? "-" : percent(static_cast<double>(p.packets) / static_cast<double>(all));
               }},
    PathColumn{"lost", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.lost); }},
    PathColumn{"resent", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.resent); }},
    PathColumn{"trimmed", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.trimmed); }},
    PathColumn{"NAKed", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.asked_by_nak); }},
    PathColumn{"late", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.late); }},
    PathColumn{"late by", [](const VerocePath& p, std::uint64_t) { return median(p.late_ns); }},
    PathColumn{"CE", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.ce_packets); }},
    PathColumn{"CNP", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.cnps); }},
    PathColumn{"slow", [](const VerocePath& p, std::uint64_t) { return count_or_none(p.slow_signals); }},
    PathColumn{"probe", [](const VerocePath& p, std::uint64_t) { return median(p.probe_ns); }},
};
using PathCells = std::array<std::string, kColumns.size()>;

/// "42 SACKs, 31 packets sent again for 30 PSNs, 1 a second time; reordered by up to 5 PSNs": what is not 0 of it.
std::string recovery_line(const track::DirectionCounts& d) {
  const VeroceDirection& v = *d.veroce;
  std::uint64_t resent = 0;
  for (const auto* space : {&d.requests, &d.responses})
    resent += space->retransmitted_original_seen + space->retransmitted_original_unseen;
  const auto both = [&](std::uint64_t VeroceRecovery::* member) { return v.requests.*member + v.responses.*member; };
  std::vector<std::string> parts;
  const auto tell = [&](std::uint64_t n, std::string_view one, std::string_view many = {}) {
    if (n != 0) parts.push_back(plural(n, one, many));
  };
  tell(both(&VeroceRecovery::sacks), "SACK");
  tell(both(&VeroceRecovery::packet_drop_naks), "Packet Drop NAK");
  tell(both(&VeroceRecovery::becn_replies), "acknowledgement with BECN", "acknowledgements with BECN");
  if (resent != 0) {
    parts.push_back(fmt::format("{} sent again for {}", plural(resent, "packet"),
                                plural(both(&VeroceRecovery::resent_psns), "PSN")));
  }
  tell(both(&VeroceRecovery::second_round), "second-round resend");
  tell(both(&VeroceRecovery::needless) + both(&VeroceRecovery::early_answers), "needless resend");
  tell(std::max(v.requests.reorder_depth, v.responses.reorder_depth), "PSN out of order at most",
       "PSNs out of order at most");
  tell(v.raw_packets, "raw packet");
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool is_troubled(const VerocePath& p) {
  return p.lost + p.trimmed + p.asked_by_nak + p.ce_packets + p.cnps + p.slow_signals > 0;
}

/// "3 more paths: 120 packets, 4 lost": `order` from `first` on, and what is not told apart at all.
std::string rest_text(const VeroceDirection& v, const std::vector<std::size_t>& order, std::size_t first) {
  std::uint64_t packets = 0;
  std::uint64_t lost = 0;
  for (std::size_t n = first; n < order.size(); ++n) {
    packets += v.paths[order[n]].packets;
    lost += v.paths[order[n]].lost;
  }
  std::string text;
  const auto tell = [&](const std::string& what, std::uint64_t of_packets, std::uint64_t of_lost) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", what, plural(of_packets, "packet"));
    if (of_lost > 0) text += fmt::format(", {} lost", grouped(of_lost));
  };
  if (first < order.size()) tell(plural(order.size() - first, "more path"), packets, lost);
  if (v.packets_elsewhere > 0) {
    tell(fmt::format("over ports beyond the {} told apart", track::kVerocePaths), v.packets_elsewhere,
         v.lost_elsewhere);
  }
  return text;
}

void write_table(const track::DirectionCounts& d, std::size_t most, const TextStyle& style, const TextSink& sink) {
  const PathTable table = path_table(d, most, false, style.width, style.unicode);
  sink(paint(style, Tone::kQuiet, table.heading) + "\n");
  for (const PathTable::Row& row : table.rows) sink(row.text + "\n");
  if (table.rest.empty()) return;
  const bool listed_by_all = d.veroce->paths.size() > most;
  sink(paragraph(
      style,
      {{"  " + table.rest + (listed_by_all ? " (--all shows every path that is told apart)" : ""), Tone::kQuiet}}, 0,
      2));
}

}  // namespace

bool has_paths(const track::DirectionCounts& direction) {
  return direction.veroce && std::any_of(direction.veroce->paths.begin(), direction.veroce->paths.end(),
                                         [](const VerocePath& p) { return p.packets > 0; });
}

PathTable path_table(const track::DirectionCounts& direction, std::size_t most, bool worst_first, std::size_t width,
                     bool unicode) {
  const VeroceDirection& v = *direction.veroce;
  std::uint64_t all = v.packets_elsewhere;
  for (const VerocePath& path : v.paths) all += path.packets;
  std::vector<std::size_t> order = model::worst_paths_first(v.paths);
  const std::size_t shown_paths = std::min(most, order.size());
  if (!worst_first && shown_paths == order.size()) std::sort(order.begin(), order.end());
  std::vector<PathCells> rows(1);
  for (std::size_t i = 0; i < kColumns.size(); ++i) rows[0][i] = kColumns[i].heading;
  for (std::size_t n = 0; n < shown_paths; ++n) {
    PathCells& row = rows.emplace_back();
    for (std::size_t i = 0; i < kColumns.size(); ++i) row[i] = clean(kColumns[i].cell(v.paths[order[n]], all), unicode);
  }
  std::array<std::size_t, kColumns.size()> widths{};
  std::array<bool, kColumns.size()> shown{};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      widths[i] = std::max(widths[i], cells(rows[r][i]));
      shown[i] = shown[i] || (r > 0 && rows[r][i] != "-");
    }
  }
  PathTable table;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = " ";
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      if (!shown[i]) continue;
      const std::string cell = " " + pad_left(rows[r][i], widths[i]);
      if (cells(line) + cells(cell) > width) break;
      line += cell;
    }
    if (r == 0) {
      table.heading = line;
    } else {
      table.rows.push_back({line, is_troubled(v.paths[order[r - 1]])});
    }
  }
  table.rest = rest_text(v, order, shown_paths);
  return table;
}

void write_path_tables(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink) {
  std::size_t told = 0;
  std::size_t omitted = 0;
  for (const track::ConnectionCounts& c : snapshot.connections) {
    for (const auto* d : {&c.a_to_b, &c.b_to_a}) {
      if (!*d || !has_paths(**d)) continue;
      if (!all && told == kDirections) {
        ++omitted;
        continue;
      }
      ++told;
      const std::string title = fmt::format("paths (UDP source ports) {} → {}", (*d)->src.to_string(),
                                            end_point_text((*d)->dst, (*d)->dst_qpn));
      const std::string recovery = recovery_line(**d);
      sink("\n" +
           paragraph(style, {{recovery.empty() ? title : title + ":", Tone::kStrong}, {recovery, Tone::kQuiet}}, 0, 2));
      write_table(**d, all ? (*d)->veroce->paths.size() : kPaths, style, sink);
    }
  }
  if (omitted > 0) {
    sink(paragraph(style,
                   {{fmt::format("paths of {} (--all shows them)", plural(omitted, "more direction")), Tone::kQuiet}},
                   0, 2));
  }
}

}  // namespace rocetop::present
