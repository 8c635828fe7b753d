// SPDX-License-Identifier: BSD-3-Clause
// What packets say about the disputed items of veRoCE's layout: for each item how many packets each alternative fits,
// and what follows from that. Counts only; which alternatives a packet fits is asked elsewhere (veroce_trial.h).
#pragma once

#include <array>
#include <cstdint>

#include "wire/veroce_headers.h"
#include "wire/veroce_layout.h"

namespace rocetop::track {

/// Which alternative to read by, and what speaks for it.
struct LayoutChoice {
  std::uint8_t alternative = 0;
  wire::LayoutConfidence confidence = wire::LayoutConfidence::kAssumed;
};

/// Of one item. Only packets that tell alternatives apart count: fit some and not others.
class ItemEvidence {
 public:
  /// `fitting`: bit by alternative that the packet fits, of `possible`. A packet that fits none says nothing here.
  void add(std::uint32_t fitting, std::uint32_t possible);

  std::uint32_t told() const { return told_; }
  /// `base` where nothing tells otherwise. `given`: the user chose `base`, so it stays. `same`: bit by alternative that
  /// reads the packet at hand as the chosen one does; of these it need not be told apart. It depends on what is chosen.
  LayoutChoice choose(std::uint8_t base, bool given) const;
  /// What speaks for `alternative` against those not in `same`.
  wire::LayoutConfidence confidence(std::uint8_t alternative, std::uint32_t same = 0) const;

 private:
  std::uint32_t told_ = 0;
  std::array<std::uint32_t, wire::kMostAlternatives> fits_{};
};

/// Of the Retrans flag's place: which reserved bits of BTH byte 8 packets have that were sent before, and others. Not
/// conclusive alone: a mirror repeats packets too, without flag, and what is resent may be new at the tap.
class RetransmitEvidence {
 public:
  enum class Packet : std::uint8_t {
    kFresh,   ///< PSN above all seen
    kLate,    ///< below, and not seen yet: resent, or overtaken
    kRepeat,  ///< seen before
  };
  /// `reserved`: BTH byte 8 without AckReq.
  void add(Packet packet, std::uint8_t reserved);
  /// kFailed: packets were repeated, and no bit says so; `base` stays.
  LayoutChoice choose(std::uint8_t base, bool given) const;
  bool empty() const { return packets_ == decltype(packets_){}; }

 private:
  static constexpr std::size_t kKinds = 3;
  std::uint32_t with(Packet packet, std::uint8_t bit) const { return with_[static_cast<std::size_t>(packet)][bit]; }
  std::uint32_t packets(Packet packet) const { return packets_[static_cast<std::size_t>(packet)]; }
  wire::LayoutConfidence confidence(std::uint8_t bit) const;
  /// Rare enough among packets that are new to be a flag of those that are not.
  bool may_flag(std::uint8_t bit) const;

  std::array<std::uint32_t, kKinds> packets_{};
  std::array<std::array<std::uint32_t, wire::kMostAlternatives>, kKinds> with_{};
};

/// All of it, of a flow or of two hosts.
struct LayoutEvidence {
  std::array<ItemEvidence, wire::kVeroceItems> items;
  RetransmitEvidence retransmit;
  std::uint32_t judged = 0;  ///< packets
  std::uint32_t failed = 0;  ///< of these, packets that fit neither a reading of veRoCE's headers nor InfiniBand's

  ItemEvidence& of(wire::VeroceItem item) { return items[static_cast<std::size_t>(item)]; }
  const ItemEvidence& of(wire::VeroceItem item) const { return items[static_cast<std::size_t>(item)]; }
  LayoutChoice choose(wire::VeroceItem item, const wire::VeroceLayout& base) const;
  bool tells(wire::VeroceItem item) const;
  /// Too much of it fits no reading for the rest to be believed.
  bool has_failed() const;
};

}  // namespace rocetop::track
