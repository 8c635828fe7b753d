// SPDX-License-Identifier: BSD-3-Clause
// The tracker on packets that no correct sender makes: what it must survive, and what it must not believe.
#include "track/tracker.h"

#include <gtest/gtest.h>

#include <string>

#include "generate/scenario.h"
#include "support/packets.h"
#include "support/scenario_run.h"

namespace rocetop::track {
namespace {

wire::Packet packet(std::uint8_t opcode, std::uint32_t dst_qpn, std::uint32_t psn) {
  return test::packet(1, 2, opcode, dst_qpn, psn);
}

using test::kWriteOnlyOpcode;
constexpr std::uint8_t kUndefinedUd = 0x66;

TEST(Tracker, KeepsAFlowThatBeganWithAnUndefinedOpcode) {
  Tracker tracker;
  std::uint64_t frame = 0;
  const auto add = [&](const wire::Packet& p) {
    ++frame;
    return tracker.on_packet(p, FrameId(0, frame), microseconds(static_cast<std::int64_t>(frame)), 100);
  };
  add(packet(kUndefinedUd, 5, 1));
  add(packet(kWriteOnlyOpcode, 5, 1000));
  add(packet(kWriteOnlyOpcode, 5, 8'000'000));  // far: another connection
  add(packet(kWriteOnlyOpcode, 5, 8'000'001));
  std::uint64_t frames = 0;
  for (const auto& c : tracker.finish()) frames += c.a_to_b->frames;
  EXPECT_EQ(frames, 4U);
}

TEST(Tracker, GivesBackWhatAFinishedConnectionHeld) {
  Limits limits;
  limits.history_slots_total = 1'000;  // for about fifteen connections at one time
  Tracker tracker(limits);
  std::uint64_t frame = 0;
  FrameId original;
  for (std::uint32_t use = 0; use < 200; ++use) {  // one QPN used again and again, each time far away
    for (std::uint32_t psn = 0; psn < 3; ++psn) {
      ++frame;
      tracker.on_packet(packet(kWriteOnlyOpcode, 5, use * 7'000'000 + psn), FrameId(0, frame),
                        milliseconds(static_cast<std::int64_t>(frame) * 10), 100);
    }
  }
  ++frame;
  const auto again = tracker.on_packet(packet(kWriteOnlyOpcode, 5, 199U * 7'000'000 + 1), FrameId(0, frame),
                                       milliseconds(static_cast<std::int64_t>(frame) * 10), 100);
  EXPECT_EQ(again.kind, Kind::kRetransmission);
  EXPECT_TRUE(again.original_frame);  // still remembered
}

TEST(PacketFacts, HoldNothingOfAHeaderThatIsNotThere) {
  wire::Packet p = packet(test::kAcknowledgeOpcode, 5, 100);
  p.headers = 0;
  p.aeth.syndrome = 0x60;  // left there by the packet before
  p.aeth.msn = Msn{7};
  PacketFacts facts;
  take_facts(p, FrameId(0, 1), Nanos{}, 100, facts);
  EXPECT_FALSE(facts.has_aeth);
  EXPECT_EQ(facts.syndrome, 0);
  EXPECT_EQ(facts.msn, Msn{});
  p.headers = wire::kAeth;
  take_facts(p, FrameId(0, 1), Nanos{}, 100, facts);
  EXPECT_EQ(facts.syndrome, 0x60);
  EXPECT_EQ(facts.msn, Msn{7});
}

TEST(Tracker, SaysWhichConnectionsEndedBeforeTheCapture) {
  const auto run = test::track_scenario(
      "REQ 500 | REP 100 | RTU | W 100-101 | ACK 101 | DREQ | DREP | wait 1s | qp 17/18 new | REQ 900 | REP 7000 | RTU "
      "| W 7000-7001 | ACK 7001");
  ASSERT_EQ(run.connections.size(), 2U);
  EXPECT_TRUE(run.connections[0].ended_early);
  EXPECT_FALSE(run.connections[1].ended_early);
}

/// The budget of held replies holds four; what ends without a counterpart has to give its own back. A CNP that is held
/// until its connection is known shows at its receiver.
bool holds_a_cnp_after(const std::string& before, Limits limits) {
  limits.held_total = 4;
  const auto frames = generate::run_scenario(before + "qp 70/71 | CNP | W 100-103 | ACK 103 | W 104-107 | ACK 107");
  return !test::track_frames(frames.value(), {}, limits).receivers.empty();
}

TEST(Tracker, GivesBackTheHeldRepliesOfWhatIsLeftOut) {
  const std::string answered = "qp 17/18 | W 100 | ACK 100 | W 101 | ACK 101 | ";
  std::string handed_on = answered;  // each time by CM, which ends what replies were held of
  std::string kept = answered;
  for (int i = 0; i < 8; ++i) {
    const std::string ack = "qp " + std::to_string(80 + i) + "/" + std::to_string(90 + i) + " | ACK 99 | ";
    handed_on += ack + "REQ 500 | REP 100 | RTU | ";
    kept += ack;
  }
  EXPECT_FALSE(holds_a_cnp_after(kept, {})) << "the budget is used up while they live";
  EXPECT_TRUE(holds_a_cnp_after(handed_on, {}));
  Limits evicting;
  evicting.connections = 1;
  EXPECT_TRUE(holds_a_cnp_after(handed_on, evicting));
  Limits leaving_out;
  leaving_out.listed_strays = 0;
  EXPECT_TRUE(holds_a_cnp_after(handed_on, leaving_out));
}

TEST(Tracker, BoundsWhatIsOpenOverAllConnections) {
  Limits limits;
  limits.open_runs_total = 16;
  Tracker tracker(limits);
  std::uint64_t frame = 0;
  for (std::uint32_t psn = 0; psn < 20; psn += 2) {  // ten gaps each, all open
    for (std::uint32_t qpn = 5; qpn < 10; ++qpn) {
      ++frame;
      tracker.on_packet(packet(kWriteOnlyOpcode, qpn, psn), FrameId(0, frame),
                        microseconds(static_cast<std::int64_t>(frame)), 100);
    }
  }
  std::size_t inexact = 0;
  for (const auto& c : tracker.finish()) {
    const SpaceCounts& requests = c.a_to_b->requests;
    EXPECT_EQ(requests.missing_packets[static_cast<std::size_t>(Outcome::kUnresolved)], 9U);  // counted all the same
    inexact += requests.inexact.empty() ? 0 : 1;
  }
  EXPECT_EQ(inexact, 5U);
}

TEST(Tracker, GivesBackTheOpenRunsOfAFinishedConnection) {
  Limits limits;
  limits.open_runs_total = 16;
  Tracker tracker(limits);
  std::uint64_t frame = 0;
  for (std::uint32_t use = 0; use < 100; ++use) {  // one QPN used again and again, each time far away
    for (std::uint32_t psn = 0; psn < 10; psn += 2) {
      ++frame;
      tracker.on_packet(packet(kWriteOnlyOpcode, 5, use * 7'000'000 + psn), FrameId(0, frame),
                        milliseconds(static_cast<std::int64_t>(frame) * 10), 100);
    }
  }
  for (const auto& c : tracker.finish()) EXPECT_TRUE(c.a_to_b->requests.inexact.empty());
}

TEST(Tracker, DoesNotBelieveTheHeaderOfADamagedPacket) {
  Tracker tracker;
  std::uint64_t frame = 0;
  const auto add = [&](std::uint32_t qpn, std::uint32_t psn, wire::IcrcStatus icrc) {
    ++frame;
    wire::Packet p = packet(kWriteOnlyOpcode, qpn, psn);
    p.icrc = icrc;
    return tracker.on_packet(p, FrameId(0, frame), microseconds(static_cast<std::int64_t>(frame)), 100);
  };
  for (std::uint32_t psn = 0; psn < 10; ++psn) add(5, psn, wire::IcrcStatus::kGood);
  add(5, 4'000, wire::IcrcStatus::kBad);  // its PSN was damaged
  add(77, 10, wire::IcrcStatus::kBad);    // its queue pair was
  for (std::uint32_t psn = 10; psn < 20; ++psn) add(5, psn, wire::IcrcStatus::kGood);
  EXPECT_EQ(tracker.stray_damaged_packets(), 1U);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_TRUE(connections[0].a_to_b->requests.missing.empty());
  EXPECT_EQ(connections[0].a_to_b->requests.highest_psn, Psn{19});
}

}  // namespace
}  // namespace rocetop::track
