// SPDX-License-Identifier: BSD-3-Clause
#include "track/veroce_evidence.h"

#include <algorithm>

namespace rocetop::track {
namespace {

using wire::LayoutConfidence;

/// A wrong alternative fits a packet by chance in 1 of 256 cases or fewer (one reserved byte), so three packets that
/// each tell leave one in 10^7.
constexpr std::uint32_t kSure = 3;
/// Of the packets that tell: damage and strays may speak against what is right.
constexpr std::uint32_t kMostOf10 = 9;
/// Under headers that nobody knows, packets of free length pass by chance; those of fixed length, a third and more of
/// any traffic, do not. Where the layout is right, damage alone fails.
constexpr std::uint32_t kFailures = 3;
constexpr std::uint32_t kFailedShare = 5;

void count(std::uint32_t& counter) {
  if (counter != UINT32_MAX) ++counter;
}

}  // namespace

void ItemEvidence::add(std::uint32_t fitting, std::uint32_t possible) {
  if (fitting == 0 || fitting == possible) return;
  count(told_);
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if ((fitting >> i & 1) != 0) count(fits_[i]);
  }
}

LayoutConfidence ItemEvidence::confidence(std::uint8_t alternative, std::uint32_t same) const {
  if (told_ == 0) return LayoutConfidence::kAssumed;
  const std::uint64_t mine = fits_[alternative];
  if (mine * 2 < told_) return LayoutConfidence::kFailed;
  if (mine * 10 < std::uint64_t{told_} * kMostOf10) return LayoutConfidence::kAssumed;
  bool confirmed = true;
  bool supported = false;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if (i == alternative || (same >> i & 1) != 0) continue;
    confirmed = confirmed && mine >= fits_[i] + kSure;
    supported = supported || mine > fits_[i];
  }
  return confirmed   ? LayoutConfidence::kConfirmed
         : supported ? LayoutConfidence::kSupported
                     : LayoutConfidence::kAssumed;
}

LayoutChoice ItemEvidence::choose(std::uint8_t base, bool given) const {
  if (given) return {base, confidence(base)};
  const auto best = static_cast<std::uint8_t>(std::max_element(fits_.begin(), fits_.end()) - fits_.begin());
  const std::uint8_t chosen = fits_[base] == fits_[best] ? base : best;
  return {chosen, confidence(chosen)};
}

void RetransmitEvidence::add(Packet packet, std::uint8_t reserved) {
  const auto kind = static_cast<std::size_t>(packet);
  count(packets_[kind]);
  for (std::size_t bit = 0; bit < with_[kind].size(); ++bit) {
    if ((reserved & 0x40 >> bit) != 0) count(with_[kind][bit]);
  }
}

bool RetransmitEvidence::may_flag(std::uint8_t bit) const {
  return std::uint64_t{with(Packet::kFresh, bit)} * 10 <= packets(Packet::kFresh);
}

LayoutConfidence RetransmitEvidence::confidence(std::uint8_t bit) const {
  const std::uint32_t repeats = with(Packet::kRepeat, bit);
  const std::uint32_t late = with(Packet::kLate, bit);
  if (may_flag(bit) && repeats >= kSure && std::uint64_t{repeats} * 2 >= packets(Packet::kRepeat)) {
    return LayoutConfidence::kConfirmed;
  }
  if (may_flag(bit) && repeats + late > 0) return LayoutConfidence::kSupported;
  return packets(Packet::kRepeat) >= kSure && repeats == 0 ? LayoutConfidence::kFailed : LayoutConfidence::kAssumed;
}

LayoutChoice RetransmitEvidence::choose(std::uint8_t base, bool given) const {
  if (given) return {base, confidence(base)};
  const auto weight = [&](std::uint8_t bit) {
    return may_flag(bit) ? with(Packet::kRepeat, bit) + with(Packet::kLate, bit) : 0;
  };
  std::uint8_t best = base;
  for (std::uint8_t bit = 0; bit < wire::kMostAlternatives; ++bit) {
    if (weight(bit) > weight(best)) best = bit;
  }
  if (weight(best) > 0) return {best, confidence(best)};
  // Nothing was sent again that the tap had seen. A bit that new packets have now and then, where no other bit is ever
  // set, is that of packets which were lost before the tap and are new here.
  std::uint8_t used = base;
  std::uint32_t others = 0;
  for (std::uint8_t bit = 0; bit < wire::kMostAlternatives; ++bit) {
    if (with(Packet::kFresh, bit) == 0) continue;
    ++others;
    used = bit;
  }
  if (others == 1 && used != base && may_flag(used)) return {used, LayoutConfidence::kSupported};
  return {base, confidence(base)};
}

LayoutChoice LayoutEvidence::choose(wire::VeroceItem item, const wire::VeroceLayout& base) const {
  if (item == wire::VeroceItem::kRetransmitBit) return retransmit.choose(base.at(item), base.is_given(item));
  return of(item).choose(base.at(item), base.is_given(item));
}

bool LayoutEvidence::tells(wire::VeroceItem item) const {
  return item == wire::VeroceItem::kRetransmitBit ? retransmit.choose(0, false).confidence != LayoutConfidence::kAssumed
                                                  : of(item).told() != 0;
}

bool LayoutEvidence::has_failed() const { return failed >= kFailures && failed > judged / kFailedShare; }

}  // namespace rocetop::track
