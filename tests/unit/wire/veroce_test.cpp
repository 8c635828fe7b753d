// SPDX-License-Identifier: BSD-3-Clause
// veRoCE's headers from hex, packet by packet, and what is refused. Which layout a connection uses is judged elsewhere.
#include "wire/veroce.h"

#include <gtest/gtest.h>

#include "frame.h"

namespace rocetop::wire::test {
namespace {

VeroceLayout layout(std::string_view key_and_word) {
  VeroceLayout out;
  if (!key_and_word.empty()) {
    EXPECT_TRUE(set_veroce_item(out, key_and_word));
  }
  return out;
}

/// BTH (dest QP 0x12, PSN 0x345678) with `rest` behind it, to veRoCE's port.
Result decode_veroce(std::uint8_t opcode, const Frame& rest, std::string_view given = {}, std::uint8_t pad = 0) {
  DecodeOptions options;
  options.veroce_layout = layout(given);
  return decode_frame(LinkType::kIpv4, ipv4(17, udp(4794, roce(opcode, rest, pad))), 0, options);
}

constexpr std::string_view kMsn = "00000007";
constexpr std::string_view kRq = "00000009";
constexpr std::string_view kPo = "00000002";
constexpr std::string_view kImm = "ABBF0001";
Frame reth(std::uint32_t bytes) { return hex("1122334455667788 99AABBCC") + be32(bytes); }

struct Shape {
  std::uint8_t opcode;
  Frame headers;
  std::uint32_t expected;
  std::uint32_t payload_bytes;
};

/// One packet of every kind under the default layout.
std::vector<Shape> shapes() {
  const Frame m = hex(kMsn);
  const Frame rq = hex(kRq);
  const Frame po = hex(kPo);
  const Frame imm = hex(kImm);
  const Frame aeth = hex("1F000005");
  const Frame atomic = hex("0000007F00000000 12345678 0000000000000001 0000000000000002");
  return {
      {0x00, m + rq, kMsneth | kRqeth, 1024},
      {0x01, m + rq + po, kMsneth | kRqeth | kPoeth, 1024},
      {0x02, m + rq + po, kMsneth | kRqeth | kPoeth, 60},
      {0x03, m + rq + po + imm, kMsneth | kRqeth | kPoeth | kImmDt, 60},
      {0x04, m + rq, kMsneth | kRqeth, 60},
      {0x05, m + rq + imm, kMsneth | kRqeth | kImmDt, 60},
      {0x06, m + reth(1024), kMsneth | kReth, 1024},
      {0x07, m + reth(1024) + po, kMsneth | kReth | kPoeth, 1024},
      {0x08, m + reth(60) + po, kMsneth | kReth | kPoeth, 60},
      {0x09, m + reth(60) + rq + po + imm, kMsneth | kReth | kRqeth | kPoeth | kImmDt, 60},
      {0x0A, m + reth(60), kMsneth | kReth, 60},
      {0x0B, m + reth(60) + rq + imm, kMsneth | kReth | kRqeth | kImmDt, 60},
      {0x0C, m + reth(65536), kMsneth | kReth, 0},
      {0x0D, m + aeth, kMsneth | kAeth, 1024},
      {0x0E, m + aeth + po, kMsneth | kAeth | kPoeth, 1024},
      {0x0F, m + aeth + po, kMsneth | kAeth | kPoeth, 60},
      {0x10, m + aeth, kMsneth | kAeth, 60},
      {0x11, aeth + po, kAeth | kPoeth, 0},
      {0x12, m + aeth + hex("0000000000000005"), kMsneth | kAeth | kAtomicAckEth, 0},
      {0x13, m + atomic, kMsneth | kAtomicEth, 0},
      {0x14, m + atomic, kMsneth | kAtomicEth, 0},
      {0x16, m + rq + po + imm, kMsneth | kRqeth | kPoeth | kIeth, 60},
      {0x17, m + rq + imm, kMsneth | kRqeth | kIeth, 60},
      {0x18, aeth + po + hex("06 345678") + zeros(15) + hex("3D"), kAeth | kPoeth | kSacketh, 0},
      {0x19, aeth + po, kAeth | kPoeth, 0},
      {0x1E, aeth + po + hex("06 345678") + zeros(15) + hex("3D"), kAeth | kPoeth | kSacketh, 0},
      {0x81, {}, 0, 0},
      {0x82, hex("CC00C10E 00000064 00000000 00000000 00000000"), kRtteth, 0},
      {0x83, hex("CC00C10E 00000064 00000BD2 000011AE 00001770"), kRtteth, 0},
      {0x84, {}, 0, 0},
  };
}

TEST(VeroceHeaders, EveryPacketOfTheDefaultLayout) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(static_cast<int>(shape.opcode));
    const Result result = decode_veroce(shape.opcode, shape.headers + zeros(shape.payload_bytes));
    ASSERT_EQ(result->kind, FrameKind::kRoce);
    const Packet& p = result->packet;
    EXPECT_EQ(p.protocol, Protocol::kVeroce);
    EXPECT_EQ(p.veroce.check, VeroceCheck::kPassed);
    EXPECT_EQ(p.headers, shape.expected);
    EXPECT_EQ(p.payload_bytes, shape.payload_bytes);
    EXPECT_EQ(p.payload.size(), shape.payload_bytes);
    EXPECT_FALSE(p.veroce.trimmed);
    if (p.has(kMsneth)) {
      EXPECT_EQ(p.veroce.msn, 7U);
    }
    if (p.has(kRqeth)) {
      EXPECT_EQ(p.veroce.rq_msn, 9U);
    }
    if (p.has(kPoeth)) {
      EXPECT_EQ(p.veroce.packet_order, 2U);
    }
    if (p.has(kReth)) {
      EXPECT_EQ(p.reth.r_key, 0x99AABBCCU);
    }
    if (p.has(kAeth)) {
      EXPECT_EQ(p.aeth.msn, Msn{5});
    }
    if (p.has(kImmDt)) {
      EXPECT_EQ(p.immediate, 0xABBF0001U);
    }
    if (p.has(kIeth)) {
      EXPECT_EQ(p.invalidate_r_key, 0xABBF0001U);
    }
    if (p.has(kAtomicAckEth)) {
      EXPECT_EQ(p.atomic_original, 5U);
    }
    if (p.has(kAtomicEth)) {
      EXPECT_EQ(p.atomic.compare, 2U);
    }
  }
}

