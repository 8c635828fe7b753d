// SPDX-License-Identifier: BSD-3-Clause
// veRoCE connections in the tracker: one over all its paths, two sequence spaces a direction, messages by their
// numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "support/veroce_traffic.h"
#include "track/copy_log.h"
#include "track/tracker.h"
#include "track/veroce_layouts.h"
#include "wire/decode.h"

namespace rocetop::track {
namespace {

using generate::VerocePacket;
using test::VeroceTraffic;

/// Frames a microsecond apart, unless `times` says more.
struct Tracked {
  explicit Tracked(const VeroceTraffic& traffic, const Limits& limits = {}, std::vector<std::int64_t> times = {})
      : tracker(limits) {
    for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
      add(traffic.frames[i], i < times.size() ? times[i] : static_cast<std::int64_t>(i));
    }
  }
  void add_cut(const generate::FrameBytes& whole, const generate::FrameBytes& captured) {
    add(captured, static_cast<std::int64_t>(frame), whole.size());
  }
  void add(const generate::FrameBytes& bytes, std::int64_t us, std::size_t on_wire = 0) {
    wire::Decoded decoded;
    wire::decode(LinkType::kEthernet, bytes, static_cast<std::uint32_t>(on_wire != 0 ? on_wire : bytes.size()), {},
                 decoded);
    layouts.settle(decoded.packet, microseconds(us));
    seen.push_back(tracker.on_packet(decoded.packet, FrameId(0, ++frame), microseconds(us), 100));
  }

