// SPDX-License-Identifier: BSD-3-Clause
// What the capture is worth: the first line of the report. Said before any verdict, good news and bad.
#pragma once

#include <string>
#include <vector>

#include "model/snapshot.h"
#include "present/paint.h"

namespace rocetop::present {

/// "1,590 frames in 713 ms, 1,588 RoCE:" "complete as far as acknowledgements show," …
std::vector<Span> honesty_spans(const model::Snapshot& snapshot);

/// Things that are there besides: other frames, pause frames, connection management, tunnelled fragments; "" for none.
std::string also_there(const model::CaptureCounts& c);

/// "12 CE-marked packets and 3 CNPs passed: 1 congestion loop closed"; "" for none.
std::string congestion_text(const model::Snapshot& snapshot);

/// The report of a capture without RoCE: what is there instead, and what to try.
std::string no_roce_text(const model::Snapshot& snapshot, const TextStyle& style);

/// What "no findings" means for this capture, and what it cannot mean.
std::string no_findings_text(const model::Snapshot& snapshot, const TextStyle& style);

}  // namespace rocetop::present
