// SPDX-License-Identifier: BSD-3-Clause
// The capture itself: what it missed, cut, or holds twice, and what that means for every other verdict.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "track/directions.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

using track::Outcome;

/// " Nothing was captured for 1.20 s, …": the longest of them.
std::string holes_text(const std::vector<track::CaptureHole>& holes) {
  if (holes.empty()) return {};
  const auto& longest = *std::max_element(holes.begin(), holes.end(),
                                          [](const auto& a, const auto& b) { return a.to - a.from < b.to - b.from; });
  return fmt::format(
      " {} nothing was captured for {}, although {} went on by {} meanwhile: that is a hole in the capture, whatever "
      "became of these packets.",
      holes.size() == 1 ? "Once" : fmt::format("{} times, the longest time told here,", grouped(holes.size())),
      short_duration(longest.to - longest.from),
      plural(longest.jumped, "direction of a connection", "directions of connections"), plural(longest.psns, "PSN"));
}

void incomplete(Docket& docket) {
  const auto& c = docket.evidence().capture;
  const std::uint64_t dropped = c.dropped_reported.value_or(0);
  if (c.capture_missed_packets == 0 && dropped == 0 && c.holes.empty()) return;
  const Thresholds& t = docket.thresholds();
  const bool low = c.completeness < t.low_completeness;
  const bool poor = c.completeness < t.poor_completeness;
  Finding& f = docket.add("capture.incomplete",
                          c.capture_missed_packets > 0 || !c.holes.empty() ? Severity::kWarning : Severity::kInfo,
                          Confidence::kHigh);
  f.title = c.capture_missed_packets > 0
                ? fmt::format("the capture missed {} that the receivers acknowledged: {} complete",
                              plural(c.capture_missed_packets, "packet"), percent(c.completeness))
            : !c.holes.empty() ? fmt::format("the capture stood still {}", plural(c.holes.size(), "time"))
                               : fmt::format("the capture reports {} of its own", plural(dropped, "drop"));
  f.explanation = fmt::format(
      "Gaps that were acknowledged all the same are the capture's, not the network's, and are counted apart.{}{}{}",
      holes_text(c.holes),
      dropped > 0 ? fmt::format(" The capture itself reports {}.", plural(dropped, "dropped frame")) : "",
      low ? fmt::format(" So much is missing that verdicts about loss are given with {} confidence.",
                        poor ? "low" : "lower")
          : "");
  f.next_steps = {
      "capture with a larger buffer (tcpdump -B), a shorter snap length, a filter on UDP 4791 and 4794, or on less "
      "traffic"};
  const auto ring = std::find_if(c.holes.begin(), c.holes.end(),
                                 [](const auto& hole) { return hole.before.file() != hole.after.file(); });
  if (ring != c.holes.end()) {
    f.next_steps.insert(f.next_steps.begin(), fmt::format("look for a file that belongs between file {} and file {}",
                                                          ring->before.file() + 1, ring->after.file() + 1));
  }
  for (const auto& hole : c.holes) {
    cite(f, hole.before, hole.from);
    cite(f, hole.after, hole.to);
  }
  for (const auto& connection : docket.evidence().connections) {
    bool concerned = false;
    track::each_direction_of(connection, [&](const track::DirectionCounts& d) {
      for (const auto* space : {&d.requests, &d.responses}) {
        for (const auto& run : space->missing) {
          if (run.outcome != Outcome::kCaptureMissed) continue;
          cite(f, run);
          concerned = true;
        }
      }
    });
    if (concerned && f.connections.size() < 100) f.connections.push_back(connection.id);
  }
  f.values = {{"missed_packets", static_cast<double>(c.capture_missed_packets)},
              {"completeness_ratio", c.completeness}};
  if (!c.holes.empty()) f.values.emplace_back("holes", static_cast<double>(c.holes.size()));
  if (c.dropped_reported) f.values.emplace_back("dropped_reported", static_cast<double>(dropped));
}

