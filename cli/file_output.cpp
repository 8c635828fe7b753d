// SPDX-License-Identifier: BSD-3-Clause
#include "file_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "interrupt.h"

namespace rocetop::cli {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;
constexpr mode_t kMode = 0666;  // less the umask

Error failure(const std::string& path, int error) { return Error{path + ": " + std::strerror(error), ""}; }

}  // namespace

FileOutput::~FileOutput() {
  if (fd_ >= 0) ::close(fd_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  remove_when_killed(nullptr);
}

Result<Done> FileOutput::open(const std::string& path) {
  path_ = path;
  struct stat link{};
  const bool is_link = ::lstat(path.c_str(), &link) == 0 && S_ISLNK(link.st_mode);
  struct stat there{};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) return Error{path + ": is a directory", "Give the name of a file."};
  if (is_link || (exists && !S_ISREG(there.st_mode))) {
    // Devices, pipes and links (/dev/stdout is one) stay what they are: they are written through.
    fd_ =
        ::open(path.c_str(), O_WRONLY | O_CREAT | (exists && S_ISREG(there.st_mode) ? O_TRUNC : 0) | O_CLOEXEC, kMode);
  } else {
    const std::string temporary = path + ".part" + std::to_string(::getpid());
    const SignalsHeld held;
    fd_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd_ >= 0) {
      temporary_ = temporary;
      remove_when_killed(temporary_.c_str());
    }
  }
  if (fd_ < 0) return failure(path, errno);
  return Done{};
}

void FileOutput::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kFlushAt) flush();
}

void FileOutput::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty() && error_ == 0) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
}

Result<Done> FileOutput::finish() {
  flush();
  if (::close(fd_) != 0 && errno != EINTR && error_ == 0) error_ = errno;
  fd_ = -1;
  if (error_ == 0 && !temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0) error_ = errno;
  if (error_ != 0) return failure(path_, error_);
  if (!temporary_.empty()) remove_when_killed(nullptr);
  temporary_.clear();
  return Done{};
}

}  // namespace rocetop::cli
