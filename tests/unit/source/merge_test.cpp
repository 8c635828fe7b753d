// SPDX-License-Identifier: BSD-3-Clause
// open_captures(): files in order of time, merged where they overlap, refused where they are taps on one path.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "compression.h"
#include "temporary_files.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::payload;
using test::PcapFile;
using test::PcapngFile;
using test::read_all;
using test::Reading;
using test::udp_frame;
using test::Writer;

class OpenCaptures : public test::TemporaryFiles {
 protected:
  /// A capture of one frame a second, from `first_s` on, with packets no other `seed` has.
  std::string capture(const std::string& name, std::uint32_t first_s, std::uint32_t count, std::uint32_t seed,
                      std::uint32_t step_s = 1) {
    PcapFile file;
    for (std::uint32_t i = 0; i < count; ++i) file.record(first_s + i * step_s, 0, udp_frame((seed << 12) + i));
    return write(name, file.bytes());
  }

  static std::vector<std::pair<std::uint32_t, std::int64_t>> order(const Reading& reading) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> files_and_seconds;
    for (const auto& read : reading.frames) {
      files_and_seconds.emplace_back(read.frame.id.file(), read.frame.time.count / 1'000'000'000);
    }
    return files_and_seconds;
  }
};

using Order = std::vector<std::pair<std::uint32_t, std::int64_t>>;

TEST_F(OpenCaptures, FilesThatFollowEachOtherAreReadInOrderOfTime) {
  const auto late = capture("late", 300, 2, 3);
  const auto early = capture("early", 100, 2, 1);
  const auto middle = capture("middle", 200, 2, 2);
  const Reading reading = read_all(open_captures({late, early, middle}));
  ASSERT_EQ(reading.error, "");
  EXPECT_EQ(order(reading), (Order{{1, 100}, {1, 101}, {2, 200}, {2, 201}, {0, 300}, {0, 301}}));
  EXPECT_EQ(reading.frames[0].frame.id.number(), 1u);  // frames are counted within their file
  EXPECT_EQ(reading.frames[5].frame.id.number(), 2u);
  EXPECT_EQ(reading.frames[5].bytes, udp_frame((3 << 12) + 1));
}

TEST_F(OpenCaptures, OverlappingFilesAreMergedFrameByFrame) {
  const auto a = capture("a", 100, 4, 1, 2);  // 100 102 104 106
  const auto b = capture("b", 101, 4, 2, 2);  // 101 103 105 107
  const auto c = capture("c", 104, 2, 3, 9);  // 104 113
  const Reading reading = read_all(open_captures({b, a, c}));
  ASSERT_EQ(reading.error, "");
  EXPECT_EQ(order(reading), (Order{{1, 100},
                                   {0, 101},
                                   {1, 102},
                                   {0, 103},
                                   {1, 104},  // at the same time: in the order given
                                   {2, 104},
                                   {0, 105},
                                   {1, 106},
                                   {0, 107},
                                   {2, 113}}));
}

TEST_F(OpenCaptures, LargeFilesMergeWithTheirBytesIntact) {
  PcapFile files[2];
  for (std::uint32_t i = 0; i < 6000; ++i) files[i % 2].record(i, 0, udp_frame(i));
  const auto a = write("a", files[0].bytes());
  const auto b = write("b", test::zstd(files[1].bytes()));
  auto source = open_captures({a, b});
  ASSERT_TRUE(source);
  std::vector<Frame> batch;
  std::uint32_t number = 0;
  while (source.value()->next_batch(batch)) {
    for (const Frame& frame : batch) {
      const Buffer expected = udp_frame(number);
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), frame.bytes.begin(), frame.bytes.end())) << number;
      ASSERT_EQ(frame.id, FrameId(number % 2, number / 2 + 1));
      ++number;
    }
  }
  EXPECT_EQ(number, 6000u);
  EXPECT_TRUE(source.value()->problems().empty());
  EXPECT_EQ(source.value()->bytes_read(), source.value()->bytes_total());
}

TEST_F(OpenCaptures, InterfacesAreNumberedOverAllFiles) {
  PcapngFile one;
  one.interface(1, 0, one.option(2, {'x'})).enhanced(0, 1'000'000, udp_frame(1));
  one.interface(101, 0, one.option(2, {'y'})).enhanced(1, 5'000'000, udp_frame(2));
  one.statistics(1, one.option(5, Writer().u64(42).bytes()));
  PcapngFile two;
  two.interface(113, 0, two.option(2, {'z'})).enhanced(0, 3'000'000, udp_frame(3));
  const Reading reading = read_all(open_captures({write("one", one.bytes()), write("two", two.bytes())}));
  ASSERT_EQ(reading.frames.size(), 3u);
  for (const auto& read : reading.frames) {
    const InterfaceFacts& facts = reading.interfaces.at(read.frame.interface);
    EXPECT_EQ(facts.file, read.frame.id.file());
    EXPECT_EQ(facts.link_type, read.frame.link_type);
  }
  ASSERT_EQ(reading.interfaces.size(), 3u);
  EXPECT_EQ(reading.interfaces[reading.frames[2].frame.interface].name, "y");
  EXPECT_EQ(reading.interfaces[reading.frames[2].frame.interface].frames_dropped, 42u);
}

