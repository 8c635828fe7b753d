// SPDX-License-Identifier: BSD-3-Clause
// One finding: what happened to whom, what that is judged by, which packets prove it, what was ruled out, and what to
// do next.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/words.h"
#include "present/finding_text.h"
#include "present/peers_text.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using verdict::Finding;

constexpr std::size_t kFramesNamed = 8;
constexpr std::size_t kFramesListed = 64;
constexpr std::size_t kConnectionsNamed = 8;
constexpr std::size_t kConnectionsListed = 32;

/// "packets #3, #4 (of 24)", at most so many of them.
std::string frames_text(const Drawing& d, const Finding& f, std::size_t most) {
  std::string text = f.frames.size() == 1 ? "packet " : "packets ";
  const bool several = d.s().totals.files.size() > 1;
  for (std::size_t i = 0; i < f.frames.size() && i < most; ++i) {
    text += (i == 0 ? "" : ", ") + frame_text(f.frames[i], several);
  }
  const std::uint64_t total = std::max<std::uint64_t>(f.frames_total, f.frames.size());
  if (total > std::min(f.frames.size(), most)) text += fmt::format(" (of {})", grouped(total));
  return text;
}

std::string times_text(const Drawing& d, const Finding& f) {
  if (!f.first_time || !f.last_time) return "";
  std::string text = clock_text(d, *f.first_time, true);
  if (*f.last_time != *f.first_time) text += " to " + clock_text(d, *f.last_time, true);
  return text;
}

std::string proof(const Drawing& d, const Finding& f) {
  std::string text;
  if (!f.frames.empty()) text = frames_text(d, f, kFramesNamed) + " · ";
  if (const std::string times = times_text(d, f); !times.empty()) text += times + " · ";
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

/// "wait_max_ns", 4988740 -> "wait max: 4.99 ms".
std::string value_text(const Drawing& d, std::string name, double value) {
  std::string number;
  const auto unit = [&](std::string_view suffix) {
    if (!name.ends_with(suffix)) return false;
    name.erase(name.size() - suffix.size());
    return true;
  };
  const auto whole = [&] { return static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, 9e18))); };
  if (unit("_ns")) {
    number = short_duration(Nanos{static_cast<std::int64_t>(whole())});
  } else if (unit("_bytes")) {
    number = bytes_text(whole());
  } else if (unit("_bps")) {
    number = rate_text(d, value);
  } else if (unit("_ratio")) {
    number = fmt::format("{:.3g}", value);
  } else {
    number = value == std::floor(value) && value >= 0 ? grouped(whole()) : fmt::format("{:g}", value);
  }
  std::string text;  // in one piece where lines are wrapped
  for (const char c : name + "_" + number) text += c == '_' || c == ' ' ? "\u00A0" : std::string(1, c);
  return text;
}

class FindingPage {
 public:
  FindingPage(const Drawing& d, std::size_t index) : d_(d), f_(d.s().totals.findings[index]), index_(index) {}

  /// All there is to say.
  std::vector<StyledLine> whole() {
    title();
    heading("Explanation");
    text(f_.explanation);
    values();
    list("Ruled out", "-", f_.ruled_out, Role::kPlain);
    list("What to do next", arrow(d_), f_.next_steps, Role::kInfo);
    heading("Proof");
    if (!f_.frames.empty()) text(frames_text(d_, f_, kFramesListed));
    if (const std::string times = times_text(d_, f_); !times.empty()) text(times);
    text(fmt::format("rule {} · confidence {}", f_.rule, model::word(f_.confidence)), Role::kQuiet);
    whom();
    related();
    return std::move(lines_);
  }

  /// What matters most, in few lines.
  std::vector<StyledLine> brief() {
    title();
    text(f_.explanation);
    std::string out;
    for (const std::string& what : f_.ruled_out) out += (out.empty() ? "ruled out: " : "; ") + what;
    if (!out.empty()) text(out);
    for (const std::string& step : f_.next_steps) text(std::string(arrow(d_)) + " " + step, Role::kInfo, 2);
    text(proof(d_, f_), Role::kQuiet);
    return std::move(lines_);
  }

