// SPDX-License-Identifier: BSD-3-Clause
#include "model/ledger_amounts.h"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/growth.h"

namespace rocetop::model {
namespace {

/// All numbers of T, in the order in which it declares them.
template <typename T>
using Numbers = std::array<std::uint64_t, sizeof(T) / sizeof(std::uint64_t)>;

template <typename T>
Numbers<T> numbers(const T& amounts) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(Numbers<T>) == sizeof(T));
  return std::bit_cast<Numbers<T>>(amounts);
}

template <typename T>
void add_numbers(T& sum, const T& other) {
  Numbers<T> out = numbers(sum);
  const Numbers<T> more = numbers(other);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += more[i];
  sum = std::bit_cast<T>(out);
}

/// Raises every number of `level` to that of `now`. Gives what it rose by.
template <typename T>
T raise_numbers(T& level, const T& now) {
  const Numbers<T> before = numbers(level);
  const Numbers<T> after = numbers(now);
  Numbers<T> rise{};
  for (std::size_t i = 0; i < rise.size(); ++i) rise[i] = growth(before[i], after[i]);
  return std::bit_cast<T>(rise);
}

/// Numbers of which one may turn out to have been another. What some fell by is taken from the rise of those that rose
/// most.
template <std::size_t N>
void correct(std::array<std::uint64_t, N>& rise, const std::array<std::uint64_t, N>& level,
             const std::array<std::uint64_t, N>& now) {
  std::uint64_t owed = 0;
  for (std::size_t i = 0; i < N; ++i) owed += growth(now[i], level[i]);
  while (owed > 0) {
    const auto most = std::max_element(rise.begin(), rise.end());
    if (*most == 0) return;
    const std::uint64_t paid = std::min(owed, *most);
    *most -= paid;
    owed -= paid;
  }
}

template <std::size_t N>
void add(Buckets<N>& sum, const Histogram& histogram, const std::array<std::int64_t, N>& edges) {
  if (histogram.empty()) return;
  std::array<std::uint64_t, N> counts{};
  count_at_most(histogram, edges, counts);
  for (std::size_t i = 0; i < N; ++i) sum.at_most[i] += counts[i];
  sum.count += histogram.count();
  sum.sum_ns += static_cast<std::uint64_t>(std::max(histogram.sum(), 0.0));
}

std::uint64_t nanos(Nanos time) { return static_cast<std::uint64_t>(std::max<std::int64_t>(time.count, 0)); }

void add(PairAmounts& sum, const track::SpaceCounts& space) {
  sum.data_packets += space.packets;
  sum.payload_bytes += space.payload_bytes;
  add_numbers(sum.retransmitted_packets, space.retransmitted_by_cause);
  add_numbers(sum.retransmitted_bytes, space.retransmitted_bytes_by_cause);
  add_numbers(sum.episodes, space.episodes_by_cause);
  add_numbers(sum.missing_packets, space.missing_packets);
  sum.reordered_packets += space.reordered_packets;
  sum.duplicate_packets += space.duplicate_packets;
}

void add(PairAmounts& sum, const track::MessageStats& messages) {
  sum.rnr_stall_ns += nanos(messages.rnr_waited);
  sum.rnr_advertised_ns += nanos(messages.rnr_advertised);
  const auto at = [&](TimeState state) -> std::uint64_t& { return sum.time_ns[static_cast<std::size_t>(state)]; };
  at(TimeState::kMoving) += nanos(messages.time.moving);
  at(TimeState::kNetwork) += nanos(messages.time.network);
  at(TimeState::kPeer) += nanos(messages.time.peer);
  at(TimeState::kHost) += nanos(messages.time.host);
  for (std::size_t i = 0; i < messages.operations.size(); ++i) {
    const auto& operation = messages.operations[i];
    if (!operation) continue;
    sum.messages[i] += operation->complete;
    sum.message_bytes[i] += operation->bytes;
    add(sum.completion[i], operation->completion_ns, kCompletionEdges);
  }
}

void add(PairAmounts& sum, const track::VeroceDirection& veroce) {
  for (const auto* recovery : {&veroce.requests, &veroce.responses}) {
    sum.veroce_sacks += recovery->sacks;
    sum.veroce_second_rounds += recovery->second_round;
    sum.veroce_needless += recovery->needless + recovery->early_answers;
  }
  sum.veroce_trimmed += veroce.trimmed;
  sum.veroce_lost_on_paths += veroce.lost_elsewhere;
  for (const track::VerocePath& path : veroce.paths) {
    sum.veroce_slow_signals += path.slow_signals;
    sum.veroce_late += path.late;
    sum.veroce_lost_on_paths += path.lost;
  }
}

}  // namespace

