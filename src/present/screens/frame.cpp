// SPDX-License-Identifier: BSD-3-Clause
// What every screen has around it: what is watched and how fast, whether the capture can be trusted, the tabs, and at
// the bottom what is new and what the keys do.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/duration_text.h"
#include "base/number_text.h"
#include "model/words.h"
#include "present/plot.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

constexpr std::size_t kLowHeight = 16;    // rows: below, the header is two lines
constexpr std::size_t kNarrow = 60;       // cells
constexpr std::uint64_t kNewsLasts = 10;  // snapshots
constexpr std::size_t kAlerts = 2;        // lines about interfaces at most

/// From roomy to tight.
using TabNames = std::array<std::string_view, kTabs>;
constexpr std::array<TabNames, 3> kTabNames = {
    {{"Connections", "Host pairs", "Findings", "Congestion", "Connection management", "NIC counters", "Capture"},
     {"Connections", "Hosts", "Findings", "Congestion", "CM", "NIC", "Capture"},
     {"Conn", "Hosts", "Find", "Congest", "CM", "NIC", "Capt"}}};

void title_line(Drawing& d) {
  d.grid.tint(0, 0, d.width(), Role::kBar);
  const model::LiveSnapshot* s = d.in.snapshot;
  std::string right;
  if (d.state.paused) right += "PAUSED  ";
  if (s != nullptr && !s->recording.file.empty()) right += "REC  ";
  if (s != nullptr) right += clock_text(d, s->time) + (s->final ? "  (end)" : "");
  if (d.width() >= kNarrow && !(s != nullptr && s->final)) right += "  every " + exact_duration(d.state.interval);
  right += " ";
  const std::size_t wide = cells(right);
  const std::size_t room = d.width() > wide ? d.width() - wide : 0;
  const std::size_t x = d.grid.put(0, 0, d.width() >= kNarrow ? " rocetop live  " : " ", Role::kBar, room);
  const std::size_t title = room > x + 1 ? room - x - 1 : 0;
  d.grid.put(x, 0, fit_tail(clean(d.in.title, d.in.unicode), title, d.in.unicode), Role::kBar, title);
  d.grid.put(room, 0, right, Role::kBar);
}

void label(StyledLine& line, std::string_view name, const std::string& value, Role role) {
  line.push_back({(line.empty() ? " " : "  ") + std::string(name) + " ", Role::kQuiet});
  line.push_back({value, role});
}

StyledLine rates(const Drawing& d, bool roomy) {
  const model::Interval& i = d.s().interval;
  StyledLine line;
  const double bits = 8 * model::per_second(i.bytes_on_wire, i.duration);
  label(line, "packets", a_second(i.frames, i.duration), Role::kStrong);
  label(line, "rate", rate_text(d, bits), Role::kStrong);
  if (roomy && d.in.history != nullptr) {
    const std::size_t strip = std::min<std::size_t>(d.width() / 5, 40);
    line.push_back({" " + sparkline(d.in.history->bits_per_second(), strip, d.in.unicode), Role::kGraph});
  }
  const std::string share =
      i.frames == 0 ? "-" : percent(static_cast<double>(i.roce_frames) / static_cast<double>(i.frames));
  if (roomy) label(line, "RoCE", share, Role::kPlain);
  label(line, "active", fmt::format("{} of {}", i.active, short_count(d.s().totals.connections.size())), Role::kPlain);
  return line;
}

StyledLine signs(const Drawing& d, bool roomy) {
  const model::Interval& i = d.s().interval;
  StyledLine line;
  const auto sign = [&](std::string_view name, std::uint64_t count, Role role) {
    label(line, name, a_second(count, i.duration), count == 0 ? Role::kQuiet : role);
  };
  sign("resent", i.sum.retransmitted, Role::kWarning);
  sign("NAK", i.sum.naks, Role::kWarning);
  if (roomy) sign("RNR", i.sum.rnr_naks, Role::kWarning);
  sign("CE", i.sum.ce, Role::kInfo);
  sign("CNP", i.sum.cnps, Role::kInfo);
  if (roomy) sign("PFC", i.pfc_frames, Role::kInfo);
  if (roomy && i.pauses != 0) sign("pause", i.pauses, Role::kWarning);
  return line;
}

