// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.h"

#include <csignal>

namespace rocetop::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

extern "C" void on_interrupt(int) { interrupt_seen = 1; }

}  // namespace

void stop_on_interrupt() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one finds the default again
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

}  // namespace rocetop::cli
