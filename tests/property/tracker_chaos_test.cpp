// SPDX-License-Identifier: BSD-3-Clause
// The tracker against packets that no stack would send: any opcode, PSN, length, syndrome and order of time. It must
// neither fall over nor lose count: whatever it says of such a capture, its books balance.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>

#include "support/scenario_run.h"
#include "support/space_text.h"

namespace rocetop {
namespace {

using generate::PacketSpec;
using generate::TimedFrame;

constexpr std::array<std::string_view, 5> kHosts{"192.0.2.1", "192.0.2.2", "192.0.2.3", "10.0.0.1", "10.0.0.2"};
constexpr std::uint8_t kOperations = 0x18;

std::uint32_t any_psn() {
  const auto near = rc::gen::inRange<std::uint32_t>(0, 40);
  const auto wrap = rc::gen::inRange<std::uint32_t>(kMask24 - 20, kMask24 + 1);
  const auto far = rc::gen::inRange<std::uint32_t>(0, kMask24 + 1);
  return *rc::gen::weightedOneOf<std::uint32_t>({{12, near}, {3, wrap}, {1, far}});
}

PacketSpec any_packet() {
  PacketSpec p;
  const auto from = *rc::gen::inRange<std::size_t>(0, 2);
  p.src = *IpAddress::parse(kHosts[from]);
  p.dst = *IpAddress::parse(kHosts[*rc::gen::inRange<int>(0, 30) == 0 ? 2 : 1 - from]);
  p.ip_id = *rc::gen::inRange<std::uint16_t>(0, 50);
  p.dest_qp = Qpn{*rc::gen::element(17U, 18U, 33U)};
  p.psn = Psn{any_psn()};
  p.ack_request = *rc::gen::arbitrary<bool>();
  const int transport = *rc::gen::weightedElement<int>({{20, 0}, {2, 1}, {1, 5}});
  const std::uint8_t operation = *rc::gen::inRange<std::uint8_t>(0, kOperations);
  p.opcode = static_cast<std::uint8_t>(transport << 5 | operation);
  p.reth = generate::RethSpec{
      0, 0, *rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 5000), rc::gen::arbitrary<std::uint32_t>())};
  const bool first_of_write = operation == 0x06 || operation == 0x0A || operation == 0x0B || operation == 0x0C;
  if (!first_of_write) p.reth.reset();
  const bool has_aeth = operation == 0x0D || (operation >= 0x0F && operation <= 0x12);
  if (has_aeth)
    p.aeth = generate::AethSpec{*rc::gen::element<std::uint8_t>(0x1F, 0x1F, 0x60, 0x2C, 0x20, 0x62, 0x7F, 0x40),
                                Msn{any_psn()}};
  if (operation == 0x12) p.atomic_original = 0;
  if (operation == 0x13 || operation == 0x14) p.atomic = generate::AtomicEthSpec{};
  if (operation == 0x03 || operation == 0x05 || operation == 0x09 || operation == 0x0B) p.immediate = 0;
  if (operation == 0x16 || operation == 0x17) p.invalidate_r_key = 0;
  if (transport == 5 && !(operation >= 0x0D && operation <= 0x12)) p.xrc_srq = Qpn{1};
  if (operation <= 0x0B || (operation >= 0x0D && operation <= 0x10))
    p.payload.assign(*rc::gen::element(0U, 1U, 256U, 256U), 0);
  p.bad_icrc = *rc::gen::inRange(0, 20) == 0;
  return p;
}

std::vector<TimedFrame> any_frames() {
  std::vector<TimedFrame> frames;
  Nanos now = seconds(1'700'000'000);
  const auto count = *rc::gen::inRange(1, 120);
  for (int i = 0; i < count; ++i) {
    const auto step = *rc::gen::weightedElement<std::int64_t>({{20, 1'000},
                                                               {3, 300'000},
                                                               {2, 5'000'000},
                                                               {2, 70'000'000},
                                                               {1, 3'000'000'000},
                                                               {2, -500'000},
                                                               {1, -2'000'000'000}});
    now = now + Nanos{step};
    frames.push_back({now, generate::encode(any_packet())});
  }
  return frames;
}

template <typename Numbers>
std::uint64_t sum(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

void check_books(const track::SpaceCounts& space) {
  if (space.missing_omitted == 0) {
    std::array<std::uint64_t, track::kOutcomes> listed{};
    for (const auto& run : space.missing) {
      const std::int32_t length = serial_difference(run.last_psn.value, run.first_psn.value) + 1;
      RC_ASSERT(length > 0);
      listed[static_cast<std::size_t>(run.outcome)] += static_cast<std::uint64_t>(length);
    }
    if (space.inexact.empty()) RC_ASSERT(listed == space.missing_packets);
  }
  if (space.episodes_omitted == 0) RC_ASSERT(space.episodes.size() == sum(space.episodes_by_cause));
  const std::uint64_t again = space.retransmitted_original_seen + space.retransmitted_original_unseen +
                              space.duplicate_packets + space.reordered_packets;
  RC_ASSERT(again <= space.packets);
  RC_ASSERT(sum(space.retransmitted_by_cause) ==
            space.retransmitted_original_seen + space.retransmitted_original_unseen);
  RC_ASSERT(sum(space.retransmitted_bytes_by_cause) == space.retransmitted_bytes);
  for (const auto& episode : space.episodes) {
    RC_ASSERT(episode.packets > 0U);
    RC_ASSERT(episode.wasted_packets <= episode.packets);
    RC_ASSERT(episode.first_frame <= episode.last_frame);
  }
}

RC_GTEST_PROP(Chaos, LeavesTheBooksBalanced, ()) {
  const auto frames = any_frames();
  const test::TrackerRun run = test::track_frames(frames);
  std::uint64_t counted = 0;
  for (const auto& connection : run.connections) {
    for (const auto* direction : {&connection.a_to_b, &connection.b_to_a}) {
      if (!*direction) continue;
      counted += (*direction)->frames;
      RC_ASSERT((*direction)->frames == sum((*direction)->icrc));
      RC_ASSERT((*direction)->frames == sum((*direction)->ecn));
      check_books((*direction)->requests);
      check_books((*direction)->responses);
    }
  }
  RC_ASSERT(counted + run.stray_damaged_packets == frames.size());
  RC_ASSERT(run.observations.size() == frames.size());
}

/// Whatever is joined, begun anew or looked at again: what is said of single packets adds up to the counts.
RC_GTEST_PROP(Chaos, TellsOfEachPacketWhoseItIs, ()) {
  const test::TrackerRun run = test::track_frames(any_frames());
  std::map<std::uint32_t, std::uint64_t> counted;
  for (const auto& connection : run.connections) {
    for (const auto* direction : {&connection.a_to_b, &connection.b_to_a}) {
      if (*direction) counted[connection.id] += (*direction)->frames;
    }
  }
  std::map<std::uint32_t, std::uint64_t> told;
  for (const std::uint32_t connection : run.final_connections) {
    if (connection != 0) ++told[connection];
  }
  RC_ASSERT(told == counted);
}

RC_GTEST_PROP(Chaos, GivesTheSameAnswerTwice, ()) {
  const auto frames = any_frames();
  const auto text = [&] {
    std::string out;
    for (const auto& connection : test::track_frames(frames).connections)
      out += test::connection_text(connection) + "\n";
    return out;
  };
  RC_ASSERT(text() == text());
}

}  // namespace
}  // namespace rocetop