TEST(VeroceHeaders, CutAnywhereKeepWhatIsWhole) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(static_cast<int>(shape.opcode));
    const Frame frame = ipv4(17, udp(4794, roce(shape.opcode, shape.headers + zeros(shape.payload_bytes))));
    std::uint32_t before = 0;
    for (std::size_t n = 28 + 12; n < frame.size(); ++n) {
      const Frame cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(n));
      const Result result = decode_frame(LinkType::kIpv4, cut, static_cast<std::uint32_t>(frame.size()));
      ASSERT_EQ(result->kind, FrameKind::kRoce);
      const Packet& p = result->packet;
      EXPECT_TRUE(p.truncated);
      EXPECT_EQ(p.veroce.check, VeroceCheck::kPassed);
      EXPECT_EQ(p.expected_headers, shape.expected);
      EXPECT_EQ(p.headers & before, before) << "a header that fewer bytes held is gone";
      EXPECT_EQ(p.payload_bytes, shape.payload_bytes);
      before = p.headers;
    }
    EXPECT_EQ(before, shape.expected);
  }
}

TEST(VeroceHeaders, LengthsThatFitNothingAreShownRaw) {
  for (const Shape& shape : shapes()) {
    if (shape.payload_bytes == 60) continue;  // any length does
    SCOPED_TRACE(static_cast<int>(shape.opcode));
    const Result result = decode_veroce(shape.opcode, shape.headers + zeros(shape.payload_bytes + 4));
    const Packet& p = result->packet;
    EXPECT_EQ(p.veroce.check, VeroceCheck::kLength);
    EXPECT_EQ(p.veroce.confidence, LayoutConfidence::kFailed);
    EXPECT_EQ(p.headers, 0U);
    EXPECT_EQ(p.veroce.raw.size(), shape.headers.size() + shape.payload_bytes + 4);
  }
}

