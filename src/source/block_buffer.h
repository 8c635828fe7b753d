// SPDX-License-Identifier: BSD-3-Clause
// BlockBuffer: a window of fixed size over a ByteStream. Frames point into it, so it moves its contents only in fill().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/byte_reader.h"
#include "source/byte_stream.h"

namespace rocetop::source {

class BlockBuffer {
 public:
  /// Holds the longest frame delivered with the headers around it.
  static constexpr std::size_t kBytes = 512 * 1024;
  /// What one fill() reads, unless a record is longer: few enough to leave a core's cache to the state of the
  /// connections, enough to make system calls rare.
  static constexpr std::size_t kReadBytes = 64 * 1024;

  explicit BlockBuffer(std::unique_ptr<ByteStream> stream);

  /// Bytes read but not consumed, and where they begin in the (decompressed) stream.
  Bytes held() const { return {bytes_.get() + begin_, end_ - begin_}; }
  std::uint64_t offset() const { return offset_; }
  /// `count` of the held bytes are done with. Their memory stays as it is until the next fill().
  void consume(std::size_t count) {
    begin_ += count;
    offset_ += count;
  }

  /// Reads once: some kReadBytes, or as much as is held already. False at the end of the stream. Must not be called
  /// with a full buffer.
  bool fill();

  const ByteStream& stream() const { return *stream_; }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace rocetop::source
