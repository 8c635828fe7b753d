// SPDX-License-Identifier: BSD-3-Clause
// Exit statuses: a contract with scripts.
#pragma once

namespace rocetop::cli {

enum ExitStatus : int {
  kExitOk = 0,
  kExitFindings = 1,  ///< a finding at or above --fail-on
  kExitError = 2,     ///< usage error, unreadable input, unwritable output
  kExitNoRoce = 3,    ///< the input holds no RoCE at all
  // 128 + the signal's number after an interruption: interrupted_status().
};

}  // namespace rocetop::cli