TEST(VeroceHeaders, ReservedBytesMustBeZero) {
  EXPECT_EQ(decode_veroce(0x04, hex("01000007 00000009"))->packet.veroce.check, VeroceCheck::kReserved);
  EXPECT_EQ(decode_veroce(0x04, hex("00000007 01000009"))->packet.veroce.check, VeroceCheck::kReserved);
  EXPECT_EQ(decode_veroce(0x11, hex("1F000007 80000009"))->packet.veroce.check, VeroceCheck::kReserved);
}

TEST(VeroceHeaders, FieldsThatCannotBe) {
  const auto check = [](std::uint8_t opcode, const Frame& rest) {
    return decode_veroce(opcode, rest)->packet.veroce.check;
  };
  EXPECT_EQ(check(0x11, hex("40000007 00000000")), VeroceCheck::kField) << "a reserved syndrome";
  EXPECT_EQ(check(0x0F, hex("00000007 60000007 00000002") + zeros(8)), VeroceCheck::kField)
      << "a response that refuses";
  EXPECT_EQ(check(0x02, hex("00000007 00000009 00FFFFFF") + zeros(8)), VeroceCheck::kField) << "no order in data";
  EXPECT_EQ(check(0x02, hex("00000007 00000009 00000000") + zeros(8)), VeroceCheck::kField) << "a Last that is first";
  EXPECT_EQ(check(0x11, hex("1F000007 00FFFFFF")), VeroceCheck::kPassed) << "acknowledgements need none";
  EXPECT_EQ(check(0x0A, hex(kMsn) + reth(4) + zeros(8)), VeroceCheck::kField) << "more than RETH announces";
  const Frame ack = hex("1F000005 00000002");
  EXPECT_EQ(check(0x18, ack + hex("81 345678") + zeros(15) + hex("3D")), VeroceCheck::kField) << "129 bits";
  EXPECT_EQ(check(0x18, ack + hex("00 345678") + zeros(15) + hex("3D")), VeroceCheck::kField) << "no bits";
  EXPECT_EQ(check(0x18, ack + hex("05 345678") + zeros(15) + hex("3D")), VeroceCheck::kField) << "a bit beyond";
  EXPECT_EQ(check(0x18, ack + hex("06 345678") + zeros(15) + hex("3F")), VeroceCheck::kField) << "nothing is missing";
  EXPECT_EQ(check(0x18, ack + hex("06 000000") + zeros(15) + hex("3D")), VeroceCheck::kField) << "starts elsewhere";
}

TEST(VeroceHeaders, UnknownOpcodesAreShownRaw) {
  for (const int opcode : {0x15, 0x1A, 0x1C, 0x1D, 0x1F, 0x24, 0x64, 0xA4, 0x80, 0x85, 0xC0}) {
    const Result result = decode_veroce(static_cast<std::uint8_t>(opcode), zeros(20));
    EXPECT_EQ(result->packet.veroce.check, VeroceCheck::kUnknownOpcode) << opcode;
    EXPECT_EQ(result->packet.payload_bytes, 20U);
  }
  EXPECT_EQ(veroce_short_text(decode_veroce(0x1A, {})->packet), "veRoCE (unknown opcode RC Reserved 0x1A)");
}

TEST(VeroceHeaders, CnpOfEitherLength) {
  for (const std::size_t bytes : {0U, 16U}) {
    const Result result = decode_veroce(0x81, zeros(bytes));
    EXPECT_EQ(result->packet.veroce.check, VeroceCheck::kPassed);
    EXPECT_EQ(result->packet.payload_bytes, 0U);
    EXPECT_TRUE(result->packet.payload.empty());
  }
  EXPECT_EQ(decode_veroce(0x81, zeros(8))->packet.veroce.check, VeroceCheck::kLength);
  EXPECT_EQ(decode_veroce(0x81, zeros(16), "cnp_body=0")->packet.veroce.check, VeroceCheck::kLength);
  EXPECT_EQ(decode_veroce(0x81, {}, "cnp_body=16")->packet.veroce.check, VeroceCheck::kLength);
}

