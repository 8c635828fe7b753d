// SPDX-License-Identifier: BSD-3-Clause
// Reading allocates nothing per frame, and a file costs a bounded amount of memory whatever it holds.
#include <gtest/gtest.h>

#include "capture_bytes.h"
#include "counted_allocation.h"
#include "temporary_files.h"

namespace rocetop::source {
namespace {

using test::allocated_bytes;
using test::allocations;
using test::Buffer;
using test::PcapFile;
using test::PcapngFile;
using test::udp_frame;

constexpr std::uint32_t kFrames = 20'000;

class Allocation : public test::TemporaryFiles {
 protected:
  /// Allocations while all but the first batch are read.
  static std::uint64_t allocations_reading(const std::vector<std::string>& paths) {
    auto source = open_captures(paths);
    EXPECT_TRUE(source);
    std::vector<Frame> batch;
    batch.reserve(1024);
    std::uint64_t frames = 0;
    EXPECT_TRUE(source.value()->next_batch(batch));
    const std::uint64_t before = allocations;
    do {
      frames += batch.size();
    } while (source.value()->next_batch(batch));
    EXPECT_EQ(frames, kFrames * paths.size());
    return allocations - before;
  }

  std::string pcap(const std::string& name, std::uint32_t seed) const {
    PcapFile file;
    for (std::uint32_t i = 0; i < kFrames; ++i) file.record(i, seed, udp_frame(i));
    return write(name, file.bytes());
  }
};

TEST_F(Allocation, NonePerFrame) {
  PcapngFile pcapng;
  pcapng.interface();
  for (std::uint32_t i = 0; i < kFrames; ++i) pcapng.enhanced(0, i, udp_frame(i));
  EXPECT_EQ(allocations_reading({pcap("capture", 1)}), 0u);
  EXPECT_EQ(allocations_reading({write("pcapng", pcapng.bytes())}), 0u);
}

TEST_F(Allocation, OpeningTakesABoundedAmount) {
  const std::string path = pcap("capture", 1);
  const std::uint64_t before = allocated_bytes;
  auto source = open_capture(path);
  std::vector<Frame> batch;
  while (source.value()->next_batch(batch)) {
  }
  EXPECT_LT(allocated_bytes - before, 1'000'000u);
}

TEST_F(Allocation, LyingLengthsCostNothing) {
  PcapFile file({.snap_length = 0xFFFFFFFF});
  file.writer().u32(1).u32(1).u32(60'000'000).u32(60'000'000).raw(Buffer(1000));
  PcapngFile blocks;
  blocks.interface().writer().u32(10).u32(0xFFFFFFF0).raw(Buffer(1000));
  for (const Buffer& bytes : {file.bytes(), blocks.bytes()}) {
    auto stream = memory_stream(bytes);
    const std::uint64_t before = allocated_bytes;
    auto source = open_stream(std::move(stream), "FILE");
    std::vector<Frame> batch;
    while (source.value()->next_batch(batch)) {
    }
    EXPECT_LT(allocated_bytes - before, 1'000'000u);
    EXPECT_EQ(source.value()->problems().size(), 1u);
  }
}

TEST_F(Allocation, MergingTakesAFewPerFileAndNonePerFrame) {
  // Packets of their own each, or they would be two taps.
  PcapFile files[2];
  for (std::uint32_t i = 0; i < 2 * kFrames; ++i) files[i % 2].record(i, 0, udp_frame(i));
  EXPECT_LT(allocations_reading({write("a", files[0].bytes()), write("b", files[1].bytes())}), 50u);
}

}  // namespace
}  // namespace rocetop::source
