// SPDX-License-Identifier: BSD-3-Clause
// Which layout veRoCE packets are read by: made connections under every alternative of every disputed item, held
// against what the encoder wrote.
#include "track/veroce_layouts.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "support/veroce_traffic.h"
#include "wire/decode.h"
#include "wire/veroce.h"

namespace rocetop::track {
namespace {

using generate::VerocePacket;
using generate::VeroceWire;
using test::VeroceTraffic;
using wire::LayoutConfidence;
using wire::VeroceCheck;
using wire::VeroceItem;

struct Settled {
  std::vector<std::unique_ptr<wire::Decoded>> frames;
  const wire::Packet& operator[](std::size_t i) const { return frames[i]->packet; }
};

Settled settle(const VeroceTraffic& traffic, VeroceLayouts& layouts, const wire::VeroceLayout& base = {}) {
  wire::DecodeOptions options;
  options.veroce_layout = base;
  Settled out;
  for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
    out.frames.push_back(std::make_unique<wire::Decoded>());
    const auto& frame = traffic.frames[i];
    wire::decode(LinkType::kEthernet, frame, static_cast<std::uint32_t>(frame.size()), options, *out.frames.back());
    EXPECT_EQ(out.frames.back()->kind, wire::FrameKind::kRoce);
    layouts.settle(out.frames.back()->packet, microseconds(static_cast<std::int64_t>(i)));
  }
  return out;
}

/// Every field that the packet carries, against what was written.
void expect_as_written(const wire::Packet& got, const VerocePacket& wrote) {
  ASSERT_EQ(got.veroce.check, VeroceCheck::kPassed);
  EXPECT_EQ(got.payload_bytes, wrote.trimmed ? 0 : wrote.payload.size());
  if (!wrote.trimmed) {
    EXPECT_EQ(std::vector(got.payload.begin(), got.payload.end()), wrote.payload);
  }
  if (got.has(wire::kMsneth)) {
    EXPECT_EQ(got.veroce.msn, wrote.msn);
  }
  if (got.has(wire::kPoeth)) {
    EXPECT_EQ(got.veroce.packet_order, wrote.packet_order);
  }
  if (got.has(wire::kRqeth)) {
    EXPECT_EQ(got.veroce.rq_msn, wrote.rq_msn);
  }
  if (got.has(wire::kReth)) {
    EXPECT_EQ(got.reth.r_key, wrote.reth.r_key);
  }
  if (got.has(wire::kAeth)) {
    EXPECT_EQ(got.aeth.msn, wrote.aeth.msn);
  }
  if (got.has(wire::kAtomicAckEth)) {
    EXPECT_EQ(got.atomic_original, wrote.atomic_original);
  }
  if (got.has(wire::kImmDt)) {
    EXPECT_EQ(got.immediate, wrote.own);
  }
  if (got.has(wire::kIeth)) {
    EXPECT_EQ(got.invalidate_r_key, wrote.own);
  }
  EXPECT_EQ(got.veroce.trimmed, wrote.trimmed);
}

std::vector<std::uint32_t> received(const wire::SackEth& sack) {
  std::vector<std::uint32_t> out;
  for (const auto& range : psn_ranges(sack.bitmap, sack.start, sack.valid_length, true)) {
    for (std::uint32_t psn = range.first.value;; psn = Psn{psn + 1}.value) {
      out.push_back(psn);
      if (psn == range.last.value) break;
    }
  }
  return out;
}

struct Layout {
  std::string name;
  VeroceWire wire;
  std::string expected;  ///< differences from the default
};

std::vector<Layout> layouts() {
  std::vector<Layout> out = {{"default", {}, ""}};
  const auto add = [&](std::string expected, auto change) {
    VeroceWire wire;
    change(wire);
    out.push_back({expected, wire, expected});
  };
  for (const auto& [bit, word] : std::map<std::uint8_t, std::string>{
           {0x20, "0x20"}, {0x10, "0x10"}, {0x08, "0x08"}, {0x04, "0x04"}, {0x02, "0x02"}, {0x01, "0x01"}}) {
    add("retrans_bit=" + word, [b = bit](VeroceWire& w) { w.retransmit_bit = b; });
  }
  add("write_reth=first", [](VeroceWire& w) { w.reth_in_every_write = false; });
  add("sack_order=psn_len", [](VeroceWire& w) { w.sack_length_first = false; });
  add("sack_bits=le128", [](VeroceWire& w) { w.sack_bit = VeroceWire::SackBit::kByteWise; });
  add("sack_bits=msb_first", [](VeroceWire& w) { w.sack_bit = VeroceWire::SackBit::kAsWritten; });
  add("sack_bits=be32", [](VeroceWire& w) { w.sack_bit = VeroceWire::SackBit::kByWord; });
  add("sack_bits=be64", [](VeroceWire& w) { w.sack_bit = VeroceWire::SackBit::kByDoubleWord; });
  add("sack_start=next", [](VeroceWire& w) { w.sack_starts_after = 1; });
  for (const auto& [words, name] : std::map<std::string_view, std::string>{{"rq own po", "rq_imm_po"},
                                                                           {"po rq own", "po_rq_imm"},
                                                                           {"po own rq", "po_imm_rq"},
                                                                           {"own rq po", "imm_rq_po"},
                                                                           {"own po rq", "imm_po_rq"}}) {
    add("write_imm=" + name, [w = words](VeroceWire& wire) { wire.write_immediate = w; });
    add("send_imm=" + name, [w = words](VeroceWire& wire) { wire.send_immediate = w; });
    std::string inverse = name;
    inverse.replace(inverse.find("imm"), 3, "ieth");
    add("send_inv=" + inverse, [w = words](VeroceWire& wire) { wire.send_invalidate = w; });
  }
  add("atomic_ack=aeth_last", [](VeroceWire& w) { w.atomic_aeth_first = false; });
  add("icrc=unmasked", [](VeroceWire& w) { w.icrc_unmasked = true; });
  add("icrc=big_endian", [](VeroceWire& w) { w.icrc_big_endian = true; });
  add("icrc=unmasked_big_endian", [](VeroceWire& w) { w.icrc_unmasked = w.icrc_big_endian = true; });
  add("write_reth=first, sack_order=psn_len, sack_bits=msb_first, write_imm=imm_po_rq, icrc=big_endian",
      [](VeroceWire& w) {
        w.reth_in_every_write = w.sack_length_first = false;
        w.sack_bit = VeroceWire::SackBit::kAsWritten;
        w.write_immediate = "own po rq";
        w.icrc_big_endian = true;
      });
  return out;
}

class EveryLayout : public testing::TestWithParam<Layout> {};

TEST_P(EveryLayout, IsRecognisedFromTheBytes) {
  VeroceTraffic traffic(GetParam().wire);
  traffic.run(4);
  VeroceLayouts judge({});
  const Settled first = settle(traffic, judge);
  const VeroceReport report = judge.report();
  ASSERT_FALSE(report.uses.empty());
  for (const auto& use : report.uses) EXPECT_EQ(use.confidence, LayoutConfidence::kConfirmed) << use.layout;
  // Each direction shows what it can; together they show all.
  wire::VeroceLayout found;
  for (const auto& item : report.items) found.set(item.item, item.choice.alternative);
  EXPECT_EQ(differences(found), GetParam().expected);

  // With what the first pass found every packet reads as it was written, from the first on.
  VeroceLayouts again({}, std::make_shared<VeroceLayouts>(std::move(judge)));
  const Settled second = settle(traffic, again);
  for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i) + " opcode " + std::to_string(traffic.packets[i].base.opcode));
    expect_as_written(second[i], traffic.packets[i]);
    EXPECT_EQ(second[i].veroce.retransmit, traffic.packets[i].retransmit);
    EXPECT_EQ(second[i].icrc, wire::IcrcStatus::kGood);
    if (second[i].has(wire::kSacketh)) {
      auto wrote = traffic.packets[i].sack_received;
      wrote.erase(wrote.begin(), wrote.begin() + GetParam().wire.sack_starts_after);
      EXPECT_EQ(received(second[i].veroce.sack), wrote);
    }
  }
}