TEST(VeroceHeaders, RetransIsTheBitThatTheLayoutNames) {
  for (unsigned bit = 0; bit < 7; ++bit) {
    Frame packet = roce(0x04, hex("00000007 00000009"));
    packet[8] = static_cast<std::uint8_t>(0x80 | 0x40 >> bit);
    DecodeOptions options;
    options.veroce_layout.set(VeroceItem::kRetransmitBit, static_cast<std::uint8_t>(bit));
    const auto decoded = [&] { return decode_frame(LinkType::kIpv4, ipv4(17, udp(4794, packet)), 0, options); };
    EXPECT_TRUE(decoded()->packet.veroce.retransmit) << bit;
    packet[8] = static_cast<std::uint8_t>(~(0x40 >> bit));
    EXPECT_FALSE(decoded()->packet.veroce.retransmit) << bit;
  }
  Frame ack = roce(0x11, hex("1F000005 00000002"));
  ack[8] = 0x40;
  EXPECT_FALSE(decode_frame(LinkType::kIpv4, ipv4(17, udp(4794, ack)))->packet.veroce.retransmit)
      << "an acknowledgement is never resent";
}

TEST(VeroceHeaders, TrimmedPackets) {
  struct Case {
    std::uint8_t opcode;
    Frame headers;
    bool trimmed;
  };
  const Frame m = hex(kMsn);
  const Case cases[] = {
      {0x06, m + reth(1024), true},
      {0x07, m + reth(1024) + hex(kPo), true},
      {0x08, m + reth(60) + hex(kPo), true},
      {0x0A, m + reth(60), true},
      {0x0A, m + reth(0), false},  // a WRITE of nothing
      {0x00, m + hex(kRq), true},
      {0x02, m + hex(kRq) + hex(kPo), true},
      {0x04, m + hex(kRq), false},  // a SEND of nothing: nothing says otherwise
      {0x0E, m + hex("1F000005") + hex(kPo), true},
  };
  for (const Case& c : cases) {
    const Result result = decode_veroce(c.opcode, c.headers);
    EXPECT_EQ(result->packet.veroce.check, VeroceCheck::kPassed) << int{c.opcode};
    EXPECT_EQ(result->packet.veroce.trimmed, c.trimmed) << int{c.opcode};
    EXPECT_EQ(result->packet.payload_bytes, 0U);
  }
  const Result part = decode_veroce(0x0A, m + reth(60) + zeros(20));
  EXPECT_TRUE(part->packet.veroce.trimmed) << "a part of the payload may be left";
  EXPECT_EQ(part->packet.payload_bytes, 20U);
}

TEST(VeroceHeaders, TrimmedWithTheUdpLengthLeftAsItWas) {
  const Frame packet = roce(0x06, hex(kMsn) + reth(1024));
  const Frame frame = ipv4(17, udp(4794, packet, 8 + 12 + 20 + 1024 + 4));
  const Result result = decode_frame(LinkType::kIpv4, frame);
  ASSERT_EQ(result->kind, FrameKind::kRoce);
  EXPECT_TRUE(result->packet.veroce.trimmed);
  EXPECT_EQ(result->packet.headers, kMsneth | kReth);
  EXPECT_EQ(decode_frame(LinkType::kIpv4, ipv4(17, udp(4791, packet, 1068)))->reason, Undecodable::kLengthMismatch)
      << "RoCEv2 knows no trimming";
}

TEST(VeroceHeaders, OrdersOfWhatAnImmediateBrings) {
  const std::pair<std::string_view, std::string_view> orders[] = {
      {"rq_po_imm", "00000009 00000002 ABBF0001"}, {"rq_imm_po", "00000009 ABBF0001 00000002"},
      {"po_rq_imm", "00000002 00000009 ABBF0001"}, {"po_imm_rq", "00000002 ABBF0001 00000009"},
      {"imm_rq_po", "ABBF0001 00000009 00000002"}, {"imm_po_rq", "ABBF0001 00000002 00000009"}};
  for (const auto& [word, bytes] : orders) {
    const Result write =
        decode_veroce(0x09, hex(kMsn) + reth(8) + hex(bytes) + zeros(8), "write_imm=" + std::string(word));
    const Result send = decode_veroce(0x03, hex(kMsn) + hex(bytes) + zeros(8), "send_imm=" + std::string(word));
    std::string own(word);
    own.replace(own.find("imm"), 3, "ieth");
    const Result invalidate = decode_veroce(0x16, hex(kMsn) + hex(bytes) + zeros(8), "send_inv=" + own);
    for (const Packet* p : {&write->packet, &send->packet, &invalidate->packet}) {
      ASSERT_EQ(p->veroce.check, VeroceCheck::kPassed) << word;
      EXPECT_EQ(p->veroce.rq_msn, 9U) << word;
      EXPECT_EQ(p->veroce.packet_order, 2U) << word;
      EXPECT_EQ(p->has(kIeth) ? p->invalidate_r_key : p->immediate, 0xABBF0001U) << word;
    }
  }
}

