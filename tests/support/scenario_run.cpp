// SPDX-License-Identifier: BSD-3-Clause
#include "support/scenario_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "generate/scenario.h"
#include "track/joins.h"
#include "track/tracker.h"
#include "wire/decode.h"

namespace rocetop::test {
namespace {

class Recorder final : public track::ResolutionSink {
 public:
  explicit Recorder(std::vector<track::Resolution>& out) : out_(out) {}
  void on_resolution(const track::Resolution& resolution) override { out_.push_back(resolution); }
  void on_second_look(const track::SecondLook& look) override {
    looked_again_[look.packet.frame.number()] = look.observation.connection;
  }
  void on_join(std::uint32_t kept, std::uint32_t gone) override { joins_.add(kept, gone); }

  std::uint32_t final_connection(std::uint64_t frame, std::uint32_t observed) const {
    const auto again = looked_again_.find(frame);
    return joins_.final_number(again == looked_again_.end() ? observed : again->second);
  }

 private:
  std::vector<track::Resolution>& out_;
  std::map<std::uint64_t, std::uint32_t> looked_again_;
  track::Joins joins_;
};

}  // namespace

TrackerRun track_frames(std::span<const generate::TimedFrame> frames, std::optional<std::uint64_t> link_speed,
                        const track::Limits& limits) {
  TrackerRun run;
  Recorder recorder(run.resolutions);
  track::Tracker tracker(limits, &recorder);
  wire::Decoded decoded;
  std::uint64_t number = 0;
  for (const generate::TimedFrame& frame : frames) {
    const auto wire_bytes = static_cast<std::uint32_t>(frame.bytes.size());
    wire::decode(LinkType::kEthernet, frame.bytes, wire_bytes, {}, decoded);
    ++number;
    if (decoded.kind == wire::FrameKind::kPause) {
      tracker.on_pause(decoded.pause, 0, FrameId(0, number), frame.time, link_speed);
      run.observations.emplace_back();
      continue;
    }
    EXPECT_EQ(decoded.kind, wire::FrameKind::kRoce) << "frame " << number;
    run.observations.push_back(tracker.on_packet(decoded.packet, FrameId(0, number), frame.time, wire_bytes));
  }
  run.connections = tracker.finish();
  for (std::size_t i = 0; i < run.observations.size(); ++i) {
    run.final_connections.push_back(recorder.final_connection(i + 1, run.observations[i].connection));
  }
  std::sort(run.connections.begin(), run.connections.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  run.rejections = tracker.rejections();
  run.set_ups = tracker.set_ups();
  run.receivers = tracker.receivers();
  run.cnp_pacing = tracker.cnp_pacing();
  run.fast_cnps = tracker.fast_cnps().finish();
  run.pauses = tracker.pauses(frames.empty() ? Nanos{} : frames.back().time);
  run.stray_damaged_packets = tracker.stray_damaged_packets();
  return run;
}

TrackerRun track_scenario(std::string_view scenario, std::optional<std::uint64_t> link_speed) {
  const auto frames = generate::run_scenario(scenario);
  EXPECT_TRUE(frames) << scenario << "\n" << (frames ? "" : frames.error().message);
  return frames ? track_frames(frames.value(), link_speed) : TrackerRun{};
}

const track::ConnectionCounts& only(const TrackerRun& run) {
  static const track::ConnectionCounts none;
  EXPECT_EQ(run.connections.size(), 1U);
  return run.connections.empty() ? none : run.connections.front();
}

Directions directions_of(std::string_view scenario) {
  const TrackerRun run = track_scenario(scenario);
  const track::ConnectionCounts& connection = only(run);
  return {connection.a_to_b.value_or(track::DirectionCounts{}), connection.b_to_a.value_or(track::DirectionCounts{})};
}

}  // namespace rocetop::test
