// SPDX-License-Identifier: BSD-3-Clause
// A file that appears under its name only when it is whole: what was there before stays until then.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace rocetop::cli {

class FileOutput {
 public:
  FileOutput() = default;
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;
  /// Without finish(): nothing is left behind.
  ~FileOutput();

  /// Creates a temporary file beside `path`; a device or pipe is written to directly. Errors: not writable.
  Result<Done> open(const std::string& path);
  void write(std::string_view text);
  /// Errors: whatever write or closing met, e.g. a full disk.
  Result<Done> finish();

 private:
  void flush();

  std::string path_;
  std::string temporary_;  // empty: written to directly
  std::string buffer_;
  int fd_ = -1;
  int error_ = 0;  // errno of the first failed write
};

}  // namespace rocetop::cli
