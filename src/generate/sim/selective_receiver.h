// SPDX-License-Identifier: BSD-3-Clause
// SelectiveReceiver: one PSN space of a veRoCE queue pair, the half that receives: it takes packets in any order, as
// far as its bitmap goes, and says what to answer. Acknowledgements are lazy: up to a threshold of disorder they name
// the last PSN before the first gap and nothing else; above it a SACK says what came behind the gap.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "generate/sim/packet.h"

namespace rocetop::generate::sim {

/// The last packet of a message: a READ and an atomic have no other.
struct MessageEnd {
  Opcode opcode = Opcode::kWriteOnly;
  std::uint32_t msn = 0;
  std::uint32_t bytes = 0;  ///< that a READ asks for
};

class SelectiveReceiver {
 public:
  SelectiveReceiver(const ConnectionPlan& plan, Sequence first_psn) : plan_(&plan), acknowledged_(first_psn - 1) {}

  /// What a packet asks for, besides what it carries.
  struct Answer {
    bool acknowledge = false;
    bool drop_nak = false;   ///< it was trimmed: this PSN is asked for again
    bool slow_path = false;  ///< it trails by more than the threshold
  };
  Answer take(const Packet& packet);
  /// ACK or SACK of what it has by now; kind, PSN, MSN, order and bits.
  Packet acknowledgement() const;
  /// Packet Drop NAK of a packet.
  Packet drop_nak(const Packet& packet) const;

  /// Messages that are complete, and all before them, since the last call.
  std::vector<MessageEnd> take_complete() { return std::exchange(in_order_, {}); }

  /// Packets that had been received before, and packets that the bitmap had no place for.
  std::uint64_t again() const { return again_; }
  std::uint64_t beyond() const { return beyond_; }

 private:
  struct Slot {
    MessageEnd message;
    std::uint32_t order = 0;
    bool ends_message = false;
  };
  void advance();
  std::uint32_t disorder() const { return static_cast<std::uint32_t>(highest() - acknowledged_); }
  Sequence highest() const { return std::max(highest_, acknowledged_); }

  const ConnectionPlan* plan_;
  Sequence acknowledged_;           ///< all up to here were received
  Sequence highest_ = -1;           ///< received
  std::uint32_t order_ = 0;         ///< of the packet behind acknowledged_
  std::uint32_t messages_ = 0;      ///< MSN of the last message that is complete
  std::uint32_t unanswered_ = 0;    ///< packets since the last acknowledgement
  std::map<Sequence, Slot> slots_;  ///< received behind acknowledged_; at most kSackBits
  std::vector<MessageEnd> in_order_;
  std::uint64_t again_ = 0;
  std::uint64_t beyond_ = 0;
};

}  // namespace rocetop::generate::sim
