// SPDX-License-Identifier: BSD-3-Clause
// Host pairs: what the connections from one host to another share: the UDP source ports that ECMP spreads by, what came
// late on each, the path lengths, and how evenly the rate is divided.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "track/counts.h"

namespace rocetop::model {

struct PortUse {
  std::uint16_t udp_src = 0;
  std::uint64_t connections = 0;
  std::uint64_t data_packets = 0;
  std::uint64_t reordered_packets = 0;
};

struct HostPair {
  IpAddress src;
  IpAddress dst;
  std::uint64_t connections = 0;  ///< that sent data this way
  std::uint64_t packets = 0;      ///< all: data, ACKs, CNPs …
  std::uint64_t bytes_on_wire = 0;
  std::uint64_t data_packets = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t retransmitted = 0;  ///< packets, original seen or not
  std::uint64_t missing = 0;        ///< PSNs skipped at the tap and resent later, or never seen again
  std::uint64_t reordered = 0;
  std::uint64_t naks = 0;  ///< of all codes, without RNR; sent this way, as all that follow
  std::uint64_t rnr_naks = 0;
  std::uint64_t ce_packets = 0;
  std::uint64_t cnps = 0;
  std::uint64_t fast_cnps = 0;
  std::vector<PortUse> ports;        ///< of data, by the first packet's port, the busiest first
  track::ValueTable hop_limits;      ///< of data, TTL -> frames
  std::optional<double> jain_index;  ///< of the connections' rates; from two connections on

  /// Adds up what does not depend on single connections: the counts.
  void add(const HostPair& other);
};

/// All pairs between which anything passed, those with the most data first.
std::vector<HostPair> host_pairs(const std::vector<track::ConnectionCounts>& connections);

/// Jain's fairness index of some rates: 1 when all are equal, 1/n when one has it all.
std::optional<double> jain_index(const std::vector<double>& rates);

}  // namespace rocetop::model
