// SPDX-License-Identifier: BSD-3-Clause
#include "track/hole_log.h"

#include <algorithm>
#include <utility>

#include "track/directions.h"

namespace rocetop::track {
namespace {

constexpr std::uint64_t kStrayLoss = 16;  // PSNs a direction: less may be lost at the end of any pause

/// Directions with data before and after.
std::uint64_t sending(const CaptureHole& silence, const std::vector<ConnectionCounts>& connections) {
  std::uint64_t n = 0;
  each_direction(connections, [&](const DirectionCounts& d) {
    n += d.first_data_time.count != 0 && d.first_data_time <= silence.from && d.last_data_time >= silence.to ? 1 : 0;
  });
  return n;
}

struct Jumps {
  std::uint64_t lost = 0;          // runs of PSNs that were sent again
  std::uint64_t acknowledged = 0;  // … that the receiver had
};

/// Leaves of the jumps those whose PSNs are missing in a connection and were not sent again: what was sent again had
/// been lost, and a queue pair used again does not go on.
Jumps keep_what_went_on(CaptureHole& silence, const std::vector<ConnectionCounts>& connections) {
  std::vector<FrameId> went_on;
  Jumps found;
  silence.psns = 0;
  std::sort(silence.jumps.begin(), silence.jumps.end());
  each_direction(connections, [&](const DirectionCounts& d) {
    for (const SpaceCounts* space : {&d.requests, &d.responses}) {
      for (const MissingRun& run : space->missing) {
        if (!std::binary_search(silence.jumps.begin(), silence.jumps.end(), run.seen_at)) continue;
        if (run.outcome == Outcome::kRetransmitted || run.outcome == Outcome::kReordered) {
          ++found.lost;
          continue;
        }
        found.acknowledged += run.outcome == Outcome::kCaptureMissed ? 1 : 0;
        went_on.push_back(run.seen_at);
        silence.psns += run.psns();
      }
    }
  });
  std::sort(went_on.begin(), went_on.end());
  went_on.erase(std::unique(went_on.begin(), went_on.end()), went_on.end());
  silence.jumps = std::move(went_on);
  silence.jumped = silence.jumps.size();
  return found;
}

}  // namespace

void HoleLog::on_silence(FrameId before, Nanos from, FrameId after, Nanos to) {
  if (silences_.size() >= kSilencesMost) {
    const auto least = std::min_element(silences_.begin(), silences_.end() - 1, [](const auto& a, const auto& b) {
      return a.jumped != b.jumped ? a.jumped < b.jumped : a.to - a.from < b.to - b.from;
    });
    silences_.erase(least);
  }
  silences_.push_back({before, after, from, to, 0, 0, 0, {}});
}

void HoleLog::on_jump(Nanos last, const PacketFacts& packet, std::uint64_t psns) {
  for (auto silence = silences_.rbegin(); silence != silences_.rend() && silence->to > last; ++silence) {
    if (silence->from < last || silence->to > packet.time) continue;
    ++silence->jumped;
    silence->uc_jumps += packet.transport() == wire::Transport::kUc ? 1 : 0;
    silence->psns += psns;
    if (silence->jumps.size() < kJumpsMost) silence->jumps.push_back(packet.frame);
    return;
  }
}

std::vector<CaptureHole> HoleLog::finish(const std::vector<ConnectionCounts>& connections) const {
  std::vector<CaptureHole> holes;
  for (CaptureHole silence : silences_) {
    if (silence.jumped == 0) continue;
    const Jumps jumps = keep_what_went_on(silence, connections);
    if (silence.jumped == 0 || jumps.lost >= silence.jumped) continue;
    const bool between_files = silence.before.file() != silence.after.file();
    // One direction alone may have lost them, or be of a queue pair that was reset meanwhile.
    const bool known = jumps.acknowledged > 0 || (between_files && silence.uc_jumps == 0);
    if (silence.jumped == 1 && !known) continue;
    if (!between_files && silence.psns < kStrayLoss * silence.jumped) continue;
    if (silence.jumped * 2 < sending(silence, connections)) continue;
    holes.push_back(std::move(silence));
  }
  std::sort(holes.begin(), holes.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  return holes;
}

}  // namespace rocetop::track
