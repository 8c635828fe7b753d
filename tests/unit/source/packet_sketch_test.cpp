// SPDX-License-Identifier: BSD-3-Clause
#include "source/packet_sketch.h"

#include <gtest/gtest.h>

#include "capture_bytes.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::udp_frame;

std::optional<std::uint64_t> fingerprint(const Buffer& bytes, LinkType type = LinkType::kEthernet) {
  return packet_fingerprint(bytes, type);
}

TEST(PacketFingerprint, IsTheSameAtBothEndsOfAPath) {
  const Buffer here = udp_frame(7, 64);
  Buffer there = udp_frame(7, 61);
  there[0] ^= 2;      // another link address
  there[15] |= 3;     // ECN: congestion experienced
  there[24] ^= 0x55;  // IP header checksum
  there[40] = 0x12;   // UDP checksum
  EXPECT_EQ(fingerprint(here), fingerprint(there));
  there.insert(there.end(), 8, 0);  // Ethernet padding or FCS
  EXPECT_EQ(fingerprint(here), fingerprint(there));
}

TEST(PacketFingerprint, LooksThroughLinkTypesAndTags) {
  const Buffer ethernet = udp_frame(7);
  const Buffer raw(ethernet.begin() + 14, ethernet.end());
  Buffer tagged = ethernet;
  const Buffer tag{0x81, 0x00, 0x00, 0x05};
  tagged.insert(tagged.begin() + 12, tag.begin(), tag.end());
  Buffer sll(14, 0);
  sll.insert(sll.end(), ethernet.begin() + 12, ethernet.end());
  ASSERT_TRUE(fingerprint(ethernet));
  EXPECT_EQ(fingerprint(tagged), fingerprint(ethernet));
  EXPECT_EQ(fingerprint(raw, LinkType::kRaw), fingerprint(ethernet));
  EXPECT_EQ(fingerprint(sll, LinkType::kLinuxSll), fingerprint(ethernet));
}

TEST(PacketFingerprint, OfWhatNeighboursSayAgainAndAgainIsNothing) {
  constexpr std::size_t kProtocol = 14 + 9;
  for (const auto& [protocol, expected] : {std::pair{1, false}, {2, false}, {6, true}, {17, true}, {58, true}}) {
    Buffer frame = udp_frame(7);
    frame[kProtocol] = static_cast<std::uint8_t>(protocol);  // ICMP, IGMP, TCP, UDP
    EXPECT_EQ(fingerprint(frame).has_value(), expected) << protocol;
  }
  for (const auto& [next_header, expected] : {std::pair{0, false}, {58, false}, {17, true}, {1, true}}) {
    Buffer packet(40 + 64, 0x11);  // IPv6
    packet[0] = 0x60;
    packet[4] = 0;
    packet[5] = 64;
    packet[6] = static_cast<std::uint8_t>(next_header);  // hop-by-hop (MLD), ICMPv6, UDP
    EXPECT_EQ(fingerprint(packet, LinkType::kRaw).has_value(), expected) << next_header;
  }
}

TEST(PacketFingerprint, DiffersBetweenPackets) { EXPECT_NE(fingerprint(udp_frame(7)), fingerprint(udp_frame(8))); }

TEST(PacketFingerprint, OfAnyPrefixIsSafeAndOfShortOnesNothing) {
  const Buffer whole = udp_frame(7);
  for (const LinkType type : {LinkType::kEthernet, LinkType::kRaw, LinkType::kLinuxSll, LinkType::kLinuxSll2,
                              LinkType::kNull, LinkType::kErf}) {
    for (std::size_t length = 0; length <= whole.size(); ++length) {
      const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      const auto value = fingerprint(cut, type);
      if (type == LinkType::kEthernet) {
        EXPECT_EQ(value.has_value(), length >= 14 + 20 + 32) << length;
      }
    }
  }
}

PacketSketch sketch_of(std::uint64_t first, std::uint64_t last) {
  PacketSketch sketch;
  for (std::uint64_t i = first; i < last; ++i) sketch.add(i * 0x9E3779B97F4A7C15);
  return sketch;
}

TEST(PacketSketch, EstimatesWhatTwoCapturesShare) {
  PacketSketch a = sketch_of(0, 100'000);
  PacketSketch same = sketch_of(0, 100'000);
  PacketSketch half = sketch_of(50'000, 150'000);
  PacketSketch other = sketch_of(200'000, 300'000);
  const auto all = PacketSketch::compare(a, same);
  EXPECT_EQ(all.common, all.smaller);
  EXPECT_GE(all.smaller, 1000u);
  const auto some = PacketSketch::compare(a, half);
  EXPECT_NEAR(static_cast<double>(some.common) / static_cast<double>(some.smaller), 0.5, 0.1);
  EXPECT_EQ(PacketSketch::compare(a, other).common, 0u);
}

TEST(PacketSketch, FindsASmallCaptureInsideALargeOne) {
  PacketSketch large = sketch_of(0, 1'000'000);
  PacketSketch small = sketch_of(0, 100'000);
  const auto overlap = PacketSketch::compare(large, small);
  EXPECT_GE(overlap.smaller, 50u);
  EXPECT_EQ(overlap.common, overlap.smaller);
}

TEST(PacketSketch, PacketsThatRepeatProveNothing) {
  PacketSketch a;
  PacketSketch b;
  for (int round = 0; round < 3000; ++round) {
    for (std::uint64_t kind = 1; kind <= 10; ++kind) {
      a.add(kind << 32);
      b.add(kind << 32);
    }
  }
  EXPECT_EQ(PacketSketch::compare(a, b).common, 0u);
  EXPECT_EQ(PacketSketch::compare(a, b).smaller, 0u);
}

}  // namespace
}  // namespace rocetop::source
