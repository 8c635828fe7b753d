// SPDX-License-Identifier: BSD-3-Clause
// The tab of findings: their titles, worst first, and below them what there is to say about the chosen one.
#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>

#include "present/finding_text.h"
#include "present/honesty_text.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {

using verdict::Finding;

std::vector<std::uint64_t> finding_ids(const Drawing& d) {
  std::vector<std::uint64_t> ids;
  std::unordered_map<std::string, std::size_t> seen;
  for (const Finding& f : d.s().totals.findings) {
    const std::string key = finding_key(f);
    const std::size_t before = seen[key]++;  // two that are alike but for their words are told apart by their order
    ids.push_back(std::hash<std::string>{}(before == 0 ? key : key + "#" + std::to_string(before)));
  }
  return ids;
}

void draw_findings(Drawing& d, Area area) {
  const auto& findings = d.s().totals.findings;
  d.on.keys = finding_ids(d);
  Table table;
  table.columns = {
      {"", 1, 0, true, 0, kNoSort}, {"finding", 400, 0, true, 20, kNoSort}, {"rule", 26, 1, true, 0, kNoSort}};
  table.rows = findings.size();
  TextStyle style;
  style.width = d.width();
  style.unicode = d.in.unicode;
  if (findings.empty()) {
    table.nothing = no_findings_text(d.s().totals, style);
    std::replace(table.nothing.begin(), table.nothing.end(), '\n', ' ');  // the table has lines of its own
  }
  table.row = [&](std::size_t row, const std::vector<std::size_t>&) {
    const Finding& f = findings[row];
    TableRow out;
    out.quiet = finding_is_over(d, row);
    const std::string when = out.quiet ? "(" + last_seen_text(d, row) + ") " : "";
    out.cells = {{mark_text(d, f.severity), out.quiet ? Role::kQuiet : severity_role(f.severity)},
                 {(f.caused_by ? (d.in.unicode ? "└ " : "`- ") : "") + when + f.title},
                 {f.rule, Role::kQuiet}};
    return out;
  };
  // A third for the titles if there are many, the rest for the chosen one.
  const std::size_t titles = std::min(findings.size() + 1, std::max<std::size_t>(area.height * 2 / 5, 2));
  const bool room = area.height >= 6 && !findings.empty();
  draw_table(d, {area.y, room ? titles : area.height}, table);
  if (findings.empty()) return;
  d.on.finding = d.on.keys[d.on.row];
  if (!room) return;
  const std::vector<StyledLine> lines = finding_lines(d, d.on.row, false);
  const std::size_t from = area.y + titles + (area.height > titles + 4 ? 1 : 0);
  const std::size_t left = area.y + area.height - from;
  for (std::size_t i = 0; i < lines.size() && i < left; ++i) {
    const bool cut = i + 1 == left && i + 1 < lines.size();
    d.grid.put(
        0, from + i,
        cut ? StyledLine{{d.in.unicode ? "   … Enter shows all of it" : "   ... Enter shows all of it", Role::kQuiet}}
            : lines[i]);
  }
}

}  // namespace rocetop::present
