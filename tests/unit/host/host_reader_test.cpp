// SPDX-License-Identifier: BSD-3-Clause
#include "host/host_reader.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace rocetop::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLong{30};

/// A read that waits for leave, as one of a dying adapter does.
struct Gate {
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
  std::atomic<int> begun = 0;
};

TEST(HostReader, HandsOutWhatWasReadAddsUpErrorsAndStops) {
  const auto reads = std::make_shared<std::atomic<int>>(0);
  HostReaderOptions options;
  options.interval = milliseconds(1);
  options.read = [reads] {
    model::HostReading reading;
    reading.ports.resize(static_cast<std::size_t>(++*reads));
    reading.errors.add(model::HostReadError::kFile, 2);
    return reading;
  };
  {
    const HostReader reader(std::move(options));
    ASSERT_TRUE(reader.wait_for_first(kLong));
    std::shared_ptr<const model::HostReading> reading;
    do {
      reading = reader.latest().reading;
      std::this_thread::yield();
    } while (reading->ports.size() < 3);
    EXPECT_EQ(reading->errors.of[0], 2 * reading->ports.size()) << "of all readings until then";
    EXPECT_GE(reader.latest().age.count, 0);
  }
  while (reads.use_count() > 1) std::this_thread::yield();  // the thread has let go of what it reads with
}

/// When each of four reads begins that take as long as told.
std::vector<std::chrono::steady_clock::time_point> begins_of(milliseconds interval, milliseconds read) {
  using Clock = std::chrono::steady_clock;
  struct Log {
    std::vector<Clock::time_point> begins;
    std::promise<void> full;
  };
  const auto log = std::make_shared<Log>();
  HostReaderOptions options;
  options.interval = interval;
  options.read = [log, read] {
    const Clock::time_point begin = Clock::now();
    if (log->begins.size() < 4) {
      log->begins.push_back(begin);
      if (log->begins.size() == 4) log->full.set_value();
    }
    while (Clock::now() < begin + read) std::this_thread::yield();
    return model::HostReading{};
  };
  const HostReader reader(std::move(options));
  log->full.get_future().wait();
  return log->begins;
}

TEST(HostReader, ReadsNoMoreOftenThanEveryInterval) {
  const auto begins = begins_of(milliseconds(5), milliseconds(0));
  for (std::size_t i = 1; i < begins.size(); ++i) EXPECT_GE(begins[i] - begins[i - 1], milliseconds(5));
}

TEST(HostReader, RestsLongerAfterSlowReads) {
  const auto begins = begins_of(milliseconds(1), milliseconds(3));
  for (std::size_t i = 1; i < begins.size(); ++i) EXPECT_GE(begins[i] - begins[i - 1], milliseconds(15));
}

TEST(HostReader, AReadThatHangsHoldsNobody) {
  const auto gate = std::make_shared<Gate>();
  HostReaderOptions options;
  options.interval = milliseconds(1);
  options.read = [gate] {
    if (++gate->begun > 1) gate->opened.wait();
    model::HostReading reading;
    reading.ports.resize(1);
    return reading;
  };
  auto reader = std::make_unique<HostReader>(std::move(options));
  ASSERT_TRUE(reader->wait_for_first(kLong));
  while (gate->begun < 2) std::this_thread::yield();
  const auto first = reader->latest();
  ASSERT_TRUE(first.reading);
  EXPECT_EQ(first.reading->ports.size(), 1U) << "the last one that ended";
  EXPECT_GE(reader->latest().age, first.age);
  const auto begin = std::chrono::steady_clock::now();
  reader.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(10)) << "the thread is left behind";
  gate->open.set_value();
}

TEST(HostReader, HasNothingBeforeTheFirstReadEnds) {
  const auto gate = std::make_shared<Gate>();
  HostReaderOptions options;
  options.read = [gate] {
    gate->opened.wait();
    return model::HostReading{};
  };
  const HostReader reader(std::move(options));
  EXPECT_FALSE(reader.latest().reading);
  EXPECT_FALSE(reader.wait_for_first(milliseconds(0)));
  gate->open.set_value();
  EXPECT_TRUE(reader.wait_for_first(kLong));
}

}  // namespace
}  // namespace rocetop::host
