// SPDX-License-Identifier: BSD-3-Clause
// ByteStream: the bytes of one input from front to back: a file, a pipe, memory, or what a decompressor makes of one.
// Not a buffer: the reader brings its own, so that plain files are copied once, from the page cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/result.h"

namespace rocetop::source {

/// How a stream ended, once read() has returned 0.
struct StreamEnd {
  enum class Kind {
    kClean,        ///< at its proper end (of a plain stream: just the end)
    kCutOff,       ///< compressed data stops in the middle
    kFailed,       ///< the operating system or the decompressor gave up
    kInterrupted,  ///< somebody wants no more of it: `stop` was readable, or a signal ended the system call
  };
  Kind kind = Kind::kClean;
  std::string reason;  ///< for kCutOff and kFailed, in words
  std::string hint;
};

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;

  /// Fills the front of `into` (not empty) with at least one byte, waiting for it if need be, and with what else can be
  /// had at once. 0 at the end: see end().
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;
  virtual const StreamEnd& end() const = 0;
  /// Whether what is read is decompressed: offsets in messages then are not those in the file.
  virtual bool decompresses() const { return false; }

  /// Bytes taken from the input itself (compressed, if it is), and its size if known.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::optional<std::uint64_t> bytes_total() const = 0;
};

/// The file at `path`, or standard input for "-". What is no file (a pipe, also one that nobody writes to yet) is
/// waited for until `stop` has something to read (-1: for ever). Errors: cannot be opened, a directory.
Result<std::unique_ptr<ByteStream>> open_file_stream(const std::string& path, int stop = -1);

/// A copy of `bytes`, handed out at most `chunk_bytes` at a time, as a pipe would (0: no limit).
std::unique_ptr<ByteStream> memory_stream(std::vector<std::uint8_t> bytes, std::size_t chunk_bytes = 0);

/// `head`, which was read ahead, followed by the rest of `stream`.
std::unique_ptr<ByteStream> rejoin_stream(std::vector<std::uint8_t> head, std::unique_ptr<ByteStream> stream);

/// The decompressed contents of gzip (several members, zero padding after the last) or zstd (several and skippable
/// frames) data. Constant memory: a gzip window is 32 KiB; a zstd window above 128 MiB is refused.
std::unique_ptr<ByteStream> gunzip_stream(std::unique_ptr<ByteStream> compressed);
std::unique_ptr<ByteStream> unzstd_stream(std::unique_ptr<ByteStream> compressed);

}  // namespace rocetop::source
