// SPDX-License-Identifier: BSD-3-Clause
// Packet: what is under way in a simulation: the facts, not the bytes (frame_writer.h makes those, for what the tap
// sees). PacketPool: all that are under way.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "base/psn.h"
#include "generate/cm_encoder.h"
#include "generate/encoder.h"
#include "generate/sim/plan.h"

namespace rocetop::generate::sim {

enum class PacketKind : std::uint8_t {
  kRequest,
  kResponse,
  kAck,
  kNak,
  kRnrNak,
  kCnp,
  kPause,
  kCm,
  kSack,
  kRtt,
  kSlowPath
};

/// What was done to a packet on its way; the words of the truth are in truth.cpp.
enum class DeedKind : std::uint8_t {
  kLost,
  kQueueFull,
  kHung,
  kMarked,
  kMarkedByFault,
  kDelayed,
  kCopied,
  kDamaged,
  kMissed,
  kTrimmed
};

struct Deed {
  DeedKind kind = DeedKind::kLost;
  std::uint32_t port = 0;
  Time time = 0;
};

/// What only a veRoCE packet says.
struct VeroceFields {
  bool there = false;  ///< it is one
  bool trimmed = false;
  bool ends_message = false;
  bool becn = false;        ///< of an acknowledgement: packets on its path came marked CE
  std::uint32_t order = 0;  ///< PO
  std::uint32_t rq_msn = 0;
  std::uint32_t asked_msn = 0;         ///< responses: MSN of the request
  std::uint32_t notice = 0;            ///< ImmDt or IETH
  std::bitset<kSackBits> received;     ///< SACK: from the PSN behind the acknowledged one on
  std::array<std::uint32_t, 4> rtt{};  ///< context, TX1, RX1, TX2
};

/// Of the shortest frame, with preamble, check sequence and gap.
inline constexpr std::uint32_t kLeastWireBytes = 84;

struct Packet {
  static constexpr std::size_t kDeeds = 6;

  PacketKind kind = PacketKind::kRequest;
  Opcode opcode = Opcode::kAcknowledge;
  std::uint8_t syndrome = 0;
  std::uint8_t ecn = 0;
  std::uint8_t dscp = 0;
  bool ack_request = false;
  bool resent = false;
  bool copy = false;     ///< made by the network
  bool damaged = false;  ///< wrong ICRC
  std::uint8_t deeds = 0;
  std::uint32_t deeds_omitted = 0;
  CmType cm = CmType::kReq;
  std::uint16_t ip_id = 0;
  std::uint16_t udp_src = 0;     ///< 0: the connection's
  std::uint16_t quanta = 0;      ///< of a pause
  std::uint32_t sender = 0;      ///< queue pair; of a pause: port
  std::uint32_t psns = 1;        ///< that it takes
  std::uint32_t payload = 0;     ///< bytes
  std::uint32_t dma_length = 0;  ///< RETH; CM: the first PSN that its sender wants to receive
  std::uint32_t msn = 0;
  std::uint32_t wire_bytes = 0;  ///< all that passes on the wire, gap and preamble included
  std::uint32_t in_port = 0;     ///< that it came to this node by
  Sequence sequence = 0;
  Sequence message = 0;       ///< first of the message that it belongs to
  std::uint64_t address = 0;  ///< RETH
  std::uint64_t frame = 0;    ///< in the capture; 0: not seen yet
  std::array<Deed, kDeeds> done_to;
  VeroceFields veroce;

  bool is_data() const { return kind == PacketKind::kRequest || kind == PacketKind::kResponse; }
  bool is_trimmable() const { return veroce.there && !veroce.trimmed && is_data() && payload != 0; }
  void trim() {
    veroce.trimmed = true;
    wire_bytes = std::max(wire_bytes - (payload + 3) / 4 * 4, kLeastWireBytes);
  }
  /// Of too many the last one stays: it may be the end.
  void note(const Deed& deed) {
    if (deeds == kDeeds) {
      --deeds;
      ++deeds_omitted;
    }
    done_to[deeds++] = deed;
  }
};

class PacketPool {
 public:
  std::uint32_t take(const Packet& packet) {
    if (free_.empty()) {
      packets_.push_back(packet);
      alive_.push_back(true);
      return static_cast<std::uint32_t>(packets_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    packets_[index] = packet;
    alive_[index] = true;
    return index;
  }
  void give_back(std::uint32_t index) {
    free_.push_back(index);
    alive_[index] = false;
  }
  /// Those under way.
  template <typename Visit>
  void visit(Visit visit) const {
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      if (alive_[i]) visit(packets_[i]);
    }
  }
  Packet& operator[](std::uint32_t index) { return packets_[index]; }

 private:
  std::vector<Packet> packets_;
  std::vector<bool> alive_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rocetop::generate::sim
