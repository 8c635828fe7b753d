// SPDX-License-Identifier: BSD-3-Clause
// Totals of a connection over its directions and sequence spaces: what one line of a table can hold.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/nanos.h"
#include "track/counts.h"

namespace rocetop::model {

struct ConnectionTotals {
  std::uint64_t frames = 0;
  std::uint64_t bytes_on_wire = 0;
  std::uint64_t psn_packets = 0;     ///< packets that carry a PSN of their own: requests and responses
  std::uint64_t retransmitted = 0;   ///< packets, original seen or not
  std::uint64_t missing = 0;         ///< PSNs skipped at the tap and resent later, or never seen again
  std::uint64_t capture_missed = 0;  ///< PSNs that the capture lost, not the network
  std::uint64_t reordered = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t naks = 0;  ///< all codes, without RNR
  std::uint64_t rnr_naks = 0;
  std::uint64_t ce = 0;
  std::uint64_t cnps = 0;
  std::uint64_t fast_cnps = 0;  ///< of these, sent by a switch
  std::uint64_t bad_icrc = 0;
  Nanos duration;
  bool inexact = false;  ///< a memory limit was reached: a lower bound

  /// Bits per second on the wire between first and last packet; nothing for a single moment.
  std::optional<double> bits_per_second() const;
  /// Share of the packets with a PSN that were resent, 0..1; nothing when there are none.
  std::optional<double> retransmitted_ratio() const;
};

/// Marks and notifications of congestion, over all connections.
struct CongestionSigns {
  std::uint64_t ce = 0;
  std::uint64_t cnps = 0;
  std::uint64_t fast_cnps = 0;  ///< of these
  std::uint64_t becn = 0;       ///< acknowledgements of veRoCE with BECN

  bool any() const { return ce != 0 || cnps != 0 || becn != 0; }
};

CongestionSigns congestion_signs(const std::vector<track::ConnectionCounts>& connections);

ConnectionTotals totals(const track::ConnectionCounts& connection);

/// `one` and `other` together. Durations are those of different connections, so the longer one is taken.
ConnectionTotals sum(const ConnectionTotals& one, const ConnectionTotals& other);
/// What was counted since `before`; `duration` is the time between the two. Never below 0.
ConnectionTotals since(const ConnectionTotals& before, const ConnectionTotals& now, Nanos duration);

}  // namespace rocetop::model
