// SPDX-License-Identifier: BSD-3-Clause
// History: what is remembered of the newest PSNs of a space, one slot a PSN, in a ring that grows with what is in
// flight. A PSN older than the ring is not an error: it has no slot, and callers say less about it.
#pragma once

#include <cstddef>
#include <cstdint>
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
  Nanos first_time;  ///< first transmission seen
  Nanos last_time;   ///< latest transmission seen
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

/// Slots that all histories together may use; shared by reference.
struct SlotBudget {
  std::size_t left = 0;
};

class History {
 public:
  /// The slot of `s`, if it is still remembered.
  Slot* find(Sequence s) { return remembers(s) ? &slots_[index(s)] : nullptr; }
  const Slot* find(Sequence s) const { return remembers(s) ? &slots_[index(s)] : nullptr; }

  /// Asks for the slot that `s` has, or will have.
  void fetch(Sequence s) const {
    if (!slots_.empty()) fetch_lines(&slots_[index(s)], sizeof(Slot));
  }

  /// Makes `s` the newest PSN and clears the slots from the old newest to it.
  void advance(Sequence s);

  /// advance() for one PSN, the one after the newest, where something is remembered already (size() is not 0). Its
  /// slot, to be filled.
  Slot& append(Sequence s) {
    newest_ = s;
    return slots_[index(s)];
  }

  /// Doubles the ring until it holds `psns`, as far as `most` and the budget allow.
  void grow(std::size_t psns, std::size_t most, SlotBudget& budget);

  std::size_t size() const { return slots_.size(); }

 private:
  bool remembers(Sequence s) const {
    return !slots_.empty() && s <= newest_ && s > newest_ - static_cast<Sequence>(slots_.size()) && s >= oldest_;
  }
  std::size_t index(Sequence s) const { return static_cast<std::size_t>(s) & (slots_.size() - 1); }

  std::vector<Slot> slots_;  // a power of two
  Sequence newest_ = 0;
  Sequence oldest_ = 0;
  bool used_ = false;
};

}  // namespace rocetop::track
