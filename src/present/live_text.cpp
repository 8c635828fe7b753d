// SPDX-License-Identifier: BSD-3-Clause
#include "present/live_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/trouble.h"
#include "model/words.h"
#include "present/text.h"
#include "verdict/docket.h"

namespace rocetop::present {
namespace {

/// Not negative.
std::uint64_t whole(double number) { return static_cast<std::uint64_t>(std::llround(number)); }

class LiveText {
 public:
  LiveText(const model::LiveSnapshot& snapshot, const LiveTextOptions& options, const TextSink& sink)
      : s_(snapshot), options_(options), sink_(sink) {}

  void write() {
    heading();
    signs();
    honesty();
    for (const auto& interface : s_.interfaces) link(interface);
    recording();
    connections();
    findings();
  }

 private:
  void line(const std::string& text, Tone tone = Tone::kPlain) {
    const TextStyle& style = options_.style;
    const std::string whole = clean(text, style.unicode);
    if (cells(whole) <= style.width) return sink_(paint(style, tone, whole) + "\n");
    const std::size_t indent = std::min(whole.find_first_not_of(' '), whole.size());
    std::string words;
    for (const char c : text.substr(std::min(text.find_first_not_of(' '), text.size()))) {
      const bool second = c == ' ' && words.ends_with(' ');
      words += second ? "\u00A0" : std::string(1, c);  // wrap() keeps these
    }
    std::size_t before = indent;
    for (const std::string& piece : wrap(words, style.width - std::min(indent + 2, style.width / 2), style.unicode)) {
      sink_(std::string(before, ' ') + paint(style, tone, piece) + "\n");
      before = indent + 2;
    }
  }

  std::string a_second(std::uint64_t count) const {
    const double rate = model::per_second(count, s_.interval.duration);
    return count != 0 && rate < 1 ? "<1/s" : short_count(whole(rate)) + "/s";
  }

  void heading() {
    const model::Interval& i = s_.interval;
    const std::string at = rfc3339(s_.time, options_.zone);
    const std::string roce =
        i.frames == 0 ? "" : ", RoCE " + percent(static_cast<double>(i.roce_frames) / static_cast<double>(i.frames));
    line(fmt::format("{}{}  {} packets/s  {}{}  {} of {} active", at.substr(11, 8), s_.final ? " (end)" : "",
                     short_count(whole(model::per_second(i.frames, i.duration))),
                     rate_text(8 * model::per_second(i.bytes_on_wire, i.duration)), roce, i.active,
                     plural(s_.totals.connections.size(), "connection")),
         Tone::kStrong);
  }

  void signs() {
    const model::ConnectionTotals& sum = s_.interval.sum;
    line(fmt::format("  CE {}  CNP {}  resent {}  NAK {}  RNR {}  PFC {}", a_second(sum.ce), a_second(sum.cnps),
                     a_second(sum.retransmitted), a_second(sum.naks), a_second(sum.rnr_naks),
                     a_second(s_.interval.pfc_frames)));
  }

  void honesty() {
    const model::CaptureCounts& c = s_.totals.capture;
    const std::uint64_t dropped = c.dropped_reported.value_or(0);
    const bool lossy = dropped != 0 || c.capture_missed_packets != 0;
    line(fmt::format("  capture: {}, {} unseen{}, {} in all",
                     c.dropped_reported ? plural(dropped, "packet") + " dropped" : "drops not reported",
                     grouped(c.capture_missed_packets),
                     c.completeness_known ? fmt::format(" ({} complete)", percent(c.completeness)) : "",
                     plural(c.frames, "packet")),
         lossy ? Tone::kWarning : Tone::kQuiet);
    const std::uint64_t gone = s_.totals.silent_connections + c.evicted_connections;
    if (gone != 0) {
      line(fmt::format("  {} forgotten: {} silent, {} at the limit", plural(gone, "connection"),
                       grouped(s_.totals.silent_connections), grouped(c.evicted_connections)),
           Tone::kQuiet);
    }
  }

  void link(const model::LiveInterface& i) {
    if (i.state != model::LinkState::kUp) {
      line(fmt::format("  {}: {} since {}, waited for", i.name, model::word(i.state),
                       rfc3339(i.since, options_.zone).substr(11, 8)),
           Tone::kWarning);
    } else if (!i.error.empty()) {
      line("  " + i.error, Tone::kCritical);
    }
    if (!i.bypass_suspected) return;
    std::string devices;
    for (const std::string& device : i.rdma_devices) devices += (devices.empty() ? "" : ", ") + device;
    line(fmt::format("  {}: {} moves packets that the kernel does not see: the adapter bypasses it", i.name, devices),
         Tone::kWarning);
  }

