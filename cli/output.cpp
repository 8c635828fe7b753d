// SPDX-License-Identifier: BSD-3-Clause
#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "message.h"

namespace rocetop::cli {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;

}  // namespace

void Output::write(std::string_view text) {
  if (!usable()) return;
  buffer_ += text;
  if (buffer_.size() >= kFlushAt) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && usable()) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

bool Output::finish() {
  flush();
  if (usable() && ::close(STDOUT_FILENO) != 0 && errno != EINTR) error_ = errno;  // NFS reports a full disk here
  if (error_ == 0 || error_ == EPIPE) return true;
  complain(std::string("standard output: ") + std::strerror(error_), "The output is incomplete.");
  return false;
}

void guard_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
      // The lowest free descriptor is `fd`. Opened the wrong way round, so that using it fails as if it were closed.
      (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

}  // namespace rocetop::cli
