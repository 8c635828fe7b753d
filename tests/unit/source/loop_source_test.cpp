// SPDX-License-Identifier: BSD-3-Clause
#include "source/loop_source.h"

#include <gtest/gtest.h>

#include <thread>

#include "source/replay_source.h"

namespace rocetop::source {
namespace {

/// Three frames, a second apart, with what a file says of itself.
class Capture final : public FrameSource {
 public:
  explicit Capture(std::vector<Nanos> times = {seconds(100), seconds(101), seconds(102)}, bool broken = false)
      : times_(std::move(times)) {
    interfaces_.resize(1);
    if (broken) problems_.push_back({"x.pcap: broken", ""});
  }
  bool next_batch(std::vector<Frame>& batch) override {
    batch.clear();
    while (batch.size() < 2 && next_ < times_.size()) {
      Frame frame;
      frame.id = FrameId(0, next_ + 1);
      frame.time = times_[next_++];
      batch.push_back(frame);
    }
    interfaces_[0].frames_dropped = 5;
    return next_ < times_.size();  // the last frames come with the end
  }
  const std::vector<InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return next_ * 10; }
  std::optional<std::uint64_t> bytes_total() const override { return 30; }

 private:
  std::vector<Nanos> times_;
  std::size_t next_ = 0;
  std::vector<InterfaceFacts> interfaces_;
  std::vector<Problem> problems_;
};

Result<std::unique_ptr<FrameSource>> open_capture_again(int) {
  return std::unique_ptr<FrameSource>(std::make_unique<Capture>());
}

/// Stamps in seconds and frame numbers; an empty batch is the time that it says, as -1.
std::vector<std::pair<std::int64_t, std::int64_t>> read(LoopSource& source, std::size_t batches) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  std::vector<Frame> batch;
  for (std::size_t i = 0; i < batches && source.next_batch(batch); ++i) {
    for (const Frame& frame : batch) {
      out.emplace_back(frame.time.count / 1'000'000'000, static_cast<std::int64_t>(frame.id.number()));
    }
    if (batch.empty()) out.emplace_back(source.clock()->count / 1'000'000'000, -1);
  }
  return out;
}

TEST(LoopSource, GoesOnAfterASilence) {
  LoopSource source(std::make_unique<Capture>(), open_capture_again, seconds(300));
  using Frames = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(
      read(source, 7),
      (Frames{{100, 1}, {101, 2}, {102, 3}, {402, -1}, {402, 4}, {403, 5}, {404, 6}, {704, -1}, {704, 7}, {705, 8}}));
  EXPECT_EQ(source.rounds(), 2U);
  EXPECT_EQ(source.bytes_read(), 80U);
}

/// Rules about silence would otherwise find one at the end of each round.
TEST(LoopSource, OfTheSilenceNothingIsKnown) {
  LoopSource source(std::make_unique<Capture>(), open_capture_again, seconds(300));
  EXPECT_EQ(source.known_until(), std::nullopt);
  read(source, 2);
  EXPECT_EQ(source.known_until(), seconds(102));
  read(source, 1);
  ASSERT_EQ(source.clock(), seconds(402));
  EXPECT_EQ(source.known_until(), seconds(102));
  read(source, 2);
  EXPECT_EQ(source.known_until(), seconds(404));
}

TEST(LoopSource, WhatTheCaptureLostItLosesInEachRound) {
  LoopSource source(std::make_unique<Capture>(), open_capture_again, seconds(300));
  for (std::uint64_t round = 1; round < 4; ++round) {
    read(source, 3);
    ASSERT_EQ(source.rounds(), round);
    EXPECT_EQ(source.interfaces()[0].frames_dropped, 5 * round);
  }
}

TEST(LoopSource, KeepsTheClockOfWhatItRepeats) {
  const auto open = [](int) -> Result<std::unique_ptr<FrameSource>> {
    return std::unique_ptr<FrameSource>(std::make_unique<ReplaySource>(std::make_unique<Capture>(), 0, seconds(1)));
  };
  LoopSource source(std::move(open(-1).value()), open, seconds(300));
  Nanos last = Nanos::min();
  std::vector<Frame> batch;
  while (source.rounds() < 5 && source.next_batch(batch)) {
    for (const Frame& frame : batch) {
      EXPECT_GE(frame.time, last);
      last = frame.time;
    }
    EXPECT_GE(*source.clock(), last);
    last = *source.clock();
  }
  EXPECT_EQ(source.rounds(), 5U);
  EXPECT_GE(last, seconds(100 + 4 * 302));
}

TEST(LoopSource, ABrokenCaptureIsNotRepeated) {
  LoopSource source(std::make_unique<Capture>(std::vector<Nanos>{seconds(1)}, true), open_capture_again, seconds(300));
  EXPECT_EQ(read(source, 10).size(), 1U);
  ASSERT_EQ(source.problems().size(), 1U);
  EXPECT_EQ(source.problems()[0].message, "x.pcap: broken");
}

TEST(LoopSource, NorIsAnEmptyOne) {
  LoopSource source(std::make_unique<Capture>(std::vector<Nanos>{}), open_capture_again, seconds(300));
  EXPECT_TRUE(read(source, 10).empty());
  EXPECT_EQ(source.problems().size(), 1U);
}

TEST(LoopSource, ACaptureThatIsGoneEndsIt) {
  LoopSource source(std::make_unique<Capture>(), [](int) { return Error{"x.pcap: gone", ""}; }, seconds(300));
  EXPECT_EQ(read(source, 10).size(), 4U);
  ASSERT_EQ(source.problems().size(), 1U);
  EXPECT_EQ(source.problems()[0].message, "x.pcap: gone");
}

TEST(LoopSource, StampsWithoutAFutureEndIt) {
  LoopSource source(std::make_unique<Capture>(std::vector<Nanos>{Nanos::max() - seconds(1)}), open_capture_again,
                    seconds(300));
  EXPECT_EQ(read(source, 10).size(), 1U);
  EXPECT_EQ(source.problems().size(), 1U);
}

TEST(LoopSource, IsWoken) {
  LoopSource source(std::make_unique<Capture>(), open_capture_again, seconds(300));
  std::thread waker([&] { source.wake(); });
  std::vector<Frame> batch;
  while (source.next_batch(batch)) {
  }
  waker.join();
  EXPECT_FALSE(source.next_batch(batch));
  EXPECT_TRUE(source.problems().empty());
}

}  // namespace
}  // namespace rocetop::source
