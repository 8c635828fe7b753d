// SPDX-License-Identifier: BSD-3-Clause
// Limits and thresholds of the tracker, each with its unit and the reason for its value. Reaching a limit is counted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/nanos.h"

namespace rocetop::track {

/// Bounds on memory. What they cut off is said in SpaceCounts::inexact, *_omitted and Tracker::evicted_connections().
struct Limits {
  std::size_t connections = 100'000;       ///< live and finished together; see README for what each takes
  std::size_t live_connections = 1 << 16;  ///< followed at one time; then the stalest quarter ends
  /// For who watches without end: connections that end at a limit are forgotten (and counted), not kept to be reported;
  /// of those that ended otherwise the oldest leave once there are as many as `connections` with those that live.
  bool endless = false;
  std::size_t listed_runs = 1'000;     ///< missing runs and episodes listed per space (the JSON contract's cut)
  std::size_t listed_total = 200'000;  ///< … and over all spaces
  std::size_t open_runs = 4'096;       ///< open missing runs per space; a one-way or sampled capture has endless ones
  std::size_t open_runs_total = 400'000;        ///< … and over all spaces: 16 MB
  std::size_t reads_total = 200'000;            ///< READs and atomics remembered over all spaces: about 30 MB
  std::size_t history_slots_start = 64;         ///< PSNs remembered per space, once there are as many
  std::size_t history_slots_most = 1 << 16;     ///< … at most: 268 MB in flight at 4 KiB
  std::size_t history_slots_total = 3'000'000;  ///< over all spaces: about 100 MB
  std::size_t held_packets = 256;               ///< replies kept per direction until it is paired
  std::size_t held_total = 200'000;             ///< … over all directions
  std::size_t suspect_packets = 512;            ///< packets kept while it is open whether a QPN was used again
  std::size_t noted_windows = 400'000;          ///< places where unpaired sides were, for pairing: about 40 MB
  std::size_t hosts = 16'384;                   ///< receivers, host pairs and QPs of which CNPs are followed
  std::size_t listed_strays = 1'000;    ///< connections of a packet or two that nothing answered, before they are noise
  std::size_t raw_connections = 1'000;  ///< live ones of which nothing but veRoCE packets that fit no layout was seen
  std::size_t networks = 64;            ///< VLANs looked into for copies, and for what CNPs are about
  std::size_t management_exchanges = 20'000;  ///< CM exchanges remembered
  bool shortcuts = true;  ///< false: every packet takes the long way, so that a test can hold the two to each other
};

/// A copy made by a mirror or the network follows its original at once (0.05 ms in the lab); the fastest resends seen
/// without a NAK came 0.6 ms after. Between the two: nearer the copies.
inline constexpr Nanos kCopyWindow = microseconds(200);

/// Host captures may stamp the two directions up to a millisecond out of order: judgements across directions wait for
/// it.
inline constexpr Nanos kDirectionSkew = milliseconds(1);

/// A late PSN after a pause of its sender this long is a resend by timer, not reordering: queues hold packets for
/// microseconds to a few milliseconds, the shortest retransmission timers in use start there.
inline constexpr Nanos kSilence = milliseconds(4);

/// A READ asked again within this time of the last reply was asked while responses flow. Linux asks within 2 ms; the
/// QP timeouts in use (n = 12 and up) are 17 ms and more.
inline constexpr Nanos kResponsesFlow = milliseconds(12);

/// A NAK whose PSN was acknowledged after all explains a resend for this long: NAK and late packet crossed. Shorter
/// than any QP timeout in use, longer than a requester takes to react (8 ms in the lab).
inline constexpr Nanos kCrossing = milliseconds(15);

/// A forward jump of more PSNs than this, or a step back by more, with no reply to tell otherwise, is another
/// connection: a 100 ms outage at 100 Gb/s with 4 KiB packets loses 3 * 10^5, a random first PSN lies that close in 2
/// of 100 cases.
inline constexpr std::int64_t kJumpNoLossExplains = 1 << 18;

}  // namespace rocetop::track
