// SPDX-License-Identifier: BSD-3-Clause
// Stragglers: one of several connections that do the same, far slower than the rest. In a collective operation all wait
// for it. "The same" is heuristic: one operation, one message size, one common end; jobs that share a host and a
// message size by chance would fool it, were their own rates not as far apart then.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/messages_view.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

constexpr std::uint64_t kMessages = 8;        ///< of fewer, a rate is chance
constexpr std::uint64_t kRateMessage = 4096;  ///< of smaller ones, delays count and not rates
constexpr double kAlike = 2.0;         ///< three of four must be within this of the median, or there is no "rest"
constexpr double kOwnPauses = 0.5;     ///< idle for more than this: it is not given more to do
constexpr double kFar = 2.0;           ///< times the others' round trip from which a peer is elsewhere
constexpr double kPart = 0.2;          ///< of a message's longer time, that the longer way takes: worth a word
constexpr double kMost = 0.67;         ///< … and the whole reason
constexpr double kMarked = 0.01;       ///< share of CE marks from which a connection is congested
constexpr std::size_t kSlowShare = 5;  ///< at most one in five may be slow

struct Runner {
  DirectionView view;
  double rate = 0;  ///< bytes per second while something was outstanding
  std::int64_t completion_p50 = 0;
  std::int64_t shortest_rtt = 0;  ///< ns; 0 where none was measured
  std::uint64_t messages = 0;
  double idle = 0;
  bool congested = false;
};

/// By operation, size, and an end that all have in common.
using Kind = std::tuple<track::Operation, std::int64_t, IpAddress, bool>;
struct Entry {
  Kind kind;
  Runner runner;
};
using Field = std::span<const Entry>;

bool is_marked_often(const DirectionView& v) {
  // READ data travels the other way.
  for (const auto* d : {v.direction, v.opposite}) {
    if (!d) continue;
    const auto ce = static_cast<double>(d->ecn[static_cast<std::size_t>(wire::Ecn::kCe)]);
    if (ce > kMarked * static_cast<double>(d->frames)) return true;
  }
  return false;
}

/// All that can be compared, those of one kind together.
std::vector<Entry> entries_of(const Docket& docket) {
  std::vector<Entry> entries;
  entries.reserve(docket.evidence().connections.size() * 2);
  docket.each_direction([&](const DirectionView& v) {
    const auto main = main_messages(*v.direction);
    if (!main || main->counts->complete < kMessages || main->counts->bytes < kRateMessage * main->counts->complete) {
      return;
    }
    const auto& time = v.direction->messages.time;
    const Nanos busy = time.wall - time.host;
    if (busy.count <= 0) return;
    Runner runner;
    runner.view = v;
    runner.rate = static_cast<double>(main->counts->bytes) * 1e9 / static_cast<double>(busy.count);
    runner.completion_p50 = main->counts->completion_ns.percentile(0.5);
    runner.shortest_rtt = v.direction->round_trips.rtt_ns.min();
    runner.messages = main->counts->complete;
    runner.idle = host_share(*v.direction);
    runner.congested = is_marked_often(v);
    const std::int64_t size = main->counts->size_bytes.percentile(0.5);
    entries.push_back({{main->operation, size, v.direction->dst, true}, runner});
    entries.push_back({{main->operation, size, v.direction->src, false}, runner});
  });
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.kind < b.kind; });
  return entries;
}

/// The rates of all but the slowest few are alike: there is a normal one.
bool has_a_normal_one(const std::vector<double>& ascending, double median) {
  return ascending[ascending.size() / 4] * kAlike >= median &&
         ascending[ascending.size() - 1 - ascending.size() / 4] <= median * kAlike;
}

/// Median of the shortest round trips of the field; 0 where too few were measured. The shortest hold no queue: they are
/// the way there and back, and what the quickest answer takes.
std::int64_t median_distance(const Field& field) {
  std::vector<std::int64_t> distances;
  for (const auto& [kind, r] : field) {
    if (r.shortest_rtt > 0) distances.push_back(r.shortest_rtt);
  }
  if (distances.size() * 2 < field.size()) return 0;
  std::sort(distances.begin(), distances.end());
  return distances[distances.size() / 2];
}

