// SPDX-License-Identifier: BSD-3-Clause
// The terminal's own mode, brought back on every way out: leaving, a signal that ends or stops the program,
// std::terminate, a crash. And what signals ask of a screen meanwhile.
#pragma once

namespace rocetop::cli {

/// Remembers the modes of the terminal `fd` and what it has to be sent, and watches the signals. After setupterm(),
/// before anything is changed.
void watch_terminal(int fd);
/// The terminal is as it was: nothing is to be brought back.
void leave_terminal();
/// While stopped the terminal is as it was: the shell's. Comes back when the program is continued.
void stop_here();

struct TerminalSignals {
  bool stop = false;       ///< SIGTSTP
  bool continued = false;  ///< SIGCONT
  bool size = false;       ///< SIGWINCH
};
/// What came since it was asked last.
TerminalSignals take_signals();

/// What the terminal needs to be sent for the capability; null where it cannot do that.
const char* capability(const char* name);

}  // namespace rocetop::cli
