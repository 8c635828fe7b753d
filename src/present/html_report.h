// SPDX-License-Identifier: BSD-3-Clause
// The report of `rocetop triage --html`: one HTML file that needs no network, from a snapshot and its timeline. The
// numbers in it are the JSON of `--json`, embedded; its script only shows them. Bounded: the connections in the most
// trouble have all their details, the others their line in the table; what is left out is counted.
#pragma once

#include <cstdint>
#include <string>

#include "model/snapshot.h"
#include "model/timeline.h"
#include "present/json_writer.h"

namespace rocetop::present {

struct HtmlReportOptions {
  std::string selection;                    ///< as of TriageTextOptions
  std::size_t plot_cells = 400'000;         ///< about 10 bytes each
  std::size_t plots = 1'500;                ///< connections with plots of their own; the others are drawn together
  std::uint64_t details_bytes = 2'200'000;  ///< of JSON of connections in detail
  std::size_t histogram_buckets = 150'000;  ///< about 4 bytes each
  std::size_t shared_entries = 200;         ///< of host pairs, CNP pacing and the like
  std::uint64_t table_rows = 8'000;         ///< connections in the table
  std::uint64_t findings = 1'200;           ///< the first ones: the worst
  std::uint64_t entries_a_list = 500;       ///< episodes, missing runs
  std::uint64_t entries_in_all = 5'000;
  std::size_t hosts = 24;  ///< in the matrix of host pairs; the others are one line
};

/// `shown` is `whole` or a selection of it. False in html_report_has_plots(): then the report holds everything else.
void write_html_report(const model::Snapshot& whole, const model::Snapshot& shown, model::Timeline timeline,
                       const HtmlReportOptions& options, const TextSink& sink);

/// False if this program was built without the library that draws plots.
bool html_report_has_plots();

}  // namespace rocetop::present
