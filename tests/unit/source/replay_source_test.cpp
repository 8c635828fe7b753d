// SPDX-License-Identifier: BSD-3-Clause
#include "source/replay_source.h"

#include <gtest/gtest.h>

#include <thread>

#include "capture_bytes.h"

namespace rocetop::source {
namespace {

using test::Buffer;

/// Frames with given stamps, in batches of two.
class Stamps final : public FrameSource {
 public:
  explicit Stamps(std::vector<Nanos> times) : times_(std::move(times)) {}
  bool next_batch(std::vector<Frame>& batch) override {
    batch.clear();
    while (batch.size() < 2 && next_ < times_.size()) {
      Frame frame;
      frame.id = FrameId(0, next_ + 1);
      frame.time = times_[next_++];
      batch.push_back(frame);
    }
    return !batch.empty();
  }
  const std::vector<InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  std::vector<Nanos> times_;
  std::size_t next_ = 0;
  std::vector<InterfaceFacts> interfaces_;
  std::vector<Problem> problems_;
};

ReplaySource replay(std::vector<Nanos> times, double speed, Nanos tick = seconds(1)) {
  return {std::make_unique<Stamps>(std::move(times)), speed, tick};
}

TEST(ReplaySource, AtFullSpeedTimeGoesInTicks) {
  ReplaySource source = replay({seconds(100), seconds(100) + milliseconds(500), seconds(103)}, 0);
  std::vector<Frame> batch;
  std::vector<std::pair<std::size_t, std::int64_t>> seen;
  while (source.next_batch(batch)) seen.emplace_back(batch.size(), source.clock()->count / 1'000'000);
  const std::vector<std::pair<std::size_t, std::int64_t>> expected = {
      {2, 100'500}, {0, 101'000}, {0, 102'000}, {0, 103'000}, {1, 103'000}};
  EXPECT_EQ(seen, expected);
}

TEST(ReplaySource, NothingIsLostWhateverTheStamps) {
  const std::vector<Nanos> times = {seconds(5), seconds(4), seconds(6), {}, Nanos::max(), seconds(7), Nanos::min()};
  for (const double speed : {0.0, 1e6}) {
    ReplaySource source = replay(times, speed);
    std::vector<Frame> batch;
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 100'000 && source.next_batch(batch); ++i) {
      for (const Frame& frame : batch) ids.push_back(frame.id.number());
    }
    EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7})) << speed;
  }
}

TEST(ReplaySource, FollowsTheStamps) {
  const auto begin = std::chrono::steady_clock::now();
  ReplaySource source = replay({seconds(100), seconds(102)}, 20);
  std::vector<Frame> batch;
  Nanos last_clock;
  std::size_t frames = 0;
  while (source.next_batch(batch)) {
    EXPECT_GE(*source.clock(), last_clock);
    last_clock = *source.clock();
    for (const Frame& frame : batch) EXPECT_LE(frame.time, last_clock);
    frames += batch.size();
  }
  EXPECT_EQ(frames, 2U);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
}

TEST(ReplaySource, IsWokenFromALongWait) {
  ReplaySource source = replay({seconds(100), seconds(3000)}, 1);
  std::vector<Frame> batch;
  EXPECT_TRUE(source.next_batch(batch));
  EXPECT_EQ(batch.size(), 1U);
  std::thread other([&] { source.wake(); });
  while (source.next_batch(batch)) EXPECT_TRUE(batch.empty());
  other.join();
}

}  // namespace
}  // namespace rocetop::source
