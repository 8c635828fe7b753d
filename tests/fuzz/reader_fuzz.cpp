// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes as a capture, read to the end, once as a file and once as a pipe that trickles. What a
// FrameSource promises must hold, and the two readings must be equal.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "source/byte_stream.h"
#include "source/open.h"
#include "source/packet_sketch.h"
#include "source/record_reader.h"

namespace {

using namespace rocetop;
using namespace rocetop::source;

// A few bytes of zstd can stand for very many frames.
constexpr std::uint64_t kMostFrames = 50'000;

struct Summary {
  std::uint64_t frames = 0;
  std::uint64_t hash = 0;
  std::string words;  // of the error, or of all problems

  void mix(std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3; }
};

void check_text(const std::string& text) {
  ROCETOP_CHECK(text.size() < 1000);
  for (const char c : text) ROCETOP_CHECK(static_cast<unsigned char>(c) >= 0x20);
}

void check_frame(const FrameSource& source, const Frame& frame, Summary& summary) {
  ROCETOP_CHECK(frame.id == FrameId(0, ++summary.frames));
  ROCETOP_CHECK(frame.bytes.size() <= kLongestFrame);
  ROCETOP_CHECK(frame.wire_length >= frame.bytes.size());
  ROCETOP_CHECK(frame.interface < source.interfaces().size());
  ROCETOP_CHECK(frame.link_type == source.interfaces()[frame.interface].link_type);
  summary.mix(static_cast<std::uint64_t>(frame.time.count));
  summary.mix(frame.wire_length);
  summary.mix(frame.interface);
  for (const std::uint8_t byte : frame.bytes) summary.mix(byte);
  summary.mix(packet_fingerprint(frame.bytes, frame.link_type).value_or(0));
}

void check_problems(const FrameSource& source, Summary& summary) {
  const auto& problems = source.problems();
  ROCETOP_CHECK(problems.size() <= 2);  // one remark, one end
  for (const Problem& problem : problems) {
    check_text(problem.message);
    check_text(problem.hint);
    ROCETOP_CHECK(!problem.fatal || &problem == &problems.back());
    summary.words += problem.message;
  }
}

Summary read_to_the_end(const std::vector<std::uint8_t>& input, std::size_t chunk_bytes) {
  Summary summary;
  const auto source = open_stream(memory_stream(input, chunk_bytes), "FILE");
  if (!source) {
    check_text(source.error().message);
    check_text(source.error().hint);
    summary.words = source.error().message;
    return summary;
  }
  std::vector<Frame> batch;
  bool more = true;
  while (summary.frames < kMostFrames && (more = source.value()->next_batch(batch))) {
    ROCETOP_CHECK(!batch.empty() && batch.size() <= kBatchFrames);
    for (const Frame& frame : batch) check_frame(*source.value(), frame, summary);
  }
  if (more) return summary;
  ROCETOP_CHECK(batch.empty());
  ROCETOP_CHECK(!source.value()->next_batch(batch));  // the end stays the end
  ROCETOP_CHECK(source.value()->bytes_read() <= input.size());
  check_problems(*source.value(), summary);
  return summary;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> input(data, data + size);
  const Summary file = read_to_the_end(input, 0);
  const Summary pipe = read_to_the_end(input, 1 + size % 61);
  // Where damage in compressed data is noticed depends on how much of it is looked at.
  const bool compressed = size >= 2 && ((data[0] == 0x1F && data[1] == 0x8B) || data[1] == 0xB5 || data[1] == 0x2A);
  if (compressed || file.frames >= kMostFrames) return 0;
  ROCETOP_CHECK(file.frames == pipe.frames && file.hash == pipe.hash && file.words == pipe.words);
  return 0;
}
