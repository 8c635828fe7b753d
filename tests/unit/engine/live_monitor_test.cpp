// SPDX-License-Identifier: BSD-3-Clause
#include "engine/live_monitor.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "generate/scenario.h"
#include "source/replay_source.h"
#include "support/memory_source.h"

namespace rocetop::engine {
namespace {

using std::chrono::milliseconds;

/// Two writes with a loss each, three seconds apart.
constexpr std::string_view kTwoLosses =
    "W 100-109 | drop 103 | NAK 103 | W 103-109 | ACK 109 | wait 3s | W 110-119 | drop 113 | NAK 113 | W 113-119 | "
    "ACK 119";

std::vector<generate::TimedFrame> frames_of(std::string_view scenario) {
  auto frames = generate::run_scenario(scenario);
  EXPECT_TRUE(frames) << (frames ? "" : frames.error().message);
  return frames ? std::move(frames.value()) : std::vector<generate::TimedFrame>{};
}

std::unique_ptr<source::FrameSource> replay(const std::vector<generate::TimedFrame>& frames) {
  return std::make_unique<source::ReplaySource>(
      std::make_unique<test::MemorySource>(frames, std::vector<std::size_t>{3}), 0, seconds(1));
}

std::unique_ptr<LiveMonitor> monitor(std::unique_ptr<source::FrameSource> source, LiveMonitorOptions options = {}) {
  options.lossless = true;
  auto made = LiveMonitor::create(std::move(source), options);
  EXPECT_TRUE(made);
  return std::move(made.value());
}

std::vector<LiveMonitor::SnapshotPtr> all_of(LiveMonitor& monitor) {
  std::vector<LiveMonitor::SnapshotPtr> out;
  monitor.start();
  while (out.empty() || !out.back()->final) {
    auto next = monitor.newer_than(out.empty() ? 0 : out.back()->number, std::chrono::seconds(60));
    if (!next) {
      ADD_FAILURE() << "no snapshot came";
      return out;
    }
    out.push_back(std::move(next));
  }
  return out;
}

std::uint64_t resent(const model::Snapshot& s) {
  std::uint64_t sum = 0;
  for (const auto& c : s.connections) sum += model::totals(c).retransmitted;
  return sum;
}

/// Time goes by, and nothing comes.
class Silence final : public source::FrameSource {
 public:
  bool next_batch(std::vector<source::Frame>& batch) override {
    batch.clear();
    wake_.wait({}, std::chrono::seconds(600));
    return !wake_.called();
  }
  std::optional<Nanos> clock() const override { return Nanos{1}; }
  void wake() override { wake_.call(); }
  const std::vector<source::InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<source::Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  source::WakeUp wake_;
  std::vector<source::InterfaceFacts> interfaces_;
  std::vector<source::Problem> problems_;
};

TEST(LiveMonitor, PublishesEachIntervalAndTheEnd) {
  const auto frames = frames_of(kTwoLosses);
  const auto live = monitor(replay(frames));
  const auto snapshots = all_of(*live);
  ASSERT_EQ(snapshots.size(), 4U);  // after 1, 2 and 3 seconds, and the end
  EXPECT_TRUE(live->ended());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    EXPECT_EQ(snapshots[i]->number, i + 1);
    EXPECT_EQ(snapshots[i]->final, i == 3);
    ASSERT_EQ(snapshots[i]->recent.size(), snapshots[i]->totals.connections.size());
    sum += snapshots[i]->interval.frames;
  }
  EXPECT_EQ(snapshots[0]->interval.active, 1U);
  EXPECT_EQ(snapshots[1]->interval.active, 0U);
  EXPECT_EQ(snapshots[1]->interval.duration, seconds(1));
  EXPECT_EQ(snapshots[0]->interval.sum.naks, 1U);
  EXPECT_EQ(snapshots[3]->interval.sum.naks, 1U);
  EXPECT_EQ(sum, frames.size());
}

TEST(LiveMonitor, EndsWithWhatReadingItAtOnceSays) {
  const auto frames = frames_of(kTwoLosses);
  const auto last = all_of(*monitor(replay(frames))).back();
  test::MemorySource source(frames, {});
  auto analysis = Analysis::create({});
  ASSERT_TRUE(analysis);
  (*analysis)->run(source, {}, {}, nullptr);
  const model::Snapshot whole = (*analysis)->finish();
  EXPECT_GT(resent(whole), 0U);
  EXPECT_EQ(resent(last->totals), resent(whole));
  EXPECT_EQ(last->totals.capture.frames, whole.capture.frames);
  ASSERT_EQ(last->totals.findings.size(), whole.findings.size());
  for (std::size_t i = 0; i < whole.findings.size(); ++i) {
    EXPECT_EQ(last->totals.findings[i].title, whole.findings[i].title);
    EXPECT_EQ(last->totals.findings[i].frames, whole.findings[i].frames);
  }
}

TEST(LiveMonitor, TheSilentLeaveAndAreStillInTheSums) {
  const auto frames = frames_of("W 100-109 | ACK 109 | wait 20s | qp 27/28 | W 500-509 | ACK 509 | wait 3s | W 510");
  LiveMonitorOptions options;
  options.silent = seconds(10);
  const auto snapshots = all_of(*monitor(replay(frames), options));
  EXPECT_EQ(snapshots[5]->totals.connections.size(), 1U);
  EXPECT_EQ(snapshots[15]->totals.connections.size(), 0U);
  EXPECT_EQ(snapshots[15]->totals.silent_connections, 1U);
  EXPECT_EQ(snapshots[15]->interval.sum.frames, 0U);
  std::uint64_t sum = 0;
  for (const auto& snapshot : snapshots) sum += snapshot->interval.sum.frames;
  EXPECT_EQ(sum, frames.size());
}

TEST(LiveMonitor, StopsAtOnce) {
  auto live = monitor(std::make_unique<Silence>());
  live->start();
  live->stop();
  const auto last = live->newer_than(0, std::chrono::seconds(60));
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->final);
  live->stop();  // once more does no harm
}

