// SPDX-License-Identifier: BSD-3-Clause
// The JSON of `rocetop triage --json`, schema rocetop.triage/1: one object, written from a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/live.h"
#include "model/snapshot.h"
#include "model/totals.h"
#include "present/json_writer.h"

namespace rocetop::present {

/// How much of the long lists is written; what is cut is counted beside them.
struct TriageJsonLimits {
  std::uint64_t entries_a_list = 1'000;                                ///< of each "missing" and "episodes"
  std::uint64_t entries_in_all = 100'000;                              ///< of all of them together
  std::size_t shared_entries = 1'000;                                  ///< of host pairs, CNP pacing and the like
  std::uint64_t findings = std::numeric_limits<std::uint64_t>::max();  ///< the first ones
  const std::vector<std::size_t>* only = nullptr;  ///< indexes of the connections to write; null: all
  /// By index of the connections: what was added of late, written beside their totals; null: nothing is.
  const std::vector<model::ConnectionTotals>* recent = nullptr;
  /// By index of the findings: whether they go on, written with them; null: nothing is.
  const std::vector<model::FindingState>* finding_states = nullptr;
};

void write_triage_json(const model::Snapshot& snapshot, const TextSink& sink, const TriageJsonLimits& limits = {});

/// What was found, as members of the object that is open: "capture", "connections", "findings" and what is between.
void write_results(JsonWriter& json, const model::Snapshot& snapshot, const TriageJsonLimits& limits);
/// The inputs and what was wrong with them: "files", "partial", "interrupted", "problems".
void write_inputs(JsonWriter& json, const model::Snapshot& snapshot);

}  // namespace rocetop::present
