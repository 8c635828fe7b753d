// SPDX-License-Identifier: BSD-3-Clause
#include "source/opening_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "capture_bytes.h"
#include "source/pipe_source.h"

namespace rocetop::source {
namespace {

using test::PcapFile;
using test::udp_frame;

/// Two ends of a pipe.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    end();
  }
  void end() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }
  int out() const { return ends_[0]; }
  void write(const test::Buffer& bytes) {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

test::Buffer one_frame() {
  PcapFile file;
  file.record(1, 0, udp_frame(1));
  return file.bytes();
}

TEST(OpeningSource, IsOpenedWhenSomethingIsAskedOfItAndNotBefore) {
  Pipe pipe;
  pipe.write(one_frame());
  int opened = 0;
  const std::string path = "/dev/fd/" + std::to_string(pipe.out());
  OpeningSource source([&](int) -> Result<std::unique_ptr<FrameSource>> {
    ++opened;
    return std::unique_ptr<FrameSource>(
        std::make_unique<PipeSource>([path](int stop) { return open_capture(path, stop); }));
  });
  const std::vector<InterfaceFacts>& interfaces = source.interfaces();
  EXPECT_EQ(opened, 0);
  EXPECT_FALSE(source.clock());
  EXPECT_FALSE(source.known_until());
  std::vector<Frame> batch;
  while (batch.empty()) ASSERT_TRUE(source.next_batch(batch));
  EXPECT_EQ(batch.size(), 1U);
  EXPECT_EQ(interfaces.size(), 1U) << "who asked early keeps a reference that is right";
  // A pipe tells the time, and does not know what passed until then.
  EXPECT_EQ(source.known_until(), batch[0].time);
  pipe.end();
  while (source.next_batch(batch)) {
  }
  EXPECT_EQ(opened, 1);
  EXPECT_TRUE(source.problems().empty());
}

TEST(OpeningSource, WhatCannotBeOpenedIsAProblemOnce) {
  OpeningSource source([](int) { return Result<std::unique_ptr<FrameSource>>(Error{"x: is empty", "a hint"}); });
  std::vector<Frame> batch;
  EXPECT_FALSE(source.next_batch(batch));
  EXPECT_FALSE(source.next_batch(batch));
  ASSERT_EQ(source.problems().size(), 1U);
  EXPECT_EQ(source.problems()[0].message, "x: is empty");
  EXPECT_EQ(source.problems()[0].hint, "a hint");
  EXPECT_TRUE(source.problems()[0].fatal);
}

TEST(OpeningSource, WaitingForAPipeCanBeEndedBeforeAndWhileItIsOpened) {
  Pipe pipe;
  OpeningSource before([](int) { return open_stream(memory_stream(one_frame()), "x"); });
  before.wake();
  std::vector<Frame> batch;
  EXPECT_FALSE(before.next_batch(batch));

  const std::string path = "/dev/fd/" + std::to_string(pipe.out());
  OpeningSource meanwhile([&](int stop) { return open_capture(path, stop); });
  std::thread other([&] { meanwhile.wake(); });
  while (meanwhile.next_batch(batch)) {
  }
  other.join();
  EXPECT_TRUE(meanwhile.problems().empty()) << "nobody wants it any more: no fault of the input";
}

}  // namespace
}  // namespace rocetop::source