TEST_F(OpenCaptures, ARingBufferOfManyFilesNeedsFewOpenAtOnce) {
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; i < 300; ++i) paths.push_back(capture("f" + std::to_string(i), 1000 + 10 * i, 10, i));
  auto source = open_captures(paths);
  ASSERT_TRUE(source);
  std::vector<Frame> batch;
  std::uint64_t frames = 0;
  std::ptrdiff_t most_open = 0;
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  const auto before = open_files();
  while (source.value()->next_batch(batch)) {
    frames += batch.size();
    most_open = std::max(most_open, open_files() - before);
  }
  EXPECT_EQ(frames, 3000u);
  EXPECT_LE(most_open, 2);
}

TEST_F(OpenCaptures, TooManyOverlappingFilesAreAProblem) {
  std::vector<std::string> paths;
  for (std::uint32_t i = 0; i < 65; ++i) paths.push_back(capture("f" + std::to_string(i), 1000 + i, 100, i));
  const Reading reading = read_all(open_captures(paths));
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_TRUE(reading.problems[0].fatal);
  EXPECT_NE(reading.problems[0].message.find("overlaps in time with 64 other files"), std::string::npos);
}

TEST_F(OpenCaptures, TheFirstFileThatCannotBeOpenedIsTheError) {
  const auto good = capture("good", 1, 2, 1);
  EXPECT_EQ(read_all(open_captures({good, path("nix"), path("nil")})).error, path("nix") + ": no such file");
  EXPECT_NE(read_all(open_captures({})).error, "");
}

TEST_F(OpenCaptures, TheSameFileTwiceIsRefused) {
  const auto a = capture("a", 1, 2, 1);
  const auto b = capture("b", 10, 2, 2);
  ASSERT_EQ(::symlink(a.c_str(), path("link").c_str()), 0);
  EXPECT_EQ(read_all(open_captures({a, b, a})).error, a + ": is given twice");
  EXPECT_EQ(read_all(open_captures({a, b, path("link")})).error, path("link") + ": is the same file as " + a);
}

TEST_F(OpenCaptures, CutOffFilesAreRemarksAndOthersGoOn) {
  const auto a = capture("a", 1, 3, 1);
  std::filesystem::resize_file(a, std::filesystem::file_size(a) - 1);
  const auto b = capture("b", 10, 2, 2);
  const Reading reading = read_all(open_captures({a, b}));
  EXPECT_EQ(order(reading), (Order{{0, 1}, {0, 2}, {1, 10}, {1, 11}}));
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_FALSE(reading.problems[0].fatal);
  EXPECT_NE(reading.problems[0].message.find(a + ": cut off"), std::string::npos);
}

TEST_F(OpenCaptures, ADamagedFileEndsTheReadingAfterWhatCameBefore) {
  PcapFile file;
  file.record(5, 0, udp_frame(1)).writer().u32(6).u32(0).u32(0xFFFFFFF0).u32(1);
  const auto damaged = write("damaged", file.bytes());
  const auto later = capture("later", 10, 2, 2);
  const Reading reading = read_all(open_captures({damaged, later}));
  EXPECT_EQ(order(reading), (Order{{0, 5}}));
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_TRUE(reading.problems[0].fatal);
}

TEST_F(OpenCaptures, AFileWithoutFramesIsFine) {
  const auto none = write("none", PcapFile().bytes());
  const auto a = capture("a", 1, 2, 1);
  const Reading reading = read_all(open_captures({a, none}));
  EXPECT_EQ(order(reading), (Order{{0, 1}, {0, 2}}));
  EXPECT_EQ(reading.interfaces.size(), 2u);
}

TEST_F(OpenCaptures, APipeMayBeAmongThem) {
  const std::string fifo = path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const int keep = ::open(fifo.c_str(), O_RDWR);
  const int writer = ::open(fifo.c_str(), O_WRONLY);
  PcapFile file;
  file.record(2, 0, udp_frame(77)).record(4, 0, udp_frame(78));
  ASSERT_EQ(::write(writer, file.bytes().data(), file.bytes().size()), static_cast<ssize_t>(file.bytes().size()));
  const auto a = capture("a", 1, 3, 1, 2);  // 1 3 5
  auto source = open_captures({fifo, a});
  ::close(writer);
  ::close(keep);
  EXPECT_EQ(order(read_all(std::move(source))), (Order{{1, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5}}));
}

