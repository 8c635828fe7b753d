// SPDX-License-Identifier: BSD-3-Clause
// Streaming Zstandard decompression (RFC 8878): frames follow each other, skippable ones are passed over by the
// library.
#include <zstd.h>
#include <zstd_errors.h>

#include <memory>
#include <utility>

#include "source/byte_stream.h"

namespace rocetop::source {
namespace {

constexpr std::size_t kInputBytes = 128 * 1024;  // one zstd block at most: ZSTD_BLOCKSIZE_MAX
// 128 MiB, what the zstd tool accepts without --long=28 or more. Level 19 needs 8 MiB. The library touches the window
// only as far as data fills it, so a header that lies does not cost memory.
constexpr int kLargestWindowLog = 27;

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(std::unique_ptr<ByteStream> compressed)
      : compressed_(std::move(compressed)), input_bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(kInputBytes)) {
    if (context_) ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  }

  std::size_t read(std::span<std::uint8_t> into) override;
  const StreamEnd& end() const override { return end_; }
  bool decompresses() const override { return true; }
  std::uint64_t bytes_read() const override { return compressed_->bytes_read(); }
  std::optional<std::uint64_t> bytes_total() const override { return compressed_->bytes_total(); }

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  bool refill();
  std::size_t stop(StreamEnd::Kind kind, std::string reason, std::string hint = "");
  std::size_t stop_at_end_of_input();
  std::size_t stop_on_error(std::size_t status);
  std::uint64_t position() const { return compressed_->bytes_read() - (input_.size - input_.pos); }

  std::unique_ptr<ByteStream> compressed_;
  std::unique_ptr<std::uint8_t[]> input_bytes_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_{ZSTD_createDCtx()};
  ZSTD_inBuffer input_{};
  bool in_frame_ = true;    // an input that holds no frame at all is cut off, too
  bool more_held_ = false;  // the library filled the output, and may hold more that needs no further input
  bool ended_ = false;
  StreamEnd end_;
};

bool ZstdStream::refill() {
  const std::size_t got = compressed_->read({input_bytes_.get(), kInputBytes});
  input_ = {input_bytes_.get(), got, 0};
  return got != 0;
}

std::size_t ZstdStream::stop(StreamEnd::Kind kind, std::string reason, std::string hint) {
  ended_ = true;
  end_ = {kind, std::move(reason), std::move(hint)};
  return 0;
}

std::size_t ZstdStream::stop_at_end_of_input() {
  const StreamEnd& end = compressed_->end();
  if (end.kind != StreamEnd::Kind::kClean || !in_frame_) return stop(end.kind, end.reason, end.hint);
  return stop(StreamEnd::Kind::kCutOff, "the zstd data stops at compressed byte " + std::to_string(position()));
}

std::size_t ZstdStream::stop_on_error(std::size_t status) {
  const std::string where = " near compressed byte " + std::to_string(position());
  const ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
  if (code == ZSTD_error_frameParameter_windowTooLarge) {
    return stop(StreamEnd::Kind::kFailed, "the zstd data" + where + " needs a window of more than 128 MiB",
                "Decompress it first: zstd -d --long=31 FILE.");
  }
  if (code == ZSTD_error_prefix_unknown) {
    return stop(StreamEnd::Kind::kFailed, "what follows the zstd data" + where + " is not zstd",
                "Everything before it was read. Cut the file there if the rest is not needed.");
  }
  return stop(StreamEnd::Kind::kFailed, "the zstd data is damaged" + where + " (" + ZSTD_getErrorName(status) + ")",
              "Check the file with `zstd -t`, and copy it again if the original is intact.");
}

std::size_t ZstdStream::read(std::span<std::uint8_t> into) {
  if (ended_) return 0;
  if (!context_) return stop(StreamEnd::Kind::kFailed, "no memory to decompress it");
  ZSTD_outBuffer output{into.data(), into.size(), 0};
  for (;;) {
    if (input_.pos == input_.size && !more_held_ && !refill()) return stop_at_end_of_input();
    const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input_);
    if (ZSTD_isError(status)) {
      stop_on_error(status);
      return output.pos;
    }
    in_frame_ = status != 0;
    more_held_ = in_frame_ && output.pos == output.size;
    if (output.pos != 0) return output.pos;
  }
}

}  // namespace

std::unique_ptr<ByteStream> unzstd_stream(std::unique_ptr<ByteStream> compressed) {
  return std::make_unique<ZstdStream>(std::move(compressed));
}

}  // namespace rocetop::source
