// SPDX-License-Identifier: BSD-3-Clause
#include "small_file.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace rocetop::cli {
namespace {

Error cannot_open(const std::string& path, int reason) {
  Error error{path + ": cannot be opened: " + std::strerror(reason), {}};
  if (reason != EACCES) return error;
  const passwd* user = getpwuid(geteuid());
  error.hint = "It is read as user " + (user != nullptr ? std::string(user->pw_name) : std::to_string(geteuid())) +
               ", without the rights of root: rocetop gives them up where it captures.";
  return error;
}

}  // namespace

Result<std::string> read_small_file(const std::string& path, bool may_be_pipe) {
  constexpr std::size_t kMost = 1 << 20;
  const auto close = [](std::FILE* f) { std::fclose(f); };
  // A pipe that nobody writes to would be waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (may_be_pipe ? 0 : O_NONBLOCK));
  if (descriptor < 0) return cannot_open(path, errno);
  const std::unique_ptr<std::FILE, decltype(close)> file(fdopen(descriptor, "rb"), close);
  struct stat facts{};
  if (!file || ::fstat(descriptor, &facts) != 0) return cannot_open(path, errno);
  if (!may_be_pipe && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) {
    return Error{path + ": is no file, and settings are read again and again", "Write them into a file."};
  }
  std::string text(kMost + 1, '\0');
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return Error{path + ": cannot be read: " + std::strerror(errno), {}};
  if (text.size() > kMost) return Error{path + ": larger than a megabyte: no file of settings", {}};
  return text;
}

}  // namespace rocetop::cli