TEST(LiveMonitor, EndsAfterItsDuration) {
  LiveMonitorOptions options;
  options.duration = seconds(2);
  const auto snapshots = all_of(*monitor(replay(frames_of(kTwoLosses)), options));
  ASSERT_EQ(snapshots.size(), 3U);
  EXPECT_EQ(snapshots.back()->totals.capture.frames, snapshots.front()->totals.capture.frames);
}

TEST(LiveMonitor, RecordsWhatItAnalyses) {
  const auto frames = frames_of(kTwoLosses);
  const std::string path = testing::TempDir() + "live_monitor_record.pcapng";
  LiveMonitorOptions options;
  options.analysis.filter = "greater 100";
  options.analysis.frame_limit = 15;
  auto live = monitor(replay(frames), options);
  auto writer = RingWriter::open({path});
  ASSERT_TRUE(writer);
  EXPECT_EQ(live->record(std::move(writer.value())), nullptr);
  const auto last = all_of(*live).back();
  const auto written = live->record(nullptr);
  ASSERT_TRUE(written);
  ASSERT_TRUE(written->finish());
  EXPECT_EQ(written->state().frames, last->totals.capture.frames);
  auto capture = source::open_capture(path);
  ASSERT_TRUE(capture);
  std::vector<source::Frame> batch;
  std::size_t count = 0;
  while ((*capture)->next_batch(batch)) {
    for (const auto& frame : batch) EXPECT_GE(frame.wire_length, 100U);
    count += batch.size();
  }
  EXPECT_EQ(count, 15U);
  std::remove(path.c_str());
}

