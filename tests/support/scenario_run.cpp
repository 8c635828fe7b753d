// SPDX-License-Identifier: BSD-3-Clause
#include "support/scenario_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "generate/scenario.h"
#include "track/tracker.h"
#include "wire/decode.h"

namespace rocetop::test {
namespace {

class Recorder final : public track::ResolutionSink {
 public:
  explicit Recorder(std::vector<track::Resolution>& out) : out_(out) {}
  void on_resolution(const track::Resolution& resolution) override { out_.push_back(resolution); }

 private:
  std::vector<track::Resolution>& out_;
};

}  // namespace

TrackerRun track_frames(std::span<const generate::TimedFrame> frames, const track::Limits& limits) {
  TrackerRun run;
  Recorder recorder(run.resolutions);
  track::Tracker tracker(limits, &recorder);
  wire::Decoded decoded;
  std::uint64_t number = 0;
  for (const generate::TimedFrame& frame : frames) {
    const auto wire_bytes = static_cast<std::uint32_t>(frame.bytes.size());
    wire::decode(LinkType::kEthernet, frame.bytes, wire_bytes, {}, decoded);
    ++number;
    EXPECT_EQ(decoded.kind, wire::FrameKind::kRoce) << "frame " << number;
    run.observations.push_back(tracker.on_packet(decoded.packet, FrameId(0, number), frame.time, wire_bytes));
  }
  run.connections = tracker.finish();
  std::sort(run.connections.begin(), run.connections.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  run.rejections = tracker.rejections();
  run.set_ups = tracker.set_ups();
  run.receivers = tracker.receivers();
  run.cnp_pacing = tracker.cnp_pacing();
  run.stray_damaged_packets = tracker.stray_damaged_packets();
  return run;
}

TrackerRun track_scenario(std::string_view scenario) {
  const auto frames = generate::run_scenario(scenario);
  EXPECT_TRUE(frames) << scenario << "\n" << (frames ? "" : frames.error().message);
  return frames ? track_frames(frames.value()) : TrackerRun{};
}

}  // namespace rocetop::test
