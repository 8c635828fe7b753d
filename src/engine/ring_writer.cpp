// SPDX-License-Identifier: BSD-3-Clause
#include "engine/ring_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "source/input_name.h"

namespace rocetop::engine {
namespace {

constexpr std::size_t kWriteAt = 1 << 20;       // bytes
constexpr std::size_t kInterfacesMost = 1'000;  // that are told apart
constexpr std::size_t kFreeMost = 64;           // chunks kept to be filled again

bool write_all(int fd, const std::vector<std::uint8_t>& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t written = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<RingWriter>> RingWriter::open(const RingOptions& options) {
  std::unique_ptr<RingWriter> writer(new RingWriter(options));
  if (auto done = writer->open_file(); !done) return done.error();
  writer->thread_ = std::thread([raw = writer.get()] { raw->run(); });
  return writer;
}

RingWriter::~RingWriter() { static_cast<void>(finish()); }

/// What stands before and behind the number of a ring's file.
std::pair<std::string, std::string> RingWriter::name_parts() const {
  const std::size_t slash = options_.path.rfind('/');
  const std::size_t dot = options_.path.rfind('.');
  const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1) && dot != 0;
  const std::size_t end = has_ending ? dot : options_.path.size();
  return {options_.path.substr(0, end) + "_", options_.path.substr(end)};
}

std::string RingWriter::name_of(std::uint64_t number) const {
  if (options_.file_bytes == 0) return options_.path;
  char text[24];
  std::snprintf(text, sizeof text, "%05llu", static_cast<unsigned long long>(number));
  const auto [before, behind] = name_parts();
  return before + text + behind;
}

/// Of the files that a ring of this name has left; 0 where there is none.
std::uint64_t RingWriter::highest_number() const {
  namespace fs = std::filesystem;
  const auto [before, behind] = name_parts();
  const std::string prefix = fs::path(before).filename().string();
  const fs::path folder = fs::path(before).parent_path();
  std::uint64_t highest = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.size() <= prefix.size() + behind.size() || !name.starts_with(prefix) || !name.ends_with(behind)) continue;
    const char* const last = name.data() + name.size() - behind.size();
    std::uint64_t number = 0;
    const auto [stop, wrong] = std::from_chars(name.data() + prefix.size(), last, number);
    if (wrong == std::errc{} && stop == last) highest = std::max(highest, number);
  }
  return highest;
}

/// Devices and pipes are written to as they are; what a file holds is not lost without being asked for.
Result<int> RingWriter::create(const std::string& name) const {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int fd = ::open(name.c_str(), kFlags | (options_.overwrite ? 0 : O_EXCL), 0644);
  if (fd < 0 && errno == EEXIST && !options_.overwrite) {
    struct stat facts{};
    if (::stat(name.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
      return Error{source::input_name(name) + " exists", "Give another name, or --overwrite."};
    }
    fd = ::open(name.c_str(), kFlags, 0644);
  }
  if (fd < 0) return Error{source::input_name(name) + ": cannot be written: " + std::strerror(errno), ""};
  return fd;
}

Result<Done> RingWriter::open_file() {
  if (file_number_ == 0 && options_.file_bytes != 0 && !options_.overwrite) file_number_ = highest_number();
  const std::string name = name_of(++file_number_);
  if (source::written_over(name, options_.read) != nullptr) {
    return Error{source::input_name(name) + " would overwrite the input", "Give another name."};
  }
  auto created = create(name);
  if (!created) return created.error();
  fd_ = created.value();
  names_.push_back(name);
  pcapng_.begin(buffer_);
  file_bytes_ = buffer_.size();
  file_frames_ = 0;
  const std::lock_guard lock(mutex_);
  state_.file = name;
  return Done{};
}

void RingWriter::close_file() {
  if (fd_ < 0) return;
  write_out();
  if (fd_ >= 0 && ::close(fd_) != 0 && errno != EINTR) fail(std::strerror(errno));  // NFS reports a full disk here
  fd_ = -1;
}

void RingWriter::fail(const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (state_.error.empty()) state_.error = source::input_name(state_.file) + ": cannot be written: " + what;
  state_.file.clear();
}

std::unique_ptr<source::FrameChunk> RingWriter::empty_chunk() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return std::make_unique<source::FrameChunk>();
  auto chunk = std::move(free_.back());
  free_.pop_back();
  return chunk;
}

void RingWriter::add(const source::Frame& frame, const source::InterfaceFacts& interface) {
  if (!filling_) filling_ = empty_chunk();
  if (frame.interface >= kInterfacesMost) return;
  if (frame.interface >= interfaces_.size() || !interfaces_[frame.interface]) {
    const std::lock_guard lock(mutex_);
    interfaces_.resize(std::max<std::size_t>(interfaces_.size(), frame.interface + 1));
    interfaces_[frame.interface] = interface;
  }
  filling_->add(frame);
}

void RingWriter::hand_over() {
  if (!filling_ || filling_->frames.empty()) return;
  filling_->settle();
  std::unique_lock lock(mutex_);
  const std::size_t bytes = filling_->bytes.size();
  if (options_.lossless) {
    changed_.wait(lock, [&] { return queued_bytes_ == 0 || queued_bytes_ + bytes <= kQueueBytes; });
  }
  if (!state_.error.empty() || (queued_bytes_ != 0 && queued_bytes_ + bytes > kQueueBytes)) {
    state_.dropped += filling_->frames.size();
    filling_->clear();
    return;
  }
  queued_bytes_ += bytes;
  queue_.push_back(std::move(filling_));
  changed_.notify_all();
}

void RingWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return finishing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto chunk = std::move(queue_.front());
    queue_.pop_front();
    const bool ok = state_.error.empty();
    lock.unlock();
    if (ok) write(*chunk);
    lock.lock();
    (state_.error.empty() ? state_.frames : state_.dropped) += chunk->frames.size();
    queued_bytes_ -= chunk->bytes.size();
    chunk->clear();
    if (free_.size() < kFreeMost) free_.push_back(std::move(chunk));
    changed_.notify_all();
  }
}

void RingWriter::write(source::FrameChunk& chunk) {
  std::vector<std::optional<source::InterfaceFacts>> interfaces;
  {
    const std::lock_guard lock(mutex_);
    interfaces = interfaces_;
  }
  for (const source::Frame& frame : chunk.frames) {
    const std::size_t size = source::PcapngWriter::size_of(frame);
    if (options_.file_bytes != 0 && file_bytes_ + size > options_.file_bytes && file_frames_ != 0) {
      close_file();
      if (auto done = open_file(); !done) return fail(done.error().message);
      while (names_.size() > std::max<std::size_t>(options_.files, 1)) {
        ::unlink(names_.front().c_str());
        names_.pop_front();
      }
    }
    const std::size_t before = buffer_.size();
    pcapng_.add(frame, *interfaces[frame.interface], buffer_);
    file_bytes_ += buffer_.size() - before;
    ++file_frames_;
    if (buffer_.size() >= kWriteAt) write_out();
  }
  write_out();
}

void RingWriter::write_out() {
  if (fd_ >= 0 && !write_all(fd_, buffer_)) {
    fail(std::strerror(errno));
    ::close(std::exchange(fd_, -1));
  }
  buffer_.clear();
}

model::Recording RingWriter::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Result<Done> RingWriter::finish() {
  if (!thread_.joinable()) return Done{};
  hand_over();
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  changed_.notify_all();
  thread_.join();
  close_file();
  const model::Recording last = state();
  if (!last.error.empty()) return Error{last.error, "The recording is incomplete."};
  return Done{};
}

}  // namespace rocetop::engine
