// SPDX-License-Identifier: BSD-3-Clause
// What is drawn: each packet once, as what it turned out to be, where it belongs; and within bounds.
#include "engine/recorder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "generate/scenario.h"
#include "support/memory_source.h"

namespace rocetop::engine {
namespace {

using model::Mark;
using model::Timeline;
using track::SpaceName;

struct Recorded {
  model::Snapshot snapshot;
  Timeline timeline;
  std::size_t most_cells = 0;
};

Recorded record(const std::vector<generate::TimedFrame>& frames, const RecorderLimits& limits = {}) {
  test::MemorySource source(frames, {});
  auto analysis = Analysis::create({});
  EXPECT_TRUE(analysis);
  Recorder recorder(limits);
  Recorded recorded;
  const FrameObserver observer = [&](const source::Frame& frame, const wire::Decoded& decoded,
                                     const track::Observation& observation) {
    recorder.on_frame(frame, decoded, observation);
    recorded.most_cells = std::max(recorded.most_cells, recorder.cells());
  };
  (*analysis)->run(source, observer, {}, &recorder);
  recorded.snapshot = (*analysis)->finish();
  recorded.timeline = recorder.finish(recorded.snapshot);
  return recorded;
}

Recorded record(const std::string& scenario, const RecorderLimits& limits = {}) {
  const auto frames = generate::run_scenario(scenario);
  EXPECT_TRUE(frames) << scenario;
  return frames ? record(frames.value(), limits) : Recorded{};
}

/// "new 4, sequence_nak 1": what a direction of a connection sent.
std::string marks(const Timeline& timeline, std::size_t connection, std::size_t direction) {
  std::string text;
  for (const auto& marked : timeline.connections.at(connection).directions.at(direction).marks) {
    text += (text.empty() ? "" : ", ") + std::string(model::word(marked.mark));
    if (marked.space == SpaceName::kResponses) text += " response";
    text += " " + std::to_string(marked.series.packets());
  }
  return text;
}

const model::Series* series(const Timeline& timeline, std::size_t connection, std::size_t direction, Mark mark) {
  for (const auto& marked : timeline.connections.at(connection).directions.at(direction).marks) {
    if (marked.mark == mark) return &marked.series;
  }
  return nullptr;
}

TEST(Analysis, FastCnpsAreNoConnectionSeenInOneDirection) {
  const std::string data = "ip 2001:db8::1/2001:db8::2 | W 100-103 | ACK 103 | W 104 | ACK 104 | ";
  EXPECT_EQ(record(data + "FCNP").snapshot.capture.one_way_connections, 0u);
  EXPECT_EQ(record(data + "FCNP").snapshot.fast_cnps.size(), 1u);
  EXPECT_EQ(record(data + "qp 5/6 | CNP").snapshot.capture.one_way_connections, 1u) << "an ordinary one for nobody";
}

TEST(Recorder, DrawsEachPacketAsWhatItWas) {
  const auto r = record("W 100-103 | drop 102 | NAK 102 | W 102-103 | ACK 103 | CNP");
  ASSERT_EQ(r.timeline.connections.size(), 1u);
  EXPECT_EQ(marks(r.timeline, 0, 0), "new 3, gap 1, resent_nak 2");
  EXPECT_EQ(marks(r.timeline, 0, 1).substr(0, 31), "sequence_nak 1, ack 1, cnp 1");
  EXPECT_TRUE(r.timeline.connections[0].in_full());
  const model::Series* resent = series(r.timeline, 0, 0, Mark::kResentNak);
  ASSERT_NE(resent, nullptr);
  EXPECT_EQ(resent->cells()[0].low, 102);
  EXPECT_EQ(resent->cells()[0].frame, FrameId(0, 5));
  EXPECT_EQ(series(r.timeline, 0, 1, Mark::kSequenceNak)->cells()[0].low, 102);
}

TEST(Recorder, DrawsFastCnpsApartAndWithTheDataTheyAreAbout) {
  const auto r = record("ip 2001:db8::1/2001:db8::2 | W 100-103 | FCNP | ACK 103 | W 104-105 | FCNP | ACK 105 | CNP");
  ASSERT_EQ(r.timeline.connections.size(), 2u);
  EXPECT_EQ(marks(r.timeline, 0, 0), "new 6, told_by_switch 2");
  EXPECT_EQ(marks(r.timeline, 0, 1), "ack 2, round_trip 2, cnp 1");
  EXPECT_EQ(marks(r.timeline, 1, 0), "fast_cnp 2");
  EXPECT_EQ(series(r.timeline, 0, 0, Mark::kToldBySwitch)->cells()[0].frame, FrameId(0, 5));
  EXPECT_TRUE(r.timeline.connections[0].in_full());
}

TEST(Recorder, TakesTheCauseThatLaterPacketsSettle) {
  // Late, then found out to be the sender going back.
  const auto r = record("W 100-105 | drop 102 | NAK 102 | wait 1ms | W 102-105 | ACK 105");
  EXPECT_EQ(marks(r.timeline, 0, 0), "new 5, gap 1, resent_nak 4");
  const auto reordered = record("W 100-105 | late 102 after=104 | ACK 105 | W 106-110 | ACK 110");
  EXPECT_NE(marks(reordered.timeline, 0, 0).find("reordered 1"), std::string::npos);
}

TEST(Recorder, ExtendsPsnsOverTheWrapForBothDirections) {
  const auto r = record("W 0xFFFFFE-1 | ACK 1");
  const auto& cells = series(r.timeline, 0, 0, Mark::kNew)->cells();
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_EQ(cells[3].low - cells[0].low, 3);
  EXPECT_EQ(series(r.timeline, 0, 1, Mark::kAck)->cells()[0].low, cells[3].low);
}

TEST(Recorder, GivesAQueuePairUsedAgainItsOwnPlot) {
  const auto r = record(
      "REQ 100 | REP 500 | RTU | W 100-103 | ACK 103 | qp 17/18 new | REQ 9000 | REP 800 | RTU | W 9000-9003 | ACK "
      "9003");
  ASSERT_EQ(r.snapshot.connections.size(), r.timeline.connections.size());
  for (std::size_t i = 0; i < r.timeline.connections.size(); ++i) {
    std::uint64_t drawn = 0;
    for (const auto& marked : r.timeline.connections[i].directions[0].marks) {
      if (model::counts_packets(marked.mark)) drawn += marked.series.packets();
    }
    EXPECT_EQ(drawn, r.snapshot.connections[i].a_to_b->frames) << i;
  }
}

TEST(Recorder, DrawsPauseFramesByClass) {
  // Destination, source, EtherType MAC control, opcode PFC, class 3 named, quanta of class 3.
  std::vector<generate::TimedFrame> frames;
  for (const std::uint8_t quanta : {std::uint8_t{0xFF}, std::uint8_t{0x00}}) {
    generate::TimedFrame frame;
    frame.time = generate::kScenarioStart;
    frame.bytes = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00, 0x01,   0x88,
                   0x08, 0x01, 0x01, 0x00, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, quanta, quanta};
    frame.bytes.resize(60);
    frames.push_back(frame);
  }
  const auto r = record(frames);
  ASSERT_EQ(r.timeline.pauses.size(), 1u);
  EXPECT_EQ(r.timeline.pauses[0].priority, 3);
  EXPECT_EQ(r.timeline.pauses[0].xoff.packets(), 1u);
  EXPECT_EQ(r.timeline.pauses[0].xoff.cells()[0].low, 0xFFFF);
  EXPECT_EQ(r.timeline.pauses[0].xon.packets(), 1u);
}

/// Many connections in little trouble, one in much; all numbers far above the limits.
std::string crowd() {
  std::string scenario;
  for (int qp = 20; qp < 40; ++qp) {
    scenario += "qp " + std::to_string(qp) + "/" + std::to_string(qp + 100) + " | W 100-299 | ACK 299 | ";
  }
  return scenario + "qp 7/8 | W 100-199 | drop 110 | NAK 110 | W 110-199 | ACK 199";
}

TEST(Recorder, KeepsWithinItsBoundsAndLosesNoCount) {
  RecorderLimits limits;
  limits.cells = 600;
  const auto r = record(crowd(), limits);
  EXPECT_LE(r.most_cells, limits.cells);
  std::uint64_t drawn = 0;
  for (const auto& c : r.timeline.connections) {
    for (const auto& d : c.directions) {
      for (const auto& marked : d.marks) drawn += model::counts_packets(marked.mark) ? marked.series.packets() : 0;
    }
  }
  EXPECT_EQ(drawn, r.snapshot.capture.roce_frames);
  const auto& troubled = r.timeline.connections.back();
  EXPECT_TRUE(troubled.in_full());
  EXPECT_FALSE(r.timeline.connections[3].in_full());
}

TEST(Recorder, DrawsConnectionsBeyondTheLimitTogether) {
  RecorderLimits limits;
  limits.connections = 5;
  const auto r = record(crowd(), limits);
  EXPECT_EQ(r.timeline.connections.size(), 5u);
  EXPECT_EQ(r.timeline.other_connections, 16u);
  std::uint64_t resent = 0;
  for (const auto& marked : r.timeline.others) resent += marked.mark == Mark::kResentNak ? marked.series.packets() : 0;
  EXPECT_EQ(resent, 90u);
}

TEST(Recorder, FilesWhatIsNotSettledInTimeAsItWasRead) {
  RecorderLimits limits;
  limits.unsettled = 1;
  const auto r = record("W 100-120 | drop 102 | NAK 102 | W 102-120 | ACK 120", limits);
  std::uint64_t resent = 0;
  for (const auto& marked : r.timeline.connections[0].directions[0].marks) {
    if (marked.mark > Mark::kNew && marked.mark <= Mark::kDuplicate) resent += marked.series.packets();
  }
  EXPECT_EQ(resent, 19u);
}

}  // namespace
}  // namespace rocetop::engine
