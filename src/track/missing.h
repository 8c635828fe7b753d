// SPDX-License-Identifier: BSD-3-Clause
// MissingPsns: the PSNs of a space that were skipped at the tap and whose fate is still open, and the record of the
// fates of the others. Only final fates are counted.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/psn.h"
#include "track/counts.h"

namespace rocetop::track {

/// Entries that all lists together may still take. Open runs and READs are claimed a few at a time, and given back as a
/// whole when their connection ends.
struct ListBudget {
  std::size_t left = 0;
  std::size_t per_list = 0;
  std::size_t open_left = 0;   ///< open missing runs
  std::size_t reads_left = 0;  ///< remembered READs
};

struct Context;

/// Its functions change the counts of the space, take from the lists' budget, and tell the sink.
class MissingPsns {
 public:
  struct Run {
    Sequence first = 0;
    Sequence last = 0;
    FrameId seen_at;
    Nanos time;
    bool observed = true;  ///< Observation::missing_before of that frame counts them
  };

  /// PSNs first..last were jumped over. At Limits::open_runs, or where all spaces together have too many, the oldest
  /// ends as unresolved and the space is inexact.
  void add(const Run& run, SpaceCounts& counts, Context& context);
  bool contains(Sequence s) const { return find(s) != nullptr; }
  /// The open run that holds `s`.
  const Run* find(Sequence s) const;
  /// PSN `s` met its fate.
  void settle(Sequence s, Outcome outcome, SpaceCounts& counts, Context& context);
  /// Takes `s` out without a fate: it is called open by someone else now. Give it back with settle_run().
  std::optional<Run> take(Sequence s) { return take_range(s, s); }
  /// The same for the open PSNs from `first` to at most `last`: of the first run among them. Call it until there is
  /// none to take all.
  std::optional<Run> take_range(Sequence first, Sequence last);
  /// Open PSNs from `first` to `last` never were missing.
  void drop_range(Sequence first, Sequence last, const Context& context);
  /// Open PSNs from `first` to `last` met their fate.
  void settle_range(Sequence first, Sequence last, Outcome outcome, SpaceCounts& counts, Context& context);
  /// All open PSNs up to and including `last` met their fate.
  void settle_through(Sequence last, Outcome outcome, SpaceCounts& counts, Context& context);
  void settle_all(Outcome outcome, SpaceCounts& counts, Context& context);
  /// A run that never was missing.
  static void forget_run(const Run& run, const Context& context);
  /// Counts a run's fate, without listing it.
  static void count_run(const Run& run, Outcome outcome, SpaceCounts& counts, const Context& context);
  /// Counts and lists a run's fate.
  static void settle_run(const Run& run, Outcome outcome, SpaceCounts& counts, Context& context);

  /// Entries claimed of ListBudget::open_left.
  std::size_t claimed() const { return claimed_; }
  bool empty() const { return runs_.empty(); }
  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::vector<Run> runs_;  // ascending, disjoint
  std::size_t claimed_ = 0;
};

}  // namespace rocetop::track