/// What is wrong with a capture that is read. Interfaces have a state of their own.
std::span<const model::InputProblem> damages(const Drawing& d) {
  if (!d.s().interfaces.empty()) return {};
  return d.s().totals.problems;
}

/// … in a few words; empty if nothing is.
Piece damage(const Drawing& d) {
  Piece worst;
  for (const model::InputProblem& problem : damages(d)) {
    if (problem.limit) {
      if (worst.text.empty()) worst = {"a limit was reached, ", Role::kWarning};
    } else if (problem.fatal) {
      return {"DAMAGED, the rest is not read; ", Role::kCritical};
    } else {
      worst = {"CUT OFF at its end; ", Role::kWarning};
    }
  }
  return worst;
}

/// What the capture itself lost, and what therefore is not known.
StyledLine honesty(const Drawing& d) {
  const model::CaptureCounts& c = d.s().totals.capture;
  const std::uint64_t dropped = c.dropped_reported.value_or(0);
  const bool lossy = dropped != 0 || c.capture_missed_packets != 0;
  std::string text;
  if (c.drops_are_unknowable) {
    text = "drops are not reported by this source";
  } else if (dropped != 0) {
    text = fmt::format("{} dropped by the kernel", short_count(dropped));
  } else {
    text = c.dropped_reported ? "nothing dropped" : "drops not reported";
  }
  if (c.capture_missed_packets != 0) {
    text += fmt::format(", {} acknowledged but unseen", short_count(c.capture_missed_packets));
  }
  if (c.completeness_known) {
    text += c.completeness < 1 ? fmt::format(", {} complete", percent(c.completeness))
            : dropped == 0     ? ", complete"
                               : ", acknowledgements show no gap";
  } else {
    text += ", completeness unknown";
  }
  StyledLine line = {{" capture ", Role::kQuiet}, damage(d), {text, lossy ? Role::kWarning : Role::kPlain}};
  if (const std::uint64_t n = d.s().totals.silent_connections; n != 0) {
    line.push_back({fmt::format("  {} silent left", short_count(n)), Role::kQuiet});
  }
  if (c.evicted_connections != 0) {
    line.push_back({fmt::format("  {} left at the limit", short_count(c.evicted_connections)), Role::kWarning});
  }
  return line;
}

std::vector<StyledLine> alerts(const Drawing& d) {
  std::vector<StyledLine> lines;
  const auto add = [&](const std::string& text, Role role) {
    if (lines.size() < kAlerts) lines.push_back({{" " + text, role}});
  };
  for (const model::InputProblem& problem : damages(d)) {
    add(clean(problem.message, d.in.unicode), problem.fatal ? Role::kCritical : Role::kWarning);
  }
  for (const model::LiveInterface& i : d.s().interfaces) {
    if (i.state != model::LinkState::kUp) {
      add(fmt::format("{}: {} since {}, waited for", i.name, model::word(i.state), clock_text(d, i.since)),
          Role::kWarning);
    } else if (!i.error.empty()) {
      add(i.error, Role::kCritical);
    } else if (i.bypass_suspected) {
      add(fmt::format("{}: the adapter bypasses the kernel, so its traffic is not seen here; see Capture (7)", i.name),
          Role::kWarning);
    }
  }
  if (const model::Recording& r = d.s().recording; !r.error.empty()) add("not recording: " + r.error, Role::kCritical);
  return lines;
}

void tab_line(Drawing& d, std::size_t y) {
  const std::size_t findings = d.in.snapshot == nullptr ? 0 : d.s().totals.findings.size();
  const auto name_of = [&](std::size_t i, std::size_t size) {  // in the last size only the shown one has a name
    const auto number = std::to_string(i + 1);
    if (size == kTabNames.size() && static_cast<std::size_t>(d.state.tab) != i) return " " + number + " ";
    std::string name(kTabNames[std::min(size, kTabNames.size() - 1)][i]);
    if (i == 2 && findings != 0) name += fmt::format(" ({})", findings);
    return " " + number + " " + name + " ";
  };
  std::size_t size = 0;
  for (; size < kTabNames.size(); ++size) {
    std::size_t wide = 0;
    for (std::size_t i = 0; i < kTabs; ++i) wide += cells(name_of(i, size));
    if (wide <= d.width()) break;
  }
  d.grid.tint(0, y, d.width(), Role::kTab);
  std::size_t x = 0;
  for (std::size_t i = 0; i < kTabs; ++i) {
    const bool shown = static_cast<std::size_t>(d.state.tab) == i;
    const std::string name = name_of(i, size);
    d.grid.put(x, y, name, shown ? Role::kActiveTab : Role::kTab);
    d.on.spots.push_back({HotSpot::Kind::kTab, x, y, cells(name), i});
    x += cells(name);
  }
}

