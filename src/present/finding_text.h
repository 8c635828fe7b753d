// SPDX-License-Identifier: BSD-3-Clause
// Findings for a person: what happened, the packets that prove it, what to do next; consequences under their cause.
#pragma once

#include <string>

#include "model/snapshot.h"
#include "present/json_writer.h"
#include "present/paint.h"

namespace rocetop::present {

/// "+12ms to +1.5s", as --from and --to read it: what happened lies between.
std::string when_text(const model::Snapshot& snapshot, Nanos first, Nanos last);

/// "✖", "▲", "●".
std::string_view severity_mark(verdict::Severity severity);
Tone severity_tone(verdict::Severity severity);

/// All findings in the snapshot's order. Without `all`, consequences are their titles, and no more than the worst 30
/// causes are shown; what is left out is counted.
void write_findings(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink);

}  // namespace rocetop::present
