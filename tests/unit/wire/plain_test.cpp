// SPDX-License-Identifier: BSD-3-Clause
// The shortcut for plain frames says exactly what the walk step by step says, on plain frames, on any damage to them,
// and on what is not plain.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "frame.h"
#include "wire/walk.h"

namespace rocetop::wire::test {
namespace {

auto bth_fields(const Bth& b) {
  return std::tuple(b.opcode, b.solicited, b.migration, b.pad, b.version, b.p_key, b.fecn, b.becn, b.dest_qp.value,
                    b.ack_request, b.reserved7, b.psn.value);
}

auto network_fields(const Packet& p) {
  return std::tuple(p.protocol, p.src, p.dst, p.network, p.udp_src, p.udp_dst, p.traffic_class, p.hop_limit,
                    p.ip_protocol, p.priority, p.ip_id, p.has_ip_id, p.fragment, p.destination_options);
}

auto reth_and_aeth(const Packet& p) {
  const bool reth = p.has(kReth);
  const bool aeth = p.has(kAeth);
  return std::tuple(reth ? p.reth.virtual_address : 0, reth ? p.reth.r_key : 0, reth ? p.reth.dma_length : 0,
                    aeth ? p.aeth.syndrome : 0, aeth ? p.aeth.msn.value : 0);
}

auto transport_fields(const Packet& p) {
  return std::tuple(p.headers, p.expected_headers, p.payload_bytes, p.payload.data(), p.payload.size(), p.truncated,
                    p.icrc, p.icrc_value);
}

bool same_layers(const Packet& a, const Packet& b) {
  return std::equal(a.layers.begin(), a.layers.begin() + a.layer_count, b.layers.begin(),
                    b.layers.begin() + b.layer_count, [](const Layer& x, const Layer& y) {
                      return std::tuple(x.kind, x.offset, x.value) == std::tuple(y.kind, y.offset, y.value);
                    });
}

/// Decodes `bytes` both ways and compares. Returns whether the frame is a plain one.
bool expect_same(Bytes bytes, std::uint32_t wire_length) {
  const DecodeOptions options;
  // Over what another frame left behind, as readers use it.
  static Decoded direct;
  decode(LinkType::kEthernet, bytes, wire_length, options, direct);
  Decoded stepped;
  Walk walk{.frame = bytes.data(),
            .end = bytes.size(),
            .wire_end = std::max<std::size_t>(bytes.size(), wire_length),
            .options = options,
            .out = stepped};
  take_steps(LinkType::kEthernet, walk);
  EXPECT_EQ(direct.kind, stepped.kind);
  EXPECT_EQ(direct.reason, stepped.reason);
  EXPECT_EQ(direct.ip_fragment, stepped.ip_fragment);
  EXPECT_EQ(direct.too_deep, stepped.too_deep);
  if (direct.kind == FrameKind::kRoce || direct.kind == FrameKind::kUndecodable) {
    EXPECT_EQ(network_fields(direct.packet), network_fields(stepped.packet));
    EXPECT_TRUE(same_layers(direct.packet, stepped.packet));
  }
  if (direct.kind == FrameKind::kRoce && stepped.kind == FrameKind::kRoce) {
    EXPECT_EQ(bth_fields(direct.packet.bth), bth_fields(stepped.packet.bth));
    EXPECT_EQ(transport_fields(direct.packet), transport_fields(stepped.packet));
    EXPECT_EQ(reth_and_aeth(direct.packet), reth_and_aeth(stepped.packet));
  }
  Decoded unused;
  Walk probe{.frame = bytes.data(),
             .end = bytes.size(),
             .wire_end = std::max<std::size_t>(bytes.size(), wire_length),
             .options = options,
             .out = unused};
  return plain(probe);
}

/// Plain frames of some opcodes, and every sample that starts with Ethernet.
std::vector<Frame> frames() {
  std::vector<Frame> out;
  for (const int opcode : {0x04, 0x06, 0x0C, 0x11, 0x81, 0xFF}) {
    out.push_back(ethernet(0x0800, ipv4(17, udp(4791, roce(static_cast<std::uint8_t>(opcode), zeros(40))))));
  }
  for (const Sample& sample : samples()) {
    if (sample.link_type == LinkType::kEthernet) out.push_back(sample.frame);
  }
  return out;
}

TEST(Plain, SaysWhatTheStepsSayOfEveryPrefixAndLength) {
  std::size_t plain_frames = 0;
  for (const Frame& frame : frames()) {
    for (std::size_t n = 0; n <= frame.size(); ++n) {
      const Frame exact(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(n));
      plain_frames += expect_same(exact, static_cast<std::uint32_t>(frame.size()));
      plain_frames += expect_same(exact, 0);
      plain_frames += expect_same(exact, 2000);
    }
  }
  EXPECT_GT(plain_frames, 500u);
}

TEST(Plain, SaysWhatTheStepsSayOfAnyByteReplaced) {
  for (const Frame& frame : frames()) {
    const std::size_t headers = std::min<std::size_t>(frame.size(), 60);
    for (std::size_t i = 0; i < headers; ++i) {
      for (int value = 0; value < 256; ++value) {
        Frame damaged = frame;
        damaged[i] = static_cast<std::uint8_t>(value);
        expect_same(damaged, 0);
      }
    }
  }
}

TEST(Plain, SaysWhatTheStepsSayOfRandomDamage) {
  std::mt19937 random(1);
  const std::vector<Frame> all = frames();
  for (int round = 0; round < 50'000; ++round) {
    Frame frame = all[random() % all.size()];
    for (unsigned i = 0; i <= random() % 4; ++i) frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
    frame.resize(random() % (frame.size() + 8));
    expect_same(frame, random() % 2 == 0 ? 0 : static_cast<std::uint32_t>(random() % 4096));
  }
}

TEST(Plain, IsWhatMostCapturesHold) {
  EXPECT_TRUE(expect_same(ethernet(0x0800, send_only()), 0));
  // What only the steps know: other opcodes, CNPs, another version, too little room for the headers.
  EXPECT_FALSE(expect_same(ethernet(0x0800, ipv4(17, udp(4791, roce(0xFF, zeros(40))))), 0));
  EXPECT_FALSE(expect_same(ethernet(0x0800, ipv4(17, udp(4791, roce(0x81, zeros(16))))), 0));
  EXPECT_FALSE(expect_same(ethernet(0x0800, ipv4(17, udp(4791, roce(0x0C, zeros(8))))), 0));
  EXPECT_FALSE(expect_same(ethernet(0x0800, ipv4(17, udp(4790, roce(0x04, zeros(8))))), 0));
  EXPECT_FALSE(expect_same(ethernet(0x0800, ipv4(17, udp(4791, roce(0x04, zeros(8))), {.options = zeros(4)})), 0));
  EXPECT_FALSE(expect_same(ethernet(0x0800, ipv4(17, udp(4791, roce(0x04, zeros(8))), {.fragment = 0x2000})), 0));
}

}  // namespace
}  // namespace rocetop::wire::test
