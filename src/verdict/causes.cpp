// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "base/number_text.h"
#include "verdict/docket.h"

namespace rocetop::verdict {
namespace {

/// Which way the cause's packets went, of findings about one direction each.
enum class Way : std::uint8_t { kSame, kOther, kEither };

/// Consequence -> causes it may have on the same connection, the likeliest first. What a sender repeats, it repeats for
/// what went wrong with its own packets; a READ, for what went wrong with those that answer it.
struct CauseRow {
  std::string_view consequence;
  std::array<std::string_view, 5> causes;
  Way way = Way::kSame;
};
constexpr std::array kCauseTable = {
    CauseRow{"loss.after_tap", {"icrc.bad", "veroce.path_lossy"}},
    CauseRow{"loss.before_tap", {"loss.burst"}},
    CauseRow{"veroce.timeout_recovery",
             {"peer.silent", "peer.unreachable", "veroce.path_lossy", "loss.after_tap", "loss.before_tap"},
             Way::kEither},
    CauseRow{"veroce.spurious", {"veroce.path_slow", "veroce.reorder_window"}},
    CauseRow{"veroce.reorder_window", {"veroce.path_slow"}},
    CauseRow{"veroce.trimmed", {"incast"}},
    CauseRow{"loss.uc", {"loss.burst"}},
    CauseRow{"retransmit.nak", {"loss.before_tap", "loss.after_tap", "icrc.bad", "order.reordered"}},
    CauseRow{"retransmit.timeout",
             {"peer.silent", "peer.unreachable", "loss.before_tap", "loss.after_tap", "icrc.bad"},
             Way::kEither},
    CauseRow{"retransmit.early", {"retransmit.timeout", "loss.before_tap", "loss.after_tap", "icrc.bad"}},
    CauseRow{"retransmit.read_restart", {"loss.before_tap", "loss.after_tap", "icrc.bad"}, Way::kOther},
    CauseRow{"retransmit.waste", {"retransmit.nak", "retransmit.timeout"}},
    CauseRow{"peer.silent", {"nak.fatal"}},
    CauseRow{"ecn.cnp_without_marks", {"loss.before_tap", "loss.after_tap"}},
    CauseRow{"ecn.oscillation", {"incast"}},
    CauseRow{"unfair", {"incast"}},
    CauseRow{"incast", {"ecn.marks_without_cnp"}},
    CauseRow{"pfc.paused", {"pfc.storm"}},
};

bool share_connection(const Finding& a, const Finding& b) {
  return std::any_of(a.connections.begin(), a.connections.end(), [&](std::uint32_t id) {
    return std::find(b.connections.begin(), b.connections.end(), id) != b.connections.end();
  });
}

/// Findings about one direction of one connection name its sender first (Docket::add); others match any way.
bool goes(Way way, const Finding& a, const Finding& b) {
  const auto is_of_direction = [](const Finding& f) { return f.connections.size() == 1 && f.hosts.size() == 2; };
  if (way == Way::kEither || !is_of_direction(a) || !is_of_direction(b)) return true;
  if (a.hosts[0] == a.hosts[1]) return true;  // a host that talks to itself
  return (a.hosts[0] == b.hosts[0]) == (way == Way::kSame);
}

bool share_host(const Finding& a, const Finding& b) {
  return std::any_of(a.hosts.begin(), a.hosts.end(),
                     [&](const IpAddress& h) { return std::find(b.hosts.begin(), b.hosts.end(), h) != b.hosts.end(); });
}

double value_of(const Finding& f, std::string_view name) {
  for (const auto& [key, value] : f.values) {
    if (key == name) return value;
  }
  return 0;
}

/// Index of the first finding of `rule` that shares a connection with findings[i], and its direction as `way` says, or
/// findings.size(). Of either direction, the same one comes first.
std::size_t on_same_connection(const std::vector<Finding>& findings, std::size_t i, std::string_view rule,
                               Way way = Way::kSame) {
  std::size_t other_way = findings.size();
  for (std::size_t k = 0; k < findings.size(); ++k) {
    if (k == i || findings[k].rule != rule || !share_connection(findings[k], findings[i])) continue;
    if (goes(way == Way::kEither ? Way::kSame : way, findings[i], findings[k])) return k;
    if (way == Way::kEither && other_way == findings.size()) other_way = k;
  }
  return other_way;
}

/// Index of the finding that caused findings[i], or findings.size().
std::size_t cause_of(const std::vector<Finding>& findings, std::size_t i, const Thresholds& thresholds) {
  const Finding& f = findings[i];
  if (f.rule == "nak.fatal") {
    std::size_t earliest = findings.size();
    for (std::size_t k = 0; k < findings.size(); ++k) {
      if (k == i || findings[k].rule != "nak.fatal" || !share_host(findings[k], f)) continue;
      const double lag = value_of(f, "time_ns") - value_of(findings[k], "time_ns");
      if (lag <= 0 || lag > static_cast<double>(thresholds.fatal_follows.count)) continue;
      if (earliest == findings.size() || value_of(findings[k], "time_ns") < value_of(findings[earliest], "time_ns"))
        earliest = k;
    }
    return earliest;
  }
  // NAKs are drawn by losses and by late packets alike: by whichever there were more of.
  if (f.rule == "retransmit.nak") {
    const std::size_t lost = on_same_connection(findings, i, "loss.before_tap");
    const std::size_t late = on_same_connection(findings, i, "order.reordered");
    if (lost < findings.size() && late < findings.size()) {
      return value_of(findings[late], "reordered_packets") > value_of(findings[lost], "lost_packets") ? late : lost;
    }
  }
  // A damaged packet's own PSN goes missing: no other loss, where there were no more gaps than damaged packets.
  if (f.rule == "loss.before_tap") {
    const std::size_t damaged = on_same_connection(findings, i, "icrc.bad");
    if (damaged < findings.size() && value_of(findings[damaged], "bad_packets") >= value_of(f, "lost_packets"))
      return damaged;
  }
  for (const CauseRow& row : kCauseTable) {
    if (row.consequence != f.rule) continue;
    for (const std::string_view cause : row.causes) {
      const std::size_t k = cause.empty() ? findings.size() : on_same_connection(findings, i, cause, row.way);
      if (k < findings.size()) return k;
    }
  }
  return findings.size();
}

int rank(const Finding& f) {
  // What the capture cannot show is read before what it shows, among findings of one severity.
  const bool about_capture = f.rule.starts_with("capture.");
  return -2 * static_cast<int>(f.severity) - (about_capture ? 1 : 0);
}

}  // namespace

void gather(std::vector<Finding>& findings, std::size_t apart) {
  std::map<std::string, std::vector<std::size_t>> by_rule;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].connections.size() == 1) by_rule[findings[i].rule].push_back(i);
  }
  std::vector<bool> gone(findings.size(), false);
  for (const auto& [rule, members] : by_rule) {
    if (members.size() <= apart) continue;
    Finding& all = findings[members.front()];
    std::map<std::string, double> sums;
    std::vector<std::string> order;
    const std::string example = all.title;
    std::vector<std::uint32_t> ids;
    for (const std::size_t i : members) {
      Finding& f = findings[i];
      all.severity = std::max(all.severity, f.severity);
      all.confidence = std::min(all.confidence, f.confidence);
      ids.insert(ids.end(), f.connections.begin(), f.connections.end());
      for (const IpAddress& host : f.hosts) {
        if (std::find(all.hosts.begin(), all.hosts.end(), host) == all.hosts.end() && all.hosts.size() < 64)
          all.hosts.push_back(host);
      }
      if (i != members.front()) {
        merge_proof(all, f);
        gone[i] = true;
      }
      for (const auto& [name, value] : f.values) {
        const bool extreme = name.find("_min") != std::string::npos || name.find("_max") != std::string::npos ||
                             name.find("_median") != std::string::npos || name.find("_p50") != std::string::npos ||
                             name.find("_ratio") != std::string::npos;
        if (extreme || name == "time_ns") continue;
        if (sums.count(name) == 0) order.push_back(name);
        sums[name] += value;
      }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    settle_proof(all);
    all.title = fmt::format("{}, for example: {}", plural(ids.size(), "connection"), example);
    all.connections = std::move(ids);
    all.values.clear();
    for (const std::string& name : order) all.values.emplace_back(name, sums[name]);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) findings[kept] = std::move(findings[i]);
    ++kept;
  }
  findings.resize(kept);
}

