// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and kill: the first one asks a long reading to stop and report; the second one, or one that comes when reading
// has ended, ends the program as the signal does by default, without half a file left behind.
#pragma once

#include <csignal>

namespace rocetop::cli {

/// From here on SIGINT, SIGTERM and SIGHUP. One that is ignored (nohup) stays so.
void stop_on_interrupt();
bool interrupted();
/// What a shell makes of the signal that interrupted: 130 for SIGINT, 143 for SIGTERM.
int interrupted_status();

/// From here on the first signal ends the program too. `words`, a whole line, goes to standard error then; the text
/// must outlive the program. Call again when there is something else to say.
void end_on_interrupt(const char* words);

/// A file that a signal removes before it ends the program; null for none. The text must outlive that.
void remove_when_killed(const char* path);

/// While it lives, signals wait: between making a file and remove_when_killed() none may end the program.
class SignalsHeld {
 public:
  SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();

 private:
  sigset_t before_{};
};

/// Called by whatever signal ends the program at once; only what a signal handler may do. Null for nothing.
void call_when_killed(void (*function)());

/// From here on SIGHUP, also one that was ignored, asks for something to be read again, and ends nothing.
void reload_on_hangup();
/// Whether that was asked for since the last call.
bool reload_wanted();

/// Readable once interrupted, or after wake_interrupt_pipe(); -1 before stop_on_interrupt().
int interrupt_descriptor();
/// For other signal handlers: whoever waits for the descriptor looks around.
void wake_interrupt_pipe();
/// Takes what was written into the pipe, unless interrupted: that stays.
void drain_interrupt_pipe();

/// Waits until `fd` has something to read, or its end. False if interrupted first.
bool wait_for_input(int fd);

}  // namespace rocetop::cli
