// SPDX-License-Identifier: BSD-3-Clause
#include "track/round_trips.h"

#include <algorithm>
#include <limits>

namespace rocetop::track {
namespace {

/// Weight of the newest difference, as the TIMELY paper has it (section 4.2, alpha = 0.875).
constexpr double kNewestWeight = 0.875;

}  // namespace

void RoundTrips::add(Nanos when, Nanos rtt) {
  const bool first = !kept_;
  Kept& kept = kept_.use();
  RoundTripCounts& counts = kept.counts;
  counts.rtt_ns.add(rtt);
  if (first) {
    counts.first_time = when;
    counts.bins.reserve(kRoundTripBins);
  } else {
    const auto difference = static_cast<double>((rtt - kept.last).count);
    kept.smoothed_difference_ns += kNewestWeight * (difference - kept.smoothed_difference_ns);
    const auto smallest = static_cast<double>(std::max<std::int64_t>(counts.rtt_ns.min(), 1));
    const double gradient = kept.smoothed_difference_ns / smallest;
    counts.largest_gradient = std::max(counts.largest_gradient, gradient);
    counts.rising += gradient > kRisingGradient ? 1 : 0;
    ++counts.compared;
  }
  kept.last = rtt;
  add_to_bins(counts, when, rtt);
}

void RoundTrips::add_to_bins(RoundTripCounts& counts, Nanos when, Nanos rtt) {
  using Bin = RoundTripCounts::Bin;
  const auto since = static_cast<std::uint64_t>(std::max<std::int64_t>((when - counts.first_time).count, 0));
  while (since >> counts.bin_bits >= kRoundTripBins) {
    for (std::size_t i = 0; i < counts.bins.size(); i += 2) {
      Bin merged = counts.bins[i];
      if (i + 1 < counts.bins.size()) {
        const Bin& next = counts.bins[i + 1];
        merged.samples += next.samples;
        merged.sum_ns += next.sum_ns;
        merged.largest_ns = std::max(merged.largest_ns, next.largest_ns);
      }
      counts.bins[i / 2] = merged;
    }
    counts.bins.resize((counts.bins.size() + 1) / 2);
    ++counts.bin_bits;
  }
  const std::size_t index = since >> counts.bin_bits;
  if (index >= counts.bins.size()) counts.bins.resize(index + 1);
  Bin& bin = counts.bins[index];
  ++bin.samples;
  bin.sum_ns += static_cast<double>(rtt.count);
  bin.largest_ns = std::max(bin.largest_ns, static_cast<std::uint32_t>(std::min<std::int64_t>(
                                                rtt.count, std::numeric_limits<std::uint32_t>::max())));
}

}  // namespace rocetop::track