/// Gives the number of rows it took.
std::size_t header(Drawing& d) {
  title_line(d);
  std::size_t y = 1;
  if (d.in.snapshot != nullptr) {
    std::vector<StyledLine> lines;
    const bool roomy = d.in.height >= kLowHeight && d.width() >= kNarrow;
    if (d.in.height >= kLowHeight) lines.push_back(rates(d, roomy));
    lines.push_back(signs(d, roomy));
    if (d.in.height >= kLowHeight) lines.push_back(honesty(d));
    for (const StyledLine& alert : alerts(d)) lines.push_back(alert);
    if (d.in.height < kLowHeight && lines.size() > 1) lines.erase(lines.begin());  // what is wrong matters more
    for (const StyledLine& line : lines) {
      if (y + 3 < d.in.height) d.grid.put(0, y++, line);
    }
  }
  tab_line(d, y);
  return y + 1;
}

struct KeyHint {
  char key;
  std::string_view shown;
  std::string_view text;
};

/// Where the cursor or the page is, if not all is on the screen.
std::string place_text(const Drawing& d) {
  if (d.on.rows <= d.on.page || d.on.page == 0) return "";
  if (d.on.scrolls) return fmt::format(" {}-{}/{} ", d.on.top + 1, d.on.top + d.on.page, d.on.rows);
  return fmt::format(" {}/{} ", d.on.row + 1, grouped(d.on.rows));
}

void key_line(Drawing& d, std::size_t y) {
  static constexpr KeyHint kHints[] = {
      {'?', "?", "Help"}, {'q', "q", "Quit"},  {'\r', "Enter", "Open"}, {'j', "j/k", "Scroll"}, {'/', "/", "Filter"},
      {'s', "s", "Sort"}, {'p', "p", "Pause"}, {'w', "w", "Write"},     {'c', "c", "Columns"},  {'r', "r", "Reset"}};
  const bool lists = d.state.overlay == Overlay::kNone && !d.on.scrolls;
  const auto means_something = [&](char key) {
    switch (key) {
      case '\r':
        return (lists || d.state.overlay == Overlay::kFinding) && (d.on.connection || d.on.finding);
      case 'j':
        return d.on.scrolls && d.on.rows > d.on.page;
      case 's':
        return lists && d.on.columns > 1;
      case '/':
      case 'c':
        return lists && d.state.tab == Tab::kConnections;
      default:
        return true;
    }
  };
  d.grid.tint(0, y, d.width(), Role::kBar);
  const std::string place = place_text(d);
  const std::size_t room = d.width() > cells(place) ? d.width() - cells(place) : 0;
  std::size_t x = 0;
  const auto hint = [&](const KeyHint& h) {
    const std::size_t wide = cells(h.shown) + cells(h.text) + 3;
    if (x + wide > room) return;
    d.on.spots.push_back({HotSpot::Kind::kKey, x, y, wide, static_cast<std::size_t>(h.key)});
    const std::size_t behind = d.grid.put(x + 1, y, h.shown, Role::kKey);
    d.grid.put(behind + 1, y, h.text, Role::kBar);
    x += wide;
  };
  if (d.state.overlay != Overlay::kNone) {
    const std::size_t behind = d.grid.put(1, y, "Esc", Role::kKey);
    x = d.grid.put(behind + 1, y, "Back ", Role::kBar);
  }
  for (const KeyHint& h : kHints) {
    if (means_something(h.key)) hint(h);
  }
  d.grid.put(room, y, place, Role::kBar);
}

