// SPDX-License-Identifier: BSD-3-Clause
#include "wire/pause.h"

#include <gtest/gtest.h>

#include "frame.h"

namespace rocetop::wire::test {
namespace {

Frame mac_control(const Frame& rest) { return hex("0180C2000001 020000000007 8808") + rest; }

TEST(Pause, Pfc) {
  const Frame frame = mac_control(hex("0101 000A 0001 FFFF 0002 0000 0003 0004 0005 0006") + zeros(26));
  const Result result = decode_frame(LinkType::kEthernet, frame);
  ASSERT_EQ(result->kind, FrameKind::kPause);
  EXPECT_TRUE(result->pause.priority);
  EXPECT_EQ(result->pause.class_vector, 0x0A);
  EXPECT_EQ(result->pause.quanta, (std::array<std::uint16_t, 8>{1, 0xFFFF, 2, 0, 3, 4, 5, 6}));
  EXPECT_EQ(result->pause.src_mac, (std::array<std::uint8_t, 6>{2, 0, 0, 0, 0, 7}));
}

TEST(Pause, PauseOfTheLink) {
  const Result result = decode_frame(LinkType::kEthernet, mac_control(hex("0001 00FF") + zeros(42)));
  ASSERT_EQ(result->kind, FrameKind::kPause);
  EXPECT_FALSE(result->pause.priority);
  EXPECT_EQ(result->pause.class_vector, 1);
  EXPECT_EQ(result->pause.quanta[0], 0xFF);
  EXPECT_EQ(result->pause.quanta[1], 0);
}

TEST(Pause, InTagsAndCookedCaptures) {
  const Frame pfc = hex("0101 0008 0000 0000 0000 0007 0000 0000 0000 0000");
  const Result tagged = decode_frame(LinkType::kEthernet, ethernet(0x8100, vlan_tag(5, 0x8808, pfc)));
  ASSERT_EQ(tagged->kind, FrameKind::kPause);
  EXPECT_EQ(tagged->pause.quanta[3], 7);
  const Result cooked = decode_frame(LinkType::kLinuxSll, hex("0002 0001 0006 020000000007 0000 8808") + pfc);
  ASSERT_EQ(cooked->kind, FrameKind::kPause);
  EXPECT_EQ(cooked->pause.src_mac, (std::array<std::uint8_t, 6>{2, 0, 0, 0, 0, 7}));
  const Result cooked2 =
      decode_frame(LinkType::kLinuxSll2, hex("8808 0000 00000003 0001 02 06 020000000008 0000") + pfc);
  ASSERT_EQ(cooked2->kind, FrameKind::kPause);
  EXPECT_EQ(cooked2->pause.src_mac, (std::array<std::uint8_t, 6>{2, 0, 0, 0, 0, 8}));
}

TEST(Pause, CutOrUnknownIsOther) {
  EXPECT_EQ(decode_frame(LinkType::kEthernet, mac_control(hex("0101 0008") + zeros(15)))->kind, FrameKind::kOther);
  EXPECT_EQ(decode_frame(LinkType::kEthernet, mac_control(hex("0101 0008") + zeros(16)))->kind, FrameKind::kPause);
  EXPECT_EQ(decode_frame(LinkType::kEthernet, mac_control(hex("0001 00")))->kind, FrameKind::kOther);
  EXPECT_EQ(decode_frame(LinkType::kEthernet, mac_control(hex("0002") + zeros(44)))->kind, FrameKind::kOther);
  EXPECT_EQ(decode_frame(LinkType::kEthernet, mac_control({}))->kind, FrameKind::kOther);
}

}  // namespace
}  // namespace rocetop::wire::test
