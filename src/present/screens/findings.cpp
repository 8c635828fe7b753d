// SPDX-License-Identifier: BSD-3-Clause
// The tab of findings: their titles, worst first, and below them what there is to say about the chosen one.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/words.h"
#include "present/finding_text.h"
#include "present/honesty_text.h"
#include "present/peers_text.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using verdict::Finding;

constexpr std::size_t kFramesNamed = 8;
constexpr std::size_t kConnectionsNamed = 8;

std::string proof(const Drawing& d, const Finding& f) {
  std::string text;
  if (!f.frames.empty()) {
    text = f.frames.size() == 1 ? "packet " : "packets ";
    const bool several = d.s().totals.files.size() > 1;
    for (std::size_t i = 0; i < f.frames.size() && i < kFramesNamed; ++i) {
      text += (i == 0 ? "" : ", ") + frame_text(f.frames[i], several);
    }
    if (f.frames_total > f.frames.size()) text += fmt::format(" (of {})", grouped(f.frames_total));
    text += " · ";
  }
  if (f.first_time && f.last_time) {
    text += clock_text(d, *f.first_time, true);
    if (*f.last_time != *f.first_time) text += " to " + clock_text(d, *f.last_time, true);
    text += " · ";
  }
  if (!f.connections.empty()) {
    text += f.connections.size() == 1 ? "connection " : "connections ";
    for (std::size_t i = 0; i < f.connections.size() && i < kConnectionsNamed; ++i) {
      text += (i == 0 ? "" : ", ") + std::to_string(f.connections[i]);
    }
    if (f.connections.size() > kConnectionsNamed) {
      text += fmt::format(" and {} more", grouped(f.connections.size() - kConnectionsNamed));
    }
    text += " · ";
  }
  if (f.confidence != verdict::Confidence::kHigh) text += fmt::format("confidence {} · ", model::word(f.confidence));
  return text + "rule " + f.rule;
}

bool is_over(const Drawing& d, std::size_t i) {
  const model::FindingState* state = d.s().state_of_finding(i);
  return state != nullptr && !state->active;
}

/// A finding stays in the list when its cause has ended.
std::string seen_text(const Drawing& d, std::size_t i) {
  const auto& last = d.s().finding_states[i].last_seen;
  return last ? short_duration(std::max(d.s().time - *last, Nanos{})) + " ago" : "over";
}

void add_recent(std::vector<StyledLine>& lines, const Drawing& d, const Finding& f, std::size_t i) {
  const model::FindingState* state = d.s().state_of_finding(i);
  if (is_over(d, i)) return add_text(lines, d, "over; last seen: " + seen_text(d, i), Role::kQuiet, 3);
  if (state == nullptr || !state->recent || state->recent->title == f.title) return;
  add_text(lines, d, fmt::format("in the last {}: {}", short_duration(d.s().window), state->recent->title),
           Role::kPlain, 3);
}

std::vector<StyledLine> details(const Drawing& d, const Finding& f, std::size_t i) {
  std::vector<StyledLine> lines;
  std::string severity(model::word(f.severity));
  std::transform(severity.begin(), severity.end(), severity.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  add_text(lines, d, mark_text(d, f.severity) + " " + severity + " " + f.title, severity_role(f.severity), 1, 2);
  add_recent(lines, d, f, i);
  if (f.caused_by) {
    const auto& all = d.s().totals.findings;
    const auto cause = std::find_if(all.begin(), all.end(), [&](const auto& g) { return g.id == *f.caused_by; });
    if (cause != all.end()) add_text(lines, d, "a consequence of: " + cause->title, Role::kQuiet, 3);
  }
  add_text(lines, d, f.explanation, Role::kPlain, 3);
  std::string out;
  for (const std::string& what : f.ruled_out) out += (out.empty() ? "ruled out: " : "; ") + what;
  if (!out.empty()) add_text(lines, d, out, Role::kPlain, 3);
  for (const std::string& step : f.next_steps) {
    add_text(lines, d, std::string(arrow(d)) + " " + step, Role::kInfo, 3, 2);
  }
  add_text(lines, d, proof(d, f), Role::kQuiet, 3);
  return lines;
}

}  // namespace

void draw_findings(Drawing& d, Area area) {
  const auto& findings = d.s().totals.findings;
  for (const Finding& f : findings) d.on.keys.push_back(std::hash<std::string>{}(finding_key(f)));
  Table table;
  table.columns = {
      {"", 1, 0, true, 0, kNoSort}, {"finding", 400, 0, true, 20, kNoSort}, {"rule", 26, 1, true, 0, kNoSort}};
  table.rows = findings.size();
  TextStyle style;
  style.width = d.width();
  style.unicode = d.in.unicode;
  if (findings.empty()) table.nothing = no_findings_text(d.s().totals, style);
  table.row = [&](std::size_t row, const std::vector<std::size_t>&) {
    const Finding& f = findings[row];
    TableRow out;
    out.quiet = is_over(d, row);
    const std::string when = out.quiet ? "(" + seen_text(d, row) + ") " : "";
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
  const Finding& chosen = findings[d.on.row];
  if (!chosen.connections.empty()) d.on.connection = chosen.connections.front();
  if (!room) return;
  const std::vector<StyledLine> lines = details(d, chosen, d.on.row);
  const std::size_t from = area.y + titles + (area.height > titles + 4 ? 1 : 0);
  const std::size_t left = area.y + area.height - from;
  for (std::size_t i = 0; i < lines.size() && i < left; ++i) {
    const bool cut = i + 1 == left && i + 1 < lines.size();
    d.grid.put(0, from + i, cut ? StyledLine{{"   … a larger window shows more", Role::kQuiet}} : lines[i]);
  }
}

}  // namespace rocetop::present
