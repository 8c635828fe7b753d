// SPDX-License-Identifier: BSD-3-Clause
// What veRoCE's counts must and must not draw. The counts are set, not measured: what a tracker makes of packets is
// tested there. Each must-fire has its near miss beside it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "verdict/judge.h"
#include "verdict/loop.h"
#include "verdict/losses.h"

namespace rocetop::verdict {
namespace {

using track::Cause;
using track::ConnectionCounts;
using track::DirectionCounts;
using track::Episode;
using track::VerocePath;
using track::VeroceRecovery;

IpAddress host(int n) { return *IpAddress::parse("198.51.100." + std::to_string(n)); }

/// SENDs from host 1 to host 2 over `paths` paths, evenly, and their acknowledgements.
ConnectionCounts connection(std::size_t paths, std::uint64_t packets_a_path = 1'000, std::uint32_t id = 1) {
  ConnectionCounts c;
  c.id = id;
  c.protocol = wire::Protocol::kVeroce;
  c.first_frame = FrameId(0, id);
  DirectionCounts& data = c.a_to_b.emplace();
  DirectionCounts& replies = c.b_to_a.emplace();
  c.a_ip = data.src = replies.dst = host(1);
  c.b_ip = data.dst = replies.src = host(2);
  data.dst_qpn = c.b_qpn = Qpn{100 + id};
  replies.dst_qpn = c.a_qpn = Qpn{200 + id};
  const std::uint64_t packets = paths * packets_a_path;
  for (DirectionCounts* d : {&data, &replies}) {
    d->frames = packets;
    d->first_frame = FrameId(0, id);
    d->first_time = seconds(1);
    d->last_time = seconds(2);
    d->udp_src = 49'408;
    d->udp_src_varies = true;
    d->udp_dst = wire::kVerocePort;
  }
  data.requests.packets = packets;
  data.requests.payload_bytes = packets * 1'000;
  data.opcodes = {{0x04, packets}};
  data.ecn[static_cast<std::size_t>(wire::Ecn::kEct0)] = packets;
  replies.acks = packets;
  replies.veroce.use();
  for (std::size_t i = 0; i < paths; ++i) {
    VerocePath& path = data.veroce.use().paths.emplace_back();
    path.udp_src = static_cast<std::uint16_t>(49'408 + 7 * i);
    path.packets = packets_a_path;
    path.bytes_on_wire = packets_a_path * 1'100;
  }
  return c;
}

track::VeroceDirection& veroce(ConnectionCounts& c) { return c.a_to_b->veroce.use(); }
VerocePath& path(ConnectionCounts& c, std::size_t i) { return veroce(c).paths.at(i); }

void lose(ConnectionCounts& c, std::size_t i, std::uint64_t packets) {
  path(c, i).lost = packets;
  path(c, i).losses.use().add(FrameId(0, 70 + i), seconds(1) + milliseconds(static_cast<std::int64_t>(i)));
  c.a_to_b->requests.retransmitted_original_seen += packets;
  veroce(c).requests.resent_psns += packets;
  veroce(c).requests.sacks += packets;
  for (std::uint64_t n = 0; n < packets; ++n) veroce(c).requests.sack_depth.add(std::int64_t{5});
}

/// What host 1 resent once, because of `cause`.
Episode& resend(ConnectionCounts& c, Cause cause, Nanos wait, std::uint32_t packets = 1) {
  auto& space = c.a_to_b->requests;
  Episode& e = space.episodes.emplace_back();
  e.cause = cause;
  e.wait = wait;
  e.packets = packets;
  e.first_psn = e.last_psn = Psn{static_cast<std::uint32_t>(100 + 10 * space.episodes.size())};
  e.first_frame = FrameId(0, 1'000 + space.episodes.size());
  e.first_time = seconds(1) + milliseconds(static_cast<std::int64_t>(20 * space.episodes.size()));
  e.first_psn_seen = true;
  ++space.episodes_by_cause[static_cast<std::size_t>(cause)];
  return e;
}

struct Judged {
  std::vector<ConnectionCounts> connections;
  std::vector<Finding> findings;

  const Finding* find(std::string_view rule) const {
    const auto at = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
    return at == findings.end() ? nullptr : &*at;
  }
  bool warns(std::string_view rule) const {
    const Finding* f = find(rule);
    return f && f->severity > Severity::kInfo;
  }
  std::string said() const {
    std::string text;
    for (const Finding& f : findings) text += f.rule + ": " + f.title + "\n";
    return text;
  }
};

Judged judged(std::vector<ConnectionCounts> connections, CaptureEvidence capture = {},
              std::vector<track::CmSetUp> set_ups = {}, const Expectations& expectations = {}) {
  capture.first_time = seconds(1);
  capture.last_time = seconds(2);
  Judged out{std::move(connections), {}};
  judge_loops(out.connections, capture, Thresholds{});
  const std::vector<track::CmRejection> rejections;
  out.findings = judge({capture, out.connections, rejections, std::move(set_ups), expectations}, Thresholds{});
  return out;
}

double value(const Finding& f, std::string_view name) {
  for (const auto& [key, number] : f.values) {
    if (key == name) return number;
  }
  ADD_FAILURE() << "no value " << name;
  return 0;
}

TEST(VeroceClean, DrawsNothing) {
  const Judged j = judged({connection(4)});
  EXPECT_TRUE(j.findings.empty()) << j.said();
}

TEST(PathLossy, FiresForTheOnePathThatLoses) {
  ConnectionCounts c = connection(4);
  lose(c, 2, 30);
  lose(c, 0, 1);
  const Judged j = judged({c});
  const Finding* f = j.find("veroce.path_lossy");
  ASSERT_NE(f, nullptr) << j.said();
  EXPECT_NE(f->title.find("path 49422 (0xc10e) of 4 loses 30 of 1,000"), std::string::npos) << f->title;
  EXPECT_EQ(value(*f, "udp_source_port_max"), 49422);
  EXPECT_EQ(value(*f, "resent_packets"), 31);
  EXPECT_EQ(value(*f, "sack_depth_min_packets"), 5);
  EXPECT_EQ(f->frames, std::vector<FrameId>{FrameId(0, 72)});
  // What was lost, and that it was one path's doing, are one story.
  const Finding* loss = j.find("loss.after_tap");
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->caused_by, f->id);
}

TEST(PathLossy, IsSilentWhereAllPathsLoseAlike) {
  ConnectionCounts c = connection(4);
  for (const std::size_t i : {0U, 1U, 2U, 3U}) lose(c, i, 12 + 3 * i);
  const Judged j = judged({c});
  EXPECT_FALSE(j.find("veroce.path_lossy")) << j.said();
  EXPECT_TRUE(j.find("loss.after_tap"));
}

/// Five losses fall on one of four paths once in 256 times: no proof. Six on one of eight are.
TEST(PathLossy, IsSilentWhereChanceMayHaveDoneIt) {
  ConnectionCounts few = connection(4);
  lose(few, 1, 5);
  EXPECT_FALSE(judged({few}).find("veroce.path_lossy"));
  ConnectionCounts two = connection(2);
  lose(two, 1, 9);
  EXPECT_FALSE(judged({two}).find("veroce.path_lossy"));
  ConnectionCounts eight = connection(8);
  lose(eight, 1, 6);
  EXPECT_TRUE(judged({eight}).find("veroce.path_lossy"));
}

TEST(PathLossy, IsSilentForTheOnlyPathAndForOneWithHardlyAPacket) {
  ConnectionCounts one = connection(1);
  lose(one, 0, 100);
  EXPECT_FALSE(judged({one}).find("veroce.path_lossy"));
  ConnectionCounts thin = connection(4);
  path(thin, 3).packets = 99;
  lose(thin, 3, 40);
  EXPECT_FALSE(judged({thin}).find("veroce.path_lossy"));
}

/// A busy path loses more packets at the same rate.
TEST(PathLossy, ComparesRatesAndNotPackets) {
  ConnectionCounts c = connection(4);
  path(c, 1).packets = 20'000;
  lose(c, 1, 60);
  for (const std::size_t i : {0U, 2U, 3U}) lose(c, i, 3);
  EXPECT_FALSE(judged({c}).find("veroce.path_lossy"));
}

TEST(PathLossy, DoesNotTakeTrimmedPacketsForLostOnes) {
  ConnectionCounts c = connection(4);
  path(c, 2).trimmed = veroce(c).trimmed = 30;
  const Judged j = judged({c});
  EXPECT_FALSE(j.find("veroce.path_lossy")) << j.said();
  EXPECT_FALSE(j.find("loss.after_tap")) << j.said();
  ASSERT_TRUE(j.warns("veroce.trimmed"));
  EXPECT_NE(j.find("veroce.trimmed")->explanation.find("Path 49422"), std::string::npos);
}

TEST(PathLossy, SaysThatMorePathsAreInUseThanAreToldApart) {
  ConnectionCounts c = connection(track::kVerocePaths, 500);
  lose(c, 2, 40);
  EXPECT_NE(judged({c}).find("veroce.path_lossy")->title.find(" of 256 loses"), std::string::npos);
  veroce(c).packets_elsewhere = 9'000;
  const Judged j = judged({c});
  EXPECT_NE(j.find("veroce.path_lossy")->title.find(" of at least 257 loses 40 of 500 packets"), std::string::npos)
      << j.said();
  EXPECT_NE(j.find("veroce.path_lossy")->explanation.find("9,000 packets of this direction went over further ones"),
            std::string::npos);
  EXPECT_NE(
      j.find("loss.after_tap")->title.find("40 packets lost after the capture point, over 1 of at least 257 paths"),
      std::string::npos)
      << j.said();
  veroce(c).lost_elsewhere = 2;
  const Judged more = judged({c});
  EXPECT_NE(more.find("loss.after_tap")
                ->title.find("42 packets lost after the capture point, over at least 2 of at "
                             "least 257 paths"),
            std::string::npos)
      << more.said();
}

TEST(Trimmed, KnowsOneFromMany) {
  ConnectionCounts c = connection(4);
  path(c, 2).trimmed = veroce(c).trimmed = 1;
  veroce(c).requests.packet_drop_naks = 1;
  EXPECT_NE(
      judged({c}).find("veroce.trimmed")->title.find("1 packet lost its payload to a switch, 1 Packet Drop NAK for it"),
      std::string::npos);
  path(c, 2).trimmed = veroce(c).trimmed = 2;
  EXPECT_NE(judged({c})
                .find("veroce.trimmed")
                ->title.find("2 packets lost their payload to a switch, 1 Packet Drop NAK for "
                             "them"),
            std::string::npos);
}

TEST(PathSlow, FiresOnSlowPacketSignalsForOnePath) {
  ConnectionCounts c = connection(4, 750);
  path(c, 3).slow_signals = 758;
  path(c, 3).signals.use().add(FrameId(0, 33), seconds(1));
  const Judged j = judged({c});
  ASSERT_TRUE(j.warns("veroce.path_slow")) << j.said();
  const Finding& f = *j.find("veroce.path_slow");
  EXPECT_EQ(f.confidence, Confidence::kHigh);
  EXPECT_NE(f.title.find("758 Slow-Packet Signals"), std::string::npos) << f.title;
  EXPECT_EQ(f.frames, std::vector<FrameId>{FrameId(0, 33)});
}

TEST(PathSlow, IsSilentOnAFewSignalsAndOnSignalsForAllPaths) {
  ConnectionCounts few = connection(4);
  path(few, 3).slow_signals = 7;
  EXPECT_FALSE(judged({few}).find("veroce.path_slow"));
  ConnectionCounts all = connection(4);
  for (const std::size_t i : {0U, 1U, 2U, 3U}) path(all, i).slow_signals = 40 + i;
  EXPECT_FALSE(judged({all}).find("veroce.path_slow"));
}

/// Path `i` comes `delay` behind the others.
void delay(ConnectionCounts& c, std::size_t i, Nanos delay) {
  path(c, i).late = path(c, i).packets * 9 / 10;
  for (std::uint64_t n = 0; n < path(c, i).late; ++n) path(c, i).late_ns.add(delay);
}

TEST(PathSlow, IsSilentOnTheSkewOfSpraying) {
  ConnectionCounts c = connection(4);
  delay(c, 1, microseconds(5));
  delay(c, 2, microseconds(11));
  delay(c, 3, microseconds(17));
  veroce(c).requests.reorder_depth = 5;
  c.a_to_b->requests.reordered_packets = 2'700;
  const Judged j = judged({c});
  EXPECT_TRUE(j.findings.empty()) << j.said();
}

TEST(PathSlow, ByLatenessAloneIsAWarningWhereSacksCameOfIt) {
  ConnectionCounts c = connection(4);
  delay(c, 3, microseconds(97));
  const Judged harmless = judged({c});
  ASSERT_TRUE(harmless.find("veroce.path_slow")) << harmless.said();
  EXPECT_EQ(harmless.find("veroce.path_slow")->severity, Severity::kInfo);
  veroce(c).requests.sacks = 10;
  const Judged j = judged({c});
  ASSERT_TRUE(j.warns("veroce.path_slow")) << j.said();
  EXPECT_EQ(j.find("veroce.path_slow")->confidence, Confidence::kMedium);
  // All paths late by as much: none of them is the slow one.
  for (const std::size_t i : {0U, 1U, 2U}) delay(c, i, microseconds(80));
  EXPECT_FALSE(judged({c}).find("veroce.path_slow"));
}

TEST(PathSlow, ByProbesNeedsEnoughOfThemAndADistance) {
  const auto probe = [](ConnectionCounts& c, std::size_t i, int times, Nanos took) {
    for (int n = 0; n < times; ++n) path(c, i).probe_ns.add(took);
  };
  ConnectionCounts c = connection(2);
  probe(c, 0, 20, microseconds(12));
  probe(c, 1, 7, microseconds(120));
  veroce(c).requests.sacks = 1;
  EXPECT_FALSE(judged({c}).find("veroce.path_slow")) << "seven probes are few";
  probe(c, 1, 1, microseconds(120));
  ASSERT_TRUE(judged({c}).warns("veroce.path_slow"));
  EXPECT_NE(judged({c}).find("veroce.path_slow")->title.find("RTT probes"), std::string::npos);
  ConnectionCounts near = connection(2);
  probe(near, 0, 20, microseconds(12));
  probe(near, 1, 20, microseconds(45));
  EXPECT_FALSE(judged({near}).find("veroce.path_slow"));
}

TEST(SprayImbalance, IsInformationUnlessTheBusyPathSuffers) {
  ConnectionCounts c = connection(4);
  path(c, 0).packets = 3'000;
  const Judged calm = judged({c});
  ASSERT_TRUE(calm.find("veroce.spray_imbalance")) << calm.said();
  EXPECT_EQ(calm.find("veroce.spray_imbalance")->severity, Severity::kInfo);
  path(c, 0).ce_packets = 200;
  EXPECT_TRUE(judged({c}).warns("veroce.spray_imbalance"));
}

TEST(SprayImbalance, ComparesPathsThatCarrySomething) {
  ConnectionCounts c = connection(2);
  path(c, 0).packets = 5'900;
  for (std::uint16_t port = 60'000; port < 60'003; ++port) {
    VerocePath probed;
    probed.udp_src = port;
    veroce(c).paths.push_back(probed);
  }
  EXPECT_FALSE(judged({c}).find("veroce.spray_imbalance"));
}

TEST(SprayImbalance, IsNotConcludedFromPathsThatFoundNoRoom) {
  ConnectionCounts c = connection(track::kVerocePaths, 20);
  path(c, 9).packets = 3'000;
  ASSERT_TRUE(judged({c}).find("veroce.spray_imbalance"));
  veroce(c).packets_elsewhere = 200;
  const Judged still = judged({c});
  ASSERT_TRUE(still.find("veroce.spray_imbalance")) << still.said();
  EXPECT_NE(still.find("veroce.spray_imbalance")
                ->title.find("36.1 % of the packets, at least 144.9 times the mean of "
                             "the other paths"),
            std::string::npos)
      << still.said();
  veroce(c).packets_elsewhere = 3'000;
  EXPECT_FALSE(judged({c}).find("veroce.spray_imbalance")) << "one of the others may carry all of it";
}

TEST(SprayImbalance, IsSilentOnWeightsAndOnFewPackets) {
  ConnectionCounts weighted = connection(4);
  path(weighted, 0).packets = 2'900;
  EXPECT_FALSE(judged({weighted}).find("veroce.spray_imbalance"));
  ConnectionCounts two = connection(2);
  path(two, 0).packets = 5'900;
  EXPECT_FALSE(judged({two}).find("veroce.spray_imbalance"));
  path(two, 0).packets = 6'000;
  EXPECT_TRUE(judged({two}).find("veroce.spray_imbalance"));
  ConnectionCounts few = connection(4, 100);
  path(few, 0).packets = 650;
  EXPECT_FALSE(judged({few}).find("veroce.spray_imbalance"));
}

TEST(TimeoutRecovery, TellsWhatWaitedAndHowLong) {
  ConnectionCounts c = connection(4);
  resend(c, Cause::kTimeout, milliseconds(2));
  resend(c, Cause::kTimeout, milliseconds(4));
  c.a_to_b->requests.retransmitted_original_seen = 2;
  const Judged j = judged({c});
  const Finding* f = j.find("veroce.timeout_recovery");
  ASSERT_NE(f, nullptr) << j.said();
  EXPECT_EQ(value(*f, "waited_ns"), 6e6);
  EXPECT_NE(f->title.find("twice, 6.00 ms in all"), std::string::npos) << f->title;
  EXPECT_NE(f->explanation.find("lone message"), std::string::npos);
  for (const char* rule : {"retransmit.timeout", "retransmit.early", "peer.silent"}) EXPECT_FALSE(j.find(rule)) << rule;
}

TEST(TimeoutRecovery, IsSilentWhereSacksAndNaksAskedForIt) {
  ConnectionCounts c = connection(4);
  resend(c, Cause::kSack, microseconds(5), 3);
  resend(c, Cause::kNak, microseconds(5)).named_by_nak = true;
  const Judged j = judged({c});
  EXPECT_FALSE(j.find("veroce.timeout_recovery")) << j.said();
  for (const char* rule : {"retransmit.nak", "retransmit.waste", "retransmit.spurious"}) EXPECT_FALSE(j.find(rule));
}

TEST(TimeoutRecovery, CountsAnswersToReadsToo) {
  ConnectionCounts c = connection(4);
  resend(c, Cause::kTimeout, milliseconds(2));
  std::swap(c.a_to_b->requests, c.a_to_b->responses);
  const Judged j = judged({c});
  ASSERT_TRUE(j.find("veroce.timeout_recovery")) << j.said();
  EXPECT_NE(j.find("veroce.timeout_recovery")->explanation.find("answers to READs"), std::string::npos);
}

TEST(SpuriousResends, AreAShareOfAllAndEnough) {
  ConnectionCounts c = connection(4);
  c.a_to_b->requests.retransmitted_original_seen = 32;
  veroce(c).requests.needless = 4;
  veroce(c).requests.early_answers = 3;
  EXPECT_FALSE(judged({c}).find("veroce.spurious"));
  veroce(c).responses.early_answers = 1;
  const Judged j = judged({c});
  ASSERT_TRUE(j.find("veroce.spurious")) << j.said();
  EXPECT_EQ(value(*j.find("veroce.spurious"), "needless_packets"), 8);
  c.a_to_b->requests.retransmitted_original_seen = 33;
  EXPECT_FALSE(judged({c}).find("veroce.spurious"));
}

TEST(ReorderWindow, FiresAtTheBitmapsEnd) {
  ConnectionCounts c = connection(4);
  veroce(c).requests.reorder_depth = 127;
  EXPECT_FALSE(judged({c}).find("veroce.reorder_window"));
  veroce(c).requests.reorder_depth = 128;
  veroce(c).requests.reorder_depth_frame = FrameId(0, 9);
  const Judged deep = judged({c});
  ASSERT_TRUE(deep.find("veroce.reorder_window")) << deep.said();
  EXPECT_EQ(deep.find("veroce.reorder_window")->frames, std::vector<FrameId>{FrameId(0, 9)});
  ConnectionCounts full = connection(4);
  veroce(full).responses.full_bitmaps = 1;
  EXPECT_EQ(judged({full}).find("veroce.reorder_window")->confidence, Confidence::kMedium);
  ConnectionCounts ahead = connection(4);
  veroce(ahead).requests.beyond_window = 3;
  EXPECT_FALSE(judged({ahead}).find("veroce.reorder_window"));  // what is missing here the capture may have missed
}

TEST(Trimmed, IsToldFromBothSidesOfTheSwitch) {
  ConnectionCounts seen = connection(4);
  veroce(seen).trimmed = 10;
  veroce(seen).trimmed_frames.use().add(FrameId(0, 12), seconds(1));
  ASSERT_TRUE(judged({seen}).warns("veroce.trimmed"));
  EXPECT_EQ(judged({seen}).find("veroce.trimmed")->frames, std::vector<FrameId>{FrameId(0, 12)});
  ConnectionCounts told = connection(4);
  veroce(told).requests.packet_drop_naks = 10;
  const Judged j = judged({told});
  ASSERT_TRUE(j.warns("veroce.trimmed"));
  EXPECT_NE(j.find("veroce.trimmed")->title.find("behind the capture point"), std::string::npos);
  veroce(told).requests.packet_drop_naks = 9;
  EXPECT_FALSE(judged({told}).warns("veroce.trimmed"));
}

TEST(UnknownLayout, TellsTheShareThatIsRaw) {
  CaptureEvidence capture;
  capture.veroce_frames = 1'000;
  capture.veroce_raw_frames = 7;
  EXPECT_FALSE(judged({}, capture).find("veroce.unknown_layout"));
  capture.veroce_raw_frames = 49;
  ASSERT_TRUE(judged({}, capture).find("veroce.unknown_layout"));
  EXPECT_FALSE(judged({}, capture).warns("veroce.unknown_layout"));
  capture.veroce_raw_frames = 50;
  capture.veroce_raw.add(FrameId(0, 4), seconds(1));
  ConnectionCounts c = connection(2);
  veroce(c).raw_packets = 50;
  const Judged j = judged({c}, capture);
  ASSERT_TRUE(j.warns("veroce.unknown_layout"));
  EXPECT_EQ(j.find("veroce.unknown_layout")->connections, std::vector<std::uint32_t>{1});
  EXPECT_EQ(j.find("veroce.unknown_layout")->frames, std::vector<FrameId>{FrameId(0, 4)});
}

ConnectionCounts plain(std::uint32_t id) {
  ConnectionCounts c = connection(1, 1'000, id);
  c.protocol = wire::Protocol::kRoceV2;
  for (DirectionCounts* d : {&*c.a_to_b, &*c.b_to_a}) {
    d->veroce = {};
    d->udp_src_varies = false;
    d->udp_dst = wire::kRoceV2Port;
  }
  return c;
}

track::CmSetUp set_up(const ConnectionCounts& c, std::uint32_t request_ece, std::uint32_t reply_ece) {
  track::CmSetUp s;
  s.from = c.a_ip;
  s.to = c.b_ip;
  s.request_qpn = *c.a_qpn;
  s.reply_qpn = *c.b_qpn;
  s.request_frame = FrameId(0, 400 + c.id);
  s.request_time = s.last_request_time = seconds(1);
  s.reply_frame = s.ready_frame = FrameId(0, 500 + c.id);
  s.reply_time = s.ready_time = seconds(1) + milliseconds(1);
  s.request_ece = request_ece;
  s.reply_ece = reply_ece;
  return s;
}

constexpr std::uint32_t kP0 = 0xABCDE0;
constexpr std::uint32_t kP2 = 0xABCDE2;

TEST(Fallback, IsInferredOnlyForAVendorThatIsSeenToSpeakVeroce) {
  const ConnectionCounts one = connection(4, 1'000, 1);
  const ConnectionCounts two = plain(2);
  const auto warns = [&](std::vector<track::CmSetUp> set_ups) {
    const Judged j = judged({one, two}, {}, std::move(set_ups));
    return j.warns("veroce.fallback");
  };
  EXPECT_TRUE(warns({set_up(one, kP2, kP2), set_up(two, kP2, kP2)}));
  EXPECT_FALSE(warns({set_up(two, kP2, kP2)})) << "what the vendor id means is not known";
  EXPECT_FALSE(warns({set_up(one, kP2, kP2), set_up(two, kP2, kP0)})) << "the peer declined";
  EXPECT_FALSE(warns({set_up(one, kP2, kP2), set_up(two, 0, 0)})) << "nothing was asked for";
  EXPECT_FALSE(warns({set_up(one, kP2, kP2), set_up(two, 0x0015B3, 0x0015B3)})) << "another vendor";
  EXPECT_FALSE(warns({set_up(one, kP2, kP2), set_up(two, 0xABCDE9, 0xABCDE9)})) << "no such profile";
  const Judged j = judged({one, two}, {}, {set_up(one, kP2, kP2), set_up(two, kP2, kP2)});
  const auto f = std::find_if(j.findings.begin(), j.findings.end(), [](const Finding& finding) {
    return finding.rule == "veroce.fallback" && finding.severity == Severity::kWarning;
  });
  ASSERT_NE(f, j.findings.end());
  EXPECT_EQ(f->confidence, Confidence::kLow);
  EXPECT_EQ(f->connections, std::vector<std::uint32_t>{2});
}

TEST(Fallback, APeerThatDeclinesIsInformationAndNamedOnce) {
  const ConnectionCounts one = connection(4, 1'000, 1);
  const ConnectionCounts two = plain(2);
  const auto found = [&](std::vector<track::CmSetUp> set_ups) {
    const Judged j = judged({one, two}, {}, std::move(set_ups));
    std::vector<Finding> fallbacks;
    std::copy_if(j.findings.begin(), j.findings.end(), std::back_inserter(fallbacks),
                 [](const Finding& f) { return f.rule == "veroce.fallback"; });
    return fallbacks;
  };
  const auto declined = [](const Finding& f) { return f.title.find("declined") != std::string::npos; };
  for (const std::uint32_t answer : {kP0, 0U}) {
    const auto fallbacks = found({set_up(one, kP2, kP2), set_up(two, kP2, answer)});
    ASSERT_EQ(fallbacks.size(), 1U) << "that the hosts run both protocols is explained by it";
    EXPECT_TRUE(declined(fallbacks.front()));
    EXPECT_EQ(fallbacks.front().severity, Severity::kInfo);
    EXPECT_EQ(fallbacks.front().connections, std::vector<std::uint32_t>{2});
  }
  for (const auto& unknown :
       {std::vector{set_up(two, kP2, kP0)}, std::vector{set_up(one, kP2, kP2), set_up(two, 0x0015B3, 0)}}) {
    for (const Finding& f : found(unknown)) EXPECT_FALSE(declined(f)) << f.title;
  }
}

TEST(Fallback, MixedProtocolsOfTwoHostsAreInformation) {
  const Judged j = judged({connection(4, 1'000, 1), plain(2)});
  const Finding* f = j.find("veroce.fallback");
  ASSERT_NE(f, nullptr) << j.said();
  EXPECT_EQ(f->severity, Severity::kInfo);
  EXPECT_FALSE(judged({plain(1), plain(2)}).find("veroce.fallback"));
  ConnectionCounts datagrams = plain(2);
  datagrams.transport = wire::Transport::kUd;
  EXPECT_FALSE(judged({connection(4, 1'000, 1), datagrams}).find("veroce.fallback")) << "UD is no choice";
}

TEST(ExpectedProtocol, IsHeldToWhatConnectionsRun) {
  const auto expects = [](const char* text) { return *parse_expectations(text); };
  const Judged j = judged({plain(1)}, {}, {}, expects("protocol=veroce"));
  ASSERT_TRUE(j.warns("expect.violated")) << j.said();
  EXPECT_NE(j.find("expect.violated")->title.find("protocol"), std::string::npos);
  EXPECT_FALSE(judged({connection(4)}, {}, {}, expects("protocol=veroce")).find("expect.violated"));
  EXPECT_TRUE(judged({connection(4)}, {}, {}, expects("protocol=rocev2")).warns("expect.violated"));
  EXPECT_FALSE(
      judged({plain(1), connection(4, 1'000, 2)}, {}, {}, expects("protocol=rocev2|veroce")).warns("expect.violated"));
  EXPECT_FALSE(parse_expectations("protocol=iwarp"));
  EXPECT_FALSE(parse_expectations("protocol=rocev2|"));
}

/// What go-back-N and one path make evident: none of it is said of veRoCE.
TEST(GoBackNRules, LeaveVeroceAlone) {
  ConnectionCounts c = connection(4);
  for (int i = 0; i < 20; ++i) {
    Episode& e = resend(c, i % 2 ? Cause::kNak : Cause::kSpurious, microseconds(30), 50);
    e.named_by_nak = true;
    e.wasted_packets = 49;
    e.first_psn_acked = i % 2 == 0;
  }
  c.a_to_b->requests.reordered_packets = 500;
  auto& congestion = c.a_to_b->congestion.use();
  congestion.cnps = 50;
  congestion.windows = 1'000;
  congestion.lowest_bps = congestion.highest_bps = 1e9;
  congestion.watched = seconds(1);
  congestion.first_cnp_time = seconds(1);
  congestion.last_cnp_time = seconds(2);
  c.a_to_b->tap = track::Tap::kNearSource;
  ConnectionCounts marked = connection(4, 1'000, 2);
  marked.a_to_b->congestion.use().ce_packets = 50;
  marked.a_to_b->congestion.use().first_ce_time = seconds(1);
  marked.a_to_b->congestion.use().last_ce_time = seconds(2);
  const std::set<std::string_view> go_back_n = {
      "retransmit.nak",  "retransmit.spurious",      "retransmit.waste",     "retransmit.early",
      "order.reordered", "ecn.cnp_without_slowdown", "ecn.cnp_without_marks"};
  const Judged j = judged({c, marked});
  for (const Finding& f : j.findings) EXPECT_FALSE(go_back_n.contains(f.rule)) << f.rule << ": " << f.title;
  // The same counts of RoCEv2 do draw them, or this test shows nothing.
  c.protocol = marked.protocol = wire::Protocol::kRoceV2;
  marked.a_to_b->dst = host(3);
  std::set<std::string> said;
  for (const Finding& f : judged({c, marked}).findings) said.insert(f.rule);
  for (const char* rule : {"retransmit.nak", "retransmit.spurious", "order.reordered", "ecn.cnp_without_slowdown"})
    EXPECT_TRUE(said.contains(rule)) << rule;
}

TEST(MarksOfVeroce, AreAnsweredByCnpsOrByBecn) {
  const auto marked = [] {
    ConnectionCounts c = connection(4);
    auto& congestion = c.a_to_b->congestion.use();
    congestion.ce_packets = 50;
    congestion.first_ce_time = seconds(1);
    congestion.last_ce_time = seconds(2);
    c.b_to_a->frames = 100;
    return c;
  };
  const Judged silent = judged({marked()});
  ASSERT_TRUE(silent.warns("ecn.marks_without_cnp")) << silent.said();
  EXPECT_NE(silent.find("ecn.marks_without_cnp")->explanation.find("BECN"), std::string::npos);
  for (const auto space : {&track::VeroceDirection::requests, &track::VeroceDirection::responses}) {
    ConnectionCounts answered = marked();
    (veroce(answered).*space).becn_replies = 1;
    EXPECT_FALSE(judged({answered}).find("ecn.marks_without_cnp"));
  }
  ConnectionCounts probing = marked();
  veroce(probing).rtt_requests = 10;
  EXPECT_FALSE(judged({probing}).find("ecn.marks_without_cnp")) << "it may go by round trips";
}

TEST(GoBackNRules, DoNotTakePathsForEntropyNorTrimmingForReMarking) {
  std::vector<ConnectionCounts> many;
  for (std::uint32_t id = 1; id <= 8; ++id) {
    many.push_back(connection(4, 1'000, id));
    many.back().a_to_b->udp_src_varies = false;
  }
  veroce(many[0]).trimmed = 1;
  many[0].a_to_b->dscp_changes = {{FrameId(0, 3), seconds(1), wire::Role::kRequest, 8, 10}};
  many[0].a_to_b->dscp_changes_in_all = 1;
  const auto role = [](wire::Role r) { return static_cast<std::size_t>(r); };
  for (ConnectionCounts& c : many) {
    c.a_to_b->first_dscp_of.fill(track::kNoDscp);
    c.b_to_a->first_dscp_of.fill(track::kNoDscp);
    c.a_to_b->first_dscp_of[role(wire::Role::kRequest)] = 8;
    c.b_to_a->first_dscp_of[role(wire::Role::kAcknowledge)] = 26;
  }
  const Judged j = judged(many);
  for (const char* rule : {"ecmp.low_entropy", "dscp.changed", "dscp.asymmetric"}) EXPECT_FALSE(j.find(rule)) << rule;
  // Data both ways in two classes is as odd as ever.
  many[0].b_to_a->first_dscp_of[role(wire::Role::kRequest)] = 26;
  EXPECT_TRUE(judged(many).find("dscp.asymmetric"));
}

TEST(Loss, OfVeroceIsProvenByWhatWasResent) {
  ConnectionCounts c = connection(4);
  auto& requests = c.a_to_b->requests;
  requests.missing = {{Psn{110}, Psn{110}, FrameId(0, 20), seconds(1), track::Outcome::kRetransmitted}};
  requests.missing_packets[static_cast<std::size_t>(track::Outcome::kRetransmitted)] = 1;
  Episode& e = resend(c, Cause::kSack, microseconds(5));
  e.first_psn_seen = false;
  e.unseen_packets = 1;
  c.a_to_b->last_acked_psn = Psn{200};
  ASSERT_EQ(e.first_psn, (Psn{110}));
  const Judged whole = judged({c});
  ASSERT_TRUE(whole.find("loss.before_tap")) << whole.said();
  EXPECT_NE(whole.find("loss.before_tap")->explanation.find("Which path"), std::string::npos);
  // A capture with gaps of its own needs the resend to say so.
  CaptureEvidence gaps;
  gaps.capture_missed_packets = 5;
  EXPECT_TRUE(judged({c}, gaps).find("loss.before_tap"));
  c.a_to_b->requests.episodes[0].first_psn_acked = true;
  EXPECT_FALSE(judged({c}, gaps).find("loss.before_tap"));
}

TEST(Loss, ManySackedAtOneMomentAreABurst) {
  const auto burst_of = [](std::uint32_t wasted) {
    ConnectionCounts c = connection(4);
    Episode& e = resend(c, Cause::kSack, microseconds(5), 20);
    e.wasted_packets = wasted;
    return judged({c}).find("loss.burst") != nullptr;
  };
  EXPECT_TRUE(burst_of(0));
  EXPECT_FALSE(burst_of(15));
}

TEST(Loss, OfOnePsnAgainAndAgainIsNoBurst) {
  ConnectionCounts c = connection(4);
  resend(c, Cause::kSack, microseconds(5), 20).repeated_packets = 15;
  EXPECT_FALSE(judged({c}).find("loss.burst"));
}

TEST(Silent, IsNoPeerThatSomebodyMustHaveHeard) {
  const auto finding_of = [](Cause cause) {
    ConnectionCounts c = connection(4);
    DirectionCounts& d = *c.a_to_b;
    d.last_reply_time = d.last_ack_time = seconds(1);
    d.last_ack_frame = FrameId(0, 5);
    d.last_acked_psn = Psn{99};
    d.last_request_time = seconds(3);
    d.unacknowledged_packets = 4;
    for (int i = 0; i < 3; ++i) {
      Episode& e = resend(c, cause, microseconds(20));
      e.first_psn = e.last_psn = Psn{100};
      e.first_time = seconds(2);
    }
    return *judged({c}).find("peer.silent");
  };
  const Finding by_timer = finding_of(Cause::kTimeout);
  EXPECT_EQ(by_timer.severity, Severity::kCritical);
  EXPECT_EQ(by_timer.confidence, Confidence::kHigh);
  const Finding too_soon = finding_of(Cause::kUnknown);  // a SACK that the capture does not hold
  EXPECT_EQ(too_soon.severity, Severity::kWarning);
  EXPECT_EQ(too_soon.confidence, Confidence::kLow);
}

}  // namespace
}  // namespace rocetop::verdict
