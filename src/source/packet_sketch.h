// SPDX-License-Identifier: BSD-3-Clause
// PacketSketch: which packets a capture holds, in little and constant memory, so that two captures can be compared.
// It keeps the smallest fingerprints (a "bottom-k" sample): captures that share packets share those, whatever the
// order, the losses and the clocks. Not an identity of packets for analysis: a heuristic for "these are two taps on one
// path".
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/byte_reader.h"
#include "base/link_type.h"
#include "source/frame_source.h"

namespace rocetop::source {

/// A number that is the same wherever the IP or RoCEv1 packet is captured: addresses, lengths, identification and the
/// first 32 bytes behind the IP header, but not what a path changes: link header, tags, TTL, ECN, checksums. Nothing
/// for frames without IP or cut before that. A tunnel's outer packet is taken, not the one inside.
std::optional<std::uint64_t> packet_fingerprint(Bytes frame, LinkType link_type);

class PacketSketch {
 public:
  void add(std::uint64_t fingerprint);

  /// Of the packets that both would have sampled: only those that occur once in their capture count, so that heartbeats
  /// and the like, which are the same every time, prove nothing.
  struct Overlap {
    std::size_t common = 0;
    std::size_t smaller = 0;  ///< sampled packets of the capture that has fewer
  };
  /// Sorts both sketches, hence not const.
  static Overlap compare(PacketSketch& a, PacketSketch& b);

 private:
  static constexpr std::size_t kKept = 1024;
  void settle();

  // Up to twice kKept; settle() sorts it and cuts it back. The lowest bit says: occurs more than once.
  std::vector<std::uint64_t> smallest_;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();  // larger ones are not sampled
};

}  // namespace rocetop::source
