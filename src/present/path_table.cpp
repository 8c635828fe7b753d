// SPDX-License-Identifier: BSD-3-Clause
#include "present/path_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
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
  tell(v.packets_elsewhere, "packet over further paths", "packets over further paths");
  return fmt::format("{}", fmt::join(parts, ", "));
}

void write_table(const track::DirectionCounts& d, std::size_t most, const TextStyle& style, const TextSink& sink) {
  const VeroceDirection& v = *d.veroce;
  std::uint64_t all = v.packets_elsewhere;
  for (const VerocePath& path : v.paths) all += path.packets;
  std::vector<PathCells> rows(1);
  for (std::size_t i = 0; i < kColumns.size(); ++i) rows[0][i] = kColumns[i].heading;
  for (std::size_t n = 0; n < v.paths.size() && n < most; ++n) {
    PathCells& row = rows.emplace_back();
    for (std::size_t i = 0; i < kColumns.size(); ++i) row[i] = clean(kColumns[i].cell(v.paths[n], all), style.unicode);
  }
  std::array<std::size_t, kColumns.size()> widths{};
  std::array<bool, kColumns.size()> shown{};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      widths[i] = std::max(widths[i], cells(rows[r][i]));
      shown[i] = shown[i] || (r > 0 && rows[r][i] != "-");
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = " ";
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      if (!shown[i]) continue;
      const std::string cell = " " + pad_left(rows[r][i], widths[i]);
      if (cells(line) + cells(cell) > style.width) break;
      line += cell;
    }
    sink(paint(style, r == 0 ? Tone::kQuiet : Tone::kPlain, line) + "\n");
  }
  if (v.paths.size() > most) {
    sink(paragraph(style, {{fmt::format("  {} more paths (--all shows them)", v.paths.size() - most), Tone::kQuiet}}, 0,
                   2));
  }
}

}  // namespace

void write_path_tables(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink) {
  std::size_t told = 0;
  std::size_t omitted = 0;
  for (const track::ConnectionCounts& c : snapshot.connections) {
    for (const auto* d : {&c.a_to_b, &c.b_to_a}) {
      if (!*d || !(*d)->veroce) continue;
      const VeroceDirection& v = *(*d)->veroce;
      const bool has_data =
          std::any_of(v.paths.begin(), v.paths.end(), [](const VerocePath& p) { return p.packets > 0; });
      if (!has_data) continue;
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
      write_table(**d, all ? v.paths.size() : kPaths, style, sink);
    }
  }
  if (omitted > 0) {
    sink(paragraph(style,
                   {{fmt::format("paths of {} (--all shows them)", plural(omitted, "more direction")), Tone::kQuiet}},
                   0, 2));
  }
}

}  // namespace rocetop::present