/// Where the position of nothing but the Retrans bit is open, one pass is enough.
TEST_P(EveryLayout, LateInTheFirstPassAllIsReadRight) {
  VeroceTraffic traffic(GetParam().wire);
  traffic.run(8);
  VeroceLayouts judge({});
  const Settled settled = settle(traffic, judge);
  for (std::size_t i = traffic.frames.size() / 2; i < traffic.frames.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i) + " opcode " + std::to_string(traffic.packets[i].base.opcode));
    expect_as_written(settled[i], traffic.packets[i]);
    EXPECT_EQ(settled[i].veroce.retransmit, traffic.packets[i].retransmit);
    EXPECT_NE(settled[i].veroce.confidence, LayoutConfidence::kFailed);
  }
}

TEST_P(EveryLayout, OneDirectionIsEnoughForItsOwnPackets) {
  VeroceTraffic traffic(GetParam().wire);
  traffic.run(8);
  for (const IpAddress& from : {traffic.packets.front().base.src, traffic.packets.front().base.dst}) {
    VeroceTraffic one(GetParam().wire);
    for (const VerocePacket& p : traffic.packets) {
      if (p.base.src == from) one.add(p);
    }
    VeroceLayouts judge({});
    const Settled settled = settle(one, judge);
    for (std::size_t i = one.frames.size() / 2; i < one.frames.size(); ++i) {
      SCOPED_TRACE("frame " + std::to_string(i) + " opcode " + std::to_string(one.packets[i].base.opcode));
      expect_as_written(settled[i], one.packets[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Veroce, EveryLayout, testing::ValuesIn(layouts()), [](const auto& of) {
  std::string name = of.param.name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(VeroceLayouts, PlainRoceOnItsPortBecomesRoceV2) {
  VeroceWire wire;
  wire.plain = true;
  VeroceTraffic traffic(wire);
  traffic.run(2);
  VeroceLayouts judge({});
  const Settled settled = settle(traffic, judge);
  for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(settled[i].protocol, wire::Protocol::kRoceV2);
    EXPECT_EQ(settled[i].payload_bytes, traffic.packets[i].payload.size());
    EXPECT_EQ(settled[i].icrc, wire::IcrcStatus::kGood);
  }
  EXPECT_EQ(judge.report().uses.at(0).layout, "ibta");
}

TEST(VeroceLayouts, SendsAloneAreVeroceOnceTheirMsnsCount) {
  VeroceTraffic traffic;
  for (int i = 0; i < 6; ++i) traffic.send(1, 32);
  VeroceLayouts judge({});
  const Settled settled = settle(traffic, judge);
  EXPECT_EQ(settled[0].veroce.confidence, LayoutConfidence::kAssumed);
  EXPECT_EQ(settled[5].veroce.confidence, LayoutConfidence::kConfirmed);
}

TEST(VeroceLayouts, WhatFitsNoLayoutStaysRaw) {
  for (const std::uint32_t extra : {4U, 8U}) {
    VeroceWire wire;
    wire.extra_bytes = extra;
    VeroceTraffic traffic(wire);
    traffic.run(3);
    VeroceLayouts judge({});
    const Settled settled = settle(traffic, judge);
    std::size_t raw = 0;
    for (std::size_t i = 20; i < traffic.frames.size(); ++i) raw += settled[i].veroce.check != VeroceCheck::kPassed;
    EXPECT_EQ(raw, traffic.frames.size() - 20) << extra << " extra bytes: also those that would pass by chance";
    for (std::size_t i = 20; i < traffic.frames.size(); ++i) EXPECT_EQ(settled[i].headers, 0U);
  }
}

TEST(VeroceLayouts, WhatTheUserGaveStands) {
  VeroceWire wire;
  wire.sack_length_first = false;
  VeroceTraffic traffic(wire);
  traffic.run(4);
  wire::VeroceLayout base;
  ASSERT_TRUE(set_veroce_item(base, "sack_order=len_psn"));
  VeroceLayouts judge(base);
  const Settled settled = settle(traffic, judge, base);
  for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
    if (traffic.packets[i].base.opcode != 0x18) continue;
    EXPECT_NE(settled[i].veroce.check, VeroceCheck::kPassed);
    EXPECT_EQ(settled[i].veroce.confidence, LayoutConfidence::kFailed);
  }
}

TEST(VeroceLayouts, RepeatsWithoutFlagLeaveTheBitUnverified) {
  VeroceTraffic traffic;
  for (int i = 0; i < 3; ++i) traffic.lose_and_resend(2, false);
  for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
    traffic.packets[i].base.ip_id = static_cast<std::uint16_t>(i);
    traffic.frames[i] = generate::encode_veroce(traffic.packets[i], traffic.wire);
  }
  VeroceLayouts judge({});
  const Settled settled = settle(traffic, judge);
  EXPECT_EQ(settled[traffic.frames.size() - 2].veroce.retransmit_confidence, LayoutConfidence::kFailed);
}

TEST(VeroceLayouts, CopiesSayNothingOfTheBit) {
  VeroceTraffic once;
  once.write(8, 100);
  VeroceTraffic twice;
  for (const auto& packet : once.packets) {
    twice.add(packet);
    twice.add(packet);
  }
  VeroceLayouts judge({});
  EXPECT_EQ(settle(twice, judge)[15].veroce.retransmit_confidence, LayoutConfidence::kAssumed);
}

TEST(VeroceLayouts, TrimmedPacketsKeepTheirHeaders) {
  VeroceTraffic traffic;
  traffic.run(2);
  const std::size_t before = traffic.frames.size();
  VeroceTraffic more = traffic;
  more.write(3, 600);
  for (std::size_t i = before; i < more.packets.size(); ++i) {
    VerocePacket p = more.packets[i];
    p.trimmed = true;
    traffic.add(p);
  }
  VeroceLayouts judge({});
  const Settled settled = settle(traffic, judge);
  for (std::size_t i = before; i < traffic.frames.size(); ++i) expect_as_written(settled[i], traffic.packets[i]);
}

TEST(VeroceLayouts, ABadIcrcShowsOnceTheRuleIsKnown) {
  VeroceTraffic traffic;
  traffic.run(1);
  VerocePacket damaged = traffic.packets.front();
  damaged.base.bad_icrc = true;
  traffic.add(damaged);
  VeroceLayouts judge({});
  const Settled settled = settle(traffic, judge);
  EXPECT_EQ(settled[traffic.frames.size() - 1].icrc, wire::IcrcStatus::kBad);
}

TEST(VeroceLayouts, RttOfTheTap) {
  VeroceTraffic traffic;
  traffic.rtt_exchange();
  VeroceLayouts judge({});
  wire::Decoded decoded;
  const auto see = [&](std::size_t i, Nanos time) {
    wire::decode(LinkType::kEthernet, traffic.frames[i], 200, {}, decoded);
    judge.settle(decoded.packet, time);
  };
  see(0, microseconds(100));
  see(1, microseconds(107));
  EXPECT_EQ(decoded.packet.veroce.rtt.host_delay(), Nanos{1'500});
  EXPECT_EQ(decoded.packet.veroce.rtt.network_delay(), std::nullopt) << "RX2 is not on the wire";
  EXPECT_EQ(decoded.packet.veroce.rtt_beyond_tap, Nanos{5'500});
}

TEST(VeroceLayouts, SurvivesAnyDamage) {
  VeroceTraffic traffic;
  traffic.run(2);
  traffic.rtt_exchange();
  VeroceLayouts judge({});
  wire::Decoded decoded;
  std::mt19937 random(4794);
  for (int round = 0; round < 30'000; ++round) {
    auto frame = traffic.frames[random() % traffic.frames.size()];
    const auto wire_length = static_cast<std::uint32_t>(frame.size());
    for (unsigned i = 0; i < random() % 4; ++i)
      frame[34 + random() % (frame.size() - 34)] = static_cast<std::uint8_t>(random());
    frame.resize(std::min<std::size_t>(frame.size(), 54 + random() % 100));
    wire::decode(LinkType::kEthernet, frame, wire_length, {}, decoded);
    if (decoded.kind != wire::FrameKind::kRoce) continue;
    judge.settle(decoded.packet, microseconds(round));
    const wire::Packet& p = decoded.packet;
    EXPECT_EQ(p.headers & ~p.expected_headers, 0U);
    EXPECT_LE(p.payload.size(), p.payload_bytes);
    EXPECT_TRUE(p.payload.empty() || p.payload.data() + p.payload.size() <= frame.data() + frame.size());
  }
  judge.report();
}

TEST(VeroceLayouts, FlowsAreBounded) {
  VeroceLayouts judge({}, nullptr, 8);
  wire::Decoded decoded;
  for (std::uint32_t qp = 100; qp < 140; ++qp) {
    VeroceTraffic traffic;
    VerocePacket p = traffic.from_requester(0x0A);
    p.base.dest_qp = Qpn{qp};
    p.payload.resize(4);
    p.reth.dma_length = 4;
    const auto frame = generate::encode_veroce(p, {});
    wire::decode(LinkType::kEthernet, frame, static_cast<std::uint32_t>(frame.size()), {}, decoded);
    judge.settle(decoded.packet, {});
  }
  EXPECT_LE(judge.report().flows, 8U);
  EXPECT_GE(judge.report().evicted_flows, 32U);
}

}  // namespace
}  // namespace rocetop::track
