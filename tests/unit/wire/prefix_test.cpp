// SPDX-License-Identifier: BSD-3-Clause
// decode() is total: any prefix of any packet and any damage to it is decoded or refused, within its bytes (run under
// AddressSanitizer) and consistently with itself.
#include <gtest/gtest.h>

#include <random>

#include "frame.h"
#include "wire/opcode.h"

namespace rocetop::wire::test {
namespace {

/// What holds for every frame, whatever it is.
void expect_consistent(const Result& result, std::size_t size) {
  const Packet& packet = result->packet;
  EXPECT_LE(packet.layer_count, kMaxLayers);
  EXPECT_EQ(result->kind == FrameKind::kUndecodable, result->reason != Undecodable::kNone);
  if (result->kind != FrameKind::kRoce) return;
  EXPECT_EQ(packet.headers & ~packet.expected_headers, 0u);
  EXPECT_LE(packet.payload.size(), packet.payload_bytes);
  if (!packet.payload.empty()) {
    EXPECT_GE(packet.payload.data(), result.buffer.get());
    EXPECT_LE(packet.payload.data() + packet.payload.size(), result.buffer.get() + size);
  }
  if (packet.truncated || packet.payload.size() < packet.payload_bytes) {
    EXPECT_EQ(packet.icrc, IcrcStatus::kUnchecked);
  }
  if (!packet.truncated && !packet.fragment) {
    EXPECT_EQ(packet.headers, packet.expected_headers);
    EXPECT_EQ(packet.payload.size(), packet.payload_bytes);
  }
}

/// All samples and one packet of every opcode.
std::vector<std::pair<LinkType, Frame>> corpus() {
  std::vector<std::pair<LinkType, Frame>> out;
  for (const Sample& sample : samples()) out.emplace_back(sample.link_type, sample.frame);
  for (int opcode = 0; opcode < 256; ++opcode) {
    const auto byte = static_cast<std::uint8_t>(opcode);
    const Frame rest = zeros(opcode_facts(byte).header_bytes + 8u);
    out.emplace_back(LinkType::kEthernet, ethernet(0x0800, ipv4(17, udp(4791, roce(byte, rest)))));
    out.emplace_back(LinkType::kRaw, ipv6(17, udp(4794, roce(byte, rest))));
  }
  return out;
}

TEST(Prefix, EveryPrefixOfEveryPacket) {
  for (const auto& [link_type, frame] : corpus()) {
    for (std::size_t n = 0; n <= frame.size(); ++n) {
      const Frame cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(n));
      expect_consistent(decode_frame(link_type, cut, static_cast<std::uint32_t>(frame.size())), n);
    }
  }
}

TEST(Prefix, CutPacketsKeepWhatTheLengthsSay) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.name);
    for (std::size_t n = 0; n < sample.frame.size(); ++n) {
      const Frame cut(sample.frame.begin(), sample.frame.begin() + static_cast<std::ptrdiff_t>(n));
      const Result result = decode_frame(sample.link_type, cut, static_cast<std::uint32_t>(sample.frame.size()));
      if (result->kind != FrameKind::kRoce) continue;
      EXPECT_EQ(result->packet.payload_bytes, 8u);
      EXPECT_EQ(result->packet.bth.psn, Psn{0x345678});
    }
  }
}

TEST(Prefix, AnyByteReplaced) {
  for (const auto& [link_type, frame] : corpus()) {
    for (std::size_t i = 0; i < frame.size(); ++i) {
      for (const int value : {0x00, 0x01, 0x45, 0x7F, 0x80, 0xFF}) {
        Frame damaged = frame;
        damaged[i] = static_cast<std::uint8_t>(value);
        expect_consistent(decode_frame(link_type, damaged), damaged.size());
      }
    }
  }
}

TEST(Prefix, RandomDamage) {
  std::mt19937 random(4791);
  const auto frames = corpus();
  for (int round = 0; round < 20'000; ++round) {
    auto [link_type, frame] = frames[random() % frames.size()];
    for (unsigned i = 0; i <= random() % 4; ++i) frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
    frame.resize(random() % (frame.size() + 8));
    expect_consistent(decode_frame(link_type, frame, random() % 2 == 0 ? 0 : static_cast<std::uint32_t>(random())),
                      frame.size());
  }
}

}  // namespace
}  // namespace rocetop::wire::test
