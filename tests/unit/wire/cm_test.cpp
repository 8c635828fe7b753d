// SPDX-License-Identifier: BSD-3-Clause
// CM messages, each with the fields that the specification gives it at the offsets it gives them.
#include "wire/cm.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <utility>

#include "frame.h"

namespace rocetop::wire::test {
namespace {

/// A MAD of 256 bytes with hex at offsets that count from the CM message.
Frame mad(std::uint16_t attribute, std::initializer_list<std::pair<std::size_t, std::string_view>> fields) {
  Frame out = hex("01 07 02 03 0000 0000 1122334455667788") + be16(attribute) + zeros(238);
  for (const auto& [offset, digits] : fields) {
    const Frame bytes = hex(digits);
    std::copy(bytes.begin(), bytes.end(), out.begin() + 24 + static_cast<std::ptrdiff_t>(offset));
  }
  return out;
}

Cm parse(const Frame& bytes) {
  const auto cm = parse_cm(bytes);
  EXPECT_TRUE(cm.has_value());
  return cm.value_or(Cm{});
}

TEST(Cm, Req) {
  const Cm cm = parse(mad(0x10, {{0, "A1A2A3A4"},
                                 {8, "0000000001 06 1B58"},
                                 {32, "000123"},
                                 {35, "10"},
                                 {39, "08"},
                                 {43, "A1"},
                                 {44, "ABCDEF"},
                                 {47, "07"},
                                 {50, "3E"},
                                 {51, "F0"},
                                 {56, "00000000000000000000FFFFC0000201"},
                                 {72, "00000000000000000000FFFFC0000202"},
                                 {95, "70"}}));
  EXPECT_EQ(cm.message, CmMessage::kReq);
  EXPECT_EQ(cm.transaction_id, 0x1122334455667788u);
  EXPECT_EQ(cm.local_comm_id, 0xA1A2A3A4u);
  EXPECT_EQ(cm.remote_comm_id, 0u);
  EXPECT_EQ(cm.service_id, 0x0000000001061B58u);
  EXPECT_EQ(cm.rdma_cm_port, 7000);
  EXPECT_EQ(cm.qpn, Qpn{0x123});
  EXPECT_EQ(cm.responder_resources, 16);
  EXPECT_EQ(cm.initiator_depth, 8);
  EXPECT_EQ(cm.transport_type, 0);
  EXPECT_EQ(cm.starting_psn, Psn{0xABCDEF});
  EXPECT_EQ(cm.retry_count, 7);
  EXPECT_EQ(cm.path_mtu, 1024u);
  EXPECT_EQ(cm.rnr_retry_count, 6);
  EXPECT_EQ(cm.extended_transport_type, 0);
  EXPECT_EQ(cm.local_gid.to_string(), "192.0.2.1");
  EXPECT_EQ(cm.remote_gid.to_string(), "192.0.2.2");
  EXPECT_EQ(cm.local_ack_timeout, 14);
  EXPECT_TRUE(cm.complete);
}

/// Enhanced connection establishment keeps its vendor id in what was reserved: in one piece in a REQ, in three in a
/// REP.
TEST(Cm, VendorIdOfEnhancedEstablishment) {
  const Cm request = parse(mad(0x10, {{0, "A1A2A3A4"}, {4, "FF"}, {5, "ABCDE2"}, {8, "0000000001 06 1B58"}}));
  EXPECT_EQ(request.ece_vendor, 0xABCDE2U);
  EXPECT_EQ(request.rdma_cm_port, 7000);
  const Cm reply =
      parse(mad(0x13, {{12, "000123"}, {15, "AB"}, {16, "FFFFFF"}, {19, "CD"}, {20, "000001"}, {23, "E2"}}));
  EXPECT_EQ(reply.ece_vendor, 0xABCDE2U);
  EXPECT_EQ(reply.qpn, Qpn{0x123});
  EXPECT_EQ(reply.starting_psn, Psn{1});
  EXPECT_EQ(parse(mad(0x14, {{5, "ABCDE2"}})).ece_vendor, 0U);
}

TEST(Cm, ReqOfXrc) {
  const Cm cm = parse(mad(0x10, {{43, "06"}, {51, "01"}}));
  EXPECT_EQ(cm.transport_type, 3);
  EXPECT_EQ(cm.extended_transport_type, 1);
}

TEST(Cm, ReqOfAnotherServiceHasNoPort) {
  EXPECT_FALSE(parse(mad(0x10, {{8, "0000000002 06 1B58"}})).rdma_cm_port);
  EXPECT_FALSE(parse(mad(0x10, {{8, "1000000001 06 1B58"}})).rdma_cm_port);
}

TEST(Cm, PathMtuCodes) {
  const std::pair<std::string_view, std::uint32_t> codes[] = {{"00", 0},    {"10", 256},  {"20", 512}, {"30", 1024},
                                                              {"40", 2048}, {"50", 4096}, {"60", 0},   {"F0", 0}};
  for (const auto& [code, bytes] : codes) EXPECT_EQ(parse(mad(0x10, {{50, code}})).path_mtu, bytes);
}

TEST(Cm, Rep) {
  const Cm cm = parse(mad(
      0x13, {{0, "0000000B"}, {4, "0000000A"}, {12, "000456"}, {20, "00ABCD"}, {24, "04"}, {25, "05"}, {27, "F0"}}));
  EXPECT_EQ(cm.message, CmMessage::kRep);
  EXPECT_EQ(cm.local_comm_id, 0xBu);
  EXPECT_EQ(cm.remote_comm_id, 0xAu);
  EXPECT_EQ(cm.qpn, Qpn{0x456});
  EXPECT_EQ(cm.starting_psn, Psn{0xABCD});
  EXPECT_EQ(cm.responder_resources, 4);
  EXPECT_EQ(cm.initiator_depth, 5);
  EXPECT_EQ(cm.rnr_retry_count, 7);
  EXPECT_TRUE(cm.complete);
  EXPECT_EQ(parse(mad(0x13, {{16, "000789"}})).qpn, Qpn{0x789}) << "an XRC target names its EE context";
}

TEST(Cm, Rej) {
  const Cm cm = parse(mad(0x12, {{0, "0000000B"}, {4, "0000000A"}, {8, "40"}, {10, "001C"}}));
  EXPECT_EQ(cm.message, CmMessage::kRej);
  EXPECT_EQ(cm.rejected_message, 1);
  EXPECT_EQ(cm.reject_reason, 28);
  EXPECT_EQ(reject_reason_text(cm.reject_reason), "consumer defined");
}

TEST(Cm, Mra) {
  const Cm cm = parse(mad(0x11, {{0, "0000000B"}, {4, "0000000A"}, {8, "80"}, {9, "A8"}}));
  EXPECT_EQ(cm.message, CmMessage::kMra);
  EXPECT_EQ(cm.rejected_message, 2);
  EXPECT_EQ(cm.service_timeout, 21);
}

TEST(Cm, TheRest) {
  const Cm rtu = parse(mad(0x14, {{0, "0000000B"}, {4, "0000000A"}, {8, "FFFFFF"}}));
  EXPECT_EQ(rtu.local_comm_id, 0xBu);
  EXPECT_EQ(rtu.remote_comm_id, 0xAu);
  EXPECT_EQ(rtu.qpn, Qpn{0}) << "a field that the message does not have";
  EXPECT_EQ(parse(mad(0x15, {{8, "000321"}})).qpn, Qpn{0x321});
  EXPECT_EQ(parse(mad(0x16, {{4, "0000000C"}})).remote_comm_id, 0xCu);
  const Cm sidr_req = parse(mad(0x17, {{0, "00000077"}, {8, "0000000001 11 0050"}}));
  EXPECT_EQ(sidr_req.local_comm_id, 0x77u);
  EXPECT_EQ(sidr_req.rdma_cm_port, 80);
  const Cm sidr_rep = parse(mad(0x18, {{0, "00000077"}, {4, "02"}, {8, "000099"}, {12, "0000000001 11 0050"}}));
  EXPECT_EQ(sidr_rep.remote_comm_id, 0x77u);
  EXPECT_EQ(sidr_rep.status, 2);
  EXPECT_EQ(sidr_rep.qpn, Qpn{0x99});
  EXPECT_EQ(sidr_rep.rdma_cm_port, 80);
  EXPECT_EQ(parse(mad(0x19, {{12, "000055"}})).qpn, Qpn{0x55});
  EXPECT_EQ(parse(mad(0x1A, {{9, "03"}})).status, 3);
}

TEST(Cm, Names) {
  for (std::uint16_t attribute = 0x10; attribute <= 0x1A; ++attribute) {
    EXPECT_NE(cm_message_name(static_cast<CmMessage>(attribute)), "unknown");
  }
  EXPECT_EQ(cm_message_name(CmMessage::kDreq), "DREQ");
  EXPECT_EQ(reject_reason_text(8), "invalid service ID");
  EXPECT_EQ(reject_reason_text(4), "timeout");
  EXPECT_EQ(reject_reason_text(0), "reserved reason");
  EXPECT_EQ(reject_reason_text(0xFFFF), "reserved reason");
}

TEST(Cm, OtherClassesAreNot) {
  Frame sa = mad(0x10, {});
  sa[1] = 0x03;
  EXPECT_FALSE(parse_cm(sa));
  EXPECT_FALSE(parse_cm(mad(0x0F, {})));
  EXPECT_FALSE(parse_cm(mad(0x1B, {})));
  EXPECT_FALSE(parse_cm({}));
}

TEST(Cm, EveryPrefixIsParsedOrRefused) {
  for (std::uint16_t attribute = 0x10; attribute <= 0x1A; ++attribute) {
    const Frame whole = mad(attribute, {{0, "01020304"}});
    for (std::size_t n = 0; n <= whole.size(); ++n) {
      const Frame cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
      const auto exact = std::make_unique<std::uint8_t[]>(n);
      std::copy(cut.begin(), cut.end(), exact.get());
      const auto cm = parse_cm({exact.get(), n});
      EXPECT_EQ(cm.has_value(), n >= 24);
      if (n == 24) {
        EXPECT_FALSE(cm->complete);
      }
      if (n == whole.size()) {
        EXPECT_TRUE(cm->complete);
      }
    }
  }
  const Cm cut = parse([] {
    Frame f = mad(0x10, {{32, "000123"}, {56, "00000000000000000000FFFFC0000201"}});
    f.resize(24 + 60);
    return f;
  }());
  EXPECT_EQ(cut.qpn, Qpn{0x123});
  EXPECT_EQ(cut.local_gid, IpAddress());
  EXPECT_FALSE(cut.complete);
}

}  // namespace
}  // namespace rocetop::wire::test
