// SPDX-License-Identifier: BSD-3-Clause
// CopyLog: veRoCE's packets of the last moment, so that one that comes once more is known for a copy: a mirror's of two
// ports, in whatever VLAN, or the network's. Packets of several paths, acknowledgements of each and resends lie between
// the two, so what was seen last does not tell. Fixed size, whatever passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/nanos.h"
#include "wire/packet.h"

namespace rocetop::track {

/// Of what is the same wherever a packet passes, its IP identification included: not its VLAN, hop limit, or mark.
std::uint64_t identity_of(const wire::Packet& packet);

class CopyLog {
 public:
  /// What else tells a copy from a packet that its sender sent once more.
  enum class Told : std::uint8_t {
    kNot,       ///< nothing
    kCertain,   ///< the identity: IP identifications count, or it says nothing new in any case
    kByNumber,  ///< the capture holds each packet twice
  };

  CopyLog() : seen_(kSeen) {}

  /// Whether the same packet passed within kCopyWindow.
  bool holds(std::uint64_t identity, Nanos time) const;
  /// The same as far as `told` tells, and remembers the packet.
  bool is_copy(std::uint64_t identity, Nanos time, Told told);

 private:
  static constexpr std::size_t kSeen = 1 << 14;  ///< more than passes in the window at 80 million packets a second
  struct Seen {
    std::uint64_t identity = 0;
    Nanos time = Nanos::min();
    bool copied = false;
  };
  std::vector<Seen> seen_;  // by identity; a later one takes the place of an earlier one
};

}  // namespace rocetop::track
