// SPDX-License-Identifier: BSD-3-Clause
// RecordReader: what pcap and pcapng have in common: records follow each other, are taken while they are complete in
// the buffer, and the first one that makes no sense ends the capture with a Problem. The formats themselves are in
// pcap_reader.h and pcapng_reader.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "source/block_buffer.h"
#include "source/byte_stream.h"
#include "source/frame_source.h"

namespace rocetop::source {

/// Bytes of a frame that are delivered at most: the longest snap length tcpdump and dumpcap write, and above any
/// Ethernet frame (an IP packet ends at 64 KiB). What a longer record holds beyond is passed over, so that memory stays
/// constant.
inline constexpr std::uint32_t kLongestFrame = 256 * 1024;

/// A record claiming more captured bytes than its snap length (and kLongestFrame), or than this, is a damaged file.
/// No link layer makes such frames; and behind a wrong length everything would be read out of step.
inline constexpr std::uint32_t kAbsurdFrame = 64 * 1024 * 1024;

/// Frames handed over at once: enough to make the call cheap, few enough for them to stay in the first-level cache.
inline constexpr std::size_t kBatchFrames = 256;

class RecordReader : public FrameSource {
 public:
  /// Reads the file's header; call it once, first. Error: it makes no sense. (A cut-off one is a Problem, as later on.)
  Result<Done> begin();

  bool next_batch(std::vector<Frame>& batch) final;
  const std::vector<InterfaceFacts>& interfaces() const final { return interfaces_; }
  const std::vector<Problem>& problems() const final { return problems_; }
  std::uint64_t bytes_read() const final { return buffer_.stream().bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const final { return buffer_.stream().bytes_total(); }

 protected:
  /// `name` for messages; `record_word` is what the format calls its units.
  RecordReader(std::unique_ptr<ByteStream> stream, std::string name, const char* record_word)
      : buffer_(std::move(stream)), name_(std::move(name)), record_word_(record_word) {}

  /// Takes whole records from the front of `held` and adds their frames to `batch`, up to kBatchFrames. Returns how
  /// many bytes it took; 0 if the first record needs more than `held`. The first call takes the file's header alone.
  virtual std::size_t take(Bytes held, std::vector<Frame>& batch) = 0;

  /// From take(), before it returns: `count` bytes after what it took, the rest of its last record, are passed over.
  void skip_later(std::uint64_t count) { skip_bytes_ = count; }
  /// From take(), before it returns: the capture cannot be read on. `into_held` is where the bad record begins.
  void fail(std::size_t into_held, const std::string& reason, std::string hint = kDamagedHint);
  /// From take(), before it returns: there is nothing wrong with the capture, but rocetop reads no more of it.
  void stop_at_limit(std::size_t into_held, const std::string& reason, std::string hint);
  /// From take(): a remark that does not end the reading.
  void remark(std::size_t into_held, const std::string& reason, std::string hint = "");

  static constexpr const char* kDamagedHint =
      "The file is damaged from there on; everything before it was read. Copy it again if the original is intact.";

  std::vector<InterfaceFacts> interfaces_;
  std::uint64_t frame_count_ = 0;

 private:
  bool pass_over();
  void end_of_stream();
  /// "byte 24", or "byte 24 of the decompressed data".
  std::string byte_words(std::uint64_t offset) const;

  BlockBuffer buffer_;
  std::string name_;
  const char* record_word_;
  std::vector<Problem> problems_;
  std::uint64_t record_begin_ = 0;  // where the record begins whose rest is passed over
  std::uint64_t skip_bytes_ = 0;
  bool ended_ = false;
};

}  // namespace rocetop::source
