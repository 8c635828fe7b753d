// SPDX-License-Identifier: BSD-3-Clause
// A capture that stood still: nothing was captured, and the PSNs of all went on. Not a pause of the hosts, and not a
// link that lost what was sent meanwhile.
#include <gtest/gtest.h>

#include "support/packets.h"
#include "track/tracker.h"

namespace rocetop::track {
namespace {

constexpr std::uint8_t kUcWriteOnly = 0x2A;
constexpr std::uint32_t kConnections = 4;

class Holes : public testing::Test {
 protected:
  void see(std::uint32_t qpn, std::uint32_t psn, std::uint32_t file = 0) {
    now = now + microseconds(1);
    tracker.on_packet(test::packet(1, 2, kUcWriteOnly, qpn, psn), FrameId(file, ++frame), now, 1100);
  }
  void all_send(std::uint32_t first, std::uint32_t last, std::uint32_t file = 0) {
    for (std::uint32_t psn = first; psn <= last; ++psn) {
      for (std::uint32_t qpn = 0; qpn < kConnections; ++qpn) see(10 + qpn, psn, file);
    }
  }
  std::vector<CaptureHole> holes() {
    const auto connections = tracker.finish();
    return tracker.holes(connections);
  }

  Tracker tracker;
  std::uint64_t frame = 0;
  Nanos now = seconds(1'700'000'000);
};

TEST_F(Holes, AreSilencesInWhichAllWentOn) {
  all_send(0, 99);
  const Nanos from = now;
  now = now + milliseconds(50);
  all_send(5'000, 5'099);
  const auto found = holes();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].from, from);
  EXPECT_EQ(found[0].before, FrameId(0, 400));
  EXPECT_EQ(found[0].after, FrameId(0, 401));
  EXPECT_EQ(found[0].jumped, 4U);
  EXPECT_EQ(found[0].psns, 4U * 4'900);
  EXPECT_EQ(found[0].jumps, (std::vector{FrameId(0, 401), FrameId(0, 402), FrameId(0, 403), FrameId(0, 404)}));
}

TEST_F(Holes, AreNotPausesOfTheHosts) {
  all_send(0, 99);
  now = now + milliseconds(50);
  all_send(100, 199);
  EXPECT_TRUE(holes().empty());
}

TEST_F(Holes, AreNotGapsOfOneOfMany) {
  all_send(0, 99);
  now = now + milliseconds(50);
  for (std::uint32_t psn = 100; psn < 200; ++psn) {
    for (std::uint32_t qpn = 0; qpn < kConnections; ++qpn) see(10 + qpn, qpn == 0 ? psn + 4'000 : psn);
  }
  EXPECT_TRUE(holes().empty());
}

TEST_F(Holes, AreNotOneJumpOfOneUnreliableConnection) {
  // Nothing tells it from loss: no reply, and no other connection.
  for (std::uint32_t psn = 0; psn < 100; ++psn) see(10, psn);
  now = now + milliseconds(50);
  for (std::uint32_t psn = 5'000; psn < 5'100; ++psn) see(10, psn);
  EXPECT_TRUE(holes().empty());
}

TEST_F(Holes, AreNotOneJumpWithoutAnyReply) {
  // A queue pair that is reset and begins anew looks the same, of whatever transport.
  const auto send = [&](std::uint32_t first) {
    for (std::uint32_t psn = first; psn < first + 100; ++psn) {
      now = now + microseconds(1);
      tracker.on_packet(test::packet(1, 2, test::kWriteOnlyOpcode, 10, psn), FrameId(0, ++frame), now, 1100);
    }
  };
  send(0);
  now = now + milliseconds(50);
  send(5'000);
  EXPECT_TRUE(holes().empty());
}

TEST_F(Holes, AreNotStrayLossesAfterAPause) {
  all_send(0, 99);
  now = now + milliseconds(50);
  all_send(102, 199);
  EXPECT_TRUE(holes().empty());
}

TEST_F(Holes, BetweenFilesNeedNotBeLarge) {
  all_send(0, 99);
  now = now + milliseconds(50);
  all_send(102, 199, 1);
  EXPECT_EQ(holes().size(), 1U);
}

TEST_F(Holes, AreNotQueuePairsThatAreUsedAgain) {
  all_send(0, 99);
  now = now + milliseconds(50);
  all_send(5'000'000, 5'000'099);  // no loss explains that: other connections
  EXPECT_TRUE(holes().empty());
}

TEST_F(Holes, AreNotGapsWithoutASilence) {
  all_send(0, 99);
  all_send(5'000, 5'099);
  EXPECT_TRUE(holes().empty());
}

TEST_F(Holes, OfAThousandPausesTheOnesWithJumpsAreKept) {
  std::uint32_t psn = 0;
  for (int i = 0; i < 1'000; ++i) {
    all_send(psn, psn + 1);
    psn += i == 100 ? 5'000 : 2;
    now = now + milliseconds(2);
  }
  EXPECT_EQ(holes().size(), 1U);
}

}  // namespace
}  // namespace rocetop::track
