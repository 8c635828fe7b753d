// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C: the first one asks a long reading to stop and report, the second one ends the program.
#pragma once

namespace rocetop::cli {

/// From here on. Does nothing where the interrupt is ignored (nohup).
void stop_on_interrupt();
bool interrupted();

/// Waits until `fd` has something to read, or its end. False if interrupted first.
bool wait_for_input(int fd);

}  // namespace rocetop::cli
