// SPDX-License-Identifier: BSD-3-Clause
// The tab of connection management: who asked whom for a connection, and who refused or ended it, newest first.
#include <fmt/format.h>

#include <algorithm>

#include "present/cm_text.h"
#include "present/screens/drawing.h"
#include "present/text.h"
#include "wire/cm.h"

namespace rocetop::present {
namespace {

Role message_role(wire::CmMessage message) {
  switch (message) {
    case wire::CmMessage::kRej:
      return Role::kWarning;
    case wire::CmMessage::kDreq:
    case wire::CmMessage::kDrep:
      return Role::kQuiet;
    default:
      return Role::kPlain;
  }
}

}  // namespace

void draw_management(Drawing& d, Area area) {
  const auto& messages = d.s().management;
  std::size_t widest = 10;
  for (const auto& m : messages) {
    widest = std::max({widest, cells(host_text(d, m.from)), cells(host_text(d, m.to))});
  }
  const std::size_t host = std::min(widest, std::max<std::size_t>(d.width() / 4, 10));
  for (std::size_t i = messages.size(); i-- > 0;) {
    const FrameId frame = messages[i].frame;
    d.on.keys.push_back(std::uint64_t{frame.file()} << 48 | frame.number());
  }
  Table table;
  table.columns = {{"time", 12, d.width() < 60 ? 9 : 0, true, 0, kNoSort},
                   {"from", host, 1, true, 0, kNoSort},
                   {"to", host, 2, true, 0, kNoSort},
                   {"message", 90, 0, true, 16, kNoSort}};
  table.rows = messages.size();
  table.nothing = "No CM message (REQ, REP, REJ, DREQ …) was captured: connections were set up before, or out of band.";
  table.row = [&](std::size_t row, const std::vector<std::size_t>& room) {
    const model::ManagementMessage& m = messages[messages.size() - 1 - row];
    TableRow out;
    out.cells = {{clock_text(d, m.time, true), Role::kQuiet},
                 {fit_tail(host_text(d, m.from), room[1], d.in.unicode)},
                 {fit_tail(host_text(d, m.to), room[2], d.in.unicode)},
                 {cm_words(m.cm), message_role(m.cm.message)}};
    return out;
  };
  // What is too long for its line stands below, for the chosen one.
  constexpr std::size_t kBelow = 3;
  const bool roomy = area.height > 2 * kBelow && !messages.empty();
  draw_table(d, {area.y, roomy ? area.height - kBelow : area.height}, table);
  if (!roomy) return;
  const model::ManagementMessage& chosen = messages[messages.size() - 1 - d.on.row];
  std::vector<StyledLine> lines;
  add_text(lines, d,
           fmt::format("{} {} {}: {} (packet #{})", host_text(d, chosen.from), arrow(d), host_text(d, chosen.to),
                       cm_words(chosen.cm), chosen.frame.number()),
           message_role(chosen.cm.message), 1, 2);
  for (std::size_t i = 0; i < lines.size() && i < kBelow; ++i) {
    d.grid.put(0, area.y + area.height - kBelow + i, lines[i]);
  }
}

}  // namespace rocetop::present
