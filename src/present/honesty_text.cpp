// SPDX-License-Identifier: BSD-3-Clause
#include "present/honesty_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/totals.h"
#include "model/words.h"
#include "present/peers_text.h"
#include "present/text.h"
#include "present/veroce_text.h"
#include "track/directions.h"
#include "verdict/loop.h"

namespace rocetop::present {
namespace {

using model::CaptureCounts;

std::uint64_t undecodable(const CaptureCounts& c) {
  return std::accumulate(c.undecodable.begin(), c.undecodable.end(), std::uint64_t{0});
}

std::string undecodable_text(const CaptureCounts& c) {
  std::string reasons;
  for (std::size_t i = 0; i < c.undecodable.size(); ++i) {
    if (c.undecodable[i] == 0) continue;
    if (!reasons.empty()) reasons += "; ";
    reasons += fmt::format("{}: {}", grouped(c.undecodable[i]), model::in_words(static_cast<wire::Undecodable>(i)));
  }
  return fmt::format("{} undecodable ({})", plural(undecodable(c), "RoCE frame"), reasons);
}

std::string size_text(const CaptureCounts& c) {
  std::string text = plural(c.frames, "frame");
  if (c.first_time && c.last_time && c.frames > 1) text += " in " + short_duration(*c.last_time - *c.first_time);
  return text + ", " + grouped(c.roce_frames) + " RoCE";
}

Span completeness(const model::Snapshot& snapshot) {
  const CaptureCounts& c = snapshot.capture;
  if (c.capture_missed_packets != 0) {
    return {fmt::format("INCOMPLETE, {} acknowledged but not captured ({} complete)",
                        plural(c.capture_missed_packets, "packet"), percent(c.completeness)),
            Tone::kWarning};
  }
  if (!c.completeness_known) return {"completeness unknown (no acknowledgement captured)", Tone::kWarning};
  if (undecodable(c) * 2 > c.roce_frames) {
    return {"completeness unknown (most of the RoCE frames are undecodable)", Tone::kWarning};
  }
  if (undecodable(c) != 0) return {"what could be decoded is complete as far as acknowledgements show", Tone::kPlain};
  if (!snapshot.problems.empty()) return {"what was read is complete as far as acknowledgements show", Tone::kPlain};
  return {"complete as far as acknowledgements show", Tone::kGood};
}

Span truncation(const CaptureCounts& c) {
  if (c.truncated_roce_frames == 0) return {"nothing truncated", Tone::kGood};
  std::string text = plural(c.truncated_roce_frames, "RoCE packet") + " cut by the snap length";
  if (c.snap_length) text += fmt::format(" ({} bytes)", *c.snap_length);
  return {text + ": ICRC unchecked there", Tone::kPlain};
}

Span directions(const model::Snapshot& snapshot) {
  const std::uint64_t one_way = snapshot.capture.one_way_connections;
  const auto has_both = [](const track::ConnectionCounts& c) { return c.a_to_b && c.b_to_a; };
  if (one_way == 0 && std::none_of(snapshot.connections.begin(), snapshot.connections.end(), has_both)) {
    return {"one direction seen (UC and UD are not acknowledged)", Tone::kPlain};
  }
  if (one_way == 0) return {"both directions seen", Tone::kGood};
  const std::uint64_t all = std::max<std::uint64_t>(snapshot.connections.size(), one_way);
  return {fmt::format("{} of {} seen in one direction only", grouped(one_way), plural(all, "connection")),
          Tone::kWarning};
}

void add_reported_drops(const CaptureCounts& c, std::vector<Span>& clauses) {
  if (c.dropped_reported.value_or(0) != 0) {
    clauses.push_back({"the capture reports " + plural(*c.dropped_reported, "dropped packet"), Tone::kWarning});
  }
  if (c.drops_are_unknowable) {
    clauses.push_back({"drops unknowable (this kind of capture always reports none)", Tone::kWarning});
  }
}

/// Which part of the input was analysed. A filter is no reason for doubt; an edge of a window is.
void add_parts(const model::Snapshot& snapshot, std::vector<Span>& clauses) {
  const model::Parts& parts = snapshot.parts;
  if (parts.filtered_frames != 0) {
    clauses.push_back({fmt::format("filtered: {} of {} analysed", grouped(snapshot.capture.frames),
                                   plural(snapshot.capture.frames + parts.filtered_frames, "frame")),
                       Tone::kPlain});
  }
  if (parts.before || parts.after) {
    clauses.push_back({std::string("a window of the capture: ") +
                           (parts.before ? "what was sent before it is not known" : "what came after it is not known"),
                       Tone::kWarning});
  }
  if (snapshot.interrupted) {
    clauses.push_back({"reading was interrupted: what came after is not known", Tone::kWarning});
  }
}

/// Where the capture stood still: the first few.
void add_holes(const model::Snapshot& snapshot, std::vector<Span>& clauses) {
  constexpr std::size_t kTold = 3;
  const bool several = snapshot.files.size() > 1;
  for (std::size_t i = 0; i < snapshot.holes.size() && i < kTold; ++i) {
    const track::CaptureHole& hole = snapshot.holes[i];
    const std::size_t more = i + 1 == kTold ? snapshot.holes.size() - kTold : 0;
    clauses.push_back(
        {fmt::format("NO PACKETS between {} and {} ({}), while connections went on{}", frame_text(hole.before, several),
                     frame_text(hole.after, several), short_duration(hole.to - hole.from),
                     more == 0 ? "" : fmt::format(", and {} more such holes", grouped(more))),
         Tone::kWarning});
  }
}

void add_rarer_news(const model::Snapshot& snapshot, std::vector<Span>& clauses) {
  const CaptureCounts& c = snapshot.capture;
  add_reported_drops(c, clauses);
  if (undecodable(c) != 0) clauses.push_back({undecodable_text(c), Tone::kWarning});
  if (c.duplicated_frames != 0) {
    clauses.push_back({plural(c.duplicated_frames, "frame") + " captured twice (counted once)", Tone::kWarning});
  }
  if (c.backward_clock_steps != 0) {
    clauses.push_back({fmt::format("clock went back {} (at most {})", plural(c.backward_clock_steps, "time"),
                                   short_duration(c.largest_backward_step)),
                       Tone::kWarning});
  }
  if (const std::string veroce = veroce_frames_text(snapshot); !veroce.empty()) {
    clauses.push_back({veroce, Tone::kWarning});
  }
  add_holes(snapshot, clauses);
  if (c.evicted_connections != 0) {
    clauses.push_back(
        {plural(c.evicted_connections, "connection") + " dropped from memory at the limit", Tone::kWarning});
  }
  if (c.stray_connections != 0) {
    clauses.push_back({fmt::format("{} with a packet or two that nothing answered left out (noise, most likely): {}",
                                   plural(c.stray_connections, "queue pair"), plural(c.stray_packets, "packet")),
                       Tone::kWarning});
  }
  if (c.unpaired_at_limit != 0) {
    clauses.push_back({"more sides without a counterpart than are remembered: some connections may be given in halves",
                       Tone::kWarning});
  }
  if (c.set_ups_omitted != 0) {
    clauses.push_back({plural(c.set_ups_omitted, "CM exchange") + " beyond the limit not judged", Tone::kWarning});
  }
  if (snapshot.partial) add_parts(snapshot, clauses);
}

/// Damage, cut-off ends and the like: nothing else in the report says that there was more.
void add_problems(const model::Snapshot& snapshot, std::vector<Span>& clauses) {
  const auto& problems = snapshot.problems;
  if (problems.empty()) return;
  const auto fatal = std::find_if(problems.begin(), problems.end(), [](const auto& p) { return p.fatal; });
  const bool stopped = fatal != problems.end();
  std::string text = !stopped       ? "the input HAS A FLAW (" + problems[0].message
                     : fatal->limit ? "a LIMIT of rocetop was reached (" + fatal->message
                                    : "the input is DAMAGED (" + fatal->message;
  if (problems.size() > 1) text += fmt::format(" and {}", plural(problems.size() - 1, "further problem"));
  text += stopped ? "): only what is before it was read"
                  : fmt::format("): {} read", plural(snapshot.capture.frames, "frame"));
  clauses.push_back({text, Tone::kWarning});
}

std::vector<Span> wrap_up(std::vector<Span> clauses) {
  for (std::size_t i = 1; i + 1 < clauses.size(); ++i) clauses[i].text += ",";
  return clauses;
}

struct Sum {
  std::uint64_t resent = 0;
  std::uint64_t missing = 0;
  std::uint64_t naks = 0;
  std::uint64_t rnr = 0;
};

Sum sum(const model::Snapshot& snapshot) {
  Sum s;
  for (const auto& c : snapshot.connections) {
    const auto t = model::totals(c);
    s.resent += t.retransmitted;
    s.missing += t.missing;
    s.naks += t.naks;
    s.rnr += t.rnr_naks;
  }
  return s;
}

/// " (2 of them on so few CNPs that it may be chance)", of `n` closed loops.
std::string chance_text(const model::Snapshot& snapshot, std::uint64_t n) {
  std::uint64_t by_chance = 0;
  track::each_direction(snapshot.connections, [&](const track::DirectionCounts& d) {
    if (d.congestion && d.loop == track::Loop::kClosed) by_chance += verdict::slowed_by_chance(*d.congestion) ? 1 : 0;
  });
  if (by_chance == 0) return {};
  return n == 1 ? " (on so few CNPs that it may be chance)"
                : fmt::format(" ({} of them on so few CNPs that it may be chance)", grouped(by_chance));
}

/// ": 3 loops closed, 1 oscillating"; what is unknown counts too, where there were marks or CNPs.
std::string loops_text(const model::Snapshot& snapshot) {
  using track::Loop;
  constexpr std::pair<Loop, std::string_view> kWords[] = {
      {Loop::kClosed, "closed"},
      {Loop::kOscillating, "oscillating"},
      {Loop::kNotificationMissing, "without CNPs"},
      {Loop::kReactionMissing, "without a slowdown"},
      {Loop::kNotMarked, "without marks"},
      {Loop::kUnknown, "not judged (too little passed)"},
  };
  std::string text;
  for (const auto& [loop, words] : kWords) {
    std::uint64_t n = 0;
    track::each_direction(snapshot.connections,
                          [&](const track::DirectionCounts& d) { n += d.congestion && d.loop == loop ? 1 : 0; });
    if (n == 0) continue;
    text += text.empty() ? fmt::format(": {} {}", plural(n, "congestion loop"), words)
                         : fmt::format(", {} {}", grouped(n), words);
    if (loop == Loop::kClosed) text += chance_text(snapshot, n);
  }
  return text;
}

}  // namespace

std::vector<Span> honesty_spans(const model::Snapshot& snapshot) {
  const CaptureCounts& c = snapshot.capture;
  std::vector<Span> clauses = {{size_text(c) + ":", Tone::kStrong}};
  add_problems(snapshot, clauses);
  if (c.roce_frames != 0 && !snapshot.connections.empty()) {
    clauses.push_back(completeness(snapshot));
    clauses.push_back(truncation(c));
    clauses.push_back(directions(snapshot));
  } else if (c.roce_frames != 0) {
    clauses.push_back({"no queue pair to follow", Tone::kPlain});
  }
  add_rarer_news(snapshot, clauses);
  if (clauses.size() == 1) clauses[0].text.pop_back();
  return wrap_up(std::move(clauses));
}

std::string also_there(const CaptureCounts& c) {
  std::string text;
  const auto add = [&](std::uint64_t n, std::string_view one, std::string_view many) {
    if (n == 0) return;
    if (!text.empty()) text += ", ";
    text += plural(n, one, many);
  };
  add(c.management_frames, "management packet (QP 0, 1)", "management packets (QP 0, 1)");
  add(c.pfc_frames, "PFC frame", "PFC frames");
  add(c.pause_802_3x.xoff_frames + c.pause_802_3x.xon_frames, "802.3x pause frame", "802.3x pause frames");
  add(c.ip_fragments, "IP fragment", "IP fragments");
  add(c.rocev1_frames, "RoCEv1 frame", "RoCEv1 frames");
  add(c.native_infiniband_frames, "native InfiniBand frame (not followed)", "native InfiniBand frames (not followed)");
  const std::uint64_t pauses = c.pfc_frames + c.pause_802_3x.xoff_frames + c.pause_802_3x.xon_frames;
  add(c.not_roce_frames - std::min(c.not_roce_frames, pauses), "other frame", "other frames");
  return text;
}

std::string congestion_text(const model::Snapshot& snapshot) {
  const model::CongestionSigns signs = model::congestion_signs(snapshot.connections);
  if (!signs.any()) return {};
  std::string fast;
  if (signs.fast_cnps != 0) {
    fast = signs.fast_cnps == signs.cnps
               ? " (all sent by switches: Fast CNPs)"
               : fmt::format(" ({} of them sent by switches: Fast CNPs)", grouped(signs.fast_cnps));
  }
  const std::string becn =
      signs.becn == 0 ? "" : " and " + plural(signs.becn, "acknowledgement with BECN", "acknowledgements with BECN");
  return fmt::format("{} and {}{}{} passed{}", plural(signs.ce, "CE-marked packet"), plural(signs.cnps, "CNP"), fast,
                     becn, loops_text(snapshot));
}

std::string no_roce_text(const model::Snapshot& snapshot, const TextStyle& style) {
  const CaptureCounts& c = snapshot.capture;
  const auto step = [&](const std::string& text) { return paragraph(style, {{"→ " + text, Tone::kPlain}}, 0, 2); };
  if (c.frames == 0) {
    std::string text = paragraph(style, {{"no frames: nothing to analyse", Tone::kWarning}}, 0, 2);
    if (snapshot.partial) text += step("nothing passed the filter, --from/--to or -c");
    return text;
  }
  std::string text =
      paragraph(style,
                {{fmt::format("no RoCE: 0 of {} hold RoCE (UDP destination port 4791 or 4794, EtherType 0x8915)",
                              plural(c.frames, "frame")),
                  Tone::kWarning}},
                0, 2);
  const std::string there = also_there(c);
  if (!there.empty()) text += paragraph(style, {{"there: " + there, Tone::kPlain}}, 0, 2);
  if (snapshot.partial) text += step("a filter, --from/--to or -c is set: try without");
  text += step("RoCEv2 on another UDP port: --roce-port N");
  text += step(
      "adapters bypass the kernel: capture on the RDMA device (tcpdump -i mlx5_0), on a mirror port or with an in-line "
      "tap; a capture on the network interface of a host or on a switch's CPU shows no offloaded RDMA");
  return text;
}

/// No rule calls a peer slow, as nobody knows what it should take; that most of the time went by waiting for one is a
/// measurement all the same.
std::string waiting_text(const model::Snapshot& snapshot) {
  constexpr double kMost = 0.5;
  std::uint64_t waiting = 0;
  double worst = 0;
  std::string where;
  track::each_direction(snapshot.connections, [&](const track::ConnectionCounts& c, const track::DirectionCounts& d) {
    const track::TimeSplit& time = d.messages.time;
    if (time.wall.count <= 0 || d.round_trips.rtt_ns.percentile(0.5) < snapshot.thresholds.rtt_target.count) return;
    const double share = static_cast<double>(time.peer.count) / static_cast<double>(time.wall.count);
    if (share < kMost) return;
    ++waiting;
    if (share <= worst) return;
    worst = share;
    where = fmt::format("connection {}, {} of the time for {}", c.id, percent(share), d.dst.to_string());
  });
  if (waiting == 0) return {};
  return fmt::format("{} waited for the peer most of the time ({}{}): a slow responder, or the way to it and back.",
                     plural(waiting, "sender"), waiting == 1 ? "" : "the longest: ", where);
}

std::string no_findings_text(const model::Snapshot& snapshot, const TextStyle& style) {
  const Sum s = sum(snapshot);
  std::string text = "no findings: ";
  if (snapshot.connections.empty()) {
    text += "there is no connection to judge.";
  } else if (s.resent + s.missing + s.naks + s.rnr == 0) {
    const auto is_datagram = [](const track::ConnectionCounts& c) { return c.transport == wire::Transport::kUd; };
    const auto datagrams = std::count_if(snapshot.connections.begin(), snapshot.connections.end(), is_datagram);
    if (static_cast<std::size_t>(datagrams) < snapshot.connections.size()) {
      text += "no packet was sent again, none is missing, and no NAK or RNR NAK passed.";
    } else {
      text += "no rule fired.";
    }
    if (datagrams > 0) text += " Nothing is said about losses of UD: its PSNs tell none.";
  } else {
    text += fmt::format("no rule fired on {} sent again, {} missing, {}, {}.", plural(s.resent, "packet"),
                        plural(s.missing, "PSN"), plural(s.naks, "NAK"), plural(s.rnr, "RNR NAK"));
  }
  std::vector<Span> spans = {{text, Tone::kGood}};
  const std::string congestion = congestion_text(snapshot);
  if (!congestion.empty()) spans.push_back({congestion + ".", Tone::kWarning});
  const std::string waiting = waiting_text(snapshot);
  if (!waiting.empty()) spans.push_back({waiting, Tone::kWarning});
  const CaptureCounts& c = snapshot.capture;
  const bool cut = snapshot.parts.filtered_frames == 0 && snapshot.partial;
  if (c.capture_missed_packets != 0 || c.one_way_connections != 0 || !snapshot.problems.empty() || cut ||
      undecodable(c) != 0 || snapshot.parts.before || snapshot.parts.after) {
    spans.push_back(
        {"This capture is not whole (see above): what it does not show may still have happened.", Tone::kWarning});
  }
  spans.push_back(
      {"A tap sees what passes it: pauses on other links and other paths do not show here, and of a slow host no more "
       "than how long it kept others waiting.",
       Tone::kQuiet});
  return paragraph(style, spans, 0, 2);
}

}  // namespace rocetop::present
