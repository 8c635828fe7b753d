// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and kill: the first one asks a long reading to stop and report, the second one ends the program.
#pragma once

namespace rocetop::cli {

/// From here on SIGINT, SIGTERM and SIGHUP. One that is ignored (nohup) stays so.
void stop_on_interrupt();
bool interrupted();
/// What a shell makes of the signal that interrupted: 130 for SIGINT, 143 for SIGTERM.
int interrupted_status();

/// A file that the second signal removes before it ends the program; null for none. The text must outlive that.
void remove_when_killed(const char* path);

/// Waits until `fd` has something to read, or its end. False if interrupted first.
bool wait_for_input(int fd);

}  // namespace rocetop::cli