// Two taps on one path.

class TwoTaps : public OpenCaptures {
 protected:
  struct Tap {
    std::int64_t clock_ms = 0;
    std::uint8_t ttl = 64;
    std::uint32_t loses_one_in = 0;  // 0: none
  };
  std::string tap(const std::string& name, std::uint32_t packets, Tap tap) {
    PcapFile file;
    for (std::uint32_t i = 0; i < packets; ++i) {
      if (tap.loses_one_in != 0 && i % tap.loses_one_in == 0) continue;
      const auto time_ms = static_cast<std::uint32_t>(1'000'000 + i + tap.clock_ms);
      file.record(time_ms / 1000, time_ms % 1000 * 1000, udp_frame(i, tap.ttl));
    }
    return write(name, file.bytes());
  }
  void expect_refused(const std::string& a, const std::string& b) {
    for (const auto& paths : {std::vector{a, b}, std::vector{b, a}}) {
      const Reading reading = read_all(open_captures(paths));
      EXPECT_NE(reading.error.find("two taps on one path"), std::string::npos) << reading.error;
      EXPECT_NE(reading.error.find(a), std::string::npos);
      EXPECT_NE(reading.error.find(b), std::string::npos);
      EXPECT_NE(reading.error_hint, "");
    }
  }
};

TEST_F(TwoTaps, AreRefused) { expect_refused(tap("a", 500, {}), tap("b", 500, {.clock_ms = 1, .ttl = 63})); }

TEST_F(TwoTaps, AreRefusedThoughPacketsWereLostInBetween) {
  expect_refused(tap("a", 500, {}), tap("b", 500, {.clock_ms = 1, .loses_one_in = 3}));
}

TEST_F(TwoTaps, AreRefusedThoughTheirClocksDiffer) {
  expect_refused(tap("a", 500, {}), tap("b", 500, {.clock_ms = 250}));
  expect_refused(tap("c", 500, {}), tap("d", 500, {.clock_ms = 100'000}));
}

TEST_F(TwoTaps, AreRefusedThoughTheyHoldFewPackets) { expect_refused(tap("a", 4, {}), tap("b", 4, {.clock_ms = 1})); }

TEST_F(TwoTaps, ACopyIsRefused) {
  const auto a = tap("a", 500, {});
  std::filesystem::copy_file(a, path("copy"));
  expect_refused(a, path("copy"));
}

TEST_F(TwoTaps, AreRefusedLateIfTheOverlapBeginsLate) {
  PcapFile early;
  for (std::uint32_t i = 0; i < 100'000; ++i) early.record(1 + i / 1000, i % 1000 * 1000, udp_frame(i));
  PcapFile late;
  for (std::uint32_t i = 90'000; i < 100'000; ++i) late.record(1 + i / 1000, i % 1000 * 1000 + 1, udp_frame(i, 63));
  const Reading reading = read_all(open_captures({write("early", early.bytes()), write("late", late.bytes())}));
  EXPECT_EQ(reading.error, "");
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_TRUE(reading.problems[0].fatal);
  EXPECT_NE(reading.problems[0].message.find("two taps on one path"), std::string::npos);
}

TEST_F(TwoTaps, SomePacketsInCommonAreNotEnough) {
  PcapFile files[2];
  for (std::uint32_t i = 0; i < 1000; ++i) {
    if (i % 10 == 0) {  // multicast, say, that both see
      for (PcapFile& file : files) file.record(1 + i, 0, udp_frame(i));
    } else {
      files[i % 2].record(1 + i, 0, udp_frame(i));
    }
  }
  const Reading reading = read_all(open_captures({write("a", files[0].bytes()), write("b", files[1].bytes())}));
  EXPECT_EQ(reading.error, "");
  EXPECT_TRUE(reading.problems.empty());
  EXPECT_EQ(reading.frames.size(), 1100u);
}

TEST_F(TwoTaps, HeartbeatsInFilesThatFollowEachOtherAreNotTaps) {
  std::vector<std::string> paths;
  for (std::uint32_t part = 0; part < 3; ++part) {
    PcapFile file;
    for (std::uint32_t i = 0; i < 1000; ++i) file.record(1 + part * 1000 + i, 0, udp_frame(i % 20));
    paths.push_back(write("part" + std::to_string(part), file.bytes()));
  }
  const Reading reading = read_all(open_captures(paths));
  EXPECT_EQ(reading.error, "");
  EXPECT_TRUE(reading.problems.empty());
}

}  // namespace
}  // namespace rocetop::source