  std::uint64_t frame = 0;
  VeroceLayouts layouts{wire::VeroceLayout{}};
  Tracker tracker;
  std::vector<Observation> seen;
};

const MessageCounts& of(const DirectionCounts& d, Operation operation) {
  static const MessageCounts none;
  const auto& counts = d.messages.operations[static_cast<std::size_t>(operation)];
  return counts ? *counts : none;
}

VeroceTraffic over_paths(VeroceTraffic traffic, std::uint16_t paths) {
  for (std::size_t i = 0; i < traffic.packets.size(); ++i) {
    traffic.packets[i].base.udp_src = static_cast<std::uint16_t>(0xC100 + i % paths);
    traffic.frames[i] = generate::encode_veroce(traffic.packets[i], traffic.wire);
  }
  return traffic;
}

TEST(VeroceTracking, SomeOfEverythingOverFourPathsIsOneConnection) {
  VeroceTraffic traffic;
  traffic.run(3);
  Tracked run(over_paths(traffic, 4));
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  const ConnectionCounts& c = connections[0];
  EXPECT_EQ(c.protocol, wire::Protocol::kVeroce);
  EXPECT_EQ(c.paired_by, PairedBy::kAck);
  EXPECT_EQ(c.a_qpn, Qpn{VeroceTraffic::kRequesterQp});
  EXPECT_EQ(c.b_qpn, Qpn{VeroceTraffic::kResponderQp});
  EXPECT_EQ(c.path_mtu, VeroceTraffic::kPathMtu);
  const DirectionCounts& d = *c.a_to_b;
  EXPECT_EQ(d.frames + c.b_to_a->frames, traffic.frames.size());
  ASSERT_TRUE(d.veroce);
  EXPECT_EQ(d.veroce->paths.size(), 4U);
  EXPECT_EQ(d.requests.retransmitted_original_seen, 6U);  // two a round
  EXPECT_EQ(d.requests.retransmitted_by_cause[static_cast<std::size_t>(Cause::kSack)], 6U);
  EXPECT_EQ(d.veroce->requests.resent_psns, 6U);
  EXPECT_EQ(d.unacknowledged_packets, 0U);
  EXPECT_EQ(of(d, Operation::kWrite).complete, 3U * 5);
  EXPECT_EQ(of(d, Operation::kSend).complete, 3U * 6);
  EXPECT_EQ(of(d, Operation::kRead).complete, 3U * 2);
  EXPECT_EQ(of(d, Operation::kRead).bytes, 3U * 4 * VeroceTraffic::kPathMtu);
  EXPECT_EQ(of(d, Operation::kAtomic).complete, 3U);
  EXPECT_EQ(of(d, Operation::kWrite).open + of(d, Operation::kWrite).partial, 0U);
  // A READ request takes one PSN; its responses have their own.
  EXPECT_EQ(c.b_to_a->responses.packets, 3U * (3 + 1 + 1));
  EXPECT_EQ(c.b_to_a->responses.first_psn, Psn{0x345});
  EXPECT_EQ(c.b_to_a->requests.packets, 0U);
  EXPECT_EQ(d.requests.missing_packets[static_cast<std::size_t>(Outcome::kUnresolved)], 0U);
}

TEST(VeroceTracking, ResponsesAreResentInTheirOwnSpace) {
  VeroceTraffic traffic;
  traffic.write(1, 100);
  traffic.acknowledge();
  traffic.read(6);
  const std::uint32_t first = 0x345;
  VerocePacket sack = traffic.from_requester(0x1E);
  sack.base.psn = Psn{first};
  sack.aeth = {0x1F, Msn{0}};
  sack.packet_order = 0xFFFFFF;
  sack.sack_length = 6;
  sack.sack_received = {first, first + 2, first + 3};
  // In place of the acknowledgement that the READ ends with.
  traffic.packets.pop_back();
  traffic.frames.pop_back();
  traffic.add(sack);
  VerocePacket again = traffic.packets[4];
  ASSERT_EQ(again.base.psn, Psn{first + 1});
  again.retransmit = true;
  traffic.add(again);
  Tracked run(traffic);
  EXPECT_EQ(run.seen.back().kind, Kind::kRetransmission);
  EXPECT_EQ(run.seen.back().space, SpaceName::kResponses);
  EXPECT_EQ(run.seen.back().cause, Cause::kSack);
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  ASSERT_TRUE(connections[0].b_to_a);
  EXPECT_EQ(connections[0].b_to_a->responses.episodes.size(), 1U);
  EXPECT_EQ(connections[0].b_to_a->veroce->responses.sacks, 1U);
  EXPECT_EQ(connections[0].a_to_b->requests.episodes.size(), 0U);
}

TEST(VeroceTracking, SignalsNameAPath) {
  VeroceTraffic traffic;
  traffic.write(3, 100);
  traffic.write(3, 100);
  traffic.acknowledge();
  traffic = over_paths(traffic, 2);
  for (const int opcode : {0x84, 0x84, 0x81}) {
    VerocePacket signal = traffic.from_responder(static_cast<std::uint8_t>(opcode));
    signal.base.udp_src = 0xC101;
    signal.base.psn = traffic.packets[1].base.psn;
    traffic.add(signal);
  }
  traffic.rtt_exchange();
  Tracked run(traffic);
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  const VeroceDirection& d = *connections[0].a_to_b->veroce;
  ASSERT_EQ(d.paths.size(), 2U);
  EXPECT_EQ(d.paths[1].slow_signals, 2U);
  EXPECT_EQ(d.paths[1].cnps, 1U);
  EXPECT_EQ(d.paths[0].slow_signals + d.paths[0].cnps, 0U);
  EXPECT_EQ(d.paths[0].packets + d.paths[1].packets, 6U);
  EXPECT_EQ(d.rtt_requests, 1U);
  EXPECT_EQ(d.host_delay_ns.max(), 1'500);
}

TEST(VeroceTracking, AQueuePairUsedAgainIsAnotherConnection) {
  VeroceTraffic traffic;
  traffic.run(1);
  const std::size_t before = traffic.frames.size();
  VeroceTraffic later = traffic;
  later.frames.clear();
  later.packets.clear();
  later.msn = later.response_msn = 1;
  later.psn = 0xFFFFF0;  // the very numbers of before
  later.response_psn = 0x345;
  later.rq_msn = 0;
  later.run(1);
  traffic.frames.insert(traffic.frames.end(), later.frames.begin(), later.frames.end());
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
    times.push_back(static_cast<std::int64_t>(i) + (i < before ? 0 : 50'000));
  }
  Tracked run(traffic, {}, times);
  auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 2U);
  for (const ConnectionCounts& c : connections) {
    ASSERT_TRUE(c.b_to_a);
    EXPECT_EQ(c.a_to_b->frames + c.b_to_a->frames, before);
    EXPECT_EQ(c.a_to_b->requests.retransmitted_original_seen, 2U);
    EXPECT_EQ(c.a_to_b->requests.duplicate_packets, 0U);
  }
}

TEST(VeroceTracking, ACleanConnectionThatIsFollowedByAnotherWithItsNumbersIsTwo) {
  VeroceTraffic traffic;  // no resend shows where the Retrans flag stands
  std::vector<std::int64_t> times;
  for (int use = 0; use < 2; ++use) {
    traffic.psn = 100;
    traffic.msn = 1;
    for (int i = 0; i < 20; ++i) {
      traffic.write(4, 100);
      traffic.acknowledge();
    }
    while (times.size() < traffic.frames.size())
      times.push_back(use * 1'000'000 + static_cast<std::int64_t>(times.size()));
  }
  Tracked run(traffic, {}, times);
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 2U);
  for (const ConnectionCounts& c : connections) EXPECT_EQ(c.a_to_b->requests.retransmitted_original_seen, 0U);
}

TEST(VeroceTracking, OneFarPacketIsNoise) {
  VeroceTraffic traffic;
  traffic.write(8, 100);
  traffic.acknowledge();
  VeroceTraffic stray = traffic;
  stray.psn = 0x400000;
  stray.write(1, 100);
  traffic.write(8, 100);
  traffic.acknowledge();
  Tracked run(VeroceTraffic{});
  for (const auto& frame : traffic.frames) {
    const auto cut = static_cast<std::ptrdiff_t>(std::min<std::size_t>(frame.size(), 90));  // no ICRC
    run.add_cut(frame, {frame.begin(), frame.begin() + cut});
    if (run.frame == 9)
      run.add_cut(stray.frames.back(), {stray.frames.back().begin(), stray.frames.back().begin() + 90});
  }
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  for (const std::uint64_t psns : connections[0].a_to_b->requests.missing_packets) EXPECT_EQ(psns, 0U);
}

TEST(VeroceTracking, AFarResponseAndItsCopyAreNoise) {
  VeroceTraffic traffic;
  traffic.read(8);
  VeroceTraffic stray = traffic;
  stray.response_psn = 0x400000;
  stray.read(1);
  const generate::FrameBytes far = stray.frames[stray.frames.size() - 2];
  Tracked run(traffic);
  run.add(far, 20);
  run.add(far, 21);
  VeroceTraffic more = traffic;
  more.read(8);
  for (std::size_t i = traffic.frames.size(); i < more.frames.size(); ++i) {
    run.add(more.frames[i], static_cast<std::int64_t>(20 + i));
  }
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  for (const std::uint64_t psns : connections[0].b_to_a->responses.missing_packets) EXPECT_EQ(psns, 0U);
}

/// The identifications of data may count up while those of control packets are all 0, which tells nothing apart.
TEST(VeroceTracking, ControlPacketsWithoutIdentificationAreNoCopies) {
  VeroceTraffic traffic;
  traffic.write(3, 100);
  traffic.acknowledge();
  traffic.read(8);
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < traffic.packets.size(); ++i) {
    traffic.packets[i].base.ip_id = static_cast<std::uint16_t>(i + 1);
    traffic.frames[i] = generate::encode_veroce(traffic.packets[i], {});
    times.push_back(static_cast<std::int64_t>(i));
  }
  for (int i = 0; i < 4; ++i) {
    traffic.add(traffic.from_responder(0x81));
    times.push_back(100 + 50 * i);
  }
  Tracked run(traffic, {}, times);
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  ASSERT_TRUE(connections[0].a_to_b->congestion);
  EXPECT_EQ(connections[0].a_to_b->congestion->cnps, 4U);
}

