// SPDX-License-Identifier: BSD-3-Clause
// RingWriter: frames into a pcapng file, or a ring of them of which the oldest is deleted, by a thread of its own. The
// analysis hands frames over and goes on; what the disk cannot take in time is dropped and counted.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/live.h"
#include "source/frame_chunk.h"
#include "source/pcapng_writer.h"

namespace rocetop::engine {

struct RingOptions {
  /// Of the file. Of a ring: NAME.pcapng becomes NAME_00001.pcapng and so on, from the first number on that is higher
  /// than those that exist.
  std::string path;
  std::uint64_t file_bytes = 0;        ///< then the next file begins; 0: one file without end
  std::size_t files = 10;              ///< kept of a ring
  bool lossless = false;               ///< the analysis waits for the disk
  std::vector<std::string> read = {};  ///< the inputs: no file of the ring is written over one
  bool overwrite = false;              ///< files that exist, and a ring begins with 1; otherwise they are an error
};

class RingWriter {
 public:
  /// Creates the first file. Error: it cannot be written, or exists.
  static Result<std::unique_ptr<RingWriter>> open(const RingOptions& options);
  /// Writes what it was given, as finish() does.
  ~RingWriter();

  /// From the analysis' thread: takes a frame along.
  void add(const source::Frame& frame, const source::InterfaceFacts& interface);
  /// From the same thread, now and then: what was added may be written.
  void hand_over();
  /// From any thread.
  model::Recording state() const;
  /// Writes everything that was handed over and closes the file. Error: something was not written.
  Result<Done> finish();

  /// Frames that wait to be written take at most so much.
  static constexpr std::size_t kQueueBytes = 64 << 20;

 private:
  explicit RingWriter(const RingOptions& options) : options_(options) {}
  Result<Done> open_file();
  Result<int> create(const std::string& name) const;
  std::uint64_t highest_number() const;
  void close_file();
  std::pair<std::string, std::string> name_parts() const;
  std::string name_of(std::uint64_t number) const;
  void run();
  void write(source::FrameChunk& chunk);
  void write_out();
  void fail(const std::string& what);
  std::unique_ptr<source::FrameChunk> empty_chunk();

  const RingOptions options_;

  // Of the analysis' thread.
  std::unique_ptr<source::FrameChunk> filling_;

  // Of the writing thread, once it runs.
  source::PcapngWriter pcapng_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t file_number_ = 0;
  std::uint64_t file_bytes_ = 0;  // buffer_ included
  std::uint64_t file_frames_ = 0;
  std::deque<std::string> names_;  // of the files that exist, the oldest first
  int fd_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Under mutex_:
  std::deque<std::unique_ptr<source::FrameChunk>> queue_;
  std::vector<std::unique_ptr<source::FrameChunk>> free_;
  std::vector<std::optional<source::InterfaceFacts>> interfaces_;  // by Frame::interface, once it had a frame
  std::size_t queued_bytes_ = 0;
  model::Recording state_;
  bool finishing_ = false;
  std::thread thread_;
};

}  // namespace rocetop::engine
