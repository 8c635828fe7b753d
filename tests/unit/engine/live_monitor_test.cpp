// SPDX-License-Identifier: BSD-3-Clause
#include "engine/live_monitor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "generate/scenario.h"
#include "source/replay_source.h"
#include "source/wrapped_source.h"
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
  explicit Silence(std::optional<Nanos> clock = Nanos{1}, std::chrono::nanoseconds wait = std::chrono::seconds(600))
      : clock_(clock), wait_(wait) {}
  bool next_batch(std::vector<source::Frame>& batch) override {
    batch.clear();
    wake_.wait({}, wait_);
    return !wake_.called();
  }
  std::optional<Nanos> clock() const override { return clock_; }
  void wake() override { wake_.call(); }
  const std::vector<source::InterfaceFacts>& interfaces() const override { return interfaces_; }
  const std::vector<source::Problem>& problems() const override { return problems_; }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  std::optional<Nanos> clock_;
  std::chrono::nanoseconds wait_;
  source::WakeUp wake_;
  std::vector<source::InterfaceFacts> interfaces_;
  std::vector<source::Problem> problems_;
};

/// A pipe that nothing comes through: no packet tells the time.
std::unique_ptr<Silence> no_packets() { return std::make_unique<Silence>(std::nullopt, milliseconds(1)); }

TEST(LiveMonitor, KeepsALedgerForWhoAsks) {
  const auto frames = frames_of(kTwoLosses);
  EXPECT_EQ(all_of(*monitor(replay(frames))).back()->ledger, nullptr);
  LiveMonitorOptions options;
  options.ledger.emplace();
  options.silent = seconds(1);  // the connection is forgotten between the two, and begins anew
  const auto snapshots = all_of(*monitor(replay(frames), options));
  const model::LedgerRows& rows = *snapshots.back()->ledger;
  EXPECT_EQ(rows.protocols[0].packets, frames.size());
  EXPECT_EQ(rows.protocols[0].episodes[static_cast<std::size_t>(track::Cause::kNak)], 2U);
  EXPECT_EQ(rows.connections_in_all, 2U);
  std::uint64_t before = 0;
  for (const auto& snapshot : snapshots) {
    EXPECT_GE(snapshot->ledger->protocols[0].packets, before);
    before = snapshot->ledger->protocols[0].packets;
  }
}

/// A reset is for people who look; counters go on.
TEST(LiveMonitor, AResetLeavesTheLedgerAsItIs) {
  const auto frames = frames_of(kTwoLosses);
  LiveMonitorOptions options;
  options.ledger.emplace();
  const auto made = monitor(replay(frames), options);
  made->start();
  std::uint64_t packets = 0;
  std::uint64_t number = 0;
  for (bool final = false; !final;) {
    const auto next = made->newer_than(number, std::chrono::seconds(60));
    ASSERT_NE(next, nullptr);
    if (number == 0) made->reset();
    EXPECT_GE(next->ledger->protocols[0].packets, packets);
    number = next->number;
    packets = next->ledger->protocols[0].packets;
    final = next->final;
  }
  EXPECT_GT(packets, 0U);
}

TEST(LiveMonitor, WithoutPacketsTheWallTellsTheTime) {
  LiveMonitorOptions options;
  options.endless = true;
  options.interval = rocetop::milliseconds(20);
  options.duration = rocetop::milliseconds(50);
  const auto snapshots = all_of(*monitor(no_packets(), options));
  ASSERT_GE(snapshots.size(), 2U) << "a look after an interval, as --once wants it, and the last";
  EXPECT_FALSE(snapshots.front()->final);
  EXPECT_EQ(snapshots.back()->totals.capture.frames, 0U);
}

/// Its packets may come late: time goes on after the last one, and nothing is known of it.
class Lumpy final : public source::WrappedSource {
 public:
  explicit Lumpy(std::unique_ptr<FrameSource> inner) : WrappedSource(std::move(inner)) {}
  bool next_batch(std::vector<source::Frame>& batch) override {
    inner().next_batch(batch);
    if (!batch.empty()) last_ = now_ = batch.back().time;
    if (batch.empty()) now_ = now_ + seconds(20);
    return now_ < last_ + seconds(100);
  }
  std::optional<Nanos> clock() const override { return now_; }
  std::optional<Nanos> known_until() const override { return last_; }

 private:
  Nanos last_;
  Nanos now_;
};