/// The worst of what is new, if it is not old yet. On low screens it stands where the keys do, and goes with the next.
bool news_line(Drawing& d, std::size_t x, std::size_t y, bool low) {
  const LiveHistory::News none;
  const LiveHistory::News& news = d.in.history != nullptr ? d.in.history->news() : none;
  if (d.in.snapshot == nullptr || news.snapshot == 0 || d.s().number >= news.snapshot + kNewsLasts) return false;
  if (low && news.snapshot <= d.state.news_seen) return false;
  d.on.news = news.snapshot;
  StyledLine line = {{" " + mark_text(d, news.severity) + " ", severity_role(news.severity)}};
  std::string more;
  if (news.further != 0) {
    more = d.width() < kNarrow ? fmt::format(" +{}", news.further)
                               : fmt::format(" (and {})", plural(news.further, "more finding"));
  }
  const std::size_t used = x + cells(more) + 8;
  const std::size_t room = d.width() > used ? d.width() - used : 0;
  line.push_back({"new: ", Role::kQuiet});
  line.push_back({fit(clean(news.title, d.in.unicode), room, d.in.unicode), severity_role(news.severity)});
  line.push_back({more, Role::kQuiet});
  d.grid.put(x, y, line);
  return true;
}

/// True if there was something to say.
bool message_line(Drawing& d, std::size_t y, bool low) {
  if (d.state.asking == Asking::kReset) {
    d.grid.put(0, y, " Begin all counters again? y/n", Role::kPrompt);
    return true;
  }
  if (d.state.asking == Asking::kFilter) {
    const std::size_t x = d.grid.put(0, y, " filter: ", Role::kPrompt);
    const std::size_t room = d.width() > x + 1 ? d.width() - x - 1 : 0;
    const std::size_t behind = d.grid.put(x, y, fit_tail(clean(d.state.filter, d.in.unicode), room, d.in.unicode));
    d.grid.put(behind, y, d.in.unicode ? "▏" : "_", Role::kPrompt);
    if (d.state.filter.empty()) d.grid.put(behind + 1, y, " ip:192.0.2.1 qp:17 state:idle !word", Role::kQuiet);
    return true;
  }
  if (!d.state.message.empty()) {
    d.grid.put(0, y, " " + d.state.message, Role::kStrong);
    return true;
  }
  std::size_t x = 0;
  if (!d.state.filter.empty() && d.state.tab == Tab::kConnections && d.state.overlay == Overlay::kNone) {
    const std::string filter = clean(d.state.filter, d.in.unicode);
    x = d.grid.put(0, y, {{" filter: ", Role::kQuiet}, {filter, Role::kPrompt}, {" (Esc clears it) ", Role::kQuiet}});
  }
  return (x <= d.width() / 2 && news_line(d, x, y, low)) || x != 0;
}

void draw_tab(Drawing& d, Area area) {
  switch (d.state.tab) {
    case Tab::kConnections:
      return draw_connections(d, area);
    case Tab::kHostPairs:
      return draw_host_pairs(d, area);
    case Tab::kFindings:
      return draw_findings(d, area);
    case Tab::kCongestion:
      return draw_congestion(d, area);
    case Tab::kManagement:
      return draw_management(d, area);
    case Tab::kAdapters:
      return draw_adapters(d, area);
    case Tab::kCapture:
      return draw_capture(d, area);
  }
}

void draw_body(Drawing& d, Area area) {
  if (d.state.overlay == Overlay::kHelp) return draw_help(d, area);
  if (d.in.snapshot == nullptr)
    return draw_page(d, area, {{{" waiting for packets from " + clean(d.in.title, d.in.unicode), Role::kQuiet}}});
  if (d.state.overlay == Overlay::kConnection) return draw_connection(d, area);
  if (d.state.overlay == Overlay::kFinding) return draw_finding(d, area);
  if (d.state.overlay == Overlay::kColumns) return draw_column_choice(d, area);
  draw_tab(d, area);
}

}  // namespace

ScreenView draw_screen(const ScreenInput& input, const UiState& state) {
  Drawing d{input, state, Grid(input.width, input.height, input.unicode), {}};
  if (input.width == 0 || input.height == 0) return {std::move(d.grid), std::move(d.on)};
  const std::size_t y = header(d);
  const bool low = input.height < kLowHeight;
  const std::size_t footer = low ? 1 : 2;
  draw_body(d, {y, input.height > y + footer ? input.height - y - footer : 0});
  const std::size_t last = input.height - 1;
  if (low) {
    if (!message_line(d, last, true)) key_line(d, last);
  } else {
    message_line(d, last - 1, false);
    key_line(d, last);
  }
  std::erase_if(d.on.spots, [&](const HotSpot& spot) { return spot.y >= input.height || spot.x >= input.width; });
  return {std::move(d.grid), std::move(d.on)};
}

}  // namespace rocetop::present
