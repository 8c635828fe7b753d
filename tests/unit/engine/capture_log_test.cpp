// SPDX-License-Identifier: BSD-3-Clause
// What the capture as a whole is said to be.
#include "engine/capture_log.h"

#include <gtest/gtest.h>

namespace rocetop::engine {
namespace {

track::ConnectionCounts writes(std::uint64_t packets) {
  track::ConnectionCounts c;
  c.transport = wire::Transport::kRc;
  c.a_to_b.emplace().requests.packets = packets;
  return c;
}

TEST(CaptureLog, KeepsVeroceFramesThatFitNoLayoutForProof) {
  CaptureLog log;
  std::uint64_t number = 0;
  for (const auto check : {wire::VeroceCheck::kPassed, wire::VeroceCheck::kLength, wire::VeroceCheck::kUnknownOpcode}) {
    source::Frame frame;
    frame.id = FrameId(0, ++number);
    frame.time = seconds(static_cast<std::int64_t>(number));
    frame.has_time = true;
    wire::Decoded decoded;
    decoded.kind = wire::FrameKind::kRoce;
    decoded.packet.protocol = wire::Protocol::kVeroce;
    decoded.packet.veroce.check = check;
    log.add(frame, decoded);
  }
  log.end({});
  const verdict::CaptureEvidence evidence = log.evidence(log.counts());
  EXPECT_EQ(evidence.veroce_frames, 3U);
  EXPECT_EQ(evidence.veroce_raw_frames, 2U);
  EXPECT_EQ(evidence.veroce_unknown_opcodes, 1U);
  ASSERT_EQ(evidence.veroce_raw.kept().size(), 2U);
  EXPECT_EQ(evidence.veroce_raw.kept()[0].frame, FrameId(0, 2));
}

TEST(Completeness, IsNotKnownWhereNothingIsAcknowledged) {
  model::CaptureCounts counts;
  add_completeness({writes(10)}, counts);
  EXPECT_FALSE(counts.completeness_known);
}

TEST(Completeness, IsKnownFromAcknowledgementsNaksOrResponses) {
  for (int i = 0; i < 4; ++i) {
    track::ConnectionCounts c = writes(10);
    track::DirectionCounts& back = c.b_to_a.emplace();
    if (i == 0) back.acks = 1;
    if (i == 1) back.naks[0] = 1;
    if (i == 2) back.rnr_naks = 1;
    if (i == 3) back.responses.packets = 1;
    model::CaptureCounts counts;
    add_completeness({c}, counts);
    EXPECT_TRUE(counts.completeness_known) << i;
    EXPECT_EQ(counts.completeness, 1.0) << i;
  }
}

TEST(Completeness, IsTheShareThatWasSeen) {
  track::ConnectionCounts c = writes(90);
  c.a_to_b->requests.missing_packets[static_cast<std::size_t>(track::Outcome::kCaptureMissed)] = 10;
  model::CaptureCounts counts;
  add_completeness({c}, counts);
  EXPECT_TRUE(counts.completeness_known);
  EXPECT_DOUBLE_EQ(counts.completeness, 0.9);
}

}  // namespace
}  // namespace rocetop::engine
