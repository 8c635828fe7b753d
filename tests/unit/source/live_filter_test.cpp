// SPDX-License-Identifier: BSD-3-Clause
#include "source/live_filter.h"

#include <gtest/gtest.h>

#include <map>

#include "capture_bytes.h"
#include "source/frame_source.h"
#include "source/packet_filter.h"

namespace rocetop::source {
namespace {

using test::Buffer;
using test::udp_frame;

Frame frame_of(const Buffer& bytes, LinkType type = LinkType::kEthernet) {
  Frame frame;
  frame.bytes = bytes;
  frame.wire_length = static_cast<std::uint32_t>(bytes.size());
  frame.link_type = type;
  return frame;
}

bool passes(const std::string& expression, const Frame& frame) {
  auto filter = PacketFilter::compile(expression);
  EXPECT_TRUE(filter) << expression;
  return filter && filter->matches(frame);
}

bool passes(const Buffer& bytes) { return passes(roce_filter(LinkType::kEthernet, {}), frame_of(bytes)); }

/// `frame` with tags between its addresses and its EtherType, the outer one first.
Buffer tagged(Buffer frame, const std::vector<std::uint16_t>& types) {
  Buffer tags;
  for (const std::uint16_t type : types) {
    tags.insert(tags.end(), {static_cast<std::uint8_t>(type >> 8), static_cast<std::uint8_t>(type & 0xFF), 0, 100});
  }
  frame.insert(frame.begin() + 12, tags.begin(), tags.end());
  return frame;
}

Buffer with_port(Buffer frame, std::uint16_t port) {
  frame[14 + 20 + 2] = static_cast<std::uint8_t>(port >> 8);
  frame[14 + 20 + 3] = static_cast<std::uint8_t>(port & 0xFF);
  return frame;
}

Buffer with_ether_type(Buffer frame, std::uint16_t type) {
  frame[12] = static_cast<std::uint8_t>(type >> 8);
  frame[13] = static_cast<std::uint8_t>(type & 0xFF);
  return frame;
}

TEST(LiveFilter, PassesEveryEncapsulationThatIsDecoded) {
  auto capture = open_capture(ROCETOP_CAPTURES "/encapsulations.pcapng");
  ASSERT_TRUE(capture);
  std::map<LinkType, PacketFilter> filters;
  std::vector<Frame> batch;
  std::map<LinkType, int> passed;
  while ((*capture)->next_batch(batch)) {
    for (const Frame& frame : batch) {
      // What an interface of Linux has.
      switch (frame.link_type) {
        case LinkType::kEthernet:
        case LinkType::kLinuxSll:
        case LinkType::kLinuxSll2:
        case LinkType::kRaw:
        case LinkType::kIpv4:
        case LinkType::kIpv6:
          break;
        default:
          continue;
      }
      if (!filters.contains(frame.link_type)) {
        // A filter is compiled for Ethernet first: the words of another link type must do there too.
        auto filter = PacketFilter::compile(roce_filter(frame.link_type, {}));
        ASSERT_TRUE(filter) << static_cast<int>(frame.link_type);
        filters.emplace(frame.link_type, std::move(*filter));
      }
      EXPECT_TRUE(filters.at(frame.link_type).matches(frame))
          << (*capture)->interfaces()[frame.interface].name << " #" << frame.id.number();
      ++passed[frame.link_type];
    }
  }
  EXPECT_GT(passed[LinkType::kEthernet], 90);
  EXPECT_GT(passed[LinkType::kLinuxSll], 0);
  EXPECT_GT(passed[LinkType::kRaw], 0);
  for (const auto& [type, filter] : filters) EXPECT_EQ(filter.refusal(), "") << static_cast<int>(type);
}

TEST(LiveFilter, KeepsOtherTrafficOut) {
  const Buffer roce = udp_frame(1);
  EXPECT_TRUE(passes(roce));
  EXPECT_FALSE(passes(with_port(roce, 53)));
  EXPECT_FALSE(passes(tagged(with_port(roce, 53), {0x8100})));
  EXPECT_FALSE(passes(tagged(with_port(roce, 53), {0x88A8, 0x8100})));
  EXPECT_FALSE(passes(with_ether_type(roce, 0x0806)));  // ARP
  Buffer tcp = roce;
  tcp[14 + 9] = 6;
  EXPECT_FALSE(passes(tcp));
}

TEST(LiveFilter, LooksBehindTags) {
  const Buffer roce = udp_frame(1);
  EXPECT_TRUE(passes(tagged(roce, {0x8100})));
  EXPECT_TRUE(passes(tagged(roce, {0x88A8, 0x8100})));
  EXPECT_TRUE(passes(tagged(roce, {0x9100, 0x8100})));
  EXPECT_TRUE(passes(tagged(roce, {0x9200, 0x8100})));
  EXPECT_TRUE(passes(tagged(roce, {0x88A8, 0x8100, 0x8100})));
  EXPECT_TRUE(passes(tagged(with_ether_type(roce, 0x8915), {0x8100})));
}

TEST(LiveFilter, PassesPauseFragmentsAndFurtherPorts) {
  const Buffer roce = udp_frame(1);
  EXPECT_TRUE(passes(with_ether_type(roce, 0x8808)));
  EXPECT_TRUE(passes(with_ether_type(roce, 0x8915)));
  Buffer fragment = with_port(roce, 0xFFFF);  // payload, where the ports would be
  fragment[14 + 7] = 185;                     // offset 1480
  EXPECT_TRUE(passes(fragment));
  EXPECT_FALSE(passes(with_port(roce, 4800)));
  EXPECT_TRUE(passes(roce_filter(LinkType::kEthernet, {4800}), frame_of(with_port(roce, 4800))));
}

TEST(LiveFilter, JoinsTheUsersFilter) {
  const auto both = [](std::string_view user) { return kernel_filter(LinkType::kEthernet, {}, user); };
  const Buffer bytes = udp_frame(1);
  const Frame frame = frame_of(bytes);
  EXPECT_TRUE(passes(both("host 192.0.2.1"), frame));
  EXPECT_FALSE(passes(both("host 192.0.2.77"), frame));
  EXPECT_FALSE(passes(both("host 192.0.2.77 or host 192.0.2.78"), frame));  // as one, whatever it holds
  const Buffer dns = with_port(bytes, 53);
  EXPECT_FALSE(passes(both("host 192.0.2.1 or host 192.0.2.2"), frame_of(dns)));
}

TEST(LiveFilter, KnowsWhatMovesOffsets) {
  EXPECT_TRUE(moves_offsets("vlan 100"));
  EXPECT_TRUE(moves_offsets("host 1.2.3.4 and (vlan)"));
  EXPECT_TRUE(moves_offsets("geneve and udp"));
  EXPECT_FALSE(moves_offsets("host vlan-gateway-7.example"));
  EXPECT_FALSE(moves_offsets("udp port 4791"));
  EXPECT_FALSE(moves_offsets(""));
}

}  // namespace
}  // namespace rocetop::source