void report(Docket& docket, const Runner& slow, const Field& field, double median, std::int64_t median_completion) {
  const DirectionView& v = slow.view;
  const double ratio = median / slow.rate;
  const std::int64_t near = median_distance(field);
  const double distance =
      near > 0 && slow.shortest_rtt > 0 ? static_cast<double>(slow.shortest_rtt) / static_cast<double>(near) : 1.0;
  // What a message takes longer than theirs, and how much of that its way does.
  const double longer = static_cast<double>(std::max<std::int64_t>(slow.completion_p50 - median_completion, 1));
  const double by_distance = distance >= kFar ? static_cast<double>(slow.shortest_rtt - near) / longer : 0;
  const bool far = by_distance >= kPart;
  const bool explained = by_distance >= kMost;
  Finding& f = docket.add("straggler", explained ? Severity::kInfo : Severity::kWarning,
                          explained || far ? Confidence::kLow : Confidence::kMedium, v);
  f.title =
      explained
          ? fmt::format("{} is {:.1f} times slower than {} like it, and its round trips are {:.1f} times longer, {}",
                        v.direction->src.to_string(), ratio, plural(field.size() - 1, "connection"), distance,
                        path_name(v))
          : fmt::format("{} is a straggler: {:.1f} times slower than {} like it, {}", v.direction->src.to_string(),
                        ratio, plural(field.size() - 1, "connection"), path_name(v));
  f.explanation = fmt::format(
      "It moves the same messages by the same operation as {} that share an end with it, but at {:.3g} MB/s while "
      "something is outstanding, where their median is {:.3g} MB/s. A message takes {} (median), theirs {}. It had "
      "nothing outstanding for {} of its time, so it is not for want of work.",
      plural(field.size() - 1, "connection"), slow.rate / 1e6, median / 1e6, short_duration(Nanos{slow.completion_p50}),
      short_duration(Nanos{median_completion}), percent(slow.idle));
  if (far) {
    f.explanation += fmt::format(
        " Its shortest round trip is {}, where the median of theirs is {}{}", short_duration(Nanos{slow.shortest_rtt}),
        short_duration(Nanos{near}),
        explained ? ": the peer is far away, or slow to answer even when nothing queues. With this much under way at a "
                    "time, that alone makes it as slow."
                  : ", which explains a part of it.");
  }
  f.next_steps = {
      fmt::format(
          "compare {} and {} with the hosts of the other connections: link speed, PCIe width, CPU frequency and "
          "NUMA placement, rate limits, DCQCN counters",
          v.direction->src.to_string(), v.direction->dst.to_string()),
      "compare their paths: the port and cable that only this connection uses"};
  f.ruled_out = {"lower load: messages were outstanding meanwhile"};
  cite(f, v.direction->first_frame, v.direction->first_time);
  cite(f, v.direction->last_request_frame, v.direction->last_request_time);
  f.values = {{"slower_ratio", ratio},
              {"round_trip_ratio", distance},
              {"bytes_per_second", slow.rate},
              {"median_bytes_per_second", median},
              {"completion_p50_ns", static_cast<double>(slow.completion_p50)},
              {"median_completion_p50_ns", static_cast<double>(median_completion)},
              {"compared_connections", static_cast<double>(field.size() - 1)}};
}

}  // namespace

void judge_stragglers(Docket& docket) {
  const Thresholds& t = docket.thresholds();
  std::vector<std::pair<std::uint32_t, const track::DirectionCounts*>> reported;
  const std::vector<Entry> entries = entries_of(docket);
  for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
    while (end < entries.size() && entries[end].kind == entries[begin].kind) ++end;
    const Field field(entries.data() + begin, end - begin);
    if (field.size() < t.straggler_peers + 1) continue;
    std::vector<double> rates;
    std::vector<std::int64_t> completions;
    std::size_t congested = 0;
    for (const auto& [kind, r] : field) {
      rates.push_back(r.rate);
      completions.push_back(r.completion_p50);
      congested += r.congested ? 1 : 0;
    }
    // Unequal shares of one bottleneck are another matter.
    if (congested * 2 > field.size()) continue;
    std::sort(rates.begin(), rates.end());
    std::sort(completions.begin(), completions.end());
    const double median = rates[rates.size() / 2];
    const std::int64_t median_completion = completions[completions.size() / 2];
    if (!has_a_normal_one(rates, median)) continue;
    const auto is_slow = [&](const Entry& entry) {
      const Runner& r = entry.runner;
      return r.rate * t.straggler_ratio <= median && r.idle < kOwnPauses &&
             static_cast<double>(r.completion_p50) >= t.straggler_ratio / 2 * static_cast<double>(median_completion);
    };
    const auto slow = static_cast<std::size_t>(std::count_if(field.begin(), field.end(), is_slow));
    if (slow == 0 || slow > std::max<std::size_t>(1, field.size() / kSlowShare)) continue;
    for (const Entry& entry : field) {
      const Runner& r = entry.runner;
      const std::pair key{r.view.connection->id, r.view.direction};
      if (!is_slow(entry) || std::find(reported.begin(), reported.end(), key) != reported.end()) continue;
      reported.push_back(key);
      report(docket, r, field, median, median_completion);
    }
  }
}

}  // namespace rocetop::verdict
