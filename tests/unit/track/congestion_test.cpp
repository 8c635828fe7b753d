// SPDX-License-Identifier: BSD-3-Clause
// What is measured of congestion: rates, delays, gaps, pacing, pauses.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generate/scenario.h"
#include "support/scenario_run.h"
#include "track/pause_log.h"
#include "track/rate_meter.h"

namespace rocetop::track {
namespace {

TEST(RateMeter, MeasuresASteadyRate) {
  RateMeter meter;
  EXPECT_FALSE(meter.rate());
  for (int i = 0; i < 10'000; ++i) meter.add(seconds(1) + microseconds(2 * i), 1000);
  ASSERT_TRUE(meter.rate());
  EXPECT_NEAR(*meter.rate(), 4e9, 0.02 * 4e9);
  EXPECT_TRUE(meter.window_is_full());
}

TEST(RateMeter, WidensForASlowFlowAndStaysRight) {
  RateMeter meter;
  for (int i = 0; i < 2'000; ++i) meter.add(seconds(1) + microseconds(500 * i), 1000);
  EXPECT_GE(meter.window_length(), milliseconds(4));
  EXPECT_NEAR(*meter.rate(), 16e6, 0.2 * 16e6);
}

TEST(RateMeter, TakesPacketsAlongWhereABinWidens) {
  RateMeter meter;
  for (int i = 0; i < 400; ++i) {
    meter.add(seconds(1) + microseconds(17 * i), 1000);
    if (i > 0) {
      EXPECT_DOUBLE_EQ(meter.packet_bytes(), 1000.0) << "packet " << i;
    }
  }
}

TEST(RateMeter, FallsToNothingInAPauseAndTakesClocksThatStepBack) {
  RateMeter meter;
  for (int i = 0; i < 1'000; ++i) meter.add(seconds(1) + microseconds(2 * i), 1000);
  meter.add(seconds(2), 1000);
  EXPECT_EQ(meter.window_bytes(), 0u);
  meter.add(seconds(1), 1000);
  meter.add(Nanos::min(), 1000);
  meter.add(Nanos::max(), 1000);
  EXPECT_TRUE(meter.rate());
}

const CongestionCounts& congestion_of(const test::TrackerRun& run) { return *run.connections.at(0).a_to_b->congestion; }

TEST(Congestion, DelayIsFromTheLatestMark) {
  const auto run = test::track_scenario(
      "step 1us | W 100-103 | ACK 103 | W 104-107 | ce 104-106 | wait 5us | CNP | ACK 107 | wait 50us | W 108-111 | "
      "ce 108 | CNP | ACK 111");
  const CongestionCounts& c = congestion_of(run);
  EXPECT_EQ(c.ce_packets, 4u);
  EXPECT_EQ(c.cnps, 2u);
  EXPECT_EQ(c.cnps_without_ce, 0u);
  EXPECT_EQ(c.ce_to_cnp_ns.min(), 4'000);  // four packets after the mark
  EXPECT_EQ(c.ce_to_cnp_ns.max(), 7'000);  // two steps and the wait
  EXPECT_EQ(c.cnp_gap_ns.count(), 1u);
  EXPECT_EQ(c.cnp_gap_ns.min(), 56'000);
}

TEST(Congestion, TheLongestWaitForACnpIsFromTheFirstMark) {
  const auto run = test::track_scenario(
      "step 1us | W 96-99 | ACK 99 | W 100-103 | ce 100-101 | wait 5us | CNP | W 104-107 | ce 105 | wait 90us | W "
      "108-109 | ce 108 | CNP | ACK 109 | W 110-111 | ce 110-111 | ACK 111");
  EXPECT_EQ(congestion_of(run).longest_unanswered, microseconds(95)) << "105, 106, 107, 90 us, 108, 109, CNP";
  const auto unanswered =
      test::track_scenario("step 1us | W 96-99 | ACK 99 | W 100-107 | ce 100 | ce 106 | ACK 107 | W 108 | ACK 108");
  EXPECT_EQ(congestion_of(unanswered).longest_unanswered, microseconds(6)) << "to the last mark";
}

TEST(Congestion, ACnpBeforePairingCountsAllTheSame) {
  const auto run = test::track_scenario("step 1us | W 100-103 | ce 101 | CNP | W 104-107 | ACK 107");
  const CongestionCounts& c = congestion_of(run);
  EXPECT_EQ(c.cnps, 1u);
  ASSERT_EQ(c.ce_to_cnp_ns.count(), 1u);
  EXPECT_EQ(c.ce_to_cnp_ns.min(), 3'000);
}

TEST(Congestion, MarksOnAcknowledgementsAreNotMarksOnData) {
  const auto run = test::track_scenario("W 100-103 | ecn 3 | ACK 103 | ecn 2 | W 104-107 | ACK 107");
  EXPECT_FALSE(run.connections.at(0).a_to_b->congestion);
  EXPECT_FALSE(run.connections.at(0).b_to_a->congestion);
  EXPECT_EQ(run.connections.at(0).b_to_a->control_ecn[3], 1u);
}

TEST(Congestion, SlowdownAndRecoveryAreTimed) {
  std::string s = "step 2us | ";
  int next = 100;
  const auto send = [&](int messages) {
    for (int i = 0; i < messages; ++i) {
      s += "W " + std::to_string(next) + "-" + std::to_string(next + 31) + " | ";
      if (next != 100) s += "ACK " + std::to_string(next - 1) + " | ";
      next += 32;
    }
  };
  send(16);
  s += "CNP | step 6us | ";
  send(8);
  s += "step 2us | ";
  send(20);
  const auto run = test::track_scenario(s + "ACK " + std::to_string(next - 1));
  const CongestionCounts& c = congestion_of(run);
  EXPECT_EQ(c.slowdowns, 1u);
  EXPECT_EQ(c.unrecovered, 0u);
  ASSERT_EQ(c.recovery_ns.count(), 1u);
  EXPECT_NEAR(static_cast<double>(c.recovery_ns.max()), 8 * 33 * 6e3 + 200e3, 200e3);
  EXPECT_NEAR(static_cast<double>(c.cut_permille.max()), 667, 60);
  EXPECT_NEAR(static_cast<double>(c.rate_after_bps.max()) / static_cast<double>(c.rate_before_bps.max()), 0.33, 0.06);
}

TEST(CnpPacing, TellsScopesApartByGapsAcrossThem) {
  // Two queue pairs of one host pair take turns, 30 us apart; another host pair's CNPs come in between.
  std::string s = "step 1us | qp 17/18 | W 1-2 | ACK 2 | qp 27/28 | W 1-2 | ACK 2 | ";
  for (int i = 0; i < 20; ++i) {
    s += i % 2 == 0 ? "ip 192.0.2.1/192.0.2.2 | qp 17/18 | CNP | " : "ip 192.0.2.1/192.0.2.2 | qp 27/28 | CNP | ";
    s += "wait 10us | ip 192.0.2.3/192.0.2.2 | qp 37/38 | CNP | wait 19us | ";
  }
  const auto run = test::track_scenario(s + "wait 1us");
  ASSERT_EQ(run.cnp_pacing.size(), 1u);
  const CnpPacing& p = run.cnp_pacing[0];
  EXPECT_EQ(p.cnps, 40u);
  EXPECT_EQ(p.pair_gap_across.count, 31'000);
  EXPECT_EQ(p.port_gap.count, 11'000);
  EXPECT_EQ(p.qp_gap.count, 31'000);
}

TEST(PauseLog, EndsAPauseByItsTimeWhereThereIsNoXon) {
  // 512,000 bit times: 5.12 us at 100 Gb/s.
  const auto run = test::track_scenario("XOFF 3 quanta=1000 | W 1-4 | wait 1us | W 5 | ACK 5", 100'000'000'000);
  ASSERT_EQ(run.pauses.size(), 1u);
  EXPECT_EQ(run.pauses[0].mac, (std::array<std::uint8_t, 6>{2, 0, 0, 0, 0, 2}));
  EXPECT_EQ(run.pauses[0].classes[3].xoff_frames, 1u);
  EXPECT_EQ(run.pauses[0].classes[3].paused->count, 5'120);
  EXPECT_EQ(run.pauses[0].classes[2].xoff_frames, 0u);
  const track::DirectionCounts& data = *run.connections.at(0).a_to_b;
  EXPECT_EQ(data.data_while_paused[3], 4u) << "the fifth came after it";
  EXPECT_EQ(data.data_while_paused[2], 0u);
}

TEST(PauseLog, EndsAPauseByXon) {
  const auto run = test::track_scenario("XOFF 2-3 | wait 9us | XON 3 | wait 9us | XON 2 | W 1", 100'000'000'000);
  EXPECT_EQ(run.pauses.at(0).classes[3].paused->count, 10'000);
  EXPECT_EQ(run.pauses.at(0).classes[2].paused->count, 20'000);
}

TEST(PauseLog, BoundsThePausedTimeWhereTheSpeedIsNotKnown) {
  const auto run = test::track_scenario("A: XOFF all | W 1 | wait 998us | A: XON all | W 2 | wait 1s | W 3");
  const PauseCounts& counts = run.pauses.at(0).classes[kAllClasses];
  EXPECT_EQ(run.pauses[0].mac[5], 1) << "the port of A";
  EXPECT_FALSE(counts.paused);
  EXPECT_EQ(counts.paused_least.count, 41'942);
  EXPECT_EQ(counts.paused_most, milliseconds(1));
  const track::DirectionCounts& data = *run.connections.at(0).a_to_b;
  for (const std::uint64_t packets : data.data_while_paused) EXPECT_EQ(packets, 1u) << "802.3x pauses every class";
}

// ---- Fast CNPs: a switch tells the sender, and names the receiver's queue pair

constexpr const char* kIpv6 = "ip 2001:db8::1/2001:db8::2 | ";

TEST(FastCnp, IsCountedByTheDataItIsAbout) {
  const auto run = test::track_scenario(
      std::string(kIpv6) + "W 1-8 | ACK 8 | FCNP | FCNP | B: W 1-8 | A: FCNP switch=2001:db8::fe | A: ACK 8");
  ASSERT_EQ(run.fast_cnps.size(), 2u);
  const FastCnpCounts& first = run.fast_cnps[0];
  EXPECT_EQ(first.from.to_string(), "2001:db8::ff");
  EXPECT_EQ(first.sender.to_string(), "2001:db8::1");
  ASSERT_TRUE(first.receiver);
  EXPECT_EQ(first.receiver->to_string(), "2001:db8::2");
  EXPECT_EQ(first.dst_qpn.value, 18u);
  EXPECT_EQ(first.cnps, 2u);
  EXPECT_EQ(first.first_frame.number(), 10u);
  EXPECT_EQ(run.fast_cnps[1].from.to_string(), "2001:db8::fe");
  EXPECT_EQ(run.fast_cnps[1].sender.to_string(), "2001:db8::2");
  EXPECT_TRUE(run.cnp_pacing.empty()) << "says nothing about how a host paces its own";
}

TEST(FastCnp, AnOrdinaryCnpIsNone) {
  const auto run = test::track_scenario(std::string(kIpv6) + "W 1-8 | ACK 8 | CNP");
  EXPECT_TRUE(run.fast_cnps.empty());
  EXPECT_EQ(run.connections.at(0).b_to_a->cnps, 1u);
  EXPECT_EQ(run.connections.at(0).b_to_a->fast_cnps, 0u);
}

TEST(FastCnp, BeyondTheLimitAreCounted) {
  FastCnpLog log(2);
  wire::Packet packet;
  for (std::uint32_t qpn = 1; qpn <= 5; ++qpn) {
    packet.bth.dest_qp = Qpn{qpn};
    log.on_fast_cnp(packet, FrameId(0, qpn), seconds(1), false);
  }
  EXPECT_EQ(log.finish().size(), 2u);
  EXPECT_EQ(log.omitted(), 3u);
}

/// Every frame of `scenario` twice, the second a microsecond later.
std::vector<generate::TimedFrame> mirrored(const std::string& scenario) {
  auto frames = generate::run_scenario(scenario);
  std::vector<generate::TimedFrame> out;
  for (const auto& frame : frames.value()) {
    out.push_back(frame);
    out.push_back(frame);
    out.back().time = frame.time + microseconds(1);
  }
  return out;
}

TEST(FastCnp, IsCountedOnceWhereTheCaptureHoldsEverythingTwice) {
  const std::string scenario = std::string(kIpv6) + "step 3us | W 1-32 | ACK 32 | FCNP | wait 50us | FCNP | FCNP";
  const auto once = test::track_scenario(scenario);
  ASSERT_EQ(once.fast_cnps.size(), 1u);
  EXPECT_EQ(once.fast_cnps[0].cnps, 3u) << "two at one moment, of data that is there once";
  const auto twice = test::track_frames(mirrored(scenario));
  ASSERT_EQ(twice.fast_cnps.size(), 1u);
  EXPECT_EQ(twice.fast_cnps[0].cnps, 3u);
}

TEST(FastCnp, IsCountedOnceWhereAnotherTagShowsItAgain) {
  FastCnpLog log(2);
  wire::Packet packet;
  for (int i = 0; i < 3; ++i) {
    packet.network.vlan_outer = 0xFFFF;
    log.on_fast_cnp(packet, FrameId(0, 1), microseconds(100 * i), false);
    packet.network.vlan_outer = 5;
    log.on_fast_cnp(packet, FrameId(0, 2), microseconds(100 * i + 2), false);
  }
  EXPECT_EQ(log.finish().at(0).cnps, 3u);
}

/// XOFFs of class 3, `apart` from each other.
PauseCounts xoffs(int n, Nanos apart, std::uint16_t quanta, std::optional<std::uint64_t> speed) {
  PauseLog log;
  wire::Pause pause;
  pause.priority = true;
  pause.class_vector = 1 << 3;
  pause.quanta[3] = quanta;
  Nanos now = seconds(1);
  for (int i = 0; i < n; ++i, now = now + apart) {
    log.on_pause(pause, 0, FrameId(0, static_cast<std::uint64_t>(i) + 1), now, speed);
  }
  return log.finish(seconds(2)).at(0).classes[3];
}

TEST(PauseLog, AStretchGoesOnWhileEachPauseIsRenewedInTime) {
  // 65535 quanta: 336 us at 100 Gb/s, 1.34 ms at 25 Gb/s.
  const PauseCounts renewed = xoffs(10, microseconds(300), 0xFFFF, std::nullopt);
  EXPECT_EQ(renewed.longest_stretch, microseconds(2'700)) << "to the newest XOFF: how long that lasts is not known";
  EXPECT_EQ(renewed.stretch_frames, 10u);
  const PauseCounts apart = xoffs(10, microseconds(400), 0xFFFF, std::nullopt);
  EXPECT_EQ(apart.longest_stretch.count, 0);
  const PauseCounts known = xoffs(10, microseconds(400), 0xFFFF, 25'000'000'000);
  EXPECT_GT(known.longest_stretch, microseconds(9 * 400));
  EXPECT_EQ(known.stretch_frames, 10u);
}

}  // namespace
}  // namespace rocetop::track
