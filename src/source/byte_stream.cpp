// SPDX-License-Identifier: BSD-3-Clause
// The plain streams: file descriptor, memory, and a head put back in front of a stream.
#include "source/byte_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "source/input_name.h"

namespace rocetop::source {
namespace {

class FileStream final : public ByteStream {
 public:
  /// `waits`: reading may take for ever, until `stop` is readable.
  FileStream(int descriptor, std::optional<std::uint64_t> bytes_total, bool waits, int stop)
      : descriptor_(descriptor), stop_(stop), waits_(waits), bytes_total_(bytes_total) {}
  ~FileStream() override {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
  }

  std::size_t read(std::span<std::uint8_t> into) override {
    if (waits_ && !wait()) {
      end_ = {StreamEnd::Kind::kInterrupted, "interrupted", ""};
      return 0;
    }
    const ssize_t got = ::read(descriptor_, into.data(), into.size());
    if (got < 0) {
      const auto kind = errno == EINTR ? StreamEnd::Kind::kInterrupted : StreamEnd::Kind::kFailed;
      end_ = {kind, std::string("cannot be read: ") + std::strerror(errno), ""};
      return 0;
    }
    bytes_read_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
  const StreamEnd& end() const override { return end_; }
  std::uint64_t bytes_read() const override { return bytes_read_; }
  std::optional<std::uint64_t> bytes_total() const override { return bytes_total_; }

 private:
  /// Until there is something to read, or the end. False if nobody wants it any more.
  bool wait() const {
    std::array<pollfd, 2> waiting = {{{descriptor_, POLLIN, 0}, {stop_, POLLIN, 0}}};  // poll() skips -1
    while (::poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno != EINTR) return true;  // whatever it is, reading will tell
      if (stop_ < 0) return false;
    }
    return waiting[1].revents == 0;
  }

  int descriptor_;
  int stop_;
  bool waits_;
  std::optional<std::uint64_t> bytes_total_;
  std::uint64_t bytes_read_ = 0;
  StreamEnd end_;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::vector<std::uint8_t> bytes, std::size_t chunk_bytes)
      : bytes_(std::move(bytes)), chunk_bytes_(chunk_bytes == 0 ? bytes_.size() : chunk_bytes) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t count = std::min({into.size(), bytes_.size() - offset_, chunk_bytes_});
    if (count != 0) std::memcpy(into.data(), bytes_.data() + offset_, count);
    offset_ += count;
    return count;
  }
  const StreamEnd& end() const override { return end_; }
  std::uint64_t bytes_read() const override { return offset_; }
  std::optional<std::uint64_t> bytes_total() const override { return bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t chunk_bytes_;
  std::size_t offset_ = 0;
  StreamEnd end_;
};

class RejoinedStream final : public ByteStream {
 public:
  RejoinedStream(std::vector<std::uint8_t> head, std::unique_ptr<ByteStream> stream)
      : head_(std::move(head)), stream_(std::move(stream)) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    if (offset_ == head_.size()) return stream_->read(into);
    const std::size_t count = std::min(into.size(), head_.size() - offset_);
    std::memcpy(into.data(), head_.data() + offset_, count);
    offset_ += count;
    return count;
  }
  const StreamEnd& end() const override { return stream_->end(); }
  bool decompresses() const override { return stream_->decompresses(); }
  std::uint64_t bytes_read() const override { return stream_->bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const override { return stream_->bytes_total(); }

 private:
  std::vector<std::uint8_t> head_;
  std::size_t offset_ = 0;
  std::unique_ptr<ByteStream> stream_;
};

Error open_error(const std::string& path, int error) {
  const std::string name = input_name(path);
  if (error == ENOENT) return {name + ": no such file", "Check the path; rocetop reads pcap and pcapng files."};
  if (error == EACCES || error == EPERM) {
    return {name + ": no permission to read it", "Run as a user who may read the file, or change its permissions."};
  }
  if (error == EMFILE || error == ENFILE) return {name + ": too many open files", "Raise the limit with `ulimit -n`."};
  return {name + ": cannot be opened: " + std::strerror(error), ""};
}

}  // namespace

Result<std::unique_ptr<ByteStream>> open_file_stream(const std::string& path, int stop) {
  const bool standard_input = path == "-";
  // A path with a NUL inside would be cut there and name another file.
  if (path.find('\0') != std::string::npos) return open_error(path, ENOENT);
  // O_NONBLOCK: a pipe with a name is waited for by FileStream, which can be stopped.
  const int descriptor = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return open_error(path, errno);
  if (!standard_input) ::fcntl(descriptor, F_SETFL, 0);

  struct stat facts{};
  const bool known = ::fstat(descriptor, &facts) == 0;
  std::optional<std::uint64_t> bytes_total;
  if (known && S_ISREG(facts.st_mode)) {
    const off_t position = ::lseek(descriptor, 0, SEEK_CUR);
    bytes_total = static_cast<std::uint64_t>(std::max<off_t>(facts.st_size - std::max<off_t>(position, 0), 0));
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  auto stream = std::make_unique<FileStream>(descriptor, bytes_total, !(known && S_ISREG(facts.st_mode)), stop);
  if (known && S_ISDIR(facts.st_mode)) {
    return Error{input_name(path) + ": is a directory", "Name the capture files inside it."};
  }
  return std::unique_ptr<ByteStream>(std::move(stream));
}

std::unique_ptr<ByteStream> memory_stream(std::vector<std::uint8_t> bytes, std::size_t chunk_bytes) {
  return std::make_unique<MemoryStream>(std::move(bytes), chunk_bytes);
}

std::unique_ptr<ByteStream> rejoin_stream(std::vector<std::uint8_t> head, std::unique_ptr<ByteStream> stream) {
  return std::make_unique<RejoinedStream>(std::move(head), std::move(stream));
}

}  // namespace rocetop::source