TEST(VeroceHeaders, OtherAlternatives) {
  const Result first = decode_veroce(0x07, hex(kMsn) + hex(kPo) + zeros(1024), "write_reth=first");
  EXPECT_EQ(first->packet.headers, kMsneth | kPoeth);
  EXPECT_EQ(first->packet.payload_bytes, 1024U);
  const Result ack = decode_veroce(0x12, hex(kMsn) + hex("0000000000000005 1F000003"), "atomic_ack=aeth_last");
  EXPECT_EQ(ack->packet.atomic_original, 5U);
  EXPECT_EQ(ack->packet.aeth.msn, Msn{3});
  const Result sack =
      decode_veroce(0x18, hex("1F000005 00000002 345678 06") + zeros(15) + hex("3D"), "sack_order=psn_len");
  EXPECT_EQ(sack->packet.veroce.sack.start, Psn{0x345678});
  EXPECT_EQ(sack->packet.veroce.sack.valid_length, 6);
}

TEST(VeroceHeaders, PlainRoceIfTheUserSaysSo) {
  const Result result = decode_veroce(0x0A, reth(8) + zeros(8), "headers=ibta");
  EXPECT_EQ(result->packet.protocol, Protocol::kRoceV2);
  EXPECT_EQ(result->packet.headers, std::uint32_t{kReth});
  EXPECT_EQ(result->packet.payload_bytes, 8U);
}

TEST(VeroceHeaders, FitsIbta) {
  const auto fits = [](std::uint8_t opcode, const Frame& rest) {
    return fits_ibta(decode_veroce(opcode, rest)->packet);
  };
  EXPECT_TRUE(fits(0x06, reth(4096) + zeros(1024)));
  EXPECT_FALSE(fits(0x06, hex(kMsn) + reth(4096) + zeros(1024)));
  EXPECT_TRUE(fits(0x0A, reth(8) + zeros(8)));
  EXPECT_FALSE(fits(0x0A, hex(kMsn) + reth(8) + zeros(8)));
  EXPECT_TRUE(fits(0x11, hex("1F000001")));
  EXPECT_FALSE(fits(0x11, hex("1F000001 00000000")));
  EXPECT_TRUE(fits(0x0C, reth(8)));
  EXPECT_FALSE(fits(0x18, zeros(28))) << "no such opcode";
}

TEST(VeroceHeaders, NakIsAPacketDrop) {
  EXPECT_EQ(veroce_short_text(decode_veroce(0x11, hex("60000005 00000000"))->packet), "NAK, Packet Drop");
  EXPECT_EQ(veroce_short_text(decode_veroce(0x19, hex("60000005 00000000"))->packet), "NAK_Rsp, Packet Drop");
  EXPECT_EQ(veroce_short_text(decode_veroce(0x19, hex("1F000005 00000000"))->packet), "ACK_Rsp");
  EXPECT_EQ(veroce_aeth_text(0x62), "NAK, remote access error");
}

