// SPDX-License-Identifier: BSD-3-Clause
#include "source/pipe_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "capture_bytes.h"

namespace rocetop::source {
namespace {

using test::Buffer;

/// A pipe that a capture comes through, read by its name.
class Pipe : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(ends.data()), 0); }
  void TearDown() override {
    end();
    ::close(ends[0]);
  }
  void end() {
    if (ends[1] >= 0) ::close(std::exchange(ends[1], -1));
  }
  void write(const std::vector<std::uint8_t>& bytes, std::size_t from, std::size_t to) {
    ASSERT_EQ(::write(ends[1], bytes.data() + from, to - from), static_cast<ssize_t>(to - from));
  }
  PipeSource::Open open() {
    return [path = "/dev/fd/" + std::to_string(ends[0])](int stop) { return open_capture(path, stop); };
  }
  /// Until there are so many frames in all.
  std::size_t read(PipeSource& source, std::size_t wanted) {
    std::vector<Frame> batch;
    std::size_t count = 0;
    while (count < wanted && source.next_batch(batch)) count += batch.size();
    return count;
  }

  std::array<int, 2> ends{-1, -1};
};

Buffer capture_of(std::uint32_t frames) {
  test::PcapFile file;
  for (std::uint32_t i = 0; i < frames; ++i) file.record(1'000'000 + i, 0, Buffer(60, 7));
  return file.bytes();
}

TEST_F(Pipe, TimeGoesByAndNothingIsKnownOfIt) {
  const auto capture = capture_of(1);
  PipeSource source(open());
  write(capture, 0, capture.size());
  ASSERT_EQ(read(source, 1), 1U);
  std::vector<Frame> batch;
  ASSERT_TRUE(source.next_batch(batch));
  EXPECT_TRUE(batch.empty());
  EXPECT_GT(*source.clock(), seconds(1'000'000));
  EXPECT_EQ(*source.known_until(), seconds(1'000'000)) << "packets may be held back";
}

TEST_F(Pipe, HalfARecordAndNoBeginningDoNotStopTime) {
  const auto capture = capture_of(2);
  PipeSource source(open());
  ASSERT_TRUE(source.wait_for_beginning(std::chrono::milliseconds(1)));
  std::vector<Frame> batch;
  EXPECT_TRUE(source.next_batch(batch)) << "it has not begun";
  EXPECT_FALSE(source.clock());
  write(capture, 0, capture.size() - 5);
  ASSERT_EQ(read(source, 1), 1U);
  EXPECT_TRUE(source.next_batch(batch)) << "it waits for half a record";
  EXPECT_TRUE(batch.empty());
  write(capture, capture.size() - 5, capture.size());
  end();
  EXPECT_EQ(read(source, 2), 1U);
  EXPECT_TRUE(source.problems().empty());
}

TEST_F(Pipe, CanBeEndedWhileItWaits) {
  const auto capture = capture_of(1);
  PipeSource source(open());
  write(capture, 0, capture.size() - 5);
  source.wake();
  std::vector<Frame> batch;
  EXPECT_FALSE(source.next_batch(batch));
}

TEST_F(Pipe, WhatIsNoCaptureIsAnErrorEarlyOrLate) {
  const std::vector<std::uint8_t> words(1'000, 'x');
  {
    PipeSource late(open());
    write(words, 0, words.size());
    end();
    std::vector<Frame> batch;
    while (late.next_batch(batch)) EXPECT_TRUE(batch.empty());
    ASSERT_EQ(late.problems().size(), 1U);
    EXPECT_TRUE(late.problems()[0].fatal);
  }
  PipeSource early(open());  // at its end
  EXPECT_FALSE(early.wait_for_beginning(std::chrono::seconds(60)));
}

}  // namespace
}  // namespace rocetop::source
