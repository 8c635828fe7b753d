// SPDX-License-Identifier: BSD-3-Clause
// Thresholds: every number a rule compares with, its unit, and the reason for its value. Findings print what they used.
#pragma once

#include <cstdint>

#include "base/nanos.h"

namespace rocetop::verdict {

struct Thresholds {
  /// Below this share of sequenced packets, verdicts about loss are downgraded: one packet in a hundred that the
  /// capture missed makes as many false gaps as real loss does where it hurts.
  double low_completeness = 0.99;
  /// RNR waits under this share of a connection's time are start-up noise.
  double rnr_stall_share = 0.01;
  /// … and so is a single RNR NAK.
  std::uint64_t rnr_naks = 2;
  /// One late packet can be anything; from here on reordering is a pattern.
  std::uint64_t reordered_packets = 2;
  /// Copies of this share of a capture's packets are made by the capture (a mirror of both directions of a port), not
  /// by a network fault.
  double duplicated_share = 0.25;
  /// Needless packets per lost one from which go-back-N costs more than the loss itself.
  double waste_ratio = 8.0;
  std::uint64_t wasted_packets = 100;
  /// A sender that pauses this long in mid-message waits for something: longer than a host's scheduling (up to 10 ms in
  /// the lab), shorter than the QP timeouts in use (n = 12 is 17 ms).
  Nanos tail_silence = milliseconds(12);
  /// Waits under this are shorter than any QP timeout in use (n = 8 is 1.05 ms): adaptive retransmission or firmware.
  Nanos early_wait = milliseconds(1);
  /// Resends without any reply that make a silent peer: one may be a lost tail.
  std::uint64_t silent_resends = 2;
  /// … or this long without an answer at the end of the capture.
  Nanos silent_time = seconds(1);
  /// Losses this near in time are one event: a buffer of a few megabytes drains in about this at 100 Gb/s.
  Nanos burst_window = milliseconds(1);
  /// Lost packets in a row, or in one event, that single bit errors do not explain.
  std::uint64_t burst_packets = 8;
  /// … or connections that lost something in one event.
  std::size_t burst_connections = 4;
  /// … where an event holds this many times the losses that the same losses spread evenly over the capture would put
  /// there.
  double burst_over_even = 5.0;
  /// Bad-ICRC packets from which a direction's ICRCs are all taken as not filled in yet (capture on the sender).
  double unfilled_icrc_share = 0.9;
};

}  // namespace rocetop::verdict
