// SPDX-License-Identifier: BSD-3-Clause
// VeroceContext: what is remembered of one direction of a veRoCE connection so that a reading of its next packet can be
// held against the packets before: where messages began, which PSNs were seen. Small and of fixed size. It is no
// tracking: nothing is said here of loss.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "track/veroce_evidence.h"
#include "wire/veroce.h"

namespace rocetop::track {

/// PSNs of one space: the highest, and which of those below it were seen.
class SeenPsns {
 public:
  RetransmitEvidence::Packet add(Psn psn);

 private:
  static constexpr std::size_t kWindow = 1024;  // more than is in flight on most paths; older ones count as late
  std::optional<std::uint32_t> highest_;
  std::bitset<kWindow> seen_;  // by PSN modulo the window
};

class VeroceContext {
 public:
  /// False if the reading contradicts what was remembered: the packet order that the PSNs tell, the R_Key of the
  /// message's first packet, RQMSNs that go on.
  bool agrees(const wire::Packet& packet, const wire::VeroceOpcode& opcode, const wire::VeroceReading& reading) const;
  /// How far an AETH is from the one before: 0 is nearest.
  std::uint32_t aeth_distance(const wire::Aeth& aeth) const;
  /// A message that begins right behind the one before: MSN and PSN both go on by one.
  bool follows(const wire::Packet& packet, const wire::VeroceOpcode& opcode, const wire::VeroceReading& reading) const;

  /// Remembers a packet by the reading that was chosen.
  void add(const wire::Packet& packet, const wire::VeroceOpcode& opcode, const wire::VeroceReading& reading);
  /// A packet that reads well and disagrees: after some in a row what is remembered is of another connection.
  void add_disagreement();
  RetransmitEvidence::Packet add_psn(wire::VeroceSpace space, Psn psn) { return seen_[index_of(space)].add(psn); }

  /// What First and Middle packets carry; 0 until a few did.
  std::uint32_t path_mtu() const { return path_mtu_packets_ >= kPathMtuPackets ? path_mtu_ : 0; }

 private:
  static constexpr std::uint32_t kPathMtuPackets = 3;
  static constexpr std::uint32_t kDisagreements = 4;
  static constexpr std::size_t kSpaces = 2;
  static constexpr std::size_t kMessages = 8;  // in flight at once, per space, that the window of one path mixes
  struct Message {
    std::uint32_t msn = 0;
    std::uint32_t first_psn = 0;
    std::optional<std::uint32_t> r_key;
    bool used = false;
  };
  struct Latest {
    std::uint32_t msn = 0;
    std::uint32_t psn = 0;
  };
  static std::size_t index_of(wire::VeroceSpace space) { return space == wire::VeroceSpace::kResponses ? 1 : 0; }
  const Message* find(std::size_t space, std::uint32_t msn) const;
  Message& place_of(std::size_t space, std::uint32_t msn);
  void add_path_mtu(const wire::VeroceOpcode& opcode, const wire::VeroceReading& reading);

  std::array<std::array<Message, kMessages>, kSpaces> messages_{};
  std::array<std::uint8_t, kSpaces> next_message_{};
  std::array<std::optional<Latest>, kSpaces> latest_{};
  std::array<SeenPsns, kSpaces> seen_{};
  std::optional<std::uint32_t> rq_msn_;
  std::optional<wire::Aeth> aeth_;
  std::uint32_t path_mtu_ = 0;
  std::uint32_t path_mtu_packets_ = 0;
  std::uint32_t disagreements_ = 0;
};

}  // namespace rocetop::track
