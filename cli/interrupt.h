// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C: the first one asks a long reading to stop and report, the second one ends the program.
#pragma once

namespace rocetop::cli {

void stop_on_interrupt();
bool interrupted();

}  // namespace rocetop::cli
