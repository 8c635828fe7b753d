// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "present/packet_details.h"
#include "present/packet_json.h"
#include "present/packet_line.h"
#include "present/text.h"
#include "sample_snapshot.h"

namespace rocetop::present {
namespace {

using nlohmann::json;
using testing::ip;

/// A WRITE Only from 192.0.2.1 to qp 18, and what was made of it.
struct Sample {
  wire::Decoded decoded;
  PacketRecord record;

  Sample() {
    setenv("TZ", "UTC", 1);
    tzset();
    decoded.kind = wire::FrameKind::kRoce;
    wire::Packet& p = decoded.packet;
    p.src = ip("192.0.2.1");
    p.dst = ip("192.0.2.2");
    p.udp_src = 49152;
    p.udp_dst = 4791;
    p.traffic_class = 26 << 2 | 3;
    p.bth.opcode = 0x0A;
    p.bth.dest_qp = Qpn{18};
    p.bth.psn = Psn{5};
    p.bth.p_key = 0xFFFF;
    p.bth.ack_request = true;
    p.headers = p.expected_headers = wire::kReth;
    p.reth = {0x1000, 0x77, 4096};
    p.payload_bytes = 1024;
    p.icrc = wire::IcrcStatus::kGood;
    record.id = FrameId{0, 44};
    record.time = Nanos{1'700'000'000'123'456'789};
    record.decoded = &decoded;
    record.observation.connection = 1;
    record.observation.space = track::SpaceName::kRequests;
    record.observation.kind = track::Kind::kNew;
  }

