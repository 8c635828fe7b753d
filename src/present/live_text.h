// SPDX-License-Identifier: BSD-3-Clause
// One snapshot of a live analysis as a few lines of text: for terminals that cannot do more, for logs, and as the
// summary that is left when it ends.
#pragma once

#include <cstddef>

#include "base/time_text.h"
#include "model/live.h"
#include "present/json_writer.h"
#include "present/paint.h"

namespace rocetop::present {

struct LiveTextOptions {
  TextStyle style;
  Zone zone = Zone::kLocal;
  std::size_t connections = 10;  ///< lines at most; the busiest of those in trouble first
  std::size_t findings = 5;      ///< lines at most
};

void write_live_text(const model::LiveSnapshot& snapshot, const LiveTextOptions& options, const TextSink& sink);

/// What to do about an adapter that bypasses the kernel; empty if none is suspected. One sentence a line.
std::string bypass_text(const model::LiveSnapshot& snapshot);

}  // namespace rocetop::present