TEST(LiveMonitor, BeginsAgainWhenAsked) {
  const auto frames = frames_of(kTwoLosses);
  auto live = monitor(replay(frames));
  live->start();
  const auto first = live->newer_than(0, std::chrono::seconds(60));
  ASSERT_TRUE(first);
  live->reset();
  std::uint64_t number = first->number;
  LiveMonitor::SnapshotPtr last = first;
  while (!last->final) {
    last = live->newer_than(number, std::chrono::seconds(60));
    ASSERT_TRUE(last);
    number = last->number;
  }
  EXPECT_EQ(last->resets, 1U);
  EXPECT_LT(last->totals.capture.frames, frames.size());
  EXPECT_GT(last->totals.capture.frames, 0U);
}

LiveMonitorOptions with_screen() {
  LiveMonitorOptions options;
  options.follows_connections = true;
  return options;
}

TEST(LiveMonitor, TellsWhatPassedLately) {
  const auto frames = frames_of(kTwoLosses);
  const auto live = monitor(replay(frames), with_screen());
  all_of(*live);
  const auto recent = live->recent(1);
  ASSERT_NE(recent, nullptr);
  EXPECT_EQ(recent->id, 1U);
  ASSERT_EQ(recent->directions.size(), 2U);
  std::size_t data = 0;
  std::size_t resent_packets = 0;
  for (const auto& point : recent->points) {
    if (point.space == track::SpaceName::kRequests) data += point.packets;
    if (point.mark == model::Mark::kResentNak) resent_packets += point.packets;
  }
  EXPECT_EQ(data, 9U + 7U + 9U + 7U);
  EXPECT_EQ(resent_packets, 14U);
  std::vector<model::Mark> marks;
  for (const auto& event : recent->events) marks.push_back(event.mark);
  using model::Mark;
  EXPECT_EQ(marks, (std::vector{Mark::kGap, Mark::kSequenceNak, Mark::kResentNak, Mark::kGap, Mark::kSequenceNak,
                                Mark::kResentNak}));
  EXPECT_EQ(recent->events[0].psn, Psn{103});
  EXPECT_EQ(recent->events[2].packets, 7U);
  EXPECT_EQ(recent->events[2].trigger, recent->events[1].frame);
  ASSERT_NE(live->recent(99), nullptr);
  EXPECT_TRUE(live->recent(99)->points.empty());
}

TEST(LiveMonitor, KeepsNoPacketsWhereNobodyLooks) {
  const auto frames = frames_of(kTwoLosses);
  const auto live = monitor(replay(frames));
  all_of(*live);
  EXPECT_TRUE(live->recent(1)->points.empty());
}

TEST(LiveMonitor, WhatPassedLatelyIsBounded) {
  std::string scenario = "W 0-99 | ACK 99";
  for (int i = 1; i < 60; ++i) {
    const std::string from = std::to_string(i * 100);
    const std::string last = std::to_string(i * 100 + 99);
    scenario += " | wait 1s | W " + from + "-" + last + " | drop " + from + " | NAK " + from + " | W " + from + "-" +
                last + " | ACK " + last;
  }
  const auto frames = frames_of(scenario);
  const auto live = monitor(replay(frames), with_screen());
  all_of(*live);
  const auto recent = live->recent(1);
  ASSERT_NE(recent, nullptr);
  EXPECT_LE(recent->points.size(), ConnectionWatch::kPoints);
  EXPECT_GT(recent->points.size(), ConnectionWatch::kPoints / 8);
  EXPECT_LE(recent->events.size(), ConnectionWatch::kEvents);
  EXPECT_GT(recent->bin, Nanos{}) << "neighbours are drawn together";
}

TEST(LiveMonitor, AShortFirstIntervalAndANewOne) {
  const auto frames = frames_of(kTwoLosses);
  LiveMonitorOptions options;
  options.first_interval = rocetop::milliseconds(0);
  const auto live = monitor(replay(frames), options);
  live->set_interval(rocetop::seconds(100));
  const auto all = all_of(*live);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0]->final);
}

}  // namespace
}  // namespace rocetop::engine
