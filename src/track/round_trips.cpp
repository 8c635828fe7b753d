// SPDX-License-Identifier: BSD-3-Clause
#include "track/round_trips.h"

#include <algorithm>
#include <limits>

namespace rocetop::track {
namespace {

/// Weight of the newest difference, as the TIMELY paper has it (section 4.2, alpha = 0.875).
constexpr double kNewestWeight = 0.875;

void merge(RoundTripCounts::Bin& into, const RoundTripCounts::Bin& from) {
  into.samples += from.samples;
  into.sum_ns += from.sum_ns;
  into.largest_ns = std::max(into.largest_ns, from.largest_ns);
}

}  // namespace

void RoundTrips::add(Nanos when, Nanos rtt) {
  const bool first = !kept_;
  Kept& kept = kept_.use();
  RoundTripCounts& counts = kept.counts;
  counts.rtt_ns.add(rtt);
  if (first) {
    counts.first_time = when;
    counts.bins.reserve(kRoundTripBins);
    kept.smallest_ns = rtt.count;
  } else {
    const auto difference = static_cast<double>((rtt - kept.last).count);
    kept.smoothed_difference_ns += kNewestWeight * (difference - kept.smoothed_difference_ns);
    kept.smallest_ns = std::min(kept.smallest_ns, rtt.count);
    const auto smallest = static_cast<double>(std::max<std::int64_t>(kept.smallest_ns, 1));
    const double gradient = kept.smoothed_difference_ns / smallest;
    counts.largest_gradient = std::max(counts.largest_gradient, gradient);
    counts.rising += gradient > kRisingGradient ? 1 : 0;
    ++counts.compared;
  }
  kept.last = rtt;
  kept.add_to_bins(when, rtt);
}

RoundTripCounts RoundTrips::counts() const {
  if (!kept_) return {};
  RoundTripCounts out = kept_->counts;
  kept_->close_bin(out);
  return out;
}

void RoundTrips::Kept::add_to_bins(Nanos when, Nanos rtt) {
  const auto since = static_cast<std::uint64_t>(std::max<std::int64_t>((when - counts.first_time).count, 0));
  if (since >> counts.bin_bits != open_index) {
    close_bin(counts);
    open = {};
    while (since >> counts.bin_bits >= kRoundTripBins) make_room();
    open_index = since >> counts.bin_bits;
  }
  ++open.samples;
  open.sum_ns += static_cast<double>(rtt.count);
  open.largest_ns = std::max(open.largest_ns, static_cast<std::uint32_t>(std::min<std::int64_t>(
                                                  rtt.count, std::numeric_limits<std::uint32_t>::max())));
}

/// Adds the open bin to the others.
void RoundTrips::Kept::close_bin(RoundTripCounts& to) const {
  if (open.samples == 0) return;
  if (open_index >= to.bins.size()) to.bins.resize(open_index + 1);
  merge(to.bins[open_index], open);
}

/// Two bins become one each.
void RoundTrips::Kept::make_room() {
  for (std::size_t i = 0; i < counts.bins.size(); i += 2) {
    RoundTripCounts::Bin merged = counts.bins[i];
    if (i + 1 < counts.bins.size()) merge(merged, counts.bins[i + 1]);
    counts.bins[i / 2] = merged;
  }
  counts.bins.resize((counts.bins.size() + 1) / 2);
  ++counts.bin_bits;
}

}  // namespace rocetop::track
