// SPDX-License-Identifier: BSD-3-Clause
#include "track/missing.h"

#include <algorithm>

#include "track/context.h"

namespace rocetop::track {
namespace {

constexpr std::size_t kClaim = 4;  // runs claimed at one time

std::uint64_t length(const MissingPsns::Run& run) { return static_cast<std::uint64_t>(run.last - run.first + 1); }

void tell(const MissingPsns::Run& run, std::optional<Outcome> outcome, const Context& context) {
  if (!context.sink || !run.observed) return;
  context.sink->on_gap_fate({run.seen_at, static_cast<std::uint32_t>(length(run)), outcome});
}

}  // namespace

void MissingPsns::add(const Run& run, SpaceCounts& counts, Context& context) {
  ListBudget& budget = context.lists;
  bool full = runs_.size() >= context.limits.open_runs;
  if (!full && runs_.size() >= claimed_) {
    full = budget.open_left < kClaim;
    if (!full) {
      budget.open_left -= kClaim;
      claimed_ += kClaim;
    }
  }
  if (full) {
    counts.inexact = "more missing PSNs open at one time than are kept: the oldest are given as unresolved";
    settle_run(runs_.empty() ? run : runs_.front(), Outcome::kUnresolved, counts, context);
    if (runs_.empty()) return;
    runs_.erase(runs_.begin());
  }
  const auto at =
      std::upper_bound(runs_.begin(), runs_.end(), run.first, [](Sequence s, const Run& r) { return s < r.first; });
  runs_.insert(at, run);
}

const MissingPsns::Run* MissingPsns::find(Sequence s) const {
  if (runs_.empty() || s < runs_.front().first || s > runs_.back().last) return nullptr;
  const auto after =
      std::upper_bound(runs_.begin(), runs_.end(), s, [](Sequence x, const Run& r) { return x < r.first; });
  const auto& run = *std::prev(after);
  return s <= run.last ? &run : nullptr;
}

std::optional<MissingPsns::Run> MissingPsns::take_range(Sequence first, Sequence last) {
  const auto at = std::partition_point(runs_.begin(), runs_.end(), [&](const Run& r) { return r.last < first; });
  if (at == runs_.end() || at->first > last) return std::nullopt;
  const Run whole = *at;
  const Run taken{std::max(first, whole.first), std::min(last, whole.last), whole.seen_at, whole.time, whole.observed};
  const Run head{whole.first, taken.first - 1, whole.seen_at, whole.time, whole.observed};
  const Run tail{taken.last + 1, whole.last, whole.seen_at, whole.time, whole.observed};
  if (head.first > head.last && tail.first > tail.last) {
    runs_.erase(at);
  } else if (head.first > head.last) {
    *at = tail;
  } else {
    *at = head;
    if (tail.first <= tail.last) runs_.insert(at + 1, tail);
  }
  return taken;
}

void MissingPsns::drop_range(Sequence first, Sequence last, const Context& context) {
  while (const auto taken = take_range(first, last)) forget_run(*taken, context);
}

void MissingPsns::forget_run(const Run& run, const Context& context) { tell(run, std::nullopt, context); }

void MissingPsns::settle_range(Sequence first, Sequence last, Outcome outcome, SpaceCounts& counts, Context& context) {
  while (const auto taken = take_range(first, last)) settle_run(*taken, outcome, counts, context);
}

void MissingPsns::settle(Sequence s, Outcome outcome, SpaceCounts& counts, Context& context) {
  if (const auto run = take(s)) settle_run(*run, outcome, counts, context);
}

void MissingPsns::settle_through(Sequence last, Outcome outcome, SpaceCounts& counts, Context& context) {
  std::size_t whole = 0;
  while (whole < runs_.size() && runs_[whole].last <= last) settle_run(runs_[whole++], outcome, counts, context);
  runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(whole));
  if (!runs_.empty() && runs_.front().first <= last) {
    Run& run = runs_.front();
    settle_run({run.first, last, run.seen_at, run.time, run.observed}, outcome, counts, context);
    run.first = last + 1;
  }
}

void MissingPsns::settle_all(Outcome outcome, SpaceCounts& counts, Context& context) {
  for (const Run& run : runs_) settle_run(run, outcome, counts, context);
  runs_.clear();
}

void MissingPsns::count_run(const Run& run, Outcome outcome, SpaceCounts& counts, const Context& context) {
  counts.missing_packets[static_cast<std::size_t>(outcome)] += length(run);
  tell(run, outcome, context);
}

void MissingPsns::settle_run(const Run& run, Outcome outcome, SpaceCounts& counts, Context& context) {
  count_run(run, outcome, counts, context);
  if (!counts.missing.empty()) {
    MissingRun& previous = counts.missing.back();
    if (previous.outcome == outcome && previous.seen_at == run.seen_at &&
        serial_difference(wire_psn(run.first).value, previous.last_psn.value) == 1) {
      previous.last_psn = wire_psn(run.last);
      return;
    }
  }
  ListBudget& budget = context.lists;
  if (counts.missing.size() >= budget.per_list || budget.left == 0) {
    ++counts.missing_omitted;
    return;
  }
  --budget.left;
  counts.missing.push_back({wire_psn(run.first), wire_psn(run.last), run.seen_at, run.time, outcome});
}

}  // namespace rocetop::track
