// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace rocetop::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;
// The handler writes a byte here: an interrupt between a look at the flag and the wait is not lost.
std::array<int, 2> wake_pipe = {-1, -1};

extern "C" void on_interrupt(int) {
  const int saved = errno;
  interrupt_seen = 1;
  [[maybe_unused]] const ssize_t written = write(wake_pipe[1], "", 1);
  errno = saved;
}

}  // namespace

void stop_on_interrupt() {
  struct sigaction action{};
  if (sigaction(SIGINT, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  if (pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one finds the default again
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

bool wait_for_input(int fd) {
  std::array<pollfd, 2> waiting = {{{fd, POLLIN, 0}, {wake_pipe[0], POLLIN, 0}}};  // poll() skips a descriptor of -1
  while (!interrupted()) {
    const int ready = poll(waiting.data(), waiting.size(), -1);
    if (ready > 0 && waiting[0].revents != 0) return !interrupted();
    if (ready < 0 && errno != EINTR) return true;  // whatever it is, reading will tell
  }
  return false;
}

}  // namespace rocetop::cli
