// SPDX-License-Identifier: BSD-3-Clause
// The report of `rocetop triage` for a person: what the capture is worth, the findings, the connections. A pure
// function of the snapshot: no clock, no locale, no terminal.
#pragma once

#include <string>

#include "base/time_text.h"
#include "model/snapshot.h"
#include "present/json_writer.h"
#include "present/paint.h"

namespace rocetop::present {

struct TriageTextOptions {
  TextStyle style;
  Zone zone = Zone::kLocal;
  bool all = false;       ///< --all: quiet connections, long lists, consequences in full
  std::string selection;  ///< what --connection, --host or --qp chose, in words; empty for everything
};

/// `whole`: the analysis, which says what the capture is worth. `shown`: what of it was chosen; may be the same object.
void write_triage_text(const model::Snapshot& whole, const model::Snapshot& shown, const TriageTextOptions& options,
                       const TextSink& sink);

}  // namespace rocetop::present