void add(PairAmounts& sum, const track::DirectionCounts& d) {
  sum.packets += d.frames;
  sum.bytes += d.bytes_on_wire;
  add(sum, d.requests);
  add(sum, d.responses);
  sum.bad_icrc_packets += d.icrc[static_cast<std::size_t>(wire::IcrcStatus::kBad)];
  add_numbers(sum.naks, d.naks);
  sum.rnr_naks += d.rnr_naks;
  sum.ce_packets += d.ecn[static_cast<std::size_t>(wire::Ecn::kCe)];
  constexpr auto kNotEct = static_cast<std::size_t>(wire::Ecn::kNotEct);
  sum.not_ect_packets += growth(d.control_ecn[kNotEct], d.ecn[kNotEct]);
  sum.cnps += d.cnps;
  sum.fast_cnps += d.fast_cnps;
  if (d.congestion) {
    sum.cnps_without_ce += d.congestion->cnps_without_ce;
    sum.cnps_with_nak += d.congestion->cnps_with_nak;
    sum.slowdowns += d.congestion->slowdowns;
    sum.no_slowdowns += d.congestion->no_slowdowns;
    add(sum.ce_to_cnp, d.congestion->ce_to_cnp_ns, kCeToCnpEdges);
  }
  if (d.veroce) add(sum, *d.veroce);
  add(sum, d.messages);
  add(sum.rtt, d.round_trips.rtt_ns, kRttEdges);
}

void add(ClassAmounts& sum, const track::SpaceCounts& space) {
  sum.retransmitted_packets += space.retransmitted_original_seen + space.retransmitted_original_unseen;
  add_numbers(sum.missing_packets, space.missing_packets);
}

void add(PairAmounts& sum, const PairAmounts& other) { add_numbers(sum, other); }
void add(ClassAmounts& sum, const ClassAmounts& other) { add_numbers(sum, other); }
void add(PauseAmounts& sum, const PauseAmounts& other) { add_numbers(sum, other); }

PairAmounts raise(PairAmounts& level, const PairAmounts& now) {
  PairAmounts rise = raise_numbers(level, now);
  for (const auto member :
       {&PairAmounts::retransmitted_packets, &PairAmounts::retransmitted_bytes, &PairAmounts::episodes}) {
    correct(rise.*member, level.*member, now.*member);
  }
  correct(rise.missing_packets, level.missing_packets, now.missing_packets);
  correct(rise.time_ns, level.time_ns, now.time_ns);
  add_numbers(level, rise);
  return rise;
}

ClassAmounts raise(ClassAmounts& level, const ClassAmounts& now) {
  ClassAmounts rise = raise_numbers(level, now);
  correct(rise.missing_packets, level.missing_packets, now.missing_packets);
  add_numbers(level, rise);
  return rise;
}

PauseAmounts raise(PauseAmounts& level, const PauseAmounts& now) {
  const PauseAmounts rise = raise_numbers(level, now);
  add_numbers(level, rise);
  return rise;
}

PairAmounts part_of(const PairAmounts& level, const PairAmounts& most) {
  Numbers<PairAmounts> out = numbers(level);
  const Numbers<PairAmounts> limits = numbers(most);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::min(out[i], limits[i]);
  return std::bit_cast<PairAmounts>(out);
}

void take_away(PairAmounts& from, const PairAmounts& part) {
  Numbers<PairAmounts> out = numbers(from);
  const Numbers<PairAmounts> less = numbers(part);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = growth(less[i], out[i]);
  from = std::bit_cast<PairAmounts>(out);
}

void count_at_most(const Histogram& histogram, std::span<const std::int64_t> edges, std::span<std::uint64_t> counts) {
  std::fill(counts.begin(), counts.end(), 0);
  std::uint64_t so_far = 0;
  std::size_t edge = 0;
  histogram.each_bucket([&](std::int64_t lowest, std::int64_t, std::uint32_t values) {
    for (; edge < edges.size() && lowest > edges[edge]; ++edge) counts[edge] = so_far;
    so_far += values;
  });
  for (; edge < edges.size(); ++edge) counts[edge] = so_far;
  // Once a counter was full, each of its ones stands for several values.
  if (so_far == 0 || so_far == histogram.count()) return;
  const double scale = static_cast<double>(histogram.count()) / static_cast<double>(so_far);
  for (std::uint64_t& n : counts) {
    const auto scaled = static_cast<std::uint64_t>(static_cast<double>(n) * scale);
    n = n == so_far ? histogram.count() : std::min(scaled, histogram.count());
  }
}

}  // namespace rocetop::model
