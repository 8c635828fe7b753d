// SPDX-License-Identifier: BSD-3-Clause
// What the tracker says about connections as a whole: who talks, how the directions were joined, what was acknowledged,
// and what each packet is the moment it is read.
#include <gtest/gtest.h>

#include "support/scenario_run.h"
#include "support/space_text.h"

namespace rocetop::test {
namespace {

using track::Cause;
using track::Kind;
using track::PairedBy;

void expect_all_clean(const TrackerRun& run, std::size_t connections) {
  EXPECT_EQ(run.connections.size(), connections);
  for (const auto& connection : run.connections) EXPECT_EQ(connection_text(connection), "clean");
}

void expect_queue_pairs(const track::ConnectionCounts& connection, std::uint32_t a, std::uint32_t b) {
  EXPECT_EQ(connection.a_qpn, Qpn{a});
  EXPECT_EQ(connection.b_qpn, Qpn{b});
}

TEST(Pairing, ByAcknowledgements) {
  const TrackerRun run = track_scenario("W 100-103 | ACK 103 | W 104-107 | ACK 107 | W 108 | ACK 108");
  const auto& connection = only(run);
  EXPECT_EQ(connection.paired_by, PairedBy::kAck);
  expect_queue_pairs(connection, 17, 18);
  ASSERT_TRUE(connection.a_to_b && connection.b_to_a);
  EXPECT_EQ(connection.a_to_b->requests.packets, 9U);
  EXPECT_EQ(connection.a_to_b->requests.first_psn, Psn{100});
  EXPECT_EQ(connection.a_to_b->requests.highest_psn, Psn{108});
  EXPECT_EQ(connection.a_to_b->last_acked_psn, Psn{108});
  EXPECT_EQ(connection.b_to_a->acks, 3U);
  EXPECT_EQ(connection.path_mtu, 1024U);
}

TEST(Pairing, ByConnectionManagement) {
  const TrackerRun run = track_scenario("REQ 500 | REP 100 | RTU | W 100 | B: W 500 | A: ACK 500 | ACK 100");
  const auto& connection = only(run);
  EXPECT_EQ(connection.paired_by, PairedBy::kCm);
  ASSERT_TRUE(connection.cm);
  EXPECT_EQ(connection.cm->rdma_cm_port, 18515);
  EXPECT_EQ(connection.cm->retry_count, 7);
}

TEST(Pairing, KeepsConnectionsOfTheSameHostsApart) {
  const TrackerRun run = track_scenario(
      "W 100-101 | qp 33/34 | W 5000-5001 | qp 17/18 | ACK 101 | qp 33/34 | ACK 5001 | qp 17/18 | W 102 | ACK 102 | "
      "qp 33/34 | W 5002 | ACK 5002");
  ASSERT_EQ(run.connections.size(), 2U);
  expect_queue_pairs(run.connections[0], 17, 18);
  expect_queue_pairs(run.connections[1], 33, 34);
  expect_all_clean(run, 2);
}

TEST(Pairing, KeepsEqualQpnsOfDifferentHostsAndVlansApart) {
  const TrackerRun run = track_scenario(
      "W 100 | ip 10.0.0.1/10.0.0.2 | W 700 | ip 192.0.2.1/192.0.2.2 | vlan 5 | W 90000 | ACK 90000 | vlan none | ACK "
      "100 | "
      "ip 10.0.0.1/10.0.0.2 | ACK 700");
  expect_all_clean(run, 3);
}

TEST(Pairing, JoinsDirectionsOfWhichOnlyOneIsTagged) {
  const TrackerRun run = track_scenario(
      "vlan 7 | W 100-101 | vlan none | ACK 101 | vlan 7 | W 102 | vlan none | ACK 102 | vlan 7 | W 103 | vlan none | "
      "ACK 103");
  const auto& connection = only(run);
  EXPECT_EQ(connection.paired_by, PairedBy::kAck);
  EXPECT_EQ(connection.network.vlan_outer, 7);
  ASSERT_TRUE(connection.a_to_b && connection.b_to_a);
  EXPECT_FALSE(connection.a_to_b->network);
  ASSERT_TRUE(connection.b_to_a->network);
  EXPECT_EQ(connection.b_to_a->network->vlan_outer, 0xFFFF);
  EXPECT_EQ(connection_text(connection), "clean");
}

TEST(Pairing, KeepsVlansWithDifferentTagsApart) {
  const TrackerRun run = track_scenario(
      "vlan 7 | W 100-101 | vlan 8 | ACK 101 | vlan 7 | W 102 | vlan 8 | ACK 102 | vlan 7 | W 103 | vlan 8 | ACK 103");
  EXPECT_EQ(run.connections.size(), 2U);
}

TEST(Pairing, PrefersTheSideWithTheSameTag) {
  const TrackerRun run = track_scenario(
      "vlan 7 | W 100-101 | vlan none | W 100-101 | ACK 101 | W 102 | ACK 102 | vlan 7 | ACK 101 | W 102 | ACK 102");
  ASSERT_EQ(run.connections.size(), 2U);
  for (const auto& connection : run.connections) {
    EXPECT_EQ(connection.paired_by, PairedBy::kAck);
    ASSERT_TRUE(connection.b_to_a);
    EXPECT_FALSE(connection.b_to_a->network);
  }
}

// All queue pairs from PSN 0 and one UDP port: NCCL over an adapter that does not spread.
TEST(Pairing, OneStartForAllIsSettledByRepliesOverTime) {
  const TrackerRun run = track_scenario(
      "port 50000 | W 0 | qp 33/34 | W 0 | qp 17/18 | ACK 0 | qp 33/34 | ACK 0 | "
      "qp 17/18 | W 1 | ACK 1 | W 2 | ACK 2 | W 3 | ACK 3 | qp 33/34 | W 1 | ACK 1 | W 2-9 | ACK 9 | W 10-20 | ACK 20");
  ASSERT_EQ(run.connections.size(), 2U);
  expect_queue_pairs(run.connections[0], 17, 18);
  expect_queue_pairs(run.connections[1], 33, 34);
  expect_all_clean(run, 2);
}

TEST(Pairing, DoesNotGuessBetweenConnectionsInLockstep) {
  const TrackerRun run = track_scenario(
      "port 50000 | W 0 | qp 33/34 | W 0 | qp 17/18 | ACK 0 | qp 33/34 | ACK 0 | qp 17/18 | W 1 | qp 33/34 | W 1 | qp "
      "17/18 | ACK 1 | qp 33/34 | ACK 1 | qp 17/18 | W 2 | qp 33/34 | W 2 | qp 17/18 | ACK 2 | qp 33/34 | ACK 2");
  for (const auto& connection : run.connections) EXPECT_EQ(connection.paired_by, PairedBy::kNone);
}

TEST(Pairing, DoesNotJoinHalvesOfDifferentConnectionsThatStartAtZero) {
  // Of one connection only the requests are captured, of the other only the replies.
  const TrackerRun run = track_scenario(
      "A: port 50000 | B: port 50000 | W 0-3 | qp 33/34 | B: port 50001 | ACK 2 | qp 17/18 | W 4-5 | qp 33/34 | ACK 9 "
      "| "
      "ACK 17 | ACK 25 | qp 17/18 | W 6-7");
  ASSERT_EQ(run.connections.size(), 2U);
  for (const auto& connection : run.connections) EXPECT_EQ(connection.paired_by, PairedBy::kNone);
}

TEST(OneWay, LeavesTheOtherQueuePairUnknown) {
  const TrackerRun run = track_scenario("W 100-103");
  const auto& connection = only(run);
  EXPECT_EQ(connection.paired_by, PairedBy::kNone);
  EXPECT_EQ(connection.a_qpn, std::nullopt);
  EXPECT_EQ(connection.b_qpn, Qpn{18});
  EXPECT_FALSE(connection.b_to_a.has_value());
}

TEST(Counts, CountRepliesByKind) {
  const Directions run = directions_of(
      "W 100 | ACK 100 | S 101 | RNR 101 timer=0 | wait 656ms | S 101 | ACK 101 | W 102 | NAK 102 code=access | CNP");
  const track::DirectionCounts& b = run.b;
  EXPECT_EQ(b.acks, 2U);
  EXPECT_EQ(b.rnr_naks, 1U);
  EXPECT_EQ(b.naks[static_cast<std::size_t>(wire::NakCode::kRemoteAccessError)], 1U);
  EXPECT_EQ(b.first_fatal_nak, FrameId(0, 8));
  EXPECT_EQ(b.first_rnr_timer_zero, FrameId(0, 4));
  EXPECT_EQ(b.cnps, 1U);
}

TEST(Counts, ABadIcrcDoesNotFillAGap) {
  const track::DirectionCounts a =
      directions_of("W 98-99 | ACK 99 | W 100-103 | late 102 after=103 | bad 102 | NAK 102 | W 102-103 | ACK 103").a;
  const auto& requests = a.requests;
  EXPECT_EQ(requests.missing_packets[static_cast<std::size_t>(track::Outcome::kRetransmitted)], 1U);
  EXPECT_EQ(requests.reordered_packets, 0U);
  EXPECT_EQ(a.icrc[static_cast<std::size_t>(wire::IcrcStatus::kBad)], 1U);
  ASSERT_TRUE(a.bad_icrcs);
  EXPECT_EQ(a.bad_icrcs->kept()[0].frame, FrameId(0, 7));
}

TEST(Counts, CountBytesOfResends) {
  const track::DirectionCounts a =
      directions_of("pmtu 256 | W 99 | ACK 99 | W 100-103 len=7 | NAK 102 | W 102-103 | ACK 103").a;
  const auto& requests = a.requests;
  EXPECT_EQ(requests.payload_bytes, 256U + 256 * 3 + 7 + 256 + 7);
  EXPECT_EQ(requests.retransmitted_bytes, 256U + 7);
  ASSERT_EQ(requests.episodes.size(), 1U);
  EXPECT_EQ(requests.episodes[0].bytes, 256U + 7);
  EXPECT_EQ(requests.episodes[0].wait, microseconds(1));
}

TEST(Counts, MeasureTheWaitOfATimeoutFromTheLastTransmission) {
  const track::DirectionCounts a =
      directions_of("W 99 | ACK 99 | W 100 | wait 50ms | W 100 | wait 70ms | W 100 | ACK 100 | W 101 | ACK 101").a;
  const auto& episodes = a.requests.episodes;
  ASSERT_EQ(episodes.size(), 2U);
  EXPECT_EQ(episodes[0].wait, milliseconds(50) + microseconds(1));
  EXPECT_EQ(episodes[1].wait, milliseconds(70) + microseconds(1));
}

TEST(Counts, SayThatASpuriousResendWasAllWaste) {
  const track::DirectionCounts a = directions_of("W 100-103 | ACK 103 | wait 70ms | W 100-103 | ACK 103").a;
  ASSERT_EQ(a.requests.episodes.size(), 1U);
  EXPECT_EQ(a.requests.episodes[0].wasted_packets, 4U);
}

TEST(Counts, ATailLostBeforeTheTapIsNewWhenItComes) {
  const track::DirectionCounts a =
      directions_of("W 98-99 | ACK 99 | W 100-103 | drop 102-103 | wait 70ms | W 100-103 | ACK 103").a;
  const auto& requests = a.requests;
  EXPECT_TRUE(requests.missing.empty());
  EXPECT_EQ(requests.retransmitted_original_seen, 2U);
  EXPECT_EQ(requests.retransmitted_original_unseen, 0U);
  ASSERT_EQ(requests.episodes.size(), 1U);
  EXPECT_EQ(requests.episodes[0].cause, Cause::kTimeout);
  EXPECT_EQ(requests.episodes[0].first_psn, Psn{100});
}

TEST(Counts, DoNotJudgeLossOfDatagrams) {
  const TrackerRun run = track_scenario("UD 5-7 | drop 6 | UD 20");
  ASSERT_EQ(run.connections.size(), 1U);
  EXPECT_EQ(run.connections[0].transport, wire::Transport::kUd);
  EXPECT_EQ(connection_text(run.connections[0]), "clean");
}

TEST(Rejections, AreKeptWithTheirReason) {
  const TrackerRun run = track_scenario("REQ 500 | REJ reason=28");
  ASSERT_EQ(run.rejections.size(), 1U);
  EXPECT_EQ(run.rejections[0].reason, 28);
  EXPECT_EQ(run.rejections[0].frame, FrameId(0, 2));
  EXPECT_EQ(run.rejections[0].request_frame, FrameId(0, 1));
  EXPECT_EQ(run.rejections[0].rdma_cm_port, 18515);
}

TEST(Observations, SayAtOnceWhatIsKnown) {
  const TrackerRun run = track_scenario(
      "W 98-99 | ACK 99 | W 100-103 | drop 102 | NAK 102 | W 102-103 | dup 103 | ACK 103 | CNP | R 104-105 | RR "
      "104-105");
  const std::vector<Kind> expected{Kind::kNew,
                                   Kind::kNew,
                                   Kind::kAck,
                                   Kind::kNew,
                                   Kind::kNew,
                                   Kind::kNew,
                                   Kind::kNak,
                                   Kind::kRetransmission,
                                   Kind::kRetransmission,
                                   Kind::kDuplicate,
                                   Kind::kAck,
                                   Kind::kCnp,
                                   Kind::kNew,
                                   Kind::kNew,
                                   Kind::kNew};
  ASSERT_EQ(run.observations.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(run.observations[i].kind, expected[i]) << "#" << i + 1;
  EXPECT_EQ(run.observations[5].missing_before, 1U);
  EXPECT_EQ(run.observations[7].cause, Cause::kNak);
  EXPECT_EQ(run.observations[7].trigger_frame, FrameId(0, 7));
  EXPECT_EQ(run.observations[8].original_frame, FrameId(0, 6));
  EXPECT_EQ(run.observations[13].space, track::SpaceName::kResponses);
}

TEST(Observations, MeasureRoundTripsOfWhatWasSentOnce) {
  const TrackerRun run =
      track_scenario("W 100 | ACK 100 | step 5us | W 101 | ACK 101 | W 102 | wait 70ms | W 102 | ACK 102");
  ASSERT_EQ(run.observations.size(), 7U);
  EXPECT_EQ(run.observations[3].rtt, microseconds(5));
  EXPECT_EQ(run.observations[3].acks_frame, FrameId(0, 3));
  EXPECT_EQ(run.observations[6].rtt, std::nullopt);
}

}  // namespace
}  // namespace rocetop::test