  std::string line(PacketLineOptions options = {}) const { return packet_line(record, options); }
  json object(bool several_files = false) const {
    std::string out;
    write_packet_json(record, several_files, [&out](std::string_view text) { out += text; });
    return json::parse(out);
  }
};

TEST(PacketLine, SaysWhenWhoAndWhat) {
  EXPECT_EQ(Sample().line(),
            "22:13:20.123456789 #44 192.0.2.1.49152 > 192.0.2.2 qp 18: WRITE Only, psn 5, 1,024 bytes, "
            "va 0x1000 rkey 0x77 len 4096, ackreq, CE");
}

TEST(PacketLine, TimesAsAsked) {
  Sample s;
  PacketLineOptions options;
  options.time = TimeFormat::kEpoch;
  EXPECT_TRUE(s.line(options).starts_with("1700000000.123456789 #44"));
  s.record.nanoseconds = false;
  EXPECT_TRUE(s.line(options).starts_with("1700000000.123456 #44"));
  options.time = TimeFormat::kUtc;
  EXPECT_TRUE(s.line(options).starts_with("2023-11-14T22:13:20.123456789Z #44"));
  options.time = TimeFormat::kRelative;
  options.time_zero = Nanos{1'700'000'000'123'000'000};
  EXPECT_TRUE(s.line(options).starts_with("0.000456 #44"));
  options.time_zero = Nanos{1'700'000'001'123'456'789};  // a clock that went back
  EXPECT_TRUE(s.line(options).starts_with("-1.000000 #44"));
  s.record.time.reset();
  EXPECT_TRUE(s.line(options).starts_with("no time #44"));
}

TEST(PacketLine, AcknowledgementsSpeakByTheirSyndrome) {
  Sample s;
  wire::Packet& p = s.decoded.packet;
  p.bth.opcode = 0x11;
  p.bth.ack_request = false;
  p.traffic_class = 0;
  p.payload_bytes = 0;
  p.headers = p.expected_headers = wire::kAeth;
  p.aeth = {0x60, Msn{3}};
  EXPECT_TRUE(s.line().ends_with("qp 18: NAK, PSN sequence error, psn 5, msn 3")) << s.line();
  p.aeth.syndrome = 0x20 | 13;
  EXPECT_TRUE(s.line().ends_with("qp 18: RNR NAK, wait 0.96 ms, psn 5, msn 3")) << s.line();
}

TEST(PacketLine, MarksWhatTheAnalysisFound) {
  Sample s;
  track::Observation& o = s.record.observation;
  o.kind = track::Kind::kRetransmission;
  o.original_frame = FrameId{0, 41};
  EXPECT_TRUE(s.line().ends_with(" [retransmission of #41]")) << s.line();
  o.cause = track::Cause::kNak;
  o.trigger_frame = FrameId{0, 40};
  EXPECT_TRUE(s.line().ends_with(" [retransmission of #41 (NAK #40)]")) << s.line();
  o.original_frame = {};
  EXPECT_TRUE(s.line().ends_with(" [retransmission, first one not seen (NAK #40)]")) << s.line();
  o = {};
  o.kind = track::Kind::kDuplicate;
  o.original_frame = FrameId{0, 7};
  EXPECT_TRUE(s.line().ends_with(" [duplicate of #7]")) << s.line();
  o = {};
  o.kind = track::Kind::kReordered;
  EXPECT_TRUE(s.line().ends_with(" [reordered]")) << s.line();
  o = {};
  o.kind = track::Kind::kNew;
  o.missing_before = 3;
  EXPECT_TRUE(s.line().ends_with(" [3 missing before]")) << s.line();
  o = {};
  o.acks_frame = FrameId{1, 12};
  o.rtt = microseconds(12);
  PacketLineOptions several;
  several.several_files = true;
  EXPECT_TRUE(s.line(several).ends_with(" [acks #2:12, rtt 12.0 µs]")) << s.line(several);
  o = {};
  o.kind = track::Kind::kNak;
  o.acks_frame = FrameId{0, 12};
  EXPECT_TRUE(s.line().ends_with(" [names #12]")) << s.line();
}

TEST(PacketLine, ASecondPassSettlesWhatTheFirstLeftOpen) {
  Sample s;
  s.record.observation.kind = track::Kind::kReordered;
  s.record.final.emplace();
  s.record.final->fate = track::Resolution::Fate::kRetransmission;
  s.record.final->cause = track::Cause::kTimeout;
  s.record.final->acked_in = FrameId{0, 50};
  EXPECT_TRUE(s.line().ends_with(" [retransmission, first one not seen (timeout), acked in #50]")) << s.line();
}

TEST(PacketLine, ShowsPauseFramesAndWhatCannotBeDecoded) {
  Sample s;
  s.decoded.kind = wire::FrameKind::kPause;
  s.decoded.pause.priority = true;
  s.decoded.pause.class_vector = 0b1'1000;
  s.decoded.pause.quanta[3] = 65535;
  EXPECT_TRUE(s.line().ends_with("00:00:00:00:00:00 > PFC: class 3 XOFF 65535 quanta, class 4 XON")) << s.line();
  s.decoded.kind = wire::FrameKind::kUndecodable;
  s.decoded.reason = wire::Undecodable::kCutBeforeBth;
  EXPECT_TRUE(
      s.line().ends_with("RoCE, not decodable: the snap length ends before the BTH does (0 of 0 bytes captured)"));
  s.decoded.kind = wire::FrameKind::kOther;
  EXPECT_EQ(s.line(), "");
}

TEST(PacketDetails, ShowEachHeaderOnALine) {
  Sample s;
  wire::Packet& p = s.decoded.packet;
  const std::array<std::uint8_t, 16> frame = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0, 0, 100};
  s.record.frame = frame;
  p.layers[0] = {wire::Layer::Kind::kEthernet, 0, 0};
  p.layers[1] = {wire::Layer::Kind::kVlan, 14, 100};
  p.layers[2] = {wire::Layer::Kind::kVxlan, 0xFFFF, 5000};
  p.layers[3] = {wire::Layer::Kind::kIpv4, 16, 0};  // beyond what was captured
  p.layer_count = 4;
  const std::string text = packet_details(s.record, {}, false);
  for (const char* line :
       {"    Ethernet 02:00:00:00:00:01 > 02:00:00:00:00:02\n", "    VLAN 100\n", "    VXLAN vni 5000\n",
        "    IPv4, cut\n", "dest qp 18 (0x000012), ackreq 1, psn 5 (0x000005)\n",
        "    RETH va 0x0000000000001000, r_key 0x00000077, dma length 4096\n",
        "    payload 1,024 bytes (0 captured), icrc 0x00000000 good\n", "    analysis connection 1, requests, new\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(PacketDetails, EveryLayerHasAName) {
  Sample s;
  wire::Packet& p = s.decoded.packet;
  p.layer_count = 1;
  for (int kind = 0; kind <= static_cast<int>(wire::Layer::Kind::kMellanoxMirror); ++kind) {
    p.layers[0] = {static_cast<wire::Layer::Kind>(kind), 0, 1};
    EXPECT_EQ(packet_details(s.record, {}, false).find("unknown layer"), std::string::npos) << kind;
  }
}

TEST(PacketJson, FollowsTheContract) {
  const json o = Sample().object();
  EXPECT_EQ(o.at("frame"), 44);
  EXPECT_FALSE(o.contains("file"));
  EXPECT_EQ(o.at("time_ns"), 1'700'000'000'123'456'789);
  EXPECT_EQ(o.at("src"), "192.0.2.1");
  EXPECT_EQ(o.at("udp_dst"), 4791);
  EXPECT_EQ(o.at("protocol"), "RoCEv2");
  EXPECT_EQ(o.at("ecn"), "ce");
  EXPECT_EQ(o.at("dscp"), 26);
  EXPECT_EQ(o.at("opcode"), 10);
  EXPECT_EQ(o.at("opcode_name"), "RC RDMA WRITE Only");
  EXPECT_EQ(o.at("dst_qpn"), 18);
  EXPECT_EQ(o.at("ack_req"), true);
  EXPECT_EQ(o.at("p_key"), 65535);
  EXPECT_EQ(o.at("reth"), (json{{"va", 4096}, {"r_key", 0x77}, {"dma_len", 4096}}));
  EXPECT_FALSE(o.contains("aeth"));
  EXPECT_EQ(o.at("connection"), 1);
  EXPECT_EQ(o.at("analysis"), (json{{"space", "requests"},
                                    {"kind", "new"},
                                    {"cause", nullptr},
                                    {"original_frame", nullptr},
                                    {"trigger_frame", nullptr},
                                    {"missing_before", 0},
                                    {"acks_frame", nullptr},
                                    {"rtt_ns", nullptr},
                                    {"final", nullptr}}));
}

TEST(PacketJson, CarriesSyndromesAndSettledFates) {
  Sample s;
  wire::Packet& p = s.decoded.packet;
  p.bth.opcode = 0x11;
  p.headers = wire::kAeth;
  p.aeth = {0x20, Msn{3}};
  s.record.observation.connection = 0;
  s.record.final.emplace();
  s.record.final->fate = track::Resolution::Fate::kAcknowledged;
  s.record.final->acked_in = FrameId{1, 10};
  const json o = s.object(true);
  EXPECT_EQ(o.at("aeth"), (json{{"syndrome", 32},
                                {"kind", "rnr_nak"},
                                {"text", "RNR NAK, wait 655.36 ms"},
                                {"rnr_timer_ns", 655'360'000},
                                {"credits", nullptr},
                                {"msn", 3}}));
  EXPECT_TRUE(o.at("connection").is_null());
  EXPECT_EQ(o.at("file"), 0);
  EXPECT_EQ(o.at("analysis").at("final"), (json{{"acked_in", 10}, {"acked_in_file", 1}, {"fate", "acknowledged"}}));
}

TEST(PacketJson, HasTheTimeAsTextToo) {
  Sample s;
  EXPECT_EQ(s.object()["time_ns"], 1'700'000'000'123'456'789);
  EXPECT_EQ(s.object()["time"], "2023-11-14T22:13:20.123456789Z");
  s.record.time.reset();
  EXPECT_TRUE(s.object()["time"].is_null());
}

TEST(PacketDetails, FoldLongLinesFurtherInOnlyWhereAskedTo) {
  Sample s;
  TextStyle style;
  style.width = 60;
  const std::string folded = packet_details(s.record, style, false, true);
  std::size_t begin = 0;
  for (std::size_t end; (end = folded.find('\n', begin)) != std::string::npos; begin = end + 1) {
    EXPECT_LE(cells(folded.substr(begin, end - begin)), 60u) << folded.substr(begin, end - begin);
  }
  EXPECT_NE(folded.find("\n      "), std::string::npos) << folded;
  const std::string whole = packet_details(s.record, style, false);
  EXPECT_NE(whole.find(
                "BTH opcode 0x0a (RC RDMA WRITE Only), se 0, migreq 0, padcnt 0, tver 0, p_key 0xffff, fecn 0, becn 0"),
            std::string::npos)
      << whole;
}

/// A CNP from a switch about data to 2001:db8::7.
struct FastCnpSample : Sample {
  static constexpr std::array<std::uint8_t, 22> kOptions{0x1E, 16, 0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0,
                                                         0,    0,  0,    0,    0,    0,    7, 1, 2, 0, 0};
  FastCnpSample() {
    wire::Packet& p = decoded.packet;
    p.bth.opcode = 0x81;
    p.bth.becn = true;
    p.headers = p.expected_headers = 0;
    p.payload_bytes = 16;
    p.destination_options = true;
    p.options = kOptions;
    record.observation.kind = track::Kind::kCnp;
  }
};

TEST(FastCnp, IsToldApartFromACnp) {
  FastCnpSample s;
  EXPECT_NE(s.line().find(": Fast CNP, "), std::string::npos) << s.line();
  EXPECT_NE(s.line().find(", about data to 2001:db8::7"), std::string::npos) << s.line();
  const json object = s.object();
  EXPECT_EQ(object["analysis"]["kind"], "cnp");
  EXPECT_EQ(object["fast_cnp"]["data_destination"], "2001:db8::7");
  EXPECT_EQ(object["fast_cnp"]["option_type"], 0x1E);
  EXPECT_EQ(object["fast_cnp"]["options"], "1e1020010db800000000000000000000000701020000");
  const std::string details = packet_details(s.record, {}, false);
  EXPECT_NE(details.find("Destination Options 1e 10 20 01"), std::string::npos) << details;
  EXPECT_NE(details.find("option 0x1e taken for the address the data was sent to, 2001:db8::7"), std::string::npos)
      << details;

  s.decoded.packet.options = Bytes{FastCnpSample::kOptions}.first(6);
  EXPECT_NE(s.line().find("about data to an address that its options do not tell"), std::string::npos);
  EXPECT_TRUE(s.object()["fast_cnp"]["data_destination"].is_null());
  s.decoded.packet.destination_options = false;
  EXPECT_EQ(s.line().find("Fast"), std::string::npos) << s.line();
  EXPECT_FALSE(s.object().contains("fast_cnp"));
}

TEST(PacketJson, OneLineForRoceAndNoneForPause) {
  Sample s;
  std::string out;
  const TextSink sink = [&out](std::string_view text) { out += text; };
  write_packet_json(s.record, false, sink);
  EXPECT_EQ(out.find('\n'), out.size() - 1);
  out.clear();
  s.decoded.kind = wire::FrameKind::kPause;
  write_packet_json(s.record, false, sink);
  EXPECT_EQ(out, "");
  s.decoded.kind = wire::FrameKind::kUndecodable;
  s.decoded.reason = wire::Undecodable::kBadVersion;
  EXPECT_EQ(s.object().at("undecodable"), wire::reason_name(wire::Undecodable::kBadVersion));
}

}  // namespace
}  // namespace rocetop::present
