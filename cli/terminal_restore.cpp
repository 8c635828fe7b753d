// SPDX-License-Identifier: BSD-3-Clause
#include "terminal_restore.h"

#include "ncurses_wide.h"
// Needs what <curses.h> defines.
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <string_view>

#include "interrupt.h"

namespace rocetop::cli {
namespace {

struct WayOut {
  termios modes{};
  std::array<char, 128> text{};
  std::size_t length = 0;
  int fd = -1;
};
WayOut way_out;
volatile std::sig_atomic_t restore_wanted = 0;  // the terminal is not as it was
volatile std::sig_atomic_t stop_wanted = 0;
volatile std::sig_atomic_t size_changed = 0;
volatile std::sig_atomic_t continued = 0;
std::terminate_handler terminate_before = nullptr;

void restore_terminal() {
  if (restore_wanted == 0) return;
  restore_wanted = 0;
  [[maybe_unused]] const ssize_t written = ::write(way_out.fd, way_out.text.data(), way_out.length);
  tcsetattr(way_out.fd, TCSANOW, &way_out.modes);
}

extern "C" void on_death(int signal) {
  restore_terminal();
  raise(signal);  // SA_RESETHAND: the default now
}
extern "C" void on_stop(int) {
  const int saved = errno;
  stop_wanted = 1;
  wake_interrupt_pipe();
  errno = saved;
}
extern "C" void on_resize(int) {
  const int saved = errno;
  size_changed = 1;
  wake_interrupt_pipe();
  errno = saved;
}
extern "C" void on_continue(int) {
  const int saved = errno;
  continued = 1;
  wake_interrupt_pipe();
  errno = saved;
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void on_terminate() {
  restore_terminal();
  if (terminate_before != nullptr) terminate_before();
  std::abort();
}

/// Those that end the program unless somebody catches them, but for those that interrupt.h catches.
constexpr std::array kDeaths = {SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGQUIT, SIGTRAP,
                                SIGSYS,  SIGXCPU, SIGXFSZ, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE};
constexpr std::array kWatched = {SIGTSTP, SIGWINCH, SIGCONT};
std::array<struct sigaction, kDeaths.size() + kWatched.size()> actions_before;

void watch_signals() {
  std::size_t i = 0;
  for (const int signal : kDeaths) {
    struct sigaction& before = actions_before[i++];
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) handle(signal, on_death, static_cast<int>(SA_RESETHAND | SA_NODEFER));
  }
  for (const int signal : kWatched) sigaction(signal, nullptr, &actions_before[i++]);
  handle(SIGTSTP, on_stop, SA_RESTART);
  handle(SIGWINCH, on_resize, SA_RESTART);
  handle(SIGCONT, on_continue, SA_RESTART);
  call_when_killed(restore_terminal);
  terminate_before = std::set_terminate(on_terminate);
}

void leave_signals() {
  call_when_killed(nullptr);
  std::size_t i = 0;
  for (const int signal : kDeaths) sigaction(signal, &actions_before[i++], nullptr);
  for (const int signal : kWatched) sigaction(signal, &actions_before[i++], nullptr);
  std::set_terminate(terminate_before);
}

void append_capability(const char* name) {
  const char* text = capability(name);
  if (text == nullptr) return;
  const std::size_t length = std::strlen(text);
  if (way_out.length + length > way_out.text.size()) return;
  std::memcpy(way_out.text.data() + way_out.length, text, length);
  way_out.length += length;
}

/// What brings the terminal back, put together while that may take time.
void prepare_way_out(int fd) {
  way_out = {};
  way_out.fd = STDOUT_FILENO;
  tcgetattr(fd, &way_out.modes);
  if (capability("kmous") != nullptr) {
    constexpr std::string_view kNoMouse = "\x1b[?1006l\x1b[?1000l";
    std::memcpy(way_out.text.data(), kNoMouse.data(), kNoMouse.size());
    way_out.length = kNoMouse.size();
  }
  for (const char* name : {"sgr0", "cnorm", "rmkx", "rmcup"}) append_capability(name);
}

}  // namespace

void watch_terminal(int fd) {
  prepare_way_out(fd);
  watch_signals();
  restore_wanted = 1;
}

void leave_terminal() {
  restore_wanted = 0;
  leave_signals();
}

void stop_here() {
  restore_wanted = 0;
  handle(SIGTSTP, SIG_DFL, 0);
  raise(SIGTSTP);
  // A shell said to go on.
  handle(SIGTSTP, on_stop, SA_RESTART);
  restore_wanted = 1;
}

TerminalSignals take_signals() {
  const auto take = [](volatile std::sig_atomic_t& flag) {
    const bool set = flag != 0;
    flag = 0;
    return set;
  };
  return {take(stop_wanted), take(continued), take(size_changed)};
}

const char* capability(const char* name) {
  const char* text = tigetstr(name);
  // -1: no such capability of the kind.
  return reinterpret_cast<std::uintptr_t>(text) == std::numeric_limits<std::uintptr_t>::max() ? nullptr : text;
}

}  // namespace rocetop::cli