TEST(VeroceTracking, WithBecnAnAcknowledgementIsAnotherPacket) {
  VeroceTraffic traffic;
  VerocePacket ack = traffic.from_responder(0x11);
  const auto identity = [](const VerocePacket& packet) {
    const auto frame = generate::encode_veroce(packet, {});
    wire::Decoded decoded;
    wire::decode(LinkType::kEthernet, frame, static_cast<std::uint32_t>(frame.size()), {}, decoded);
    return identity_of(decoded.packet);
  };
  const std::uint64_t plain = identity(ack);
  EXPECT_EQ(identity(ack), plain);
  ack.base.becn = true;
  EXPECT_NE(identity(ack), plain);
}

TEST(VeroceTracking, RawPacketsAreCountedAndFollowedInNothing) {
  VeroceTraffic traffic;
  traffic.run(1);
  const std::size_t good = traffic.frames.size();
  VerocePacket strange = traffic.from_requester(0x1B);  // reserved
  strange.base.psn = traffic.packets.back().base.psn;
  traffic.add(strange);
  Tracked run(traffic);
  EXPECT_EQ(run.seen.back().kind, Kind::kUntracked);
  const auto connections = run.tracker.finish();
  ASSERT_EQ(connections.size(), 1U);
  EXPECT_EQ(connections[0].a_to_b->frames + connections[0].b_to_a->frames, good + 1);
  EXPECT_EQ(connections[0].a_to_b->veroce->raw_packets, 1U);
}

TEST(VeroceTracking, MemoryIsBoundedAndGivenBack) {
  Limits limits;
  limits.history_slots_total = 3'000;  // for about fifteen sides at one time
  limits.held_total = 40;
  Tracker tracker(limits);
  VeroceLayouts layouts{wire::VeroceLayout{}};
  std::uint64_t frame = 0;
  Observation last;
  for (std::uint32_t use = 0; use < 100; ++use) {
    VeroceTraffic traffic;
    traffic.psn = use * 1'000'003;
    traffic.run(1);
    for (std::size_t i = 0; i < traffic.frames.size(); ++i) {
      if (use < 99 && traffic.packets[i].base.dest_qp == Qpn{VeroceTraffic::kRequesterQp}) continue;  // one way
      wire::Decoded decoded;
      const auto& bytes = traffic.frames[i];
      wire::decode(LinkType::kEthernet, bytes, static_cast<std::uint32_t>(bytes.size()), {}, decoded);
      ++frame;
      const Nanos time = milliseconds(static_cast<std::int64_t>(frame));
      layouts.settle(decoded.packet, time);
      last = tracker.on_packet(decoded.packet, FrameId(0, frame), time, 100);
    }
  }
  const auto connections = tracker.finish();
  ASSERT_EQ(connections.size(), 100U);
  EXPECT_EQ(connections.back().a_to_b->requests.retransmitted_original_seen, 2U);  // still remembered
  EXPECT_EQ(connections.back().paired_by, PairedBy::kAck);
}