void link_and_order(std::vector<Finding>& findings, const Thresholds& thresholds) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return rank(a) < rank(b); });
  const std::size_t none = findings.size();
  std::vector<std::size_t> cause(findings.size(), none);
  for (std::size_t i = 0; i < findings.size(); ++i) cause[i] = cause_of(findings, i, thresholds);
  std::vector<std::size_t> order;
  std::vector<bool> placed(findings.size(), false);
  const auto place = [&](auto&& self, std::size_t i) -> void {
    if (placed[i]) return;
    placed[i] = true;
    order.push_back(i);
    for (std::size_t k = 0; k < findings.size(); ++k) {
      if (cause[k] == i) self(self, k);
    }
  };
  // A cause takes the place of its worst consequence.
  for (std::size_t i = 0; i < findings.size(); ++i) {
    std::size_t root = i;
    for (std::size_t steps = 0; cause[root] != none && steps < findings.size(); ++steps) root = cause[root];
    place(place, root);
  }
  std::vector<std::uint32_t> id(findings.size(), 0);
  for (std::size_t n = 0; n < order.size(); ++n) id[order[n]] = static_cast<std::uint32_t>(n + 1);
  std::vector<Finding> ordered;
  ordered.reserve(findings.size());
  for (const std::size_t i : order) {
    Finding& f = findings[i];
    f.id = id[i];
    if (cause[i] != none) f.caused_by = id[cause[i]];
    ordered.push_back(std::move(f));
  }
  findings = std::move(ordered);
}

}  // namespace rocetop::verdict