 private:
  void text(std::string_view what, Role role = Role::kPlain, std::size_t hanging = 0) {
    if (!what.empty()) add_text(lines_, d_, what, role, 3, hanging);
  }
  void heading(std::string_view what) {
    lines_.emplace_back();
    lines_.push_back({{" " + std::string(what), Role::kStrong}});
  }
  void list(std::string_view name, std::string_view mark, const std::vector<std::string>& entries, Role role) {
    if (entries.empty()) return;
    heading(name);
    for (const std::string& entry : entries) text(std::string(mark) + " " + entry, role, 2);
  }

  void title() {
    std::string severity(model::word(f_.severity));
    std::transform(severity.begin(), severity.end(), severity.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    add_text(lines_, d_, mark_text(d_, f_.severity) + " " + severity + " " + f_.title, severity_role(f_.severity), 1,
             2);
    lately();
    if (const Finding* cause = cause_of(f_)) text("a consequence of: " + cause->title, Role::kQuiet);
  }

  void values() {
    if (f_.values.empty()) return;
    heading("Measured");
    std::string all;
    for (const auto& [name, value] : f_.values) all += (all.empty() ? "" : " · ") + value_text(d_, name, value);
    text(all);
  }

  void whom() {
    const auto& all = d_.s().totals.connections;
    std::size_t listed = 0;
    for (const std::uint32_t id : f_.connections) {
      const auto found =
          std::lower_bound(all.begin(), all.end(), id, [](const auto& c, std::uint32_t other) { return c.id < other; });
      if (found == all.end() || found->id != id) continue;
      if (listed == 0) heading(f_.connections.size() == 1 ? "Connection (Enter opens it)" : "Connections");
      if (++listed > kConnectionsListed) break;
      text(fmt::format("{}: {}", id, peers_text(d_, *found, Grid::kAll)));
    }
    if (f_.connections.size() > kConnectionsListed) {
      text(fmt::format("and {} more", grouped(f_.connections.size() - kConnectionsListed)), Role::kQuiet);
    }
  }

  void related() {
    bool first = true;
    for (const Finding& other : d_.s().totals.findings) {
      if (other.caused_by != f_.id || &other == &f_) continue;
      if (first) heading("What follows from it");
      first = false;
      text(mark_text(d_, other.severity) + " " + other.title, severity_role(other.severity), 2);
    }
  }

  const Finding* cause_of(const Finding& f) const {
    if (!f.caused_by) return nullptr;
    const auto& all = d_.s().totals.findings;
    const auto cause = std::find_if(all.begin(), all.end(), [&](const auto& g) { return g.id == *f.caused_by; });
    return cause == all.end() ? nullptr : &*cause;
  }

  /// Whether it goes on.
  void lately() {
    const model::FindingState* state = d_.s().state_of_finding(index_);
    if (finding_is_over(d_, index_)) return text("over; last seen: " + last_seen_text(d_, index_), Role::kQuiet);
    if (state == nullptr || !state->recent || state->recent->title == f_.title) return;
    text(fmt::format("in the last {}: {}", short_duration(d_.s().window), state->recent->title));
  }

  const Drawing& d_;
  const Finding& f_;
  const std::size_t index_;
  std::vector<StyledLine> lines_;
};

}  // namespace

bool finding_is_over(const Drawing& d, std::size_t index) {
  const model::FindingState* state = d.s().state_of_finding(index);
  return state != nullptr && !state->active;
}

std::string last_seen_text(const Drawing& d, std::size_t index) {
  const auto& last = d.s().finding_states[index].last_seen;
  return last ? short_duration(std::max(d.s().time - *last, Nanos{})) + " ago" : "over";
}

std::vector<StyledLine> finding_lines(const Drawing& d, std::size_t index, bool whole) {
  FindingPage page(d, index);
  return whole ? page.whole() : page.brief();
}

void draw_finding(Drawing& d, Area area) {
  const std::vector<std::uint64_t> ids = finding_ids(d);
  const auto found = std::find(ids.begin(), ids.end(), d.state.finding);
  if (found == ids.end()) {
    return draw_page(d, area, {{{" This finding does not hold any more.", Role::kQuiet}}});
  }
  const auto index = static_cast<std::size_t>(found - ids.begin());
  const Finding& f = d.s().totals.findings[index];
  if (!f.connections.empty()) d.on.connection = f.connections.front();
  draw_page(d, area, finding_lines(d, index, true));
}

}  // namespace rocetop::present
