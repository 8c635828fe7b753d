// SPDX-License-Identifier: BSD-3-Clause
// The tab of the capture itself: what it is worth, where it comes from, what is written, what was forgotten.
#include <fmt/format.h>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/words.h"
#include "present/honesty_text.h"
#include "present/live_text.h"
#include "present/screens/drawing.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

void heading(std::vector<StyledLine>& lines, std::string_view text) {
  if (!lines.empty()) lines.emplace_back();
  lines.push_back({{" " + std::string(text), Role::kStrong}});
}

void add_worth(std::vector<StyledLine>& lines, const Drawing& d) {
  heading(lines, "What it is worth");
  std::string text;
  for (const Span& span : honesty_spans(d.s().totals)) text += (text.empty() ? "" : " ") + span.text;
  const model::CaptureCounts& c = d.s().totals.capture;
  const bool lossy = c.dropped_reported.value_or(0) != 0 || c.capture_missed_packets != 0;
  add_text(lines, d, text, lossy ? Role::kWarning : Role::kPlain, 3);
  if (const std::string also = also_there(c); !also.empty()) add_text(lines, d, "also: " + also, Role::kQuiet, 3);
  if (const std::string signs = congestion_text(d.s().totals); !signs.empty())
    add_text(lines, d, signs, Role::kPlain, 3);
  for (std::size_t i = 0; i < c.undecodable.size(); ++i) {
    if (c.undecodable[i] == 0) continue;
    add_text(lines, d,
             fmt::format("{} RoCE but not decoded: {}", grouped(c.undecodable[i]),
                         model::in_words(static_cast<wire::Undecodable>(i))),
             Role::kWarning, 3);
  }
  for (const model::InputProblem& problem : d.s().totals.problems)
    add_text(lines, d, problem.message, Role::kCritical, 3);
}

void add_interface(std::vector<StyledLine>& lines, const Drawing& d, const model::LiveInterface& i) {
  std::string text = fmt::format("{}: {} since {}", i.name, model::word(i.state), clock_text(d, i.since));
  if (i.changes != 0) text += fmt::format(" ({})", plural(i.changes, "change"));
  text += fmt::format("; {}, {}; {} dropped by the kernel, {} by the interface; stamps in {}",
                      plural(i.frames, "packet"), bytes_text(i.bytes_on_wire), grouped(i.dropped),
                      grouped(i.dropped_by_interface), i.nanoseconds ? "nanoseconds" : "microseconds");
  const bool fine = i.state == model::LinkState::kUp && i.error.empty() && i.dropped == 0;
  add_text(lines, d, text, fine ? Role::kPlain : Role::kWarning, 3, 2);
  if (!i.error.empty()) add_text(lines, d, i.error, Role::kCritical, 5);
  std::string devices;
  for (const std::string& device : i.rdma_devices) devices += (devices.empty() ? "RDMA: " : ", ") + device;
  if (!devices.empty()) add_text(lines, d, devices, Role::kQuiet, 5);
}

void add_recording(std::vector<StyledLine>& lines, const Drawing& d) {
  const model::Recording& r = d.s().recording;
  heading(lines, "Written");
  if (!r.error.empty()) add_text(lines, d, "ended: " + r.error, Role::kCritical, 3);
  if (r.file.empty()) {
    if (r.error.empty())
      add_text(lines, d, "nothing (w begins to write the packets that pass the filter)", Role::kQuiet, 3);
    return;
  }
  add_text(lines, d, fmt::format("{} to {}", plural(r.frames, "packet"), r.file), Role::kPlain, 3);
  if (r.dropped != 0) {
    add_text(lines, d, fmt::format("{} not written: the disk is too slow", plural(r.dropped, "packet")), Role::kWarning,
             3);
  }
}

void add_limits(std::vector<StyledLine>& lines, const Drawing& d) {
  const model::Snapshot& t = d.s().totals;
  heading(lines, "Remembered");
  add_text(lines, d, plural(t.connections.size(), "connection"), Role::kPlain, 3);
  const auto count = [&](std::uint64_t n, std::string_view what) {
    if (n != 0) add_text(lines, d, fmt::format("{} {}", grouped(n), what), Role::kQuiet, 3);
  };
  count(t.silent_connections, "left because they were silent; the totals hold what they did");
  count(t.capture.evicted_connections, "left at the limit of --max-connections; the totals hold what they did");
  count(t.capture.stray_packets, "stray packets that nothing answered, not listed");
  count(t.capture.unpaired_at_limit, "places of unpaired directions forgotten");
  count(d.s().resets, "resets of the counters");
}

}  // namespace

void draw_capture(Drawing& d, Area area) {
  std::vector<StyledLine> lines;
  add_worth(lines, d);
  heading(lines, "Where it comes from");
  for (const model::LiveInterface& i : d.s().interfaces) add_interface(lines, d, i);
  for (const std::string& file : d.s().totals.files) add_text(lines, d, file, Role::kPlain, 3, 2);
  if (const std::string bypass = bypass_text(d.s()); !bypass.empty()) add_text(lines, d, bypass, Role::kWarning, 3);
  add_recording(lines, d);
  add_limits(lines, d);
  draw_page(d, area, lines);
}

}  // namespace rocetop::present
