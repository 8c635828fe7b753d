// SPDX-License-Identifier: BSD-3-Clause
// Standard output with its failures: a reader that went away ends the program quietly, a full disk with a message.
#pragma once

#include <string>
#include <string_view>

namespace rocetop::cli {

class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void flush();
  /// False once a write failed; later ones are dropped.
  bool usable() const { return error_ == 0; }
  /// Flushes and closes. False after a failure that matters, which has been reported; a reader that went away does not.
  bool finish();

 private:
  std::string buffer_;
  int error_ = 0;  // errno of the first failed write
};

/// Opens /dev/null on closed standard descriptors, so that no capture file becomes standard output; writing to one that
/// was closed still fails.
void guard_standard_descriptors();

}  // namespace rocetop::cli