  void recording() {
    const model::Recording& r = s_.recording;
    if (!r.error.empty()) line("  not recording: " + r.error, Tone::kCritical);
    if (r.file.empty()) return;
    line(fmt::format("  recording to {}: {}{}", r.file, plural(r.frames, "packet"),
                     r.dropped == 0 ? "" : fmt::format(", {} lost as the disk is too slow", grouped(r.dropped))),
         r.dropped == 0 ? Tone::kQuiet : Tone::kWarning);
  }

  void connections() {
    std::vector<model::Trouble> list = model::by_trouble(s_.totals);
    const auto rank = [&](const model::Trouble& t) {
      return std::tuple{t.quiet ? 1 : 0, -static_cast<std::int64_t>(s_.recent[t.index].bytes_on_wire), t.index};
    };
    std::sort(list.begin(), list.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    for (std::size_t i = 0; i < list.size() && i < options_.connections; ++i) {
      const model::ConnectionTotals& recent = s_.recent[list[i].index];
      const model::ConnectionTotals& all = list[i].totals;
      std::string text =
          fmt::format("  {:>3} {}  {}  resent {}", s_.totals.connections[list[i].index].id,
                      verdict::connection_name(s_.totals.connections[list[i].index]),
                      rate_text(recent.bits_per_second().value_or(0)), percent(all.retransmitted_ratio().value_or(0)));
      const auto add = [&](std::string_view name, std::uint64_t n) {
        if (n != 0) text += fmt::format("  {} {}", name, short_count(n));
      };
      add("missing", all.missing);
      add("NAK", all.naks);
      add("RNR", all.rnr_naks);
      add("CE", all.ce);
      add("CNP", all.cnps);
      line(text, recent.frames == 0 ? Tone::kQuiet : Tone::kPlain);
    }
    if (list.size() > options_.connections) {
      line(fmt::format("      and {} more", grouped(list.size() - options_.connections)), Tone::kQuiet);
    }
  }

  void findings() {
    const auto& list = s_.totals.findings;
    for (std::size_t i = 0; i < list.size() && i < options_.findings; ++i) {
      const verdict::Finding& f = list[i];
      const Tone tone = f.severity == verdict::Severity::kCritical  ? Tone::kCritical
                        : f.severity == verdict::Severity::kWarning ? Tone::kWarning
                                                                    : Tone::kInfo;
      const bool over = is_over(i);
      line(fmt::format("  {}{} {}: {}", over ? over_text(i) : "", model::word(f.severity), f.rule, f.title),
           over ? Tone::kQuiet : tone);
    }
    if (list.size() > options_.findings) {
      line(fmt::format("  and {}", plural(list.size() - options_.findings, "more finding")), Tone::kQuiet);
    }
  }

  /// The last look is about all.
  bool is_over(std::size_t i) const {
    const model::FindingState* state = s_.state_of_finding(i);
    return state != nullptr && !state->active && !s_.final;
  }
  std::string over_text(std::size_t i) const {
    const auto& last = s_.finding_states[i].last_seen;
    return last ? fmt::format("(last seen {} ago) ", short_duration(std::max(s_.time - *last, Nanos{}))) : "(over) ";
  }

  const model::LiveSnapshot& s_;
  const LiveTextOptions& options_;
  const TextSink& sink_;
};

}  // namespace

void write_live_text(const model::LiveSnapshot& snapshot, const LiveTextOptions& options, const TextSink& sink) {
  LiveText(snapshot, options, sink).write();
}

std::string bypass_text(const model::LiveSnapshot& snapshot) {
  for (const model::LiveInterface& i : snapshot.interfaces) {
    if (!i.bypass_suspected || i.rdma_devices.empty()) continue;
    const std::string& device = i.rdma_devices.front();
    return "The RDMA device " + device + " moves packets, but none of them reaches the kernel on " + i.name +
           ".\nCapture on the device itself, if libpcap was built for it: rocetop live -i " + device +
           " (it slows the traffic, and reports no drops).\nOr mirror the port at the switch, or use the adapter's own "
           "capture, and read the file: rocetop live -r FILE.\n";
  }
  return {};
}

}  // namespace rocetop::present
