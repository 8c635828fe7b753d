// SPDX-License-Identifier: BSD-3-Clause
#include "source/open.h"

#include <utility>
#include <vector>

#include "source/capture_format.h"
#include "source/input_name.h"
#include "source/pcap_reader.h"
#include "source/pcapng_reader.h"

namespace rocetop::source {
namespace {

/// The first bytes of `stream`: fewer than kSniffedBytes only if it ends before.
std::vector<std::uint8_t> read_head(ByteStream& stream) {
  std::vector<std::uint8_t> head(kSniffedBytes);
  std::size_t filled = 0;
  while (filled < head.size()) {
    const std::size_t got = stream.read({head.data() + filled, head.size() - filled});
    if (got == 0) break;
    filled += got;
  }
  head.resize(filled);
  return head;
}

struct Sniffed {
  std::unique_ptr<ByteStream> stream;  // from its first byte on
  CaptureFormat format;
};

/// What `stream` is. Errors: it broke before that could be seen, or it is nothing that is read.
Result<Sniffed> sniff(std::unique_ptr<ByteStream> stream, const std::string& name, const char* subject = "") {
  std::vector<std::uint8_t> head = read_head(*stream);
  const StreamEnd& end = stream->end();
  if (head.size() < kSniffedBytes && end.kind != StreamEnd::Kind::kClean) {
    return Error{name + ": " + end.reason, end.hint};
  }
  const CaptureFormat format = format_of(head);
  if (format == CaptureFormat::kOther) {
    const Error refusal = explain_refusal(head);
    return Error{name + ": " + subject + refusal.message, refusal.hint};
  }
  return Sniffed{rejoin_stream(std::move(head), std::move(stream)), format};
}

template <typename Reader>
Result<std::unique_ptr<FrameSource>> begin_reading(std::unique_ptr<ByteStream> stream, const std::string& name) {
  auto reader = std::make_unique<Reader>(std::move(stream), name);
  if (auto begun = reader->begin(); !begun) return begun.error();
  return std::unique_ptr<FrameSource>(std::move(reader));
}

}  // namespace

Result<std::unique_ptr<FrameSource>> open_stream(std::unique_ptr<ByteStream> stream, const std::string& name) {
  auto sniffed = sniff(std::move(stream), name);
  if (!sniffed) return sniffed.error();
  const CaptureFormat outer = sniffed->format;
  if (outer == CaptureFormat::kGzip || outer == CaptureFormat::kZstd) {
    stream = outer == CaptureFormat::kGzip ? gunzip_stream(std::move(sniffed->stream))
                                           : unzstd_stream(std::move(sniffed->stream));
    sniffed = sniff(std::move(stream), name, "what is compressed in it ");
    if (!sniffed) return sniffed.error();
  }
  if (sniffed->format == CaptureFormat::kPcap) return begin_reading<PcapReader>(std::move(sniffed->stream), name);
  if (sniffed->format == CaptureFormat::kPcapng) return begin_reading<PcapngReader>(std::move(sniffed->stream), name);
  return Error{name + ": is compressed twice", "Decompress it once."};
}

Result<std::unique_ptr<FrameSource>> open_capture(const std::string& path, int stop) {
  auto stream = open_file_stream(path, stop);
  if (!stream) return stream.error();
  return open_stream(std::move(stream.value()), input_name(path));
}

}  // namespace rocetop::source
