// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace rocetop::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t interrupt_seen = 0;  // the signal
volatile std::sig_atomic_t hangup_seen = 0;
volatile std::sig_atomic_t hangup_wakes =
    0;  // somebody looks: before that a wait for an input would take it for an end
std::atomic<const char*> half_written = nullptr;
std::atomic<const char*> last_words = nullptr;  // set: the first signal ends the program
std::atomic<void (*)()> last_act = nullptr;
static_assert(std::atomic<void (*)()>::is_always_lock_free, "a signal handler may touch it");
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler may touch it");
// The handler writes a byte here: an interrupt between a look at the flag and the wait is not lost.
std::array<int, 2> wake_pipe = {-1, -1};

sigset_t all_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kSignals) sigaddset(&set, signal);
  return set;
}

/// Only what a signal handler may call.
[[noreturn]] void end_program(int signal) {
  if (const char* path = half_written.load()) ::unlink(path);
  if (void (*function)() = last_act.load()) function();
  if (const char* words = last_words.load()) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, words, std::strlen(words));
  }
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  const sigset_t set = all_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  _exit(128 + signal);  // the first process of a container outlives signals that it does not handle
}

extern "C" void on_interrupt(int signal) {
  if (interrupt_seen != 0 || last_words.load() != nullptr) end_program(signal);
  const int saved = errno;
  interrupt_seen = signal;
  [[maybe_unused]] const ssize_t written = write(wake_pipe[1], "", 1);
  errno = saved;
}

extern "C" void on_hangup(int) {
  const int saved = errno;
  hangup_seen = 1;
  if (hangup_wakes != 0) wake_interrupt_pipe();
  errno = saved;
}

}  // namespace

void stop_on_interrupt() {
  if (pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
  for (const int signal : kSignals) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_interrupt;  // no SA_RESTART: whoever waits for input is woken
    action.sa_mask = all_signals();
    sigaction(signal, &action, nullptr);
  }
}

void reload_on_hangup() {
  struct sigaction action{};
  action.sa_handler = on_hangup;
  action.sa_mask = all_signals();
  sigaction(SIGHUP, &action, nullptr);
}

bool reload_wanted() {
  // One that comes between the two lines is answered by this look, too.
  hangup_wakes = 1;
  const bool wanted = hangup_seen != 0;
  hangup_seen = 0;
  return wanted;
}

bool interrupted() { return interrupt_seen != 0; }

int interrupted_status() { return 128 + static_cast<int>(interrupt_seen); }

void end_on_interrupt(const char* words) { last_words.store(words); }

SignalsHeld::SignalsHeld() {
  const sigset_t set = all_signals();
  sigprocmask(SIG_BLOCK, &set, &before_);
}

SignalsHeld::~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

void remove_when_killed(const char* path) { half_written.store(path); }

void call_when_killed(void (*function)()) { last_act.store(function); }

int interrupt_descriptor() { return wake_pipe[0]; }

void wake_interrupt_pipe() { [[maybe_unused]] const ssize_t written = write(wake_pipe[1], "", 1); }

void drain_interrupt_pipe() {
  if (interrupted()) return;
  std::array<char, 64> bytes{};
  while (read(wake_pipe[0], bytes.data(), bytes.size()) > 0) {
  }
  if (interrupted()) wake_interrupt_pipe();  // it came meanwhile
}

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
