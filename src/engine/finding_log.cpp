// SPDX-License-Identifier: BSD-3-Clause
#include "engine/finding_log.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace rocetop::engine {
namespace {

using model::FindingState;
using verdict::Finding;

template <typename T>
bool share_one(const std::vector<T>& a, const std::vector<T>& b) {
  return std::any_of(a.begin(), a.end(), [&](const T& x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

/// Of one rule, and about the same. A finding about many gains and loses some as it goes on.
bool is_same(const Finding& a, const Finding& b) {
  if (a.rule != b.rule) return false;
  if (a.connections.size() == 1 && b.connections.size() == 1) {
    return a.connections == b.connections && a.hosts == b.hosts;  // the sender first
  }
  if (!a.connections.empty() && !b.connections.empty()) return share_one(a.connections, b.connections);
  return (a.hosts.empty() && b.hosts.empty()) || share_one(a.hosts, b.hosts);
}

/// The findings of the window and those about all that they belong to. Two of one rule about the same thing pair up in
/// their order; one about many connections may have several parts.
class Match {
 public:
  Match(const std::vector<Finding>& all, const std::vector<Finding>& window)
      : of_all_(all.size(), kNone), of_window_(window.size(), kNone) {
    for (std::size_t w = 0; w < window.size(); ++w) {
      std::size_t taken = kNone;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_same(all[i], window[w])) continue;
        taken = i;
        if (of_all_[i] == kNone) break;
      }
      if (taken == kNone) continue;
      of_window_[w] = taken;
      if (of_all_[taken] == kNone) of_all_[taken] = w;
    }
  }
  std::optional<std::size_t> of_all(std::size_t i) const { return or_none(of_all_[i]); }
  std::optional<std::size_t> of_window(std::size_t w) const { return or_none(of_window_[w]); }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static std::optional<std::size_t> or_none(std::size_t i) { return i == kNone ? std::nullopt : std::optional(i); }

  std::vector<std::size_t> of_all_;
  std::vector<std::size_t> of_window_;
};

/// Rules that count over all may be met only by what several windows hold: its latest proof tells.
bool has_proof_since(const Finding& finding, Nanos since) {
  return !finding.connections.empty() && !finding.frames.empty() && finding.last_time && *finding.last_time >= since;
}

/// A finding and what follows from it stay together.
void put_active_first(std::vector<Finding>& findings, std::vector<FindingState>& states) {
  std::unordered_map<std::uint32_t, std::size_t> index_of;
  for (std::size_t i = 0; i < findings.size(); ++i) index_of[findings[i].id] = i;
  std::vector<std::size_t> root(findings.size());
  std::vector<bool> active(findings.size(), false);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    root[i] = i;
    for (std::size_t steps = 0; steps < findings.size() && findings[root[i]].caused_by; ++steps) {
      const auto cause = index_of.find(*findings[root[i]].caused_by);
      if (cause == index_of.end()) break;
      root[i] = cause->second;
    }
    active[root[i]] = active[root[i]] || states[i].active;
  }
  std::vector<std::size_t> order;
  for (const bool wanted : {true, false}) {
    for (std::size_t i = 0; i < findings.size(); ++i) {
      if (active[root[i]] == wanted) order.push_back(i);
    }
  }
  std::vector<Finding> sorted;
  std::vector<FindingState> sorted_states;
  std::unordered_map<std::uint32_t, std::uint32_t> id_of;
  for (const std::size_t i : order) {
    id_of[findings[i].id] = static_cast<std::uint32_t>(sorted.size() + 1);
    sorted.push_back(std::move(findings[i]));
    sorted_states.push_back(std::move(states[i]));
  }
  for (Finding& finding : sorted) {
    finding.id = id_of[finding.id];
    if (finding.caused_by) finding.caused_by = id_of[*finding.caused_by];
  }
  findings = std::move(sorted);
  states = std::move(sorted_states);
}

}  // namespace

void FindingLog::apply(model::LiveSnapshot& snapshot, std::vector<Finding> window, Nanos since) {
  std::vector<Finding>& all = snapshot.totals.findings;
  std::vector<FindingState>& states = snapshot.finding_states;
  const Match match(all, window);
  const auto time_of = [&](const Finding& f) { return f.last_time.value_or(snapshot.time); };
  for (const Finding& finding : window) note(finding, time_of(finding));
  states.assign(all.size(), {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto w = match.of_all(i);
    states[i].active = w || has_proof_since(all[i], since);
    states[i].last_seen = all[i].last_time;
    if (const Nanos* last = last_seen(all[i])) states[i].last_seen = *last;
    if (w) states[i].recent = window[*w];
  }
  if (snapshot.final) return;
  for (std::size_t w = 0; w < window.size(); ++w) {
    if (match.of_window(w)) continue;
    std::erase_if(only_in_window_, [&](const Seen& seen) { return is_same(seen.finding, window[w]); });
    only_in_window_.push_back({window[w], time_of(window[w])});
    if (only_in_window_.size() > kEndedMost) only_in_window_.pop_front();
  }
  std::erase_if(only_in_window_, [&](const Seen& seen) {
    return std::any_of(all.begin(), all.end(), [&](const Finding& f) { return is_same(f, seen.finding); });
  });
  for (const Seen& seen : only_in_window_) {
    FindingState& state = states.emplace_back();
    state.last_seen = seen.last;
    const auto now =
        std::find_if(window.begin(), window.end(), [&](const auto& f) { return is_same(f, seen.finding); });
    state.active = now != window.end();
    if (state.active) state.recent = *now;
    Finding& finding = all.emplace_back(seen.finding);
    finding.id = static_cast<std::uint32_t>(all.size());
    finding.caused_by.reset();  // numbered otherwise
  }
  put_active_first(all, states);
}

Nanos* FindingLog::last_seen(const Finding& finding) {
  const auto found =
      std::find_if(seen_.begin(), seen_.end(), [&](const auto& s) { return is_same(s.finding, finding); });
  return found == seen_.end() ? nullptr : &found->last;
}

void FindingLog::note(const Finding& finding, Nanos time) {
  if (Nanos* last = last_seen(finding)) {
    *last = std::max(*last, time);
    return;
  }
  if (seen_.size() >= kSeenMost) seen_.pop_front();
  Seen& seen = seen_.emplace_back();
  seen.finding.rule = finding.rule;
  seen.finding.connections = finding.connections;
  seen.finding.hosts = finding.hosts;
  seen.last = time;
}

}  // namespace rocetop::engine
