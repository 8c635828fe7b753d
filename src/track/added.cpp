// SPDX-License-Identifier: BSD-3-Clause
#include "track/added.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "base/growth.h"

namespace rocetop::track {
namespace {

void take(std::uint64_t& now, std::uint64_t before) { now = growth(before, now); }
void take(Nanos& now, Nanos before) { now = std::max(now - before, Nanos{}); }

template <std::size_t N>
void take(std::array<std::uint64_t, N>& now, const std::array<std::uint64_t, N>& before) {
  for (std::size_t i = 0; i < N; ++i) take(now[i], before[i]);
}

/// Both ascending by value.
void take(ValueTable& now, const ValueTable& before) {
  auto then = before.begin();
  for (auto& [value, frames] : now) {
    while (then != before.end() && then->first < value) ++then;
    if (then != before.end() && then->first == value) take(frames, then->second);
  }
  std::erase_if(now, [](const auto& entry) { return entry.second == 0; });
}

void begin_at(Nanos since, FrameId& frame, Nanos& time) {
  if (!frame || time >= since) return;
  frame = {};
  time = since;
}

Nanos time_of(const MissingRun& run) { return run.seen_at_time; }
Nanos time_of(const Episode& e) { return e.first_time; }

/// Entries are added at the end, and leave from the front or, where the list is full, are never listed: `omitted`
/// counts both. Of those that were added only what is listed still is known.
template <typename Entry>
void take_listed(std::vector<Entry>& now, std::uint64_t& omitted, std::size_t listed_before,
                 std::uint64_t omitted_before, Nanos since) {
  std::uint64_t added = now.size() + omitted;
  take(added, listed_before + omitted_before);
  const std::uint64_t newest = std::min<std::uint64_t>(added, now.size());
  now.erase(now.begin(), now.end() - static_cast<std::ptrdiff_t>(newest));
  std::erase_if(now, [&](const Entry& entry) { return time_of(entry) < since; });
  omitted = added - now.size();
}

void take(SpaceCounts& now, const SpaceCounts& before, Nanos since) {
  take(now.packets, before.packets);
  take(now.payload_bytes, before.payload_bytes);
  take_listed(now.missing, now.missing_omitted, before.missing.size(), before.missing_omitted, since);
  take(now.missing_packets, before.missing_packets);
  take(now.retransmitted_original_seen, before.retransmitted_original_seen);
  take(now.retransmitted_original_unseen, before.retransmitted_original_unseen);
  take(now.retransmitted_bytes, before.retransmitted_bytes);
  take(now.duplicate_packets, before.duplicate_packets);
  take(now.reordered_packets, before.reordered_packets);
  take(now.late_originals, before.late_originals);
  take_listed(now.episodes, now.episodes_omitted, before.episodes.size(), before.episodes_omitted, since);
  take(now.episodes_by_cause, before.episodes_by_cause);
  take(now.retransmitted_by_cause, before.retransmitted_by_cause);
  take(now.retransmitted_bytes_by_cause, before.retransmitted_bytes_by_cause);
}

/// That a peer acknowledged anything, or refused something, stays known: rules that say "never" mean ever.
void take(DirectionTraffic& now, const DirectionTraffic& before, Nanos since) {
  take(now.frames, before.frames);
  take(now.bytes_on_wire, before.bytes_on_wire);
  take(now.ecn, before.ecn);
  take(now.icrc, before.icrc);
  take(now.truncated_frames, before.truncated_frames);
  take(now.control_ecn, before.control_ecn);
  take(now.opcodes, before.opcodes);
  take(now.rnr_naks, before.rnr_naks);
  take(now.rnr_nak_copies, before.rnr_nak_copies);
  take(now.naks, before.naks);
  take(now.cnps, before.cnps);
  take(now.fast_cnps, before.fast_cnps);
  take(now.cnps_elsewhere, before.cnps_elsewhere);
  take(now.dscp, before.dscp);
  take(now.priorities, before.priorities);
  take(now.hop_limits, before.hop_limits);
  take(now.dscp_changes_in_all, before.dscp_changes_in_all);
  take(now.data_while_paused, before.data_while_paused);
  std::erase_if(now.dscp_changes, [&](const DscpChange& change) { return change.time < since; });
  if (now.bad_icrcs) now.bad_icrcs.use() = kept_since(*now.bad_icrcs, since);
  now.first_data_time = now.first_data_time.count == 0 ? Nanos{} : std::max(now.first_data_time, since);
  begin_at(since, now.first_frame, now.first_time);
  begin_at(since, now.path_mtu_frame, now.path_mtu_time);
  begin_at(since, now.first_cnp, now.first_cnp_time);
  // Whoever asked for the longest wait before does so by its setting: the latest request is proof as good.
  if (now.first_rnr_timer_zero && now.first_rnr_timer_zero_time < since) {
    constexpr Nanos kLongest = microseconds(655'360);
    const bool again = now.rnr_naks > 0 && now.last_rnr_nak_wait == kLongest;
    now.first_rnr_timer_zero = again ? now.last_rnr_nak : FrameId{};
    now.first_rnr_timer_zero_time = now.last_rnr_nak_time;
  }
}

void take(CongestionCounts& now, const CongestionCounts& before, Nanos since) {
  const std::uint64_t swings_before = std::min(before.swings, now.swings);
  take(now.ce_packets, before.ce_packets);
  take(now.cnps, before.cnps);
  take(now.cnps_without_ce, before.cnps_without_ce);
  take(now.cnps_with_nak, before.cnps_with_nak);
  take(now.fast_cnps, before.fast_cnps);
  now.ce_after_last_cnp = std::min(now.ce_after_last_cnp, now.ce_packets);
  if (now.ce_packets == 0) now.longest_unanswered = {};
  begin_at(since, now.first_ce, now.first_ce_time);
  begin_at(since, now.first_cnp, now.first_cnp_time);
  begin_at(since, now.first_nak_with_cnp, now.first_nak_with_cnp_time);
  for (const auto member :
       {&CongestionCounts::ce_to_cnp_ns, &CongestionCounts::cnp_gap_ns, &CongestionCounts::rate_before_bps,
        &CongestionCounts::rate_after_bps, &CongestionCounts::after_permille, &CongestionCounts::cut_permille,
        &CongestionCounts::recovery_ns}) {
    now.*member = added_since(now.*member, before.*member);
  }
  for (const auto member :
       {&CongestionCounts::slowdowns, &CongestionCounts::prompt_slowdowns, &CongestionCounts::no_slowdowns,
        &CongestionCounts::calm_stretches, &CongestionCounts::calm_falls, &CongestionCounts::unrecovered,
        &CongestionCounts::windows, &CongestionCounts::swings, &CongestionCounts::calm_swings}) {
    take(now.*member, before.*member);
  }
  for (const auto member : {&CongestionCounts::watched, &CongestionCounts::idle, &CongestionCounts::rest}) {
    take(now.*member, before.*member);
  }
  if (now.swings == 0) return;
  const auto all = static_cast<double>(now.swings + swings_before);
  const auto mean_since = [&](double mean_now, double mean_before) {
    const double sum = mean_now * all - mean_before * static_cast<double>(swings_before);
    return std::max(sum, 0.0) / static_cast<double>(now.swings);
  };
  now.swing_ns = mean_since(now.swing_ns, before.swing_ns);
  now.swing_depth = mean_since(now.swing_depth, before.swing_depth);
}

void take(RoundTripCounts& now, const RoundTripCounts& before, Nanos since) {
  now.rtt_ns = added_since(now.rtt_ns, before.rtt_ns);
  take(now.rising, before.rising);
  take(now.compared, before.compared);
  const std::int64_t bin = std::int64_t{1} << now.bin_bits;
  const auto over = static_cast<std::size_t>(std::max<std::int64_t>((since - now.first_time).count / bin, 0));
  const std::size_t gone = std::min(over, now.bins.size());
  now.bins.erase(now.bins.begin(), now.bins.begin() + static_cast<std::ptrdiff_t>(gone));
  now.first_time = now.first_time + Nanos{bin * static_cast<std::int64_t>(gone)};
}

void take(MessageCounts& now, const MessageCounts& before, Nanos since) {
  take(now.complete, before.complete);
  take(now.bytes, before.bytes);
  take(now.partial, before.partial);
  now.first_time = std::max(now.first_time, since);
  now.size_bytes = added_since(now.size_bytes, before.size_bytes);
  now.completion_ns = added_since(now.completion_ns, before.completion_ns);
  now.idle_ns = added_since(now.idle_ns, before.idle_ns);
}

void take(MessageStats& now, const MessageStats& before, Nanos since) {
  for (std::size_t i = 0; i < now.operations.size(); ++i) {
    if (now.operations[i] && before.operations[i]) take(now.operations[i].use(), *before.operations[i], since);
  }
  now.outstanding_reads = added_since(now.outstanding_reads, before.outstanding_reads);
  take(now.rnr_waits, before.rnr_waits);
  take(now.rnr_waited, before.rnr_waited);
  take(now.rnr_advertised, before.rnr_advertised);
  take(now.credit_replies, before.credit_replies);
  take(now.no_credit_replies, before.no_credit_replies);
  take(now.without_credit, before.without_credit);
  for (const auto part :
       {&TimeSplit::wall, &TimeSplit::moving, &TimeSplit::network, &TimeSplit::peer, &TimeSplit::host}) {
    take(now.time.*part, before.time.*part);
  }
}

void keep_since(Lazy<FrameSample>& sample, Nanos since) {
  if (sample) sample.use() = kept_since(*sample, since);
}

void take(VeroceRecovery& now, const VeroceRecovery& before, Nanos since) {
  for (const auto member :
       {&VeroceRecovery::acks, &VeroceRecovery::sacks, &VeroceRecovery::packet_drop_naks, &VeroceRecovery::becn_replies,
        &VeroceRecovery::holes_told, &VeroceRecovery::resent_psns, &VeroceRecovery::second_round,
        &VeroceRecovery::needless, &VeroceRecovery::early_answers, &VeroceRecovery::unflagged_resends,
        &VeroceRecovery::flagged_resends, &VeroceRecovery::beyond_window, &VeroceRecovery::full_bitmaps}) {
    take(now.*member, before.*member);
  }
  now.sack_depth = added_since(now.sack_depth, before.sack_depth);
  keep_since(now.full_bitmap_frames, since);
  keep_since(now.needless_frames, since);
  // The deepest of all time tells nothing of when it was, unless it grew.
  if (now.reorder_depth > before.reorder_depth) return;
  now.reorder_depth = 0;
  now.reorder_depth_frame = {};
}

void take(VerocePath& now, const VerocePath& before, Nanos since) {
  for (const auto member : {&VerocePath::packets, &VerocePath::bytes_on_wire, &VerocePath::ce_packets,
                            &VerocePath::resent, &VerocePath::trimmed, &VerocePath::lost, &VerocePath::asked_by_nak,
                            &VerocePath::late, &VerocePath::cnps, &VerocePath::slow_signals}) {
    take(now.*member, before.*member);
  }
  now.late_ns = added_since(now.late_ns, before.late_ns);
  now.probe_ns = added_since(now.probe_ns, before.probe_ns);
  keep_since(now.losses, since);
  keep_since(now.signals, since);
}

/// Paths of which nothing was seen since are left out: they are not among those that could be taken.
void take(VeroceDirection& now, const VeroceDirection& before, Nanos since) {
  take(now.requests, before.requests, since);
  take(now.responses, before.responses, since);
  for (VerocePath& path : now.paths) {
    const auto then = std::lower_bound(before.paths.begin(), before.paths.end(), path.udp_src,
                                       [](const VerocePath& p, std::uint16_t port) { return p.udp_src < port; });
    if (then != before.paths.end() && then->udp_src == path.udp_src) take(path, *then, since);
  }
  std::erase_if(now.paths, [](const VerocePath& path) {
    return path.packets == 0 && path.cnps == 0 && path.slow_signals == 0 && path.probe_ns.empty();
  });
  for (const auto member : {&VeroceDirection::packets_elsewhere, &VeroceDirection::lost_elsewhere,
                            &VeroceDirection::trimmed, &VeroceDirection::rtt_requests, &VeroceDirection::raw_packets}) {
    take(now.*member, before.*member);
  }
  keep_since(now.trimmed_frames, since);
  now.host_delay_ns = added_since(now.host_delay_ns, before.host_delay_ns);
}

void take(DirectionCounts& now, const DirectionCounts& before, Nanos since) {
  take(static_cast<DirectionTraffic&>(now), static_cast<const DirectionTraffic&>(before), since);
  if (now.congestion && before.congestion) {
    take(now.congestion.use(), *before.congestion, since);
    const CongestionCounts& left = *now.congestion;
    if (left.ce_packets == 0 && left.cnps == 0 && left.fast_cnps == 0) now.congestion = {};
  }
  take(now.round_trips, before.round_trips, since);
  take(now.messages, before.messages, since);
  take(now.requests, before.requests, since);
  take(now.responses, before.responses, since);
  if (now.veroce && before.veroce) take(now.veroce.use(), *before.veroce, since);
}

/// Directions that were joined meanwhile are told by where they go.
const DirectionCounts* counterpart(const DirectionCounts& of, const ConnectionCounts& in) {
  for (const auto* direction : {&in.a_to_b, &in.b_to_a}) {
    if (*direction && (*direction)->src == of.src && (*direction)->dst_qpn == of.dst_qpn) return &**direction;
  }
  return nullptr;
}

bool has_something(const ConnectionCounts& c) {
  const auto is_seen = [](const std::optional<DirectionCounts>& d) {
    return d && (d->frames > 0 || d->left_over != LeftOver::kNothing);
  };
  return is_seen(c.a_to_b) || is_seen(c.b_to_a);
}

void take(PauseCounts& now, const PauseCounts& before, Nanos since) {
  take(now.xoff_frames, before.xoff_frames);
  take(now.xon_frames, before.xon_frames);
  begin_at(since, now.first_xoff, now.first_time);
  if (now.paused) take(*now.paused, before.paused.value_or(Nanos{}));
  take(now.paused_least, before.paused_least);
  take(now.paused_most, before.paused_most);
  // Whether it is the longest of all time tells nothing of when it was, unless it grew.
  if (now.longest_stretch > before.longest_stretch) return;
  now.longest_stretch = {};
  now.stretch_frames = 0;
  now.stretch_first = now.stretch_last = {};
}

}  // namespace

Histogram added_since(const Histogram& now, const Histogram& before) {
  if (before.empty()) return now;
  Histogram out;
  if (now.count() <= before.count()) return out;
  // A bucket's number stands for several values once one was full.
  const auto weights = [](const Histogram& of) {
    std::map<std::int64_t, double> buckets;
    double sum = 0;
    of.each_bucket([&](std::int64_t lowest, std::int64_t, std::uint32_t values) {
      buckets[lowest] = values;
      sum += values;
    });
    for (auto& entry : buckets) entry.second *= static_cast<double>(of.count()) / std::max(sum, 1.0);
    return buckets;
  };
  const auto then = weights(before);
  for (const auto& [lowest, values] : weights(now)) {
    const auto found = then.find(lowest);
    const double added = std::round(values - (found == then.end() ? 0.0 : found->second));
    constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
    if (added >= 1) out.add(lowest, static_cast<std::uint32_t>(std::min(added, kMost)));
  }
  return out;
}

FrameSample kept_since(const FrameSample& sample, Nanos since) {
  FrameSample out;
  for (const auto& [frame, time] : sample.kept()) {
    if (time >= since) out.add(frame, time);
  }
  return out;
}

ConnectionCounts added_since(const ConnectionCounts& now, const ConnectionCounts& before, Nanos since) {
  ConnectionCounts out = now;
  for (auto* direction : {&out.a_to_b, &out.b_to_a}) {
    if (!*direction) continue;
    if (const DirectionCounts* then = counterpart(**direction, before)) take(**direction, *then, since);
  }
  begin_at(since, out.first_frame, out.first_time);
  return out;
}

std::vector<ConnectionCounts> added_since(const std::vector<ConnectionCounts>& now,
                                          const std::vector<ConnectionCounts>& before, Nanos since) {
  std::vector<ConnectionCounts> out;
  auto then = before.begin();
  for (const ConnectionCounts& connection : now) {
    while (then != before.end() && then->id < connection.id) ++then;
    const bool known = then != before.end() && then->id == connection.id;
    ConnectionCounts added = known ? added_since(connection, *then, since) : connection;
    if (has_something(added)) out.push_back(std::move(added));
  }
  return out;
}

std::vector<PausingPort> added_since(const std::vector<PausingPort>& now, const std::vector<PausingPort>& before,
                                     Nanos since) {
  std::vector<PausingPort> out = now;
  for (PausingPort& port : out) {
    const auto then = std::find_if(before.begin(), before.end(), [&](const PausingPort& other) {
      return other.interface == port.interface && other.mac == port.mac;
    });
    if (then == before.end()) continue;
    for (std::size_t i = 0; i < port.classes.size(); ++i) take(port.classes[i], then->classes[i], since);
  }
  return out;
}

std::vector<FastCnpCounts> added_since(const std::vector<FastCnpCounts>& now, const std::vector<FastCnpCounts>& before,
                                       Nanos since) {
  const auto key = [](const FastCnpCounts& c) { return std::tie(c.from, c.sender, c.receiver, c.dst_qpn); };
  std::vector<FastCnpCounts> out;
  for (FastCnpCounts counts : now) {
    if (counts.last_time < since) continue;
    const auto then = std::find_if(before.begin(), before.end(), [&](const auto& c) { return key(c) == key(counts); });
    if (then != before.end()) take(counts.cnps, then->cnps);
    begin_at(since, counts.first_frame, counts.first_time);
    if (counts.cnps > 0) out.push_back(counts);
  }
  return out;
}

}  // namespace rocetop::track
