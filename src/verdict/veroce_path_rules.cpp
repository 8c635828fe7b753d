// SPDX-License-Identifier: BSD-3-Clause
// veRoCE spreads the packets of one connection over paths, by UDP source port: one path that loses more, is slower, or
// carries more than the others of its direction. What is even over all paths is no path's doing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "verdict/rules.h"
#include "verdict/veroce_paths.h"
#include "verdict/veroce_recovery.h"

namespace rocetop::verdict {
namespace {

using track::VerocePath;

double as_double(std::uint64_t n) { return static_cast<double>(n); }

double rate(std::uint64_t n, std::uint64_t of) { return of > 0 ? as_double(n) / as_double(of) : 0.0; }

/// "49422 (0xc10e)".
std::string port_text(const VerocePath& path) { return fmt::format("{} ({:#06x})", path.udp_src, path.udp_src); }

/// Something that happened to some packets of one path, and to those of all the others together.
struct Compared {
  const VerocePath* path = nullptr;
  std::uint64_t events = 0;
  std::uint64_t packets = 0;
  std::uint64_t other_events = 0;
  std::uint64_t other_packets = 0;

  double share() const { return rate(events, packets); }
  double other_share() const { return rate(other_events, other_packets); }
};

/// Upper bound (Chernoff) of the chance that, of all events, this path has so many where each packet of all paths is
/// hit alike.
double chance_of(const Compared& c) {
  const double part = rate(c.events, c.events + c.other_events);
  const double expected = rate(c.packets, c.packets + c.other_packets);
  if (part <= expected || expected <= 0) return 1.0;
  double divergence = part * std::log(part / expected);
  if (part < 1) divergence += (1 - part) * std::log((1 - part) / (1 - expected));
  return std::exp(-as_double(c.events + c.other_events) * divergence);
}

/// Paths of which `events` tell clearly more than of all the others together, the worst first. Any of the paths might
/// have stood out, so chance has as many tries as there are paths.
template <typename Events>
std::vector<Compared> standing_out(const track::VeroceDirection& direction, std::uint64_t least, const Thresholds& t,
                                   Events&& events) {
  std::uint64_t all_events = 0;
  std::uint64_t all_packets = 0;
  for (const VerocePath& path : direction.paths) {
    all_events += events(path);
    all_packets += path.packets;
  }
  std::vector<Compared> out;
  for (const VerocePath& path : direction.paths) {
    const std::uint64_t own = events(path);
    const Compared c{&path, own, path.packets, all_events - own, all_packets - path.packets};
    if (own < least || path.packets < t.path_packets || c.other_packets < t.path_packets) continue;
    if (c.share() < t.path_ratio * c.other_share()) continue;
    if (chance_of(c) * as_double(direction.paths.size()) > t.path_chance) continue;
    out.push_back(c);
  }
  std::sort(out.begin(), out.end(), [](const Compared& a, const Compared& b) {
    return a.share() != b.share() ? a.share() > b.share() : a.path->udp_src < b.path->udp_src;
  });
  return out;
}

/// "path 49422 (0xc10e)", "paths 49422 (0xc10e) and 49429 (0xc115)", "3 paths, the worst 49422 (0xc10e),".
std::string paths_text(const std::vector<const VerocePath*>& paths) {
  if (paths.size() == 1) return "path " + port_text(*paths[0]);
  if (paths.size() == 2) return fmt::format("paths {} and {}", port_text(*paths[0]), port_text(*paths[1]));
  return fmt::format("{} paths, the worst {},", paths.size(), port_text(*paths[0]));
}

void lossy(Docket& docket, const DirectionView& v) {
  const auto& direction = *v.direction->veroce;
  const std::vector<Compared> found = standing_out(direction, docket.thresholds().path_lost, docket.thresholds(),
                                                   [](const VerocePath& path) { return path.lost; });
  if (found.empty()) return;
  const Compared& worst = found.front();
  std::vector<const VerocePath*> paths;
  paths.reserve(found.size());
  for (const Compared& c : found) paths.push_back(c.path);
  Finding& f = docket.add("veroce.path_lossy", Severity::kWarning, docket.weighed(Confidence::kHigh), v);
  f.title = fmt::format("{} of {} {} {} of {} packets ({}), the others {}, {}", paths_text(paths),
                        path_count_text(direction), found.size() == 1 ? "loses" : "lose", grouped(worst.events),
                        grouped(worst.packets), percent(worst.share()), percent(worst.other_share()), path_name(v));
  f.explanation = fmt::format(
      "A path is a UDP source port. These packets passed the capture point over it and were sent again because a SACK "
      "showed them as not received, or the timer ran out, and nothing says that they had arrived. Over all other paths "
      "together {} of {} did. Losses before the capture point are on no path's account: a packet that never passed has "
      "no port.{}{}",
      grouped(worst.other_events), grouped(worst.other_packets), untold_paths_text(direction),
      recovery_text(recovery_cost(*v.direction)));
  if (v.direction->tap == track::Tap::kNearDestination) {
    f.explanation += " The capture point is near the receiver: what is lost here is lost on the last hop.";
  }
  f.next_steps = {
      fmt::format("trace the path of UDP source port {} from {} to {} (a traceroute with that port, or the hash of the "
                  "switches), and look at FEC, CRC and drop counters of its links",
                  worst.path->udp_src, v.direction->src.to_string(), v.direction->dst.to_string()),
      "does the sender's path control leave this path after a while? Watch its share of the packets"};
  f.ruled_out = {fmt::format("chance: losses that hit all packets alike would lie so unevenly less than once in {}",
                             grouped(static_cast<std::uint64_t>(1 / docket.thresholds().path_chance)))};
  for (const Compared& c : found) {
    if (c.path->losses) cite(f, *c.path->losses);
  }
  f.values = {{"udp_source_port_max", as_double(worst.path->udp_src)},
              {"paths", as_double(direction.paths.size())},
              {"lossy_paths", as_double(found.size())},
              {"lost_packets", as_double(worst.events)},
              {"path_packets", as_double(worst.packets)},
              {"loss_ratio", worst.share()},
              {"others_loss_ratio", worst.other_share()}};
  add_recovery_values(f, recovery_cost(*v.direction));
}

/// The same of all paths but one.
struct Others {
  Histogram late_ns;
  Histogram probe_ns;
  std::uint64_t late = 0;
  std::uint64_t firsts = 0;
};

Others others_of(const track::VeroceDirection& direction, const VerocePath& one) {
  Others others;
  for (const VerocePath& path : direction.paths) {
    if (&path == &one) continue;
    others.late_ns.merge(path.late_ns);
    others.probe_ns.merge(path.probe_ns);
    others.late += path.late;
    others.firsts += path.packets - std::min(path.packets, path.resent);
  }
  return others;
}

/// What is slow about one path.
struct Slow {
  const VerocePath* path = nullptr;
  std::uint64_t signals = 0;  ///< that name it, where they name it far more often than others
  std::int64_t late_ns = 0;   ///< median of its late packets, where most of its packets are late
  std::int64_t probe_ns = 0;  ///< median of its probes, and of the others', where they are far apart
  std::int64_t other_probe_ns = 0;
};

/// Most of its packets come behind packets sent after them over other paths, by far; of the others few do, or by less.
bool comes_late(const VerocePath& path, const Others& others, const Thresholds& t) {
  constexpr std::int64_t kTimes = 2;
  const std::uint64_t firsts = path.packets - std::min(path.packets, path.resent);
  if (path.packets < t.path_packets || others.firsts < t.path_packets || path.late * 2 < firsts) return false;
  const std::int64_t median = path.late_ns.percentile(0.5);
  if (median < t.path_delay.count) return false;
  return others.late * 2 < others.firsts || others.late_ns.percentile(0.5) * kTimes <= median;
}

bool probes_take_longer(const VerocePath& path, const Others& others, const Thresholds& t) {
  constexpr std::uint64_t kProbes = 8;  // of fewer, a median is chance
  constexpr double kTimes = 1.5;
  if (path.probe_ns.count() < kProbes || others.probe_ns.count() < kProbes) return false;
  const std::int64_t own = path.probe_ns.percentile(0.5);
  const std::int64_t theirs = others.probe_ns.percentile(0.5);
  return own - theirs >= t.path_delay.count && static_cast<double>(own) >= kTimes * static_cast<double>(theirs);
}

std::vector<Slow> slow_paths(const track::VeroceDirection& direction, const Thresholds& t) {
  const auto signalled =
      standing_out(direction, t.slow_signals, t, [](const VerocePath& path) { return path.slow_signals; });
  std::vector<Slow> out;
  for (const VerocePath& path : direction.paths) {
    Slow slow;
    slow.path = &path;
    const bool named = std::any_of(signalled.begin(), signalled.end(), [&](const auto& c) { return c.path == &path; });
    if (named) slow.signals = path.slow_signals;
    const Others others = others_of(direction, path);
    if (comes_late(path, others, t)) slow.late_ns = path.late_ns.percentile(0.5);
    if (probes_take_longer(path, others, t)) {
      slow.probe_ns = path.probe_ns.percentile(0.5);
      slow.other_probe_ns = others.probe_ns.percentile(0.5);
    }
    if (slow.signals > 0 || slow.late_ns > 0 || slow.probe_ns > 0) out.push_back(slow);
  }
  const auto order = [](const Slow& slow) {
    return std::tuple(-static_cast<std::int64_t>(slow.signals), -slow.late_ns, -slow.probe_ns, slow.path->udp_src);
  };
  std::sort(out.begin(), out.end(), [&](const Slow& a, const Slow& b) { return order(a) < order(b); });
  return out;
}

/// "758 Slow-Packet Signals name it; its packets come 97.0 µs late (median)".
std::string signs_of(const Slow& slow) {
  std::vector<std::string> signs;
  if (slow.signals > 0) signs.push_back(plural(slow.signals, "Slow-Packet Signal"));
  if (slow.late_ns > 0) signs.push_back(fmt::format("packets {} late (median)", short_duration(Nanos{slow.late_ns})));
  if (slow.probe_ns > 0) {
    signs.push_back(fmt::format("RTT probes {}, the others' {} (median)", short_duration(Nanos{slow.probe_ns}),
                                short_duration(Nanos{slow.other_probe_ns})));
  }
  return fmt::format("{}", fmt::join(signs, ", "));
}

void slow(Docket& docket, const DirectionView& v) {
  const auto& direction = *v.direction->veroce;
  const std::vector<Slow> found = slow_paths(direction, docket.thresholds());
  if (found.empty()) return;
  const Slow& worst = found.front();
  const RecoveryCost cost = recovery_cost(*v.direction);
  // A longer path that nobody complains of costs nothing but its own delay.
  const bool harmless = worst.signals == 0 && cost.sacks == 0 && cost.resent_packets == 0;
  std::vector<const VerocePath*> paths;
  paths.reserve(found.size());
  for (const Slow& s : found) paths.push_back(s.path);
  Finding& f = docket.add("veroce.path_slow", harmless ? Severity::kInfo : Severity::kWarning,
                          worst.signals > 0 ? Confidence::kHigh : Confidence::kMedium, v);
  f.title = fmt::format("{} of {} {} slower than the others: {}, {}", paths_text(paths), path_count_text(direction),
                        found.size() == 1 ? "is" : "are", signs_of(worst), path_name(v));
  f.explanation =
      "A path is a UDP source port. Packets of a slow one arrive behind others that were sent after them: the receiver "
      "holds those back, reports gaps that are none, or has to drop what its bitmap does not hold; and messages end "
      "when their slowest packet arrives.";
  if (worst.signals > 0) {
    f.explanation +=
        " The receiver sends a Slow-Packet Signal over the path it complains of when a packet comes far behind the "
        "newest.";
  }
  f.explanation += untold_paths_text(direction);
  if (harmless) f.explanation += " Nothing was resent for it and no SACK sent: it costs no more than its own delay.";
  f.explanation += recovery_text(cost);
  if (worst.late_ns == 0) {
    f.explanation +=
        " How late packets are shows only at a capture point behind the place where they fall back; here they are in "
        "order, or nearly so.";
  }
  f.next_steps = {
      fmt::format("trace the path of UDP source port {} from {} to {}: is it longer, is a link of it slower or "
                  "its queue full? Compare CE marks and CNPs of the paths",
                  worst.path->udp_src, v.direction->src.to_string(), v.direction->dst.to_string()),
      "does the sender take the path out? Its share of the packets should fall after the signals"};
  for (const Slow& s : found) {
    if (s.path->signals) cite(f, *s.path->signals);
  }
  if (f.frames.empty()) cite(f, v.direction->first_frame, v.direction->first_time);
  date(f, v.direction->last_time);
  f.values = {{"udp_source_port_max", as_double(worst.path->udp_src)},
              {"paths", as_double(direction.paths.size())},
              {"slow_paths", as_double(found.size())},
              {"slow_signals", as_double(worst.path->slow_signals)},
              {"path_packets", as_double(worst.path->packets)},
              {"late_packets", as_double(worst.path->late)},
              {"late_median_ns", static_cast<double>(worst.path->late_ns.percentile(0.5))}};
  if (worst.probe_ns > 0) {
    f.values.emplace_back("probe_median_ns", static_cast<double>(worst.probe_ns));
    f.values.emplace_back("others_probe_median_ns", static_cast<double>(worst.other_probe_ns));
  }
}

/// Signs that a path is loaded beyond what it carries well.
std::uint64_t strain(const VerocePath& path) {
  return path.ce_packets + path.cnps + path.lost + path.trimmed + path.asked_by_nak;
}

void imbalanced(Docket& docket, const DirectionView& v) {
  const Thresholds& t = docket.thresholds();
  const auto& direction = *v.direction->veroce;
  const std::vector<VerocePath>& paths = direction.paths;
  // Probes and signals may name paths that carry nothing.
  const auto used = static_cast<std::uint64_t>(
      std::count_if(paths.begin(), paths.end(), [](const VerocePath& path) { return path.packets > 0; }));
  if (used < 2) return;
  std::uint64_t packets = 0;
  std::uint64_t strains = 0;
  for (const VerocePath& path : paths) {
    packets += path.packets;
    strains += strain(path);
  }
  if (packets < t.spray_packets) return;
  const VerocePath& busiest = *std::max_element(
      paths.begin(), paths.end(), [](const VerocePath& a, const VerocePath& b) { return a.packets < b.packets; });
  // Of the paths that are not told apart one may be the busiest. If none can be, the claim is the least that is true:
  // as if all their packets had gone over one more path.
  if (direction.packets_elsewhere >= busiest.packets) return;
  const std::uint64_t all = packets + direction.packets_elsewhere;
  const std::uint64_t others = used - 1 + (uses_more_paths(direction) ? 1 : 0);
  const double mean = as_double(all - busiest.packets) / as_double(others);
  const double ratio = mean > 0 ? as_double(busiest.packets) / mean : 0;
  if (ratio < (others == 1 ? 2 : 1) * t.spray_ratio) return;
  const Compared c{&busiest, strain(busiest), busiest.packets, strains - strain(busiest), packets - busiest.packets};
  const bool hurts = c.events >= t.incast_signs && c.share() >= 2 * c.other_share();
  Finding& f = docket.add("veroce.spray_imbalance", hurts ? Severity::kWarning : Severity::kInfo,
                          hurts ? Confidence::kMedium : Confidence::kLow, v);
  f.title =
      fmt::format("path {} carries {} of the packets, {}{:.1f} times the mean of the other {}, {}", port_text(busiest),
                  percent(rate(busiest.packets, all)), uses_more_paths(direction) ? "at least " : "", ratio,
                  uses_more_paths(direction) ? "paths" : std::to_string(others), path_name(v));
  f.explanation =
      "A path is a UDP source port. Senders may weigh paths on purpose, and leave those that are marked, lossy or "
      "slow; which of these it is, the packets do not say.";
  f.explanation += untold_paths_text(direction);
  if (hurts) {
    f.explanation += fmt::format(
        " But the busiest path is the one that suffers: {} of its packets were marked, answered by CNPs, trimmed or "
        "lost, of the others' {}.",
        percent(c.share()), percent(c.other_share()));
  } else if (c.other_events > 0 && c.other_share() > c.share()) {
    f.explanation +=
        " The others carry more marks, CNPs and losses for what they carry: the sender may be avoiding them.";
  }
  f.next_steps = {fmt::format("on {}: is a path weight or a fixed source port set? How many ports may it spread over?",
                              v.direction->src.to_string())};
  cite(f, v.direction->first_frame, v.direction->first_time);
  date(f, v.direction->last_time);
  f.values = {{"udp_source_port_max", as_double(busiest.udp_src)},
              {"paths", as_double(others + 1)},
              {"path_packets", as_double(busiest.packets)},
              {"path_share_ratio", rate(busiest.packets, all)},
              {"busiest_over_mean_ratio", ratio}};
}

}  // namespace

void judge_veroce_paths(Docket& docket) {
  docket.each_direction([&](const DirectionView& v) {
    if (!v.is_veroce() || !v.direction->veroce) return;
    lossy(docket, v);
    slow(docket, v);
    imbalanced(docket, v);
  });
}

}  // namespace rocetop::verdict