TEST(VeroceTracking, QueuePairsOfWhichNothingCanBeReadCostNothingBeyondTheFirst) {
  VeroceTraffic traffic;
  constexpr std::uint8_t kNoSuchOpcode = 0x1C;
  constexpr std::uint32_t kFirstQp = 0x1000;
  for (std::uint32_t i = 0; i < 10; ++i) {
    VerocePacket raw = traffic.from_requester(kNoSuchOpcode);
    raw.base.dest_qp = Qpn{kFirstQp + i};
    traffic.add(raw);
  }
  traffic.write(1, 100);
  Limits limits;
  limits.raw_connections = 3;
  Tracked run(traffic, limits);
  EXPECT_EQ(run.seen[2].connection, 3U);
  EXPECT_EQ(run.seen[3].connection, 0U);
  EXPECT_EQ(run.seen.back().connection, 4U) << "what can be read is followed";
  EXPECT_EQ(run.tracker.finish().size(), 4U);
}

TEST(VeroceTracking, MessagesTakeTheirPlacesFromTheCommonBudget) {
  VeroceTraffic traffic;
  for (int i = 0; i < 300; ++i) traffic.write(1, 100);
  const auto open_messages = [&](std::size_t slots) {
    Limits limits;
    limits.history_slots_total = slots;
    Tracked run(traffic, limits);
    const auto connections = run.tracker.finish();
    return of(*connections.at(0).a_to_b, Operation::kWrite).open;
  };
  EXPECT_EQ(open_messages(100'000), 300U);
  EXPECT_EQ(open_messages(0), 0U);  // none is followed
}

TEST(VeroceTracking, TellsWhereTheTimeWent) {
  VeroceTraffic traffic;
  traffic.write(4, 100);  // 0 to 3 us
  traffic.acknowledge();  // 10
  traffic.write(2, 100);  // 50 and, held up, 250
  traffic.acknowledge();  // 260
  ASSERT_EQ(traffic.frames.size(), 8U);
  Tracked run(traffic, {}, {0, 1, 2, 3, 10, 50, 250, 260});
  const auto connections = run.tracker.finish();
  const TimeSplit& time = connections.at(0).a_to_b->messages.time;
  EXPECT_EQ(time.wall, microseconds(260));
  EXPECT_EQ(time.moving, microseconds(3));
  EXPECT_EQ(time.peer, microseconds(7 + 10));
  EXPECT_EQ(time.host, microseconds(40));
  EXPECT_EQ(time.network, microseconds(200));
  const MessageCounts& writes = of(*connections.at(0).a_to_b, Operation::kWrite);
  EXPECT_EQ(writes.idle_ns.count(), 1U);
  EXPECT_EQ(writes.idle_ns.max(), 40'000);
}

TEST(VeroceTracking, WhatTheCaptureLacksIsNoStall) {
  VeroceTraffic traffic;
  traffic.write(6, 100);
  traffic.acknowledge();
  for (const std::size_t missed : {2U, 2U}) {
    traffic.packets.erase(traffic.packets.begin() + missed);
    traffic.frames.erase(traffic.frames.begin() + missed);
  }
  Tracked run(traffic, {}, {0, 1, 500, 501, 510});
  const TimeSplit time = run.tracker.finish().at(0).a_to_b->messages.time;
  EXPECT_EQ(time.network, Nanos{});
  EXPECT_EQ(time.moving, microseconds(501));
}

TEST(VeroceTracking, ATimersWaitIsTheNetworks) {
  VeroceTraffic traffic;
  traffic.write(1, 100);
  traffic.acknowledge();
  traffic.write(1, 100);
  VerocePacket again = traffic.packets.back();
  again.retransmit = true;
  traffic.add(again);
  traffic.acknowledge();
  Tracked run(traffic, {}, {0, 5, 10, 5'010, 5'015});
  const TimeSplit time = run.tracker.finish().at(0).a_to_b->messages.time;
  EXPECT_EQ(time.network, microseconds(5'005));
  EXPECT_EQ(time.peer, microseconds(5));
  EXPECT_EQ(time.host, microseconds(5));
}

}  // namespace
}  // namespace rocetop::track