TEST(LiveMonitor, OnlyLaterPacketsProveSilence) {
  // A message that is not sent to its end; 30 seconds later another connection goes on.
  const auto stops = frames_of("W 1 | ACK 1 | W 2-3 more");
  const auto others = frames_of("W 1 | ACK 1 | W 2-3 more | wait 30s | qp 27/28 | W 500 | ACK 500");
  const auto stopped = [](const auto& frames) {
    std::size_t count = 0;
    auto source = std::make_unique<test::MemorySource>(frames, std::vector<std::size_t>{1});
    for (const auto& snapshot : all_of(*monitor(std::make_unique<Lumpy>(std::move(source))))) {
      for (const auto& finding : snapshot->totals.findings) count += finding.rule == "stream.stopped" ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(stopped(stops), 0U) << "the rest may be in a buffer";
  EXPECT_GT(stopped(others), 0U);
}

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

/// A ring that overflows while nobody takes anything off it.
class Ring final : public source::WrappedSource {
 public:
  Ring(std::unique_ptr<FrameSource> inner, std::size_t& taken) : WrappedSource(std::move(inner)), taken_(taken) {}
  bool next_batch(std::vector<source::Frame>& batch) override { return inner().next_batch(batch); }
  void keep_up() override { ++taken_; }

 private:
  std::size_t& taken_;
};

TEST(LiveMonitor, TheSourceKeepsUpWhileItLooks) {
  std::size_t taken = 0;
  const auto frames = frames_of("W 1 | ACK 1 | wait 1s | W 2 | ACK 2 | wait 1s | W 3 | ACK 3");
  const auto snapshots = all_of(*monitor(std::make_unique<Ring>(replay(frames), taken)));
  EXPECT_GE(taken, 2 * (snapshots.size() - 1)) << "while connections are copied, and while they are judged";
}

TEST(LiveMonitor, StopsAtOnce) {
  auto live = monitor(std::make_unique<Silence>(std::nullopt));
  live->start();
  live->stop();
  const auto last = live->newer_than(0, std::chrono::seconds(60));
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->final);
  EXPECT_GT(last->time, seconds(1'700'000'000)) << "no packet told the time, and 1970 is long ago";
  live->stop();  // once more does no harm
}

TEST(LiveMonitor, EndsAfterItsDuration) {
  LiveMonitorOptions options;
  options.duration = seconds(2);
  const auto snapshots = all_of(*monitor(replay(frames_of(kTwoLosses)), options));
  ASSERT_EQ(snapshots.size(), 3U);
  EXPECT_EQ(snapshots.back()->totals.capture.frames, snapshots.front()->totals.capture.frames);
}

TEST(LiveMonitor, TheFirstIntervalBeginsWithTheFirstPacket) {
  const auto snapshots = all_of(*monitor(replay(frames_of("W 100-109 | ACK 109 | wait 400ms | W 110 | ACK 110"))));
  ASSERT_EQ(snapshots.size(), 1U);
  EXPECT_GE(snapshots[0]->interval.duration, rocetop::milliseconds(400));
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

/// A loss, then nothing wrong for as many seconds, a write in each.
std::string loss_then_calm(int seconds_of_calm) {
  std::string scenario = "W 100-109 | drop 103 | NAK 103 | W 103-109 | ACK 109";
  for (int i = 0; i < seconds_of_calm; ++i) {
    const std::string psn = std::to_string(110 + i);
    scenario += " | wait 1s | W " + psn + " | ACK " + psn;
  }
  return scenario;
}

/// Index of the finding of that rule, or the number of findings.
std::size_t index_of(const model::LiveSnapshot& s, std::string_view rule) {
  const auto& all = s.totals.findings;
  return static_cast<std::size_t>(std::find_if(all.begin(), all.end(), [&](const auto& f) { return f.rule == rule; }) -
                                  all.begin());
}

TEST(LiveMonitor, AFindingWhoseCauseEndedStaysAndIsNotActive) {
  const auto snapshots = all_of(*monitor(replay(frames_of(loss_then_calm(60)))));
  ASSERT_GT(snapshots.size(), 55U);
  for (const auto& snapshot : snapshots) {
    if (snapshot->number == 1) continue;  // nothing new has ended the go-back yet
    const std::size_t i = index_of(*snapshot, "retransmit.nak");
    ASSERT_LT(i, snapshot->totals.findings.size());
    ASSERT_EQ(snapshot->finding_states.size(), snapshot->totals.findings.size());
    const model::FindingState& state = snapshot->finding_states[i];
    ASSERT_TRUE(state.last_seen);
    EXPECT_LE(*state.last_seen - *snapshot->totals.start, rocetop::seconds(1));
    EXPECT_LE(snapshot->window, rocetop::seconds(30));
    const Nanos age = snapshot->time - *snapshot->totals.start;
    if (age <= rocetop::seconds(15) || age > rocetop::seconds(31)) {
      EXPECT_EQ(state.active, age <= rocetop::seconds(15)) << snapshot->number;
    }
    EXPECT_EQ(state.active, state.recent.has_value());
  }
}

TEST(LiveMonitor, WhatGoesOnIsActiveThoughItsListIsFull) {
  std::string scenario = "W 90-99 | ACK 99";
  for (int i = 0; i < 60; ++i) {
    const int first = 100 + i * 10;
    const auto range = [&](int from) { return std::to_string(from) + "-" + std::to_string(first + 9); };
    const std::string lost = std::to_string(first + 3);
    scenario += " | wait 1s | W " + range(first) + " | drop " + lost + " | NAK " + lost + " | W " + range(first + 3) +
                " | ACK " + std::to_string(first + 9);
  }
  LiveMonitorOptions options;
  options.analysis.limits.listed_runs = 4;
  const auto snapshots = all_of(*monitor(replay(frames_of(scenario)), options));
  ASSERT_GT(snapshots.size(), 55U);
  for (std::size_t n = 3; n < snapshots.size(); ++n) {
    for (const char* rule : {"loss.before_tap", "retransmit.nak"}) {
      const std::size_t i = index_of(*snapshots[n], rule);
      ASSERT_LT(i, snapshots[n]->totals.findings.size()) << n;
      EXPECT_TRUE(snapshots[n]->finding_states[i].active) << rule << " " << n;
    }
  }
}

TEST(LiveMonitor, AFindingThatComesAgainIsActiveAgainWithItsOwnNumbers) {
  std::string scenario = loss_then_calm(60);
  scenario += " | W 170-179 | drop 172 | drop 173 | NAK 172 | W 172-179 | ACK 179";
  for (int i = 180; i < 185; ++i) scenario += " | wait 1s | W " + std::to_string(i) + " | ACK " + std::to_string(i);
  const auto snapshots = all_of(*monitor(replay(frames_of(scenario))));
  const model::LiveSnapshot& last_but_one = *snapshots[snapshots.size() - 2];
  const std::size_t i = index_of(last_but_one, "retransmit.nak");
  ASSERT_LT(i, last_but_one.totals.findings.size());
  const model::FindingState& state = last_but_one.finding_states[i];
  EXPECT_TRUE(state.active);
  ASSERT_TRUE(state.recent);
  const auto value = [](const verdict::Finding& f, std::string_view name) {
    for (const auto& [key, number] : f.values) {
      if (key == name) return number;
    }
    return -1.0;
  };
  EXPECT_EQ(value(last_but_one.totals.findings[i], "episodes"), 2.0);
  EXPECT_EQ(value(*state.recent, "episodes"), 1.0);
  EXPECT_EQ(value(*state.recent, "resent_packets"), 8.0);
  EXPECT_LE(last_but_one.window, rocetop::seconds(30));
}

TEST(LiveMonitor, WhatGoesOnComesBeforeWhatIsOver) {
  // A loss by the first connection long ago, and now one by another.
  std::string scenario = loss_then_calm(60);
  scenario += " | qp 27/28 | W 500-509 | drop 503 | NAK 503 | W 503-509 | ACK 509 | wait 2s | W 510 | ACK 510";
  const auto snapshots = all_of(*monitor(replay(frames_of(scenario))));
  const model::LiveSnapshot& now = *snapshots[snapshots.size() - 2];
  ASSERT_GE(now.totals.findings.size(), 2U);
  EXPECT_TRUE(now.finding_states.front().active);
  EXPECT_EQ(now.totals.findings.front().connections, std::vector<std::uint32_t>{2});
  EXPECT_FALSE(now.finding_states.back().active);
  bool over = false;
  for (std::size_t i = 0; i < now.finding_states.size(); ++i) {
    EXPECT_EQ(now.totals.findings[i].id, i + 1);
    over = over || !now.finding_states[i].active;
    EXPECT_NE(now.finding_states[i].active, over);
  }
  // The last one is in the order of a report on all of it.
  const auto& last = *snapshots.back();
  EXPECT_EQ(last.totals.findings.front().connections, std::vector<std::uint32_t>{1});
}

TEST(LiveMonitor, ResetForgetsWhatWasSeen) {
  const auto frames = frames_of(loss_then_calm(60));
  auto live = monitor(replay(frames));
  live->start();
  LiveMonitor::SnapshotPtr last = live->newer_than(0, std::chrono::seconds(60));
  ASSERT_TRUE(last);
  live->reset();
  while (!last->final) {
    last = live->newer_than(last->number, std::chrono::seconds(60));
    ASSERT_TRUE(last);
  }
  EXPECT_EQ(index_of(*last, "retransmit.nak"), last->totals.findings.size());
}

}  // namespace
}  // namespace rocetop::engine
