// SPDX-License-Identifier: BSD-3-Clause
#include "present/delay_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/fields.h"
#include "model/words.h"
#include "present/peers_text.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

constexpr std::size_t kLabel = 14;  // cells of a line's name, with the gap after it
constexpr std::size_t kProseWidth = 110;

using Direction = track::DirectionCounts;

std::string time_text(std::int64_t ns) { return short_duration(Nanos{ns}); }

/// "p50 6.72 µs, p99 7.18 µs, max 7.18 µs"; one value alone where there is one.
std::string distribution_text(const Histogram& h) {
  if (h.count() == 1) return time_text(h.max());
  return fmt::format("p50 {}, p99 {}, max {}", time_text(h.percentile(0.5)), time_text(h.percentile(0.99)),
                     time_text(h.max()));
}

class DelaysText {
 public:
  DelaysText(const verdict::Thresholds& thresholds, const TextStyle& style, const TextSink& sink)
      : thresholds_(thresholds), style_(style), sink_(sink) {
    style_.width = std::min(style_.width, kProseWidth);
  }

  void direction(const Direction& d) const {
    const std::string path =
        fmt::format("times of the requests {} → {}", d.src.to_string(), end_point_text(d.dst, d.dst_qpn));
    sink_("\n" + paragraph(style_, {{path, Tone::kStrong}}, 0, 2));
    if (!d.tap_evidence.why.empty()) tap(d);
    if (!d.round_trips.rtt_ns.empty()) round_trips(d.round_trips);
    for (std::size_t i = 0; i < track::kOperations; ++i) {
      if (const auto& m = d.messages.operations[i]) messages(static_cast<track::Operation>(i), *m);
    }
    if (d.messages.outstanding_reads.max() > 1) {
      line("outstanding",
           fmt::format("READs and atomics at a time: median {}, most {}", d.messages.outstanding_reads.percentile(0.5),
                       d.messages.outstanding_reads.max()));
    }
    split(d.messages.time);
    waits(d.messages);
  }

 private:
  void line(std::string_view name, const std::string& text) const {
    sink_("  " + paint(style_, Tone::kQuiet, pad_right(name, kLabel - 2)) +
          paragraph(style_, {{keep_together(text)}}, kLabel, kLabel));
  }

  void tap(const Direction& d) const {
    line("tap",
         fmt::format("{} ({}): {}", model::in_words(d.tap), model::word(d.tap_evidence.sure), d.tap_evidence.why));
  }

  void round_trips(const track::RoundTripCounts& trips) const {
    std::string text = fmt::format("{}; {}", distribution_text(trips.rtt_ns), plural(trips.rtt_ns.count(), "sample"));
    const double above = trips.rtt_ns.share_above(thresholds_.rtt_target.count);
    if (above > 0) text += fmt::format("; {} above {}", percent(above), short_duration(thresholds_.rtt_target));
    if (trips.rising != 0) {
      text += fmt::format("; rising at {}",
                          percent(static_cast<double>(trips.rising) / static_cast<double>(trips.compared)));
    }
    line("round trip", text);
  }

  void messages(track::Operation operation, const track::MessageCounts& m) const {
    std::string name(model::word(operation));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::string text = plural(m.complete, "message");
    if (m.complete != 0) {
      if (m.bytes != 0) text += fmt::format(" of {}", bytes_text(m.bytes / m.complete));
      if (m.size_bytes.min() != m.size_bytes.max()) text += " on average";
      text += ": " + distribution_text(m.completion_ns);
      const Nanos lasted = m.last_time - m.first_time;
      if (m.complete > 1 && lasted.count > 0) {
        text += fmt::format("; {:.4g}/s", static_cast<double>(m.complete) * 1e9 / static_cast<double>(lasted.count));
      }
    }
    if (!m.idle_ns.empty()) {
      text += fmt::format("; {} after a pause, {}", grouped(m.idle_ns.count()), distribution_text(m.idle_ns));
    }
    if (m.partial != 0) text += fmt::format("; {} seen in part", grouped(m.partial));
    if (m.open != 0) text += fmt::format("; {} not completed", grouped(m.open));
    line(name, text);
  }

  /// Largest share first.
  void split(const track::TimeSplit& time) const {
    if (time.wall.count <= 0) return;
    const auto words = [](std::string_view key) { return model::delay_field(key).heading; };
    std::array<std::pair<Nanos, std::string_view>, 4> parts = {{{time.moving, words("time_split.moving_ns")},
                                                                {time.network, words("time_split.network_ns")},
                                                                {time.peer, words("time_split.peer_ns")},
                                                                {time.host, words("time_split.host_ns")}}};
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text = short_duration(time.wall) + ": ";
    bool first = true;
    for (const auto& [spent, what] : parts) {
      if (spent.count <= 0) continue;
      text += fmt::format("{}{} {}", first ? "" : ", ",
                          percent(static_cast<double>(spent.count) / static_cast<double>(time.wall.count)), what);
      first = false;
    }
    line("time", text);
  }

  void waits(const track::MessageStats& stats) const {
    if (stats.rnr_waits != 0) {
      line("RNR", fmt::format("{}, {} in all where {} was asked for", plural(stats.rnr_waits, "wait"),
                              short_duration(stats.rnr_waited), short_duration(stats.rnr_advertised)));
    }
    if (stats.no_credit_replies != 0) {
      line("credits",
           fmt::format("{} left none; {} until there were some", plural(stats.no_credit_replies, "acknowledgement"),
                       short_duration(stats.without_credit)));
    }
  }

  const verdict::Thresholds& thresholds_;
  TextStyle style_;
  const TextSink& sink_;
};

}  // namespace

void write_delays_text(const track::ConnectionCounts& connection, const verdict::Thresholds& thresholds,
                       const TextStyle& style, const TextSink& sink) {
  const DelaysText text(thresholds, style, sink);
  for (const auto* d : {&connection.a_to_b, &connection.b_to_a}) {
    if (*d && (*d)->messages.time.wall.count > 0) text.direction(**d);
  }
}

}  // namespace rocetop::present
