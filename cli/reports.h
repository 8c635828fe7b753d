// SPDX-License-Identifier: BSD-3-Clause
// The reports of `rocetop triage` that are files: --html FILE and --csv DIR.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/recorder.h"
#include "file_output.h"
#include "model/snapshot.h"

namespace rocetop::cli {

class Reports {
 public:
  /// Empty: not wanted. Opens the HTML file and makes the directory at once, so that no long reading is in vain.
  /// Errors: a file that is one of `inputs`, or cannot be written.
  Result<Done> open(const std::string& html, const std::string& csv, const std::vector<std::string>& inputs);

  /// What has to watch the analysis; null if nothing.
  engine::Recorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }

  /// Errors: the first file that could not be written.
  Result<Done> write(const model::Snapshot& whole, const model::Snapshot& shown, const std::string& selection);

 private:
  Result<Done> write_html(const model::Snapshot& whole, const model::Snapshot& shown, const std::string& selection);
  Result<Done> write_csv(const model::Snapshot& shown) const;

  std::optional<engine::Recorder> recorder_;
  std::optional<FileOutput> html_;
  std::string csv_;
};

}  // namespace rocetop::cli
