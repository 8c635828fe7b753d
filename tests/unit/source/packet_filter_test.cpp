// SPDX-License-Identifier: BSD-3-Clause
#include "source/packet_filter.h"

#include <gtest/gtest.h>

#include "capture_bytes.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::udp_frame;

Frame frame_of(const Buffer& bytes, LinkType link_type = LinkType::kEthernet) {
  Frame frame;
  frame.bytes = bytes;
  frame.wire_length = static_cast<std::uint32_t>(bytes.size());
  frame.link_type = link_type;
  return frame;
}

bool matches(const std::string& expression, const Frame& frame) {
  auto filter = PacketFilter::compile(expression);
  EXPECT_TRUE(filter) << expression;
  return filter && filter->matches(frame);
}

TEST(PacketFilter, JudgesFrames) {
  const Buffer bytes = udp_frame(1);
  EXPECT_TRUE(matches("udp port 4791", frame_of(bytes)));
  EXPECT_TRUE(matches("", frame_of(bytes)));
  EXPECT_FALSE(matches("udp port 4792", frame_of(bytes)));
  EXPECT_TRUE(matches("host 192.0.2.1 and ip[8] = 64", frame_of(bytes)));
  EXPECT_FALSE(matches("udp port 4791", frame_of(Buffer(bytes.begin(), bytes.begin() + 30))));
  EXPECT_FALSE(matches("udp port 4791", frame_of({})));
}

TEST(PacketFilter, LengthsAreThoseOfTheWire) {
  const Buffer bytes = udp_frame(1);
  Frame frame = frame_of(bytes);
  frame.wire_length = 1000;
  EXPECT_TRUE(matches("greater 1000", frame));
  EXPECT_FALSE(matches("less 999", frame));
}

TEST(PacketFilter, CompilesForEachLinkType) {
  auto filter = PacketFilter::compile("udp port 4791");
  ASSERT_TRUE(filter);
  const Buffer ethernet = udp_frame(1);
  const Buffer raw(ethernet.begin() + 14, ethernet.end());
  for (const LinkType type : {LinkType::kRaw, LinkType::kRaw12, LinkType::kRaw14, LinkType::kIpv4}) {
    EXPECT_TRUE(filter->matches(frame_of(raw, type))) << static_cast<int>(type);
  }
  Buffer sll(14, 0);
  sll.insert(sll.end(), ethernet.begin() + 12, ethernet.end());
  EXPECT_TRUE(filter->matches(frame_of(sll, LinkType::kLinuxSll)));
  Buffer sll2{8, 0};
  sll2.insert(sll2.end(), 18, 0);
  sll2.insert(sll2.end(), raw.begin(), raw.end());
  EXPECT_TRUE(filter->matches(frame_of(sll2, LinkType::kLinuxSll2)));
  EXPECT_TRUE(filter->matches(frame_of(ethernet)));
  EXPECT_EQ(filter->frames_not_judged(), 0u);
  EXPECT_EQ(filter->refusal(), "");
}

TEST(PacketFilter, CountsFramesItCannotJudge) {
  auto filter = PacketFilter::compile("udp port 4791");
  ASSERT_TRUE(filter);
  const Buffer bytes = udp_frame(1);
  EXPECT_FALSE(filter->matches(frame_of(bytes, LinkType::kErf)));
  EXPECT_FALSE(filter->matches(frame_of(bytes, LinkType::kErf)));
  EXPECT_TRUE(filter->matches(frame_of(bytes)));
  EXPECT_EQ(filter->frames_not_judged(), 2u);
  EXPECT_NE(filter->refusal().find("link type 197"), std::string::npos) << filter->refusal();
}

TEST(PacketFilter, SaysWhyAnExpressionDoesNotCompile) {
  const auto filter = PacketFilter::compile("udp porrt 4791");
  ASSERT_FALSE(filter);
  EXPECT_NE(filter.error().message.find("syntax error"), std::string::npos) << filter.error().message;
  EXPECT_NE(filter.error().hint, "");
  const auto hostile = PacketFilter::compile("proto \x1b[31m");
  ASSERT_FALSE(hostile);
  EXPECT_EQ(hostile.error().message.find('\x1b'), std::string::npos);
}

TEST(PacketFilter, PrintsNothing) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  EXPECT_FALSE(PacketFilter::compile("udp porrt 4791"));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace rocetop::source