void one_way(Docket& docket) {
  std::vector<std::uint32_t> ids;
  std::uint64_t both = 0;
  std::uint64_t frames = 0;
  std::set<std::pair<IpAddress, IpAddress>> hosts;
  std::vector<const track::DirectionCounts*> seen;
  for (const auto& c : docket.evidence().connections) {
    if (c.transport != wire::Transport::kRc && c.transport != wire::Transport::kXrc) continue;
    if (c.a_to_b && c.b_to_a) {
      ++both;
      continue;
    }
    const auto& d = c.a_to_b ? *c.a_to_b : *c.b_to_a;
    if (d.frames == 0) continue;
    ids.push_back(c.id);
    frames += d.frames;
    hosts.insert({d.src, d.dst});
    seen.push_back(&d);
  }
  if (ids.empty()) return;
  // Packets of both directions that no PSN ties together are not a capture of one direction.
  const auto reversed = [&](const track::DirectionCounts* d) { return hosts.count({d->dst, d->src}) > 0; };
  const bool all = both == 0 && std::none_of(seen.begin(), seen.end(), reversed);
  const bool partial = docket.evidence().capture.partial;
  Finding& f = docket.add("capture.one_way", all && !partial ? Severity::kWarning : Severity::kInfo, Confidence::kHigh);
  f.title = all ? (partial ? "what the filter or window let through holds one direction only"
                           : "the capture holds one direction only")
                : fmt::format("{} seen in one direction only", plural(ids.size(), "connection"));
  f.explanation = fmt::format(
      "{} without {}: why a sender went back, what was acknowledged and what the capture missed cannot be seen there. "
      "No "
      "verdict about the missing direction is given.",
      plural(frames, "frame"), all ? "any packet of the other direction" : "a counterpart that their PSNs fit");
  f.next_steps = {
      "mirror both directions of the port (rx and tx); with several paths, mirror where both directions pass"};
  for (const auto* d : seen) {
    cite(f, d->first_frame, d->first_time);
    date(f, d->last_time);
  }
  if (ids.size() > 100) ids.resize(100);
  f.connections = std::move(ids);
}

void truncated(Docket& docket) {
  const auto& c = docket.evidence().capture;
  if (c.truncated_frames == 0) return;
  bool headers_cut = false;
  for (const auto& connection : docket.evidence().connections) headers_cut = headers_cut || connection.headers_cut;
  Finding& f = docket.add("capture.truncated", headers_cut ? Severity::kWarning : Severity::kInfo, Confidence::kHigh);
  f.title = fmt::format("{} cut{}", plural(c.truncated_frames, "RoCE packet"),
                        c.snap_length ? fmt::format(" after {} bytes", *c.snap_length) : "");
  f.explanation =
      headers_cut
          ? "Headers that the analysis needs are cut off (the length of a READ, the syndrome of a reply): what they "
            "would say is inferred from the packets around them where possible."
      : docket.evidence().connections.empty()
          ? "Only payload and ICRC are cut off: ICRCs are not checked. No connection was followed."
          : "Only payload and ICRC are cut off: sequence analysis is complete, ICRCs are not checked.";
  f.next_steps = {
      "a snap length of 128 bytes keeps every RoCE header, also behind a tunnel header or two; 0 keeps the ICRC too"};
  cite(f, c.truncated);
  f.frames_total = c.truncated_frames;
  date(f, c.first_time, c.last_time);
  f.values = {{"truncated_frames", static_cast<double>(c.truncated_frames)}};
}

/// Most packets are there twice: a mirror of two ports, or of both directions of one.
void duplicated(Docket& docket) {
  std::uint64_t copies = 0;
  std::uint64_t packets = 0;
  track::each_direction(docket.evidence().connections, [&](const track::DirectionCounts& d) {
    copies += d.requests.duplicate_packets + d.responses.duplicate_packets;
    packets += d.requests.packets + d.responses.packets;
  });
  const std::uint64_t left_out = docket.evidence().capture.duplicated_frames;
  const bool by_interfaces = left_out > copies;
  copies += left_out;
  packets += left_out;
  if (packets == 0) return;
  const double share = static_cast<double>(copies) / static_cast<double>(packets);
  if (share < docket.thresholds().duplicated_share) return;
  Finding& f = docket.add("capture.duplicated", Severity::kWarning, Confidence::kHigh);
  f.title = fmt::format("{} of the packets are in the capture twice", percent(share * 2 > 1 ? 1.0 : share * 2));
  f.explanation =
      by_interfaces
          ? "The same bytes pass two of the captured interfaces within microseconds: two ends of one link, or an "
            "interface and what it is made of. The copies are left out of what is said of connections; the capture's "
            "own frame and byte counts include them."
          : "The copies follow their originals at once, on every connection alike: the capture point sees each packet "
            "at two ports. They are counted as duplicates and not as retransmissions; frame and byte counts include "
            "them.";
  f.next_steps = {
      by_interfaces
          ? "capture one of the interfaces (-i NAME, not any)"
          : "mirror one port, or one direction of each port; or remove duplicates before the analysis (editcap -d)"};
  date(f, docket.evidence().capture.first_time, docket.evidence().capture.last_time);
  f.values = {{"duplicate_packets", static_cast<double>(copies)}, {"duplicate_ratio", share}};
}

}  // namespace

void judge_capture(Docket& docket) {
  incomplete(docket);
  one_way(docket);
  truncated(docket);
  duplicated(docket);
}

}  // namespace rocetop::verdict
