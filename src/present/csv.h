// SPDX-License-Identifier: BSD-3-Clause
// The tables of a triage as CSV (RFC 4180: comma, CRLF, quotes doubled; UTF-8). Text that a spreadsheet would take for
// a formula is led by an apostrophe; numbers are plain. Unknown values are empty. Frame numbers count from 1 within
// their file, files from 0.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/snapshot.h"
#include "present/json_writer.h"

namespace rocetop::present {

struct CsvFile {
  std::string_view name;  ///< "connections.csv"
  void (*write)(const model::Snapshot& snapshot, const TextSink& sink);
};

/// connections, episodes, findings, messages.
std::span<const CsvFile> csv_files();

/// A text field as it stands between commas.
std::string csv_text(std::string_view text);

}  // namespace rocetop::present