TEST(VeroceHeaders, RttDelays) {
  const RttEth rtt{.context = 1, .tx1 = 0xFFFFFF00, .rx1 = 5'000, .tx2 = 6'500, .rx2 = 3'744};  // TX1 before a wrap
  EXPECT_EQ(rtt.host_delay(), Nanos{1'500});
  EXPECT_EQ(rtt.network_delay(), Nanos{3'744 + 0x100 - 1'500});
  EXPECT_EQ(RttEth{}.network_delay(), std::nullopt);
}

TEST(SackBitmap, EveryOrder) {
  struct Case {
    SackBits order;
    std::array<std::size_t, 4> bytes;  // of offsets 0, 9, 40 and 100
    std::array<std::uint8_t, 4> masks;
  };
  const Case cases[] = {
      {SackBits::kBe128, {15, 14, 10, 3}, {0x01, 0x02, 0x01, 0x10}},
      {SackBits::kLe128, {0, 1, 5, 12}, {0x01, 0x02, 0x01, 0x10}},
      {SackBits::kMsbFirst, {0, 1, 5, 12}, {0x80, 0x40, 0x80, 0x08}},
      {SackBits::kBe32, {3, 2, 6, 15}, {0x01, 0x02, 0x01, 0x10}},
      {SackBits::kBe64, {7, 6, 2, 11}, {0x01, 0x02, 0x01, 0x10}},
  };
  for (const Case& c : cases) {
    std::array<std::uint8_t, kSackBitmapBytes> bytes{};
    for (std::size_t i = 0; i < 4; ++i) bytes[c.bytes[i]] = static_cast<std::uint8_t>(bytes[c.bytes[i]] | c.masks[i]);
    const SackBitmap bitmap = read_sack_bitmap(bytes.data(), c.order);
    for (std::size_t i = 0; i < kSackBitmapBits; ++i) {
      EXPECT_EQ(bitmap.has(i), i == 0 || i == 9 || i == 40 || i == 100) << static_cast<int>(c.order) << " " << i;
    }
    EXPECT_EQ(bitmap.highest(), 100U);
  }
}

TEST(SackBitmap, RangesWrap) {
  const SackBitmap bitmap{{0b0111'0011, 0}};
  const std::vector<PsnRange> received = {{Psn{0xFFFFFE}, Psn{0xFFFFFF}}, {Psn{2}, Psn{4}}};
  const std::vector<PsnRange> missing = {{Psn{0}, Psn{1}}, {Psn{5}, Psn{5}}};
  EXPECT_EQ(psn_ranges(bitmap, Psn{0xFFFFFE}, 8, true), received);
  EXPECT_EQ(psn_ranges(bitmap, Psn{0xFFFFFE}, 8, false), missing);
  EXPECT_TRUE(psn_ranges(bitmap, Psn{0}, 0, true).empty());
}

TEST(VeroceLayout, IsSetByKeyAndWord) {
  VeroceLayout out;
  EXPECT_EQ(layout_text(out), "veroce-2.0.4 (third-party)");
  ASSERT_TRUE(set_veroce_item(out, " sack_bits = msb_first "));
  EXPECT_TRUE(out.is_given(VeroceItem::kSackBits));
  EXPECT_FALSE(out.is_given(VeroceItem::kSackOrder));
  EXPECT_EQ(layout_text(out), "veroce-2.0.4 (third-party) with sack_bits=msb_first");
  for (std::size_t i = 0; i < kVeroceItems; ++i) {
    const VeroceItemFacts& item = veroce_item(static_cast<VeroceItem>(i));
    ASSERT_LE(item.alternatives.size(), kMostAlternatives);
    for (std::uint8_t a = 0; a < item.alternatives.size(); ++a) {
      ASSERT_TRUE(set_veroce_item(out, item.key, item.alternatives[a].word));
      EXPECT_EQ(out.choice[i], a);
    }
  }
}

TEST(VeroceLayout, RefusesWithTheWordsThereAre) {
  VeroceLayout out;
  const auto no_key = set_veroce_item(out, "sack=1");
  ASSERT_FALSE(no_key);
  EXPECT_NE(no_key.error().hint.find("sack_order"), std::string::npos);
  const auto no_word = set_veroce_item(out, "sack_order=middle");
  ASSERT_FALSE(no_word);
  EXPECT_NE(no_word.error().hint.find("len_psn, psn_len"), std::string::npos);
  EXPECT_FALSE(set_veroce_item(out, "sack_order"));
  EXPECT_EQ(out, VeroceLayout{});
}

TEST(VeroceLayout, IsReadFromAFile) {
  VeroceLayout out;
  ASSERT_TRUE(read_veroce_layout(out, "# ours\n\nwrite_reth = first  # as RoCEv2\r\nretrans_bit=0x01"));
  EXPECT_EQ(differences(out), "retrans_bit=0x01, write_reth=first");
  const auto bad = read_veroce_layout(out, "write_reth = first\nnonsense\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.substr(0, 7), "line 2:");
}

}  // namespace
}  // namespace rocetop::wire::test
