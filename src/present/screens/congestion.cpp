// SPDX-License-Identifier: BSD-3-Clause
// The tab of congestion: for each direction whose data was marked or notified about, whether the loop works; then who
// pauses whom.
#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/words.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

struct Path {
  const track::ConnectionCounts* connection;
  const track::DirectionCounts* direction;
};

std::string path_text(const Drawing& d, const Path& p, std::size_t room) {
  const auto& to = *p.direction;
  const std::string qpn = to.dst_qpn ? std::to_string(to.dst_qpn->value) : "?";
  const std::string between = " " + std::string(arrow(d)) + " ";
  std::string text = host_text(d, to.src) + between + host_text(d, to.dst) + " qp " + qpn;
  if (cells(text) <= room) return text;
  const std::size_t halves = room > cells(between) ? room - cells(between) : 0;
  return fit_tail(host_text(d, to.src), halves / 2, d.in.unicode) + between +
         fit_tail(host_text(d, to.dst) + "/" + qpn, halves - halves / 2, d.in.unicode);
}

Role loop_role(track::Loop loop) {
  switch (loop) {
    case track::Loop::kNotificationMissing:
    case track::Loop::kReactionMissing:
    case track::Loop::kNotMarked:
    case track::Loop::kOscillating:
      return Role::kWarning;
    case track::Loop::kClosed:
      return Role::kGood;
    default:
      return Role::kQuiet;
  }
}

Piece time_cell(const Histogram& h) {
  if (h.empty()) return {"-", Role::kQuiet};
  return {short_duration(Nanos{h.percentile(0.5)})};
}

std::vector<StyledLine> pauses(const Drawing& d) {
  std::vector<StyledLine> lines;
  for (const track::PausingPort& port : d.s().totals.pauses) {
    for (std::size_t i = 0; i < port.classes.size(); ++i) {
      const track::PauseCounts& c = port.classes[i];
      if (c.xoff_frames == 0) continue;
      const auto& m = port.mac;
      const std::string paused =
          c.paused ? short_duration(*c.paused)
                   : fmt::format("{} to {}", short_duration(c.paused_least), short_duration(c.paused_most));
      add_text(
          lines, d,
          fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x} pauses {}: {} XOFF, {} XON, paused {}", m[0], m[1],
                      m[2], m[3], m[4], m[5], i == track::kAllClasses ? "everything" : fmt::format("class {}", i),
                      short_count(c.xoff_frames), short_count(c.xon_frames), paused),
          Role::kWarning, 1, 2);
    }
  }
  for (const track::ReceiverCounts& r : d.s().totals.receivers) {
    if (r.most_at_once < 2) continue;
    add_text(lines, d,
             fmt::format("{} was sent congested data by {} hosts within 1 ms", host_text(d, r.host), r.most_at_once),
             Role::kPlain, 1, 2);
  }
  return lines;
}

}  // namespace

void draw_congestion(Drawing& d, Area area) {
  std::vector<Path> paths;
  for (const auto& c : d.s().totals.connections) {
    for (const auto* direction : {&c.a_to_b, &c.b_to_a}) {
      if (*direction && (*direction)->congestion) paths.push_back({&c, &**direction});
    }
  }
  const auto signs = [](const Path& p) { return p.direction->congestion->ce_packets + p.direction->congestion->cnps; };
  std::stable_sort(paths.begin(), paths.end(), [&](const Path& a, const Path& b) { return signs(a) > signs(b); });
  std::size_t widest = 20;
  for (const Path& p : paths) {
    d.on.keys.push_back(std::uint64_t{p.connection->id} * 2 +
                        (p.connection->a_to_b && p.direction == &*p.connection->a_to_b));
    widest = std::max(widest, cells(path_text(d, p, Grid::kAll)));
  }
  Table table;
  table.columns = {
      {"data of", widest, 0, true, std::min<std::size_t>(widest, std::max<std::size_t>(d.width() / 3, 20)), kNoSort},
      {"loop", 20, 1, true, 0, kNoSort},
      {"CE", 6, 2, false, 0, kNoSort},
      {"CNP", 5, 3, false, 0, kNoSort},
      {"no CE", 5, 8, false, 0, kNoSort},
      {"CE-CNP", 7, 4, false, 0, kNoSort},
      {"before", 9, 6, false, 0, kNoSort},
      {"after", 9, 7, false, 0, kNoSort},
      {"slower", 6, 5, false, 0, kNoSort},
      {"recovers", 8, 9, false, 0, kNoSort}};
  table.rows = paths.size();
  table.nothing = "No packet was marked by a switch (CE) and no congestion notification (CNP) was seen.";
  table.row = [&](std::size_t row, const std::vector<std::size_t>& room) {
    const track::DirectionCounts& to = *paths[row].direction;
    const track::CongestionCounts& c = *to.congestion;
    const std::uint64_t data = to.requests.packets + to.responses.packets;
    const double share = data == 0 ? 0 : std::min(1.0, static_cast<double>(c.ce_packets) / static_cast<double>(data));
    const auto rate = [&](const Histogram& h) {
      return h.empty() ? Piece{"-", Role::kQuiet} : Piece{rate_text(d, static_cast<double>(h.percentile(0.5)))};
    };
    const auto count = [](std::uint64_t n) { return Piece{short_count(n), n == 0 ? Role::kQuiet : Role::kPlain}; };
    TableRow out;
    out.cells = {{path_text(d, paths[row], room[0])},
                 {std::string(model::in_words(to.loop)), loop_role(to.loop)},
                 {share > 0 ? percent(share) : "0", share > 0 ? Role::kInfo : Role::kQuiet},
                 count(c.cnps),
                 count(c.cnps_without_ce),
                 time_cell(c.ce_to_cnp_ns),
                 rate(c.rate_before_bps),
                 rate(c.rate_after_bps),
                 count(c.slowdowns),
                 time_cell(c.recovery_ns)};
    return out;
  };
  std::vector<StyledLine> below = pauses(d);
  const std::size_t most = area.height / 3;
  if (below.size() > most) below.resize(most);
  draw_table(d, {area.y, area.height - below.size()}, table);
  if (d.on.row < paths.size()) d.on.connection = paths[d.on.row].connection->id;
  for (std::size_t i = 0; i < below.size(); ++i) d.grid.put(0, area.y + area.height - below.size() + i, below[i]);
}

}  // namespace rocetop::present
