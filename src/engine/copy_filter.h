// SPDX-License-Identifier: BSD-3-Clause
// CopyFilter: tells a packet that the capture holds once more, as it passed another of its interfaces: both ends of a
// veth pair, a bond and its member, two ports of a switch that are mirrored together. The same bytes within
// track::kCopyWindow, and from another interface: what comes twice on one interface is the network's doing, or a
// resend. A resend that takes another interface than its original, within that time and with the identification of the
// original, passes for a copy: senders that count their identifications up are told apart. A heuristic only as far as
// hashes of 64 bits are. Copies with other VLAN tags are the tracker's to tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "source/frame_source.h"

namespace rocetop::engine {

class CopyFilter {
 public:
  CopyFilter() : seen_(kSeen) {}

  /// Whether a source of so many interfaces may hold packets as they passed several: a cooked one tells them apart by
  /// itself.
  static bool may_hold_copies(LinkType link_type, std::size_t interfaces) {
    return interfaces > 1 || link_type == LinkType::kLinuxSll || link_type == LinkType::kLinuxSll2;
  }
  /// Whether this frame may have come by another interface of the `interfaces` of its source.
  static bool may_be_copy(const source::Frame& frame, std::size_t interfaces);
  /// The frame that this one is a copy of; none for one that is none. Call for each frame for which may_be_copy()
  /// holds, in order.
  FrameId original_of(const source::Frame& frame);

 private:
  static constexpr std::size_t kSeen = 1 << 14;  ///< more than passes in the window at 80 million packets a second
  struct Seen {
    std::uint64_t hash = 0;
    std::uint64_t interface = 0;
    Nanos time = Nanos::min();
    FrameId frame;
  };
  std::vector<Seen> seen_;  // by hash; a later one takes the place of an earlier one
};

}  // namespace rocetop::engine
