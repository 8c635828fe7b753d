// SPDX-License-Identifier: BSD-3-Clause
// History: what is remembered of the newest PSNs of a space, one slot a PSN, in a ring that grows with what is in
// flight. A PSN older than the ring is not an error: it has no slot, and callers say less about it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/frame_id.h"
#include "base/nanos.h"
#include "base/prefetch.h"
#include "base/psn.h"
#include "track/packet_facts.h"

namespace rocetop::track {

struct Slot {
  enum class State : std::uint8_t {
    kEmpty,
    kMissing,  ///< skipped, not seen yet
    kSeen,
    kCovered,  ///< inside the PSNs that a READ request takes; the request itself has its own slot
  };
  static constexpr std::size_t kShares = 1;  ///< of SlotBudget
  Nanos first_time;                          ///< first transmission seen
  Nanos last_time;                           ///< latest transmission seen
  FrameId first_frame;
  FrameId last_frame;
  std::uint32_t payload_bytes = 0;
  std::uint16_t ip_id = 0;
  std::uint8_t opcode = 0;
  State state = State::kEmpty;
  std::uint8_t transmissions = 0;  ///< saturating
  bool wants_reply = false;        ///< AckReq, READ or atomic
  bool bad_icrc = false;           ///< no transmission with a good ICRC so far
  bool behind_gap = false;         ///< an earlier PSN was missing when it was last sent: a receiver in order drops it
  bool late = false;               ///< it had been missing when it arrived
};

/// Makes `slot` the one of a PSN that is seen for the first time.
inline void fill(Slot& slot, const PacketFacts& packet) {
  slot.first_time = slot.last_time = packet.time;
  slot.first_frame = slot.last_frame = packet.frame;
  slot.payload_bytes = packet.payload_bytes;
  slot.ip_id = packet.ip_id;
  slot.opcode = packet.opcode;
  slot.state = Slot::State::kSeen;
  slot.transmissions = 1;
  slot.wants_reply = packet.ack_request || packet.wants_response();
  slot.bad_icrc = slot.behind_gap = slot.late = false;
}

/// Whether `packet`, of the PSN of `slot`, is the packet last seen there once more.
inline bool is_same_packet(const Slot* slot, const PacketFacts& packet, Nanos within) {
  return slot && slot->state == Slot::State::kSeen && slot->opcode == packet.opcode &&
         slot->payload_bytes == packet.payload_bytes && packet.time - slot->last_time < within &&
         (!packet.has_ip_id || slot->ip_id == packet.ip_id);
}

/// Slots of the size of `Slot` that all histories together may use; shared by reference.
struct SlotBudget {
  std::size_t left = 0;
};

/// A ring of slots, one a PSN. `S` is what is remembered of a PSN.
template <typename S>
class SlotRing {
 public:
  /// The slot of `s`, if it is still remembered.
  S* find(Sequence s) { return remembers(s) ? &slots_[index(s)] : nullptr; }
  const S* find(Sequence s) const { return remembers(s) ? &slots_[index(s)] : nullptr; }

  /// Asks for the slot that `s` has, or will have.
  void fetch(Sequence s) const {
    if (!slots_.empty()) fetch_lines(&slots_[index(s)], sizeof(S));
  }

  /// Makes `s` the newest PSN and clears the slots from the old newest to it.
  void advance(Sequence s);

  /// advance() for one PSN, the one after the newest, where something is remembered already (size() is not 0). Its
  /// slot, to be filled.
  S& append(Sequence s) {
    newest_ = s;
    return slots_[index(s)];
  }

  /// Doubles the ring until it holds `psns`, as far as `most` and the budget allow.
  void grow(std::size_t psns, std::size_t most, SlotBudget& budget);

  std::size_t size() const { return slots_.size(); }
  /// What it holds of the budget.
  std::size_t shares() const { return slots_.size() * S::kShares; }

 private:
  bool remembers(Sequence s) const {
    return !slots_.empty() && s <= newest_ && s > newest_ - static_cast<Sequence>(slots_.size()) && s >= oldest_;
  }
  std::size_t index(Sequence s) const { return static_cast<std::size_t>(s) & (slots_.size() - 1); }

  std::vector<S> slots_;  // a power of two
  Sequence newest_ = 0;
  Sequence oldest_ = 0;
  bool used_ = false;
};

template <typename S>
void SlotRing<S>::advance(Sequence s) {
  if (slots_.empty()) return;
  const auto size = static_cast<Sequence>(slots_.size());
  if (!used_) {
    used_ = true;
    oldest_ = s;
    newest_ = s;
    slots_[index(s)] = S{};
    return;
  }
  for (Sequence i = std::max(newest_ + 1, s - size + 1); i <= s; ++i) slots_[index(i)] = S{};
  newest_ = std::max(newest_, s);
}

template <typename S>
void SlotRing<S>::grow(std::size_t psns, std::size_t most, SlotBudget& budget) {
  std::size_t wanted = std::max<std::size_t>(slots_.size(), 1);
  while (wanted < psns && wanted * 2 <= most) wanted *= 2;
  const std::size_t shares = (wanted - slots_.size()) * S::kShares;
  if (wanted <= slots_.size() || shares > budget.left) return;
  budget.left -= shares;
  std::vector<S> larger(wanted);
  if (used_) {
    const auto size = static_cast<Sequence>(slots_.size());
    for (Sequence s = std::max(oldest_, newest_ - size + 1); s <= newest_; ++s) {
      larger[static_cast<std::size_t>(s) & (wanted - 1)] = slots_[index(s)];
    }
    oldest_ = std::max(oldest_, newest_ - size + 1);
  }
  slots_ = std::move(larger);
}

using History = SlotRing<Slot>;

}  // namespace rocetop::track
