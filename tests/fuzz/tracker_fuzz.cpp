// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: the tracker and the rules on absurd traffic. Each eight bytes are one packet between a few queue pairs,
// so that a small change of the input is a small change of the traffic: a PSN more, a reply less, a clock that steps
// back. Limits are small, so that reaching them is common. decode_fuzz covers the bytes of packets.
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "base/byte_reader.h"
#include "base/check.h"
#include "track/tracker.h"
#include "verdict/judge.h"
#include "wire/opcode.h"
#include "wire/packet.h"

namespace rocetop {
namespace {

constexpr std::size_t kOpBytes = 8;
constexpr std::size_t kQueuePairs = 6;  // even numbers on host 1, odd on host 2
constexpr std::int64_t kTimeStep_ns = 500;
constexpr std::int64_t kLongPause_ns = 50'000'000;

track::Limits tight_limits() {
  track::Limits limits;
  limits.connections = 3;
  limits.listed_runs = 2;
  limits.listed_total = 5;
  limits.open_runs = 3;
  limits.history_slots_start = 4;
  limits.history_slots_most = 16;
  limits.history_slots_total = 64;
  limits.held_packets = 3;
  limits.held_total = 5;
  limits.suspect_packets = 4;
  limits.management_exchanges = 2;
  return limits;
}

/// What is settled must be about frames that have been.
class Sink : public track::ResolutionSink {
 public:
  void on_resolution(const track::Resolution& resolution) override {
    ROCETOP_CHECK(resolution.frame && resolution.frame.number() <= now);
    ROCETOP_CHECK(resolution.trigger_frame.number() <= now);
    ROCETOP_CHECK(resolution.acked_in.number() <= now);
  }
  std::uint64_t now = 0;
};

class Traffic {
 public:
  explicit Traffic(ByteReader input) : input_(input) {}

  /// The next packet; false at the end of the input.
  bool next(wire::Packet& packet, Nanos& time) {
    if (input_.remaining() < kOpBytes) return false;
    const std::uint8_t flags = input_.u8();
    const std::uint8_t opcode = input_.u8();
    const std::uint8_t detail = input_.u8();
    const std::uint16_t psn = input_.u16();
    const std::uint8_t msn = input_.u8();
    const std::uint16_t step = input_.u16();

    const std::size_t queue_pair = flags % kQueuePairs;
    packet = {};
    packet.src = host(queue_pair % 2 == 0 ? 1 : 2);
    packet.dst = host(queue_pair % 2 == 0 ? 2 : 1);
    packet.bth.dest_qp = Qpn{static_cast<std::uint32_t>(0x10 + (queue_pair ^ 1))};
    // The first half of the numbers are RC opcodes; the rest is whatever it is.
    packet.bth.opcode = opcode < 0x80 ? opcode & 0x1F : opcode;
    packet.bth.ack_request = (flags & 0x10) != 0;
    packet.traffic_class = static_cast<std::uint8_t>(flags & 0x20 ? 3 : 2);
    // Numbers follow the last one of this queue pair; absolute ones are jumps.
    std::uint32_t& last = last_psn_[queue_pair];
    last = flags & 0x40 ? psn << 8 : last + static_cast<std::uint32_t>(static_cast<std::int8_t>(psn & 0xFF));
    packet.bth.psn = Psn{last};
    packet.udp_src = static_cast<std::uint16_t>(0xC000 | psn >> 8);
    const auto& facts = wire::opcode_facts(packet.bth.opcode);
    packet.headers = packet.expected_headers = facts.headers;
    packet.aeth = {detail, Msn{msn}};
    packet.reth.dma_length = std::uint32_t{detail} << 8;
    packet.payload_bytes = facts.role == wire::Role::kAcknowledge ? 0 : std::uint32_t{detail} * 16;

    now_ns_ += (step & 0x8000 ? -1 : 1) * (step & 0x7FFF) * kTimeStep_ns;
    if (flags & 0x80) now_ns_ += kLongPause_ns;
    time = {now_ns_};
    return true;
  }

 private:
  static IpAddress host(std::uint8_t number) {
    const std::array<std::uint8_t, 4> bytes{192, 0, 2, number};
    return IpAddress::v4(bytes.data());
  }

  ByteReader input_;
  std::array<std::uint32_t, kQueuePairs> last_psn_{};
  std::int64_t now_ns_ = 1'700'000'000'000'000'000;
};

void check_space(const track::SpaceCounts& space, const track::Limits& limits) {
  ROCETOP_CHECK(space.missing.size() <= limits.listed_runs);
  ROCETOP_CHECK(space.episodes.size() <= limits.listed_runs);
  ROCETOP_CHECK(space.retransmitted_original_seen + space.retransmitted_original_unseen + space.duplicate_packets +
                    space.reordered_packets <=
                space.packets);
  const auto missing = std::accumulate(space.missing_packets.begin(), space.missing_packets.end(), std::uint64_t{0});
  ROCETOP_CHECK(missing >= space.missing.size());
  for (const auto& episode : space.episodes) {
    ROCETOP_CHECK(episode.packets > 0);
    ROCETOP_CHECK(episode.wasted_packets <= episode.packets);
    ROCETOP_CHECK(episode.unseen_packets <= episode.packets);
    ROCETOP_CHECK(episode.first_frame && episode.first_frame <= episode.last_frame);
  }
}

void run(ByteReader input) {
  const bool tight = input.u8() % 2 == 0;
  const track::Limits limits = tight ? tight_limits() : track::Limits{};
  Sink sink;
  track::Tracker tracker(limits, &sink);
  Traffic traffic(input);
  wire::Packet packet;
  Nanos time;
  while (traffic.next(packet, time)) {
    ++sink.now;
    const auto observation = tracker.on_packet(packet, FrameId(0, sink.now), time, 100);
    ROCETOP_CHECK(observation.original_frame.number() <= sink.now);
    ROCETOP_CHECK(observation.acks_frame.number() < sink.now);
  }

  const auto connections = tracker.finish();
  std::uint64_t frames = 0;
  for (const auto& connection : connections) {
    for (const auto& direction : {connection.a_to_b, connection.b_to_a}) {
      if (!direction) continue;
      frames += direction->frames;
      check_space(direction->requests, limits);
      check_space(direction->responses, limits);
    }
  }
  ROCETOP_CHECK(frames <= sink.now);
  ROCETOP_CHECK(connections.size() <= limits.connections);
  for (const auto& finding : verdict::judge({{}, connections, tracker.rejections()}, {}))
    ROCETOP_CHECK(!finding.rule.empty() && !finding.title.empty());
}

}  // namespace
}  // namespace rocetop

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rocetop::run(rocetop::ByteReader({data, size}));
  return 0;
}
