// SPDX-License-Identifier: BSD-3-Clause
#include "support/space_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace rocetop::test {
namespace {

constexpr std::array<std::string_view, track::kOutcomes> kOutcomeWords{"retransmitted", "reordered", "capture_missed",
                                                                       "unresolved"};
constexpr std::array<std::string_view, track::kCauses> kCauseWords{"nak",      "rnr",  "timeout", "read_restart",
                                                                   "spurious", "sack", "unknown"};

void add(std::string& out, const std::string& part) { out += (out.empty() ? "" : "; ") + part; }

void add_count(std::string& out, std::string_view word, std::uint64_t count) {
  if (count != 0) add(out, std::string(word) + " " + std::to_string(count));
}

// As the tap met them; the tracker lists them as they are settled.
std::vector<track::MissingRun> in_order(std::vector<track::MissingRun> runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
    if (a.seen_at != b.seen_at) return a.seen_at < b.seen_at;
    return serial_difference(a.first_psn.value, b.first_psn.value) < 0;
  });
  return runs;
}

std::string run_text(const track::MissingRun& run) {
  std::string out = "missing " + std::to_string(run.first_psn.value);
  if (run.last_psn != run.first_psn) out += "-" + std::to_string(run.last_psn.value);
  return out + " " + std::string(kOutcomeWords[static_cast<std::size_t>(run.outcome)]);
}

std::string episode_text(const track::Episode& episode) {
  std::string out = std::string(kCauseWords[static_cast<std::size_t>(episode.cause)]) + " " +
                    std::to_string(episode.first_psn.value) + " x" + std::to_string(episode.packets);
  if (episode.cause == track::Cause::kNak || episode.cause == track::Cause::kRnr) {
    out += " by #" + std::to_string(episode.trigger_frame.number());
  }
  return out + " at #" + std::to_string(episode.first_frame.number());
}

void add_space(std::string& out, std::string_view name, const track::SpaceCounts& space) {
  const std::string text = space_text(space);
  if (text != "clean") out += (out.empty() ? "" : " | ") + std::string(name) + ": " + text;
}

}  // namespace

std::string space_text(const track::SpaceCounts& space) {
  std::string out;
  for (const track::MissingRun& run : in_order(space.missing)) add(out, run_text(run));
  add_count(out, "unseen", space.retransmitted_original_unseen);
  add_count(out, "seen", space.retransmitted_original_seen);
  add_count(out, "reordered", space.reordered_packets);
  add_count(out, "duplicate", space.duplicate_packets);
  for (const track::Episode& episode : space.episodes) add(out, episode_text(episode));
  return out.empty() ? "clean" : out;
}

std::string connection_text(const track::ConnectionCounts& connection) {
  const track::DirectionCounts none;
  const IpAddress a = *IpAddress::parse("192.0.2.1");
  const auto& forth = connection.a_to_b ? *connection.a_to_b : none;
  const auto& back = connection.b_to_a ? *connection.b_to_a : none;
  const bool a_first = connection.a_ip == a;
  std::string out;
  add_space(out, "requests", (a_first ? forth : back).requests);
  add_space(out, "responses", (a_first ? back : forth).responses);
  add_space(out, "B requests", (a_first ? back : forth).requests);
  add_space(out, "B responses", (a_first ? forth : back).responses);
  return out.empty() ? "clean" : out;
}

}  // namespace rocetop::test
