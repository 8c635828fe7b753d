// SPDX-License-Identifier: BSD-3-Clause
// What is plotted of veRoCE's paths: every packet on its path, the paths that matter by themselves and the others
// summed, losses final, and all within bounds.
#include "engine/path_recorder.h"

#include <gtest/gtest.h>

#include "wire/veroce_opcode.h"

namespace rocetop::engine {
namespace {

using model::Cell;
using model::PathMark;
using model::PathTimelines;
using track::Kind;

constexpr std::uint8_t kWriteMiddle = 0x07;

wire::Packet packet(std::uint16_t udp_src, std::uint8_t opcode = kWriteMiddle) {
  wire::Packet p;
  p.protocol = wire::Protocol::kVeroce;
  p.veroce.check = wire::VeroceCheck::kPassed;
  p.bth.opcode = opcode;
  p.udp_src = udp_src;
  return p;
}

Cell at(std::int64_t time) {
  return {Nanos{time}, Nanos{time}, 0, 0, FrameId(0, static_cast<std::uint64_t>(time)), 100, 1};
}

track::VeroceDirection counts_of(std::initializer_list<std::uint64_t> packets) {
  track::VeroceDirection counts;
  for (const std::uint64_t n : packets) {
    track::VerocePath& path = counts.paths.emplace_back();
    path.udp_src = static_cast<std::uint16_t>(100 + counts.paths.size());
    path.packets = n;
  }
  return counts;
}

std::uint64_t packets(const model::PathTimeline& path, PathMark mark = PathMark::kSent) {
  const model::Series* series = path.find(mark);
  return series == nullptr ? 0 : series->packets();
}

TEST(PathRecorder, DrawsTheWorstAndTheBusiestAndSumsTheOthers) {
  PathRecorder recorder;
  track::VeroceDirection counts = counts_of({9, 8, 7, 6, 5, 4, 3, 2, 1, 1});
  std::int64_t time = 0;
  for (const track::VerocePath& path : counts.paths) {
    for (std::uint64_t n = 0; n < path.packets; ++n)
      recorder.on_packet(2, packet(path.udp_src), Kind::kNew, at(++time));
  }
  counts.paths[9].lost = 1;
  recorder.on_loss(2, {FrameId(0, 60), FrameId(0, 46), Nanos{46}, 110});
  recorder.finish();
  const PathTimelines drawn = paths_to_draw(recorder.take(2).own, {}, counts);
  ASSERT_EQ(drawn.paths.size(), model::kPathsDrawn);
  EXPECT_EQ(drawn.paths[0].udp_src, 110) << "it loses";
  EXPECT_EQ(packets(drawn.paths[0], PathMark::kLost), 1U);
  EXPECT_EQ(drawn.paths[0].find(PathMark::kLost)->cells()[0].first_time, Nanos{46});
  EXPECT_EQ(drawn.paths[1].udp_src, 101) << "the busiest";
  EXPECT_EQ(drawn.other_paths, 2U);
  EXPECT_FALSE(drawn.more_paths);
  EXPECT_EQ(packets(drawn.others), 3U);
  std::uint64_t all = packets(drawn.others);
  for (const auto& path : drawn.paths) all += packets(path);
  EXPECT_EQ(all, 46U);
}

TEST(PathRecorder, ShowsWhatAPacketWasAndLeavesCopiesOut) {
  PathRecorder recorder;
  wire::Packet marked = packet(101);
  marked.traffic_class = 3;
  recorder.on_packet(2, marked, Kind::kNew, at(1));
  wire::Packet trimmed = packet(101);
  trimmed.veroce.trimmed = true;
  recorder.on_packet(2, trimmed, Kind::kReordered, at(2));
  recorder.on_packet(2, packet(102), Kind::kRetransmission, at(3));
  recorder.on_packet(2, packet(102), Kind::kDuplicate, at(4));
  recorder.on_packet(2, packet(102, wire::kVeroceSack), Kind::kAck, at(5));
  wire::Packet other = packet(102);
  other.protocol = wire::Protocol::kRoceV2;
  recorder.on_packet(2, other, Kind::kNew, at(6));
  // Of the other end, about path 102.
  recorder.on_packet(3, packet(102, wire::kVeroceCnp), Kind::kCnp, at(7));
  recorder.on_packet(3, packet(102, wire::kVeroceSlowPath), Kind::kUntracked, at(8));
  wire::Packet response = packet(102, wire::kVeroceRttResponse);
  response.veroce.rtt_beyond_tap = Nanos{1'234};
  recorder.on_packet(3, response, Kind::kUntracked, at(9));
  PathTimelines drawn = paths_to_draw(recorder.take(2).own, recorder.take(3).told, counts_of({2, 1}));
  ASSERT_EQ(drawn.paths.size(), 2U);
  const model::PathTimeline& first = *drawn.find(101);
  const model::PathTimeline& second = *drawn.find(102);
  EXPECT_EQ(packets(first), 2U);
  EXPECT_EQ(packets(first, PathMark::kCe), 1U);
  EXPECT_EQ(packets(first, PathMark::kTrimmed), 1U);
  EXPECT_EQ(packets(second), 1U);
  EXPECT_EQ(packets(second, PathMark::kResent), 1U);
  EXPECT_EQ(packets(second, PathMark::kCnp), 1U);
  EXPECT_EQ(packets(second, PathMark::kSlowSignal), 1U);
  ASSERT_EQ(packets(second, PathMark::kProbe), 1U);
  EXPECT_EQ(second.find(PathMark::kProbe)->cells()[0].low, 1'234);
  EXPECT_EQ(drawn.other_paths, 0U);
}

TEST(PathRecorder, DrawsNothingOfOnePath) {
  PathRecorder recorder;
  recorder.on_packet(2, packet(101), Kind::kNew, at(1));
  EXPECT_TRUE(paths_to_draw(recorder.take(2).own, {}, counts_of({1})).paths.empty());
}

TEST(PathRecorder, ForgetsALossThatIsTakenBack) {
  PathRecorder recorder;
  recorder.on_packet(2, packet(101), Kind::kNew, at(1));
  recorder.on_packet(2, packet(102), Kind::kNew, at(2));
  recorder.on_loss(2, {FrameId(0, 5), FrameId(0, 1), Nanos{1}, 101});
  recorder.on_loss(2, {FrameId(0, 6), FrameId(0, 2), Nanos{2}, 102});
  recorder.take_back(FrameId(0, 5));
  recorder.finish();
  PathTimelines drawn = paths_to_draw(recorder.take(2).own, {}, counts_of({1, 1}));
  EXPECT_EQ(packets(*drawn.find(101), PathMark::kLost), 0U);
  EXPECT_EQ(packets(*drawn.find(102), PathMark::kLost), 1U);
}

TEST(PathRecorder, KeepsWithinItsBoundsAndLosesNoPacket) {
  PathRecorderLimits limits;
  limits.cells = 2'000;
  limits.series_cells = 64;
  limits.series_least = 4;
  limits.series = 300;
  limits.directions = 2;
  PathRecorder recorder(limits);
  constexpr std::int64_t kPackets = 60'000;
  for (std::int64_t n = 0; n < kPackets; ++n) {  // a new source port for each
    recorder.on_packet(2, packet(static_cast<std::uint16_t>(n)), Kind::kNew, at(n * 100));
    recorder.on_packet(3, packet(static_cast<std::uint16_t>(n % 3)), Kind::kNew, at(n * 100 + 1));
    recorder.on_packet(4, packet(7), Kind::kNew, at(n * 100 + 2));
    ASSERT_LE(recorder.cells(), limits.cells);
  }
  track::VeroceDirection counts;
  for (std::size_t i = 0; i < track::kVerocePaths; ++i) {
    counts.paths.emplace_back().udp_src = static_cast<std::uint16_t>(i);
    counts.paths.back().packets = 1;
  }
  counts.packets_elsewhere = kPackets - track::kVerocePaths;
  const PathTimelines drawn = paths_to_draw(recorder.take(2).own, {}, counts);
  std::uint64_t all = packets(drawn.others);
  for (const auto& path : drawn.paths) all += packets(path);
  EXPECT_EQ(all, static_cast<std::uint64_t>(kPackets));
  EXPECT_EQ(drawn.paths.size(), model::kPathsDrawn);
  EXPECT_EQ(drawn.other_paths, track::kVerocePaths + 1 - model::kPathsDrawn);
  EXPECT_TRUE(drawn.more_paths);
  EXPECT_TRUE(recorder.take(4).own.paths.empty()) << "a direction too many";
}

}  // namespace
}  // namespace rocetop::engine
