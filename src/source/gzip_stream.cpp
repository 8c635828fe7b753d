// SPDX-License-Identifier: BSD-3-Clause
// Streaming gzip decompression (RFC 1952): members follow each other, zero padding may follow the last.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "source/byte_stream.h"

namespace rocetop::source {
namespace {

constexpr std::size_t kInputBytes = 128 * 1024;
constexpr int kGzipOnly = 16;  // added to the window bits: zlib then expects gzip headers (zlib.h, inflateInit2)

class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(std::unique_ptr<ByteStream> compressed)
      : compressed_(std::move(compressed)), input_(std::make_unique_for_overwrite<std::uint8_t[]>(kInputBytes)) {
    ready_ = inflateInit2(&inflate_, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  ~GzipStream() override {
    if (ready_) inflateEnd(&inflate_);
  }

  std::size_t read(std::span<std::uint8_t> into) override;
  const StreamEnd& end() const override { return end_; }
  bool decompresses() const override { return true; }
  std::uint64_t bytes_read() const override { return compressed_->bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const override { return compressed_->bytes_total(); }

 private:
  bool refill();
  bool start_member();
  std::size_t stop(StreamEnd::Kind kind, std::string reason, std::string hint = "");
  /// Bytes of the compressed input that zlib has taken.
  std::uint64_t position() const { return compressed_->bytes_read() - inflate_.avail_in; }

  std::unique_ptr<ByteStream> compressed_;
  std::unique_ptr<std::uint8_t[]> input_;
  z_stream inflate_{};
  bool ready_ = false;
  bool in_member_ = true;  // the first is started by the constructor
  bool ended_ = false;
  StreamEnd end_;
};

bool GzipStream::refill() {
  const std::size_t got = compressed_->read({input_.get(), kInputBytes});
  inflate_.next_in = input_.get();
  inflate_.avail_in = static_cast<uInt>(got);
  return got != 0;
}

std::size_t GzipStream::stop(StreamEnd::Kind kind, std::string reason, std::string hint) {
  ended_ = true;
  end_ = {kind, std::move(reason), std::move(hint)};
  return 0;
}

/// Between members: skips zero padding, then begins the next member. False at the end of the input or on other bytes.
bool GzipStream::start_member() {
  for (;;) {
    if (inflate_.avail_in == 0 && !refill()) {
      const StreamEnd& end = compressed_->end();
      stop(end.kind, end.reason, end.hint);
      return false;
    }
    if (*inflate_.next_in != 0) break;
    ++inflate_.next_in;
    --inflate_.avail_in;
  }
  if (*inflate_.next_in != 0x1F) {
    stop(StreamEnd::Kind::kFailed,
         "what follows the gzip data at compressed byte " + std::to_string(position()) + " is not gzip",
         "Everything before it was read. Cut the file there if the rest is not needed.");
    return false;
  }
  inflateReset(&inflate_);
  in_member_ = true;
  return true;
}

std::size_t GzipStream::read(std::span<std::uint8_t> into) {
  if (ended_) return 0;
  if (!ready_) return stop(StreamEnd::Kind::kFailed, "no memory to decompress it");
  inflate_.next_out = into.data();
  const auto room = static_cast<uInt>(std::min<std::size_t>(into.size(), 1u << 30));
  inflate_.avail_out = room;
  for (;;) {
    if (!in_member_ && !start_member()) return 0;
    if (inflate_.avail_in == 0 && !refill()) {
      const StreamEnd& end = compressed_->end();
      if (end.kind != StreamEnd::Kind::kClean) return stop(end.kind, end.reason, end.hint);
      return stop(StreamEnd::Kind::kCutOff, "the gzip data stops at compressed byte " + std::to_string(position()));
    }
    const int status = inflate(&inflate_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) in_member_ = false;
    const std::size_t made = room - inflate_.avail_out;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      const std::string words = inflate_.msg != nullptr ? inflate_.msg : "unknown error";
      stop(StreamEnd::Kind::kFailed,
           "the gzip data is damaged near compressed byte " + std::to_string(position()) + " (" + words + ")",
           "Check the file with `gzip -t`, and copy it again if the original is intact.");
    }
    if (made != 0 || ended_) return made;
  }
}

}  // namespace

std::unique_ptr<ByteStream> gunzip_stream(std::unique_ptr<ByteStream> compressed) {
  return std::make_unique<GzipStream>(std::move(compressed));
}

}  // namespace rocetop::source
