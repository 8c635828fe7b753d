// SPDX-License-Identifier: BSD-3-Clause
#include "source/pcap_reader.h"

#include <gtest/gtest.h>

#include "capture_bytes.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::payload;
using test::PcapFile;
using test::read_bytes;
using test::Reading;

TEST(PcapReader, ReadsBothByteOrdersAndResolutions) {
  for (const bool big_endian : {false, true}) {
    for (const bool nanoseconds : {false, true}) {
      PcapFile file({.big_endian = big_endian, .nanoseconds = nanoseconds, .snap_length = 128});
      file.record(1'700'000'000, 123'456, payload(60)).record(1'700'000'001, 7, payload(128, 9), 1500);
      const Reading reading = read_bytes(file.bytes());
      ASSERT_EQ(reading.error, "");
      ASSERT_EQ(reading.frames.size(), 2u);
      const std::int64_t fraction_ns = nanoseconds ? 1 : 1000;
      EXPECT_EQ(reading.frames[0].frame.time.count, 1'700'000'000'000'000'000 + 123'456 * fraction_ns);
      EXPECT_EQ(reading.frames[0].frame.id, FrameId(0, 1));
      EXPECT_EQ(reading.frames[0].bytes, payload(60));
      EXPECT_EQ(reading.frames[1].frame.time.count, 1'700'000'001'000'000'000 + 7 * fraction_ns);
      EXPECT_EQ(reading.frames[1].frame.id, FrameId(0, 2));
      EXPECT_EQ(reading.frames[1].frame.wire_length, 1500u);
      EXPECT_EQ(reading.frames[1].bytes, payload(128, 9));
      ASSERT_EQ(reading.interfaces.size(), 1u);
      EXPECT_EQ(reading.interfaces[0].snap_length, 128u);
      EXPECT_EQ(reading.interfaces[0].ticks_per_second, nanoseconds ? 1'000'000'000u : 1'000'000u);
      EXPECT_EQ(reading.interfaces[0].fcs_bytes, std::nullopt);
      EXPECT_TRUE(reading.problems.empty());
    }
  }
}

TEST(PcapReader, TakesTheLinkTypeFromTheLowHalfAndTheFcsLengthFromTheTop) {
  const Reading with = read_bytes(PcapFile({.link = 0x24000001}).record(1, 2, payload(64)).bytes());
  ASSERT_EQ(with.frames.size(), 1u);
  EXPECT_EQ(with.frames[0].frame.link_type, LinkType::kEthernet);
  EXPECT_EQ(with.interfaces[0].fcs_bytes, 4);  // two 16-bit units
  const Reading without = read_bytes(PcapFile({.link = 0x20000114}).record(1, 2, payload(64)).bytes());
  EXPECT_EQ(without.frames[0].frame.link_type, LinkType::kLinuxSll2);
  EXPECT_EQ(without.interfaces[0].fcs_bytes, std::nullopt);  // the P bit is not set
}

TEST(PcapReader, DeliversUnknownLinkTypes) {
  const Reading reading = read_bytes(PcapFile({.link = 9999}).record(1, 2, payload(64)).bytes());
  ASSERT_EQ(reading.frames.size(), 1u);
  EXPECT_EQ(static_cast<int>(reading.frames[0].frame.link_type), 9999);
}

TEST(PcapReader, SnapLengthZeroIsNoLimit) {
  const Reading reading = read_bytes(PcapFile({.snap_length = 0}).record(1, 2, payload(9000)).bytes());
  ASSERT_EQ(reading.frames.size(), 1u);
  EXPECT_EQ(reading.frames[0].bytes, payload(9000));
  EXPECT_EQ(reading.interfaces[0].snap_length, 0u);
}

TEST(PcapReader, WireLengthIsNeverBelowTheCapturedLength) {
  const Reading reading = read_bytes(PcapFile().record(1, 2, payload(64), 10).record(1, 3, {}, 0xFFFFFFFF).bytes());
  ASSERT_EQ(reading.frames.size(), 2u);
  EXPECT_EQ(reading.frames[0].frame.wire_length, 64u);
  EXPECT_EQ(reading.frames[1].frame.wire_length, 0xFFFFFFFFu);
  EXPECT_TRUE(reading.frames[1].bytes.empty());
}

TEST(PcapReader, AbsurdStampsAreTimesToo) {
  PcapFile file({.nanoseconds = false});
  file.record(0xFFFFFFFF, 0xFFFFFFFF, payload(1));
  EXPECT_EQ(read_bytes(file.bytes()).frames.at(0).frame.time.count,
            4'294'967'295 * 1'000'000'000 + 4'294'967'295 * 1'000);
}

TEST(PcapReader, VersionTwoThreeMayHaveTheLengthsTheWrongWayRound) {
  PcapFile file({.minor = 3});
  file.writer().u32(1).u32(2).u32(100).u32(40).raw(payload(40));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.frames.size(), 1u);
  EXPECT_EQ(reading.frames[0].bytes, payload(40));
  EXPECT_EQ(reading.frames[0].frame.wire_length, 100u);
}

TEST(PcapReader, RefusesUnknownVersions) {
  EXPECT_EQ(read_bytes(PcapFile({.major = 3, .minor = 0}).bytes()).error,
            "FILE: at byte 0: version 3.0 of the pcap format is not known");
  EXPECT_NE(read_bytes(PcapFile({.major = 2, .minor = 2}).bytes()).error, "");
}

TEST(PcapReader, AnAbsurdRecordLengthEndsItAndEverythingBeforeIsDelivered) {
  PcapFile file({.snap_length = 100});
  file.record(1, 2, payload(64)).record(1, 3, payload(64));
  const std::size_t offset = file.bytes().size();
  file.writer().u32(1).u32(4).u32(262'145).u32(262'145).raw(payload(100));
  const Reading reading = read_bytes(file.bytes());
  EXPECT_EQ(reading.frames.size(), 2u);
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_TRUE(reading.problems[0].fatal);
  EXPECT_EQ(reading.problems[0].message, "FILE: at byte " + std::to_string(offset) +
                                             ": the record claims 262145 captured bytes, which no capture holds");
  EXPECT_NE(reading.problems[0].hint, "");
}

TEST(PcapReader, ASnapLengthCannotExcuseAnAbsurdRecord) {
  PcapFile file({.snap_length = 0xFFFFFFFF});
  file.writer().u32(1).u32(4).u32(0x7FFFFFFF).u32(0x7FFFFFFF).raw(payload(100));
  const Reading reading = read_bytes(file.bytes());
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_TRUE(reading.problems[0].fatal);
}

TEST(PcapReader, PassesOverWhatALongRecordHoldsBeyondTheLongestFrame) {
  PcapFile file({.snap_length = 2'000'000});
  file.record(1, 1, payload(60)).record(1, 2, payload(1'500'000, 3)).record(1, 3, payload(60, 5));
  for (const std::size_t chunk : {std::size_t{0}, std::size_t{1000}}) {
    const Reading reading = read_bytes(file.bytes(), chunk);
    ASSERT_EQ(reading.frames.size(), 3u);
    const Buffer whole = payload(1'500'000, 3);
    EXPECT_EQ(reading.frames[1].bytes, Buffer(whole.begin(), whole.begin() + kLongestFrame));
    EXPECT_EQ(reading.frames[1].frame.wire_length, 1'500'000u);
    EXPECT_EQ(reading.frames[2].bytes, payload(60, 5));
    EXPECT_TRUE(reading.problems.empty());
  }
}

TEST(PcapReader, CutOffAnywhereIsARemarkAndKeepsWhatWasWhole) {
  PcapFile file;
  file.record(1, 1, payload(30)).record(1, 2, payload(50, 2));
  const Buffer& whole = file.bytes();
  const std::size_t first = 24;
  const std::size_t second = 24 + 16 + 30;
  for (std::size_t length = 4; length < whole.size(); ++length) {
    const Reading reading = read_bytes(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    ASSERT_EQ(reading.error, "") << length;
    EXPECT_EQ(reading.frames.size(), length < second ? 0u : 1u) << length;
    if (length == first || length == second) {
      EXPECT_TRUE(reading.problems.empty()) << length;
      continue;
    }
    ASSERT_EQ(reading.problems.size(), 1u) << length;
    EXPECT_FALSE(reading.problems[0].fatal) << length;
    const std::size_t begin = length < first ? 0 : length < second ? first : second;
    EXPECT_EQ(reading.problems[0].message, "FILE: cut off in the last record at byte " + std::to_string(begin) +
                                               ", after " + std::to_string(length - begin) + " bytes of it");
  }
}

TEST(PcapReader, CutOffInsideTheRestOfALongRecord) {
  PcapFile file({.snap_length = 2'000'000});
  file.record(1, 2, payload(1'000'000));
  Buffer bytes = file.bytes();
  bytes.erase(bytes.end() - 10, bytes.end());
  const Reading reading = read_bytes(bytes);
  EXPECT_EQ(reading.frames.size(), 1u);
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_EQ(reading.problems[0].message, "FILE: cut off in the last record at byte 24, after 1000006 bytes of it");
}

TEST(PcapReader, APipeDeliversWhatItHolds) {
  PcapFile file;
  for (std::uint32_t i = 0; i < 50; ++i) file.record(1, i, payload(20 + i));
  for (const std::size_t chunk : {1, 7, 40, 100}) {
    const Reading reading = read_bytes(file.bytes(), chunk);
    ASSERT_EQ(reading.frames.size(), 50u) << chunk;
    for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(reading.frames[i].bytes, payload(20 + i)) << chunk;
  }
  // 24 bytes of header, then chunks of 40: the frames of the first two records (36 + 37 bytes) need two of them.
  auto source = open_stream(memory_stream(file.bytes(), 40), "FILE");
  ASSERT_TRUE(source);
  std::vector<Frame> batch;
  ASSERT_TRUE(source.value()->next_batch(batch));
  EXPECT_EQ(batch.size(), 1u);
  EXPECT_LE(source.value()->bytes_read(), 24u + 40u + 40u);
}

TEST(PcapReader, ManyFramesKeepTheirBytesWithinABatch) {
  PcapFile file;
  for (std::uint32_t i = 0; i < 20'000; ++i) file.record(i, 0, payload(90, static_cast<std::uint8_t>(i)));
  auto source = open_stream(memory_stream(file.bytes()), "FILE");
  ASSERT_TRUE(source);
  std::vector<Frame> batch;
  std::uint64_t number = 0;
  while (source.value()->next_batch(batch)) {
    EXPECT_LE(batch.size(), kBatchFrames);
    for (const Frame& frame : batch) {
      const Buffer expected = payload(90, static_cast<std::uint8_t>(number));
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), frame.bytes.begin(), frame.bytes.end())) << number;
      ASSERT_EQ(frame.id.number(), ++number);
    }
  }
  EXPECT_EQ(number, 20'000u);
  EXPECT_EQ(source.value()->bytes_read(), file.bytes().size());
  EXPECT_EQ(source.value()->bytes_total(), file.bytes().size());
  EXPECT_FALSE(source.value()->next_batch(batch));  // stays at its end
  EXPECT_TRUE(batch.empty());
}

}  // namespace
}  // namespace rocetop::source
