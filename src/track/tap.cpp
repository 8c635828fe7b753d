// SPDX-License-Identifier: BSD-3-Clause
#include "track/tap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rocetop::track {
namespace {

/// Initial values that hosts give TTL and hop limit. Fooled by a host that was told another one.
constexpr std::array<int, 3> kInitialHops = {64, 128, 255};
constexpr int kHopsMost = 24;  ///< more routers than this are none: the initial value was an unusual one

/// One end answers at once, the other this many times later: the distance shows. Adapters differ by less.
constexpr std::int64_t kClear = 4;
constexpr std::uint64_t kSamples = 8;
constexpr std::uint64_t kResendSamples = 3;
/// Delays above this are a host's own: software at either end, or a network so far away that it need not be guessed.
constexpr std::int64_t kAdapterDelay = 100'000;
struct Sign {
  Tap tap = Tap::kUnknown;
  std::string why;
};

std::optional<int> hops(const DirectionCounts& d) {
  for (const int initial : kInitialHops) {
    const int crossed = initial - d.hop_limit;
    if (crossed >= 0) return crossed <= kHopsMost ? std::optional{crossed} : std::nullopt;
  }
  return std::nullopt;
}

/// Routers between each end and the tap.
Sign by_hops(const DirectionCounts& d, const DirectionCounts& opposite) {
  const auto source = hops(d);
  const auto destination = hops(opposite);
  if (!source || !destination || *source == *destination) return {};
  const auto [low, high] = std::minmax(*source, *destination);
  if (low != 0 && high < low * kClear) return {};
  return {*source < *destination ? Tap::kNearSource : Tap::kNearDestination,
          fmt::format("packets of the source crossed {} routers before the tap, packets of the destination {} (TTL {} "
                      "and {}, taken to begin at 64, 128 or 255)",
                      *source, *destination, d.hop_limit, opposite.hop_limit)};
}

/// The smaller delay is that of the end at the tap.
Sign compare(std::int64_t to_source, std::int64_t to_destination, std::string_view source_what,
             std::string_view destination_what) {
  if (std::max(to_source, to_destination) >= kAdapterDelay) return {};
  const auto [low, high] = std::minmax(to_source, to_destination);
  if (high < std::max<std::int64_t>(low, 1) * kClear) return {};
  return {to_source < to_destination ? Tap::kNearSource : Tap::kNearDestination,
          fmt::format("{} after {} ns, {} after {} ns", source_what, to_source, destination_what, to_destination)};
}

/// Adapter against adapter: both ends acknowledge requests.
Sign by_acknowledgements(const DirectionCounts& d, const DirectionCounts& opposite) {
  const Histogram& destination = d.round_trips.rtt_ns;
  const Histogram& source = opposite.round_trips.rtt_ns;
  if (destination.count() < kSamples || source.count() < kSamples) return {};
  return compare(source.percentile(0.1), destination.percentile(0.1), "the source answers the destination's requests",
                 "the destination the source's");
}

/// Adapter against adapter: one acknowledges, the other answers a NAK by going back.
Sign by_resends(const DirectionCounts& d) {
  std::int64_t shortest = kAdapterDelay;
  std::uint64_t resends = 0;
  for (const Episode& e : d.requests.episodes) {
    if (e.cause != Cause::kNak || !e.trigger_frame || e.wait.count <= 0) continue;
    ++resends;
    shortest = std::min(shortest, e.wait.count);
  }
  const Histogram& acknowledged = d.round_trips.rtt_ns;
  if (resends < kResendSamples || acknowledged.count() < kSamples) return {};
  return compare(shortest, acknowledged.percentile(0.1), "the source goes back upon a NAK",
                 "the destination acknowledges");
}

}  // namespace

void judge_tap(DirectionCounts& direction, const DirectionCounts* opposite) {
  std::array<Sign, 3> signs;
  if (opposite) {
    signs[0] = by_hops(direction, *opposite);
    signs[1] = by_acknowledgements(direction, *opposite);
  }
  signs[2] = by_resends(direction);
  Tap tap = Tap::kUnknown;
  std::string why;
  std::size_t agreeing = 0;
  for (const Sign& sign : signs) {
    if (sign.tap == Tap::kUnknown) continue;
    if (tap != Tap::kUnknown && tap != sign.tap) {
      direction.tap_evidence = {TapEvidence::Sure::kUnknown, fmt::format("contradictory: {}; but {}", why, sign.why)};
      return;
    }
    tap = sign.tap;
    why += (why.empty() ? "" : "; ") + sign.why;
    ++agreeing;
  }
  if (agreeing == 0) return;
  direction.tap = tap;
  direction.tap_evidence = {agreeing > 1 ? TapEvidence::Sure::kConfirmed : TapEvidence::Sure::kInferred, why};
}

}  // namespace rocetop::track
