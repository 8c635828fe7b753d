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

  // Congestion.

  /// Marks that no CNP answered, and the time between the first and the last of them: an adapter answers within tens
  /// of microseconds, software within a millisecond, and one mark may be the capture's last.
  std::uint64_t unanswered_marks = 8;
  Nanos unanswered_time = milliseconds(1);
  /// CNPs a receiver sent elsewhere for each of its marked connections, after which one that got none was left out:
  /// with pacing by the port its turn comes at random, and misses this many times in a row once in 5 * 10^8.
  std::uint64_t cnps_per_turn = 20;
  /// CNPs of which none shows in the rate before a sender is said to take no notice. Congestion control that halves or
  /// nearly so has then gone down a hundredfold; one CNP may fall on a rate that is held down by something else.
  std::uint64_t ignored_cnps = 10;
  /// The sender's lowest rate, as a share of its highest, above which it never slowed down: windows of some tens of
  /// packets are off by one packet each.
  double flat_rate = 0.85;
  /// With nothing outstanding for more than this share of time, a rate is the application's.
  double idle_share = 0.2;
  /// CNPs without a mark that are one too many for chance (a mark that the capture missed).
  std::uint64_t bare_cnps = 2;
  /// Share of CNPs that travel with NAKs from which that is why they are sent.
  double with_nak_share = 0.8;
  /// Swings of the rate that make an oscillation: fewer are single events.
  std::uint64_t swings = 4;
  /// … the spread of their periods (standard deviation / mean): a random walk's is above 0.5.
  double swing_spread = 0.35;
  /// … and their depth, (peak - trough) / peak.
  double swing_depth = 0.5;
  /// Drops that a full queue explains better than a bad link does: so many, and this share of the packets.
  std::uint64_t queue_drops = 8;
  double queue_drop_share = 0.001;
  /// Data packets below which a codepoint is not worth a word.
  std::uint64_t class_packets = 100;
  /// Changes of DSCP up to this many are somebody changing it; more are packets of one kind carrying several.
  std::uint64_t dscp_changes = 4;
  /// Paused for less than this share of the capture, a class has lost nothing worth naming.
  double paused_share = 0.05;
  /// Data in pauses, as a share of what would pass there if it were spread evenly, under which a sender stood still.
  double stood_still = 0.25;
  /// Pause without XON for this long, refreshed at least so often: buffers of a switch drain in a millisecond, so the
  /// receiver does not drain at all.
  Nanos storm_time = milliseconds(5);
  std::uint64_t storm_frames = 4;
  /// Hosts that congest the way to one receiver within a millisecond.
  std::uint64_t incast_senders = 3;
  /// Jain's index of the rates of connections that share a congested receiver, below which the shares are unfair (two
  /// rates as 1 to 3 give 0.8) …
  double fair_index = 0.8;
  /// … the ratio between the fastest and the slowest that goes with it, and how long, as a share of the longest-lived,
  /// a connection must have sent to be compared.
  double unfair_ratio = 3.0;
  double shared_time = 0.5;
  /// Connections of a host pair from which few UDP source ports are a pattern, and how many connections must share a
  /// port on average.
  std::uint64_t entropy_connections = 6;
  std::uint64_t connections_a_port = 4;
  /// Packets that contradict an expectation from which a finding says so: one.
  std::uint64_t violations = 1;
};

}  // namespace rocetop::verdict
