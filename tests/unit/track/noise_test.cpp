// SPDX-License-Identifier: BSD-3-Clause
// A storm of packets to queue pairs and PSNs at random must not bury the connections that are there, nor cost memory.
#include <gtest/gtest.h>

#include <random>

#include "support/packets.h"
#include "track/tracker.h"

namespace rocetop::track {
namespace {

wire::Packet packet(std::uint8_t src, std::uint8_t dst, std::uint8_t opcode, std::uint32_t qpn, std::uint32_t psn) {
  wire::Packet p = test::packet(src, dst, opcode, qpn, psn);
  p.bth.ack_request = true;
  return p;
}

class Storm : public testing::Test {
 protected:
  void see(const wire::Packet& p) {
    ++frame;
    tracker.on_packet(p, FrameId(0, frame), microseconds(static_cast<std::int64_t>(frame)), 100);
  }
  void exchange(std::uint32_t psn) {
    see(packet(1, 2, 0x0A, 18, psn));
    see(packet(2, 1, 0x11, 17, psn));
  }
  std::uint32_t random() { return static_cast<std::uint32_t>(engine()); }
  void noise(std::uint32_t packets) {
    for (std::uint32_t i = 0; i < packets; ++i) {
      see(packet(1, 2, static_cast<std::uint8_t>(random() % 0x12), 1'000 + random() % 0xFF0000, random() & kMask24));
    }
  }

  Tracker tracker;
  std::mt19937 engine{1};
  std::uint64_t frame = 0;
};

TEST_F(Storm, IsCountedAndNotListed) {
  std::uint32_t psn = 100;
  for (int i = 0; i < 50; ++i) {
    exchange(psn++);
    noise(100);
  }
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->requests.packets, 50U);
  EXPECT_TRUE(connections[0].a_to_b->requests.missing.empty());
  EXPECT_GT(tracker.stray_connections(), 4'900U);
  EXPECT_EQ(tracker.stray_packets(), 5'000U);
}

TEST_F(Storm, EndsNoConnectionThatWasAnswered) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn);
  noise(90'000);  // the connection is the stalest of all by now
  for (std::uint32_t psn = 110; psn < 120; ++psn) exchange(psn);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->requests.packets, 20U);
  EXPECT_EQ(tracker.evicted_connections(), 0U);
}

TEST_F(Storm, OfOneQueuePairLeavesTheOthersAlone) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn);
  for (int i = 0; i < 5'000; ++i) see(packet(1, 2, 0x0A, 99, random() & kMask24));
  const auto connections = tracker.finish();
  ASSERT_FALSE(connections.empty());
  EXPECT_EQ(connections[0].a_to_b->requests.packets, 10U);
  EXPECT_LT(connections.size(), 50U);
}

std::uint64_t packets_in(const std::vector<ConnectionCounts>& connections) {
  std::uint64_t n = 0;
  for (const auto& c : connections) n += c.a_to_b->requests.packets;
  return n;
}

TEST_F(Storm, OnALiveQueuePairIsNoPartOfIt) {
  std::uint32_t psn = 100;
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k < 5; ++k) exchange(psn++);
    see(packet(1, 2, 0x0A, 18, (psn + 0x400000 + (random() & 0x7FFFFF)) & kMask24));
  }
  const auto connections = tracker.finish();
  ASSERT_FALSE(connections.empty());
  EXPECT_EQ(connections[0].a_to_b->requests.packets, 1'000U);
  EXPECT_EQ(connections[0].b_to_a->acks, 1'000U);
  EXPECT_TRUE(connections[0].a_to_b->requests.missing.empty());
  EXPECT_EQ(packets_in(connections), 1'200U);
}

TEST_F(Storm, OnAQueuePairThatNothingAnswersIsNoPartOfIt) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) see(packet(1, 2, 0x0A, 18, psn));
  see(packet(1, 2, 0x0A, 18, 0x800000));
  for (std::uint32_t psn = 110; psn < 120; ++psn) see(packet(1, 2, 0x0A, 18, psn));
  see(packet(1, 2, 0x0A, 18, 0x800001));  // as near as it is, the queue pair has gone on meanwhile
  for (std::uint32_t psn = 120; psn < 130; ++psn) see(packet(1, 2, 0x0A, 18, psn));
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 3U);
  EXPECT_EQ(connections[0].a_to_b->requests.packets, 30U);
}

TEST_F(Storm, ACopyOfAStrayPacketDoesNotAgreeWithIt) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn);
  see(packet(1, 2, 0x0A, 18, 0x800000));
  see(packet(1, 2, 0x0A, 18, 0x800000));
  for (std::uint32_t psn = 110; psn < 120; ++psn) exchange(psn);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_EQ(connections[0].a_to_b->requests.packets, 20U);
}

TEST_F(Storm, IsNotWhatTakesTheQueuePairNext) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn);
  see(packet(1, 2, 0x0A, 18, 0x800000));
  wire::Packet first_answer = packet(2, 1, 0x11, 17, 0x800000);
  first_answer.aeth.msn = Msn{1};
  see(first_answer);
  for (std::uint32_t psn = 0x800001; psn < 0x800005; ++psn) exchange(psn);
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 2U);
  EXPECT_EQ(connections[0].a_to_b->requests.packets, 10U);
  EXPECT_EQ(connections[1].a_to_b->requests.packets, 5U);
  EXPECT_EQ(connections[1].a_to_b->first_frame, FrameId(0, 21));
  EXPECT_EQ(connections[1].b_to_a->acks, 5U);
}

TEST_F(Storm, AFewQueuePairsWithoutAnAnswerAreListed) {
  for (std::uint32_t psn = 100; psn < 110; ++psn) exchange(psn);
  noise(500);
  EXPECT_GT(tracker.finish().size(), 400U);
  EXPECT_EQ(tracker.stray_connections(), 0U);
}

TEST_F(Storm, IsListedWhereItIsAllThereIs) {
  for (std::uint32_t qpn = 100; qpn < 5'100; ++qpn) see(packet(1, 2, 0x0A, qpn, 7));
  EXPECT_EQ(tracker.finish().size(), 5'000U);
}

}  // namespace
}  // namespace rocetop::track
