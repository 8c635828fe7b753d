// SPDX-License-Identifier: BSD-3-Clause
// PathLog: what one direction of a veRoCE connection sent over each path, and what the other end says of the paths. A
// path is a UDP source port; signals about a path (CNP, Slow-Packet Signal, RTT Response) come back with its port. It
// is told what became of packets; it judges none.
#pragma once

#include <cstdint>
#include <vector>

#include "track/packet_facts.h"
#include "track/veroce_counts.h"

namespace rocetop::track {

class PathLog {
 public:
  /// A packet that takes a PSN.
  void on_packet(const PacketFacts& packet, bool resend, bool trimmed);
  /// A first transmission that a packet with a higher PSN had overtaken `behind` before.
  void on_late(std::uint16_t udp_src, Nanos behind);
  /// The packet of `frame`, which went over this path, did not arrive; and that it did after all.
  void on_loss(std::uint16_t udp_src, FrameId frame, Nanos time);
  void take_back_loss(std::uint16_t udp_src);
  /// A packet that went over this path whole was asked for again by a Packet Drop NAK.
  void on_asked_by_nak(std::uint16_t udp_src);
  void on_cnp(const PacketFacts& cnp);
  void on_slow_signal(const PacketFacts& signal);
  void on_probe(std::uint16_t udp_src, Nanos delay);

  bool uses(std::uint16_t udp_src) const;
  const std::vector<VerocePath>& paths() const { return paths_; }
  std::uint64_t packets_elsewhere() const { return elsewhere_; }
  std::uint64_t lost_elsewhere() const { return lost_elsewhere_; }

 private:
  VerocePath* find(std::uint16_t udp_src);
  VerocePath* find_or_add(std::uint16_t udp_src);

  std::vector<VerocePath> paths_;  // ascending by port
  std::size_t last_ = 0;           // found last: packets in a row often share a path
  std::uint64_t elsewhere_ = 0;
  std::uint64_t lost_elsewhere_ = 0;
};

}  // namespace rocetop::track
