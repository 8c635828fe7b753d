// SPDX-License-Identifier: BSD-3-Clause
// The proof of a finding: which of the cited packets are kept, and from when to when.
#include <gtest/gtest.h>

#include <algorithm>

#include "verdict/docket.h"

namespace rocetop::verdict {
namespace {

TEST(Proof, FewPacketsAreAllKeptInOrderAndOnce) {
  Finding f;
  for (const std::uint64_t n : {9U, 3U, 9U, 5U}) cite(f, FrameId(0, n), seconds(static_cast<std::int64_t>(n)));
  cite(f, FrameId(), seconds(100));
  settle_proof(f);
  EXPECT_EQ(f.frames, (std::vector<FrameId>{FrameId(0, 3), FrameId(0, 5), FrameId(0, 9)}));
  EXPECT_EQ(f.frames_total, 3U);
  EXPECT_EQ(f.first_time, seconds(3));
  EXPECT_EQ(f.last_time, seconds(9)) << "no frame, no evidence";
}

TEST(Proof, ManyPacketsAreChosenFromTheFirstToTheLast) {
  for (const std::uint64_t count : {9U, 10U, 100U, 20'000U}) {
    Finding f;
    for (std::uint64_t n = 1; n <= count; ++n) cite(f, FrameId(0, n));
    settle_proof(f);
    ASSERT_EQ(f.frames.size(), kProofPackets) << count;
    EXPECT_TRUE(std::is_sorted(f.frames.begin(), f.frames.end()));
    EXPECT_EQ(std::adjacent_find(f.frames.begin(), f.frames.end()), f.frames.end()) << count;
    EXPECT_EQ(f.frames[2], FrameId(0, 3)) << "the first case in full";
    EXPECT_EQ(f.frames.back(), FrameId(0, count));
    EXPECT_EQ(f.frames_total, count);
  }
}

TEST(Proof, AddsUpOverConnections) {
  Finding a;
  Finding b;
  for (std::uint64_t n = 1; n <= 20; ++n)
    cite(n % 2 == 0 ? a : b, FrameId(0, n), seconds(static_cast<std::int64_t>(n)));
  settle_proof(a);
  settle_proof(b);
  merge_proof(a, b);
  settle_proof(a);
  EXPECT_EQ(a.frames.size(), kProofPackets);
  EXPECT_EQ(a.frames.front(), FrameId(0, 1));
  EXPECT_EQ(a.frames_total, 20U);
  EXPECT_EQ(a.first_time, seconds(1));
  EXPECT_EQ(a.last_time, seconds(20));
}

}  // namespace
}  // namespace rocetop::verdict
