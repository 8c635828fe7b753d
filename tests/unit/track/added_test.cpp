// SPDX-License-Identifier: BSD-3-Clause
// What was added to a connection's counts since an earlier look: veRoCE's, which are counted path by path.
#include "track/added.h"

#include <gtest/gtest.h>

namespace rocetop::track {
namespace {

constexpr Nanos kSince = seconds(10);

ConnectionCounts connection() {
  ConnectionCounts c;
  c.id = 1;
  c.protocol = wire::Protocol::kVeroce;
  DirectionCounts& d = c.a_to_b.emplace();
  d.src = *IpAddress::parse("198.51.100.1");
  d.dst = *IpAddress::parse("198.51.100.2");
  d.dst_qpn = Qpn{17};
  d.frames = 100;
  return c;
}

VeroceDirection& veroce(ConnectionCounts& c) { return c.a_to_b->veroce.use(); }

VerocePath path(std::uint16_t port, std::uint64_t packets, std::uint64_t lost) {
  VerocePath p;
  p.udp_src = port;
  p.packets = packets;
  p.lost = lost;
  return p;
}

TEST(AddedVeroce, IsTakenPathByPath) {
  ConnectionCounts before = connection();
  veroce(before).paths = {path(100, 50, 2), path(300, 10, 1), path(400, 7, 0)};
  ConnectionCounts now = connection();
  now.a_to_b->frames = 300;
  veroce(now).paths = {path(100, 80, 2), path(200, 5, 5), path(300, 30, 4), path(400, 7, 0)};
  const ConnectionCounts added = added_since(now, before, kSince);
  const auto& paths = added.a_to_b->veroce->paths;
  ASSERT_EQ(paths.size(), 3U) << "nothing of path 400 was added";
  EXPECT_EQ(paths[0].packets, 30U);
  EXPECT_EQ(paths[0].lost, 0U);
  EXPECT_EQ(paths[1].udp_src, 200);
  EXPECT_EQ(paths[1].lost, 5U);
  EXPECT_EQ(paths[2].packets, 20U);
  EXPECT_EQ(paths[2].lost, 3U);
}

TEST(AddedVeroce, LeavesDistributionsAndProofOfTheTimeSince) {
  ConnectionCounts before = connection();
  veroce(before).paths = {path(100, 50, 1)};
  VerocePath& then = veroce(before).paths[0];
  then.slow_signals = 3;
  then.late_ns.add(std::int64_t{1'000});
  then.losses.use().add(FrameId(0, 5), seconds(5));
  ConnectionCounts now = before;
  VerocePath& later = veroce(now).paths[0];
  later.packets = 60;
  later.asked_by_nak = 2;
  later.slow_signals = 5;
  later.late_ns.add(std::int64_t{1'000'000});
  later.losses.use().add(FrameId(0, 12), seconds(12));
  const ConnectionCounts added = added_since(now, before, kSince);
  const VerocePath& p = added.a_to_b->veroce->paths.at(0);
  EXPECT_EQ(p.slow_signals, 2U);
  EXPECT_EQ(p.asked_by_nak, 2U);
  EXPECT_EQ(p.late_ns.count(), 1U);
  EXPECT_GT(p.late_ns.min(), 900'000);
  ASSERT_EQ(p.losses->kept().size(), 1U);
  EXPECT_EQ(p.losses->kept()[0].frame, FrameId(0, 12));
}

TEST(AddedVeroce, TakesRecoveryOfBothSpaces) {
  ConnectionCounts before = connection();
  veroce(before).requests.sacks = 10;
  veroce(before).requests.reorder_depth = 9;
  veroce(before).responses.needless = 4;
  veroce(before).responses.reorder_depth = 3;
  veroce(before).trimmed = 6;
  veroce(before).raw_packets = 1;
  ConnectionCounts now = before;
  veroce(now).requests.sacks = 14;
  veroce(now).responses.needless = 5;
  veroce(now).responses.reorder_depth = 8;
  veroce(now).responses.reorder_depth_frame = FrameId(0, 20);
  veroce(now).trimmed = 7;
  veroce(now).raw_packets = 3;
  const ConnectionCounts added = added_since(now, before, kSince);
  const VeroceDirection& v = *added.a_to_b->veroce;
  EXPECT_EQ(v.requests.sacks, 4U);
  EXPECT_EQ(v.requests.reorder_depth, 0U) << "it was as deep before";
  EXPECT_EQ(v.responses.needless, 1U);
  EXPECT_EQ(v.responses.reorder_depth, 8U);
  EXPECT_EQ(v.responses.reorder_depth_frame, FrameId(0, 20));
  EXPECT_EQ(v.trimmed, 1U);
  EXPECT_EQ(v.raw_packets, 2U);
}

}  // namespace
}  // namespace rocetop::track
