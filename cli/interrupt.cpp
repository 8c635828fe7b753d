// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace rocetop::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;  // the signal
std::atomic<const char*> half_written = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler may touch it");
// The handler writes a byte here: an interrupt between a look at the flag and the wait is not lost.
std::array<int, 2> wake_pipe = {-1, -1};

extern "C" void on_interrupt(int signal) {
  if (interrupt_seen != 0) {
    if (const char* path = half_written.load()) ::unlink(path);
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
    raise(signal);  // as soon as this handler returns
    return;
  }
  const int saved = errno;
  interrupt_seen = signal;
  [[maybe_unused]] const ssize_t written = write(wake_pipe[1], "", 1);
  errno = saved;
}

}  // namespace

void stop_on_interrupt() {
  if (pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_interrupt;  // no SA_RESTART: whoever waits for input is woken
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

bool interrupted() { return interrupt_seen != 0; }

int interrupted_status() { return 128 + static_cast<int>(interrupt_seen); }

void remove_when_killed(const char* path) { half_written.store(path); }

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
