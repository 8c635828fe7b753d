// SPDX-License-Identifier: BSD-3-Clause
// The congestion loop of one direction's data, as plain data: CE marks on it, the CNPs that came back for it, and what
// its sender's rate did. What was measured, nothing else: what it amounts to is the verdict's to say (Loop).
#pragma once

#include <cstdint>

#include "base/frame_id.h"
#include "base/histogram.h"
#include "base/ip_address.h"
#include "base/nanos.h"

namespace rocetop::track {

/// What became of marks -> CNPs -> slowdown -> recovery.
enum class Loop : std::uint8_t {
  kUnknown,              ///< something of it was seen, and the capture does not show whether it works
  kIdle,                 ///< no mark, no CNP, no sign that there should have been any
  kClosed,               ///< CNPs, then a slowdown
  kNotificationMissing,  ///< marks, and no CNP although the way back was captured
  kReactionMissing,      ///< CNPs, and the sender goes on as before
  kNotMarked,            ///< congestion shows by other signs, and the data cannot be marked
  kOscillating,          ///< it works, with a swing of its own
};

/// A CNP and a NAK this near were sent together: receivers under slow restart do that. The two are back to back on the
/// wire; captures stamp them within microseconds.
inline constexpr Nanos kWithNak = microseconds(20);

/// Windows of the RateMeter within which congestion control cuts a rate: one window holds some tens of packets, an
/// adapter answers a CNP within microseconds.
inline constexpr std::int64_t kPromptWindows = 8;

struct CongestionCounts {
  std::uint64_t ce_packets = 0;  ///< of data: not ACKs, not CNPs
  FrameId first_ce;
  Nanos first_ce_time;
  Nanos last_ce_time;
  std::uint64_t ce_after_last_cnp = 0;  ///< CE packets that no CNP followed
  Nanos longest_unanswered;  ///< longest time from the first CE after a CNP to the next CNP, or to the last CE

  std::uint64_t cnps = 0;  ///< that came for this data, without copies
  FrameId first_cnp;
  Nanos first_cnp_time;
  Nanos last_cnp_time;
  std::uint64_t cnps_without_ce = 0;  ///< no data packet was marked since the CNP before
  FrameId first_cnp_without_ce;
  std::uint64_t cnps_with_nak = 0;  ///< within kWithNak of a PSN sequence error NAK of the same sender
  FrameId first_nak_with_cnp;
  Nanos first_nak_with_cnp_time;
  std::uint64_t fast_cnps = 0;  ///< sent by a switch (IPv6 Destination Options)
  Histogram ce_to_cnp_ns;       ///< from the latest CE; only CNPs that a CE preceded since the CNP before
  Histogram cnp_gap_ns;

  // Rates are of frames on the wire, over RateMeter's window. One CNP a window is looked at.
  Histogram rate_before_bps;           ///< up to the CNP
  Histogram rate_after_bps;            ///< in the first whole window after it
  Histogram after_permille;            ///< the second as a share of the first
  std::uint64_t slowdowns = 0;         ///< series of CNPs after which the rate fell
  Histogram cut_permille;              ///< of slowdowns that are over: how much of the rate before went
  std::uint64_t prompt_slowdowns = 0;  ///< … of these, within kPromptWindows of the first CNP
  std::uint64_t no_slowdowns = 0;
  /// The same looked for where no CNP was: stretches of kPromptWindows, and how many of them the rate fell in.
  std::uint64_t calm_stretches = 0;
  std::uint64_t calm_falls = 0;
  std::uint64_t unrecovered =
      0;                  ///< slowdowns after which the rate did not come back before the next series, or the end
  Histogram recovery_ns;  ///< from the first CNP of the series to the rate being back
  /// Lowest and highest rate since the first CNP, of the time in which the sender had something to send; 0 when there
  /// was none.
  double lowest_bps = 0;
  double highest_bps = 0;
  std::uint64_t windows = 0;  ///< looked at for the two
  Nanos watched;              ///< time since the first CE or CNP …
  Nanos idle;                 ///< … in which nothing was outstanding
  Nanos rest;                 ///< … in which the sender had sent what it had, and waited: for an answer, for the next
                              ///< READ, for what a READ asks for; `idle` included

  // Swings: the rate fell to less than half, and doubled again. Whole ones, from trough to trough, with a CE or a CNP
  // in them and without an idle sender.
  std::uint64_t swings = 0;
  std::uint64_t calm_swings = 0;  ///< the like without any CE or CNP: something else makes them
  double swing_ns = 0;            ///< mean period
  double swing_spread = 0;        ///< its standard deviation as a share of the mean
  double swing_depth = 0;         ///< mean of (peak - trough) / peak

  double idle_ratio() const { return share_of_watched(idle); }
  double rest_ratio() const { return share_of_watched(rest); }

 private:
  double share_of_watched(Nanos part) const {
    return watched.count > 0 ? static_cast<double>(part.count) / static_cast<double>(watched.count) : 0.0;
  }
};

/// How one host spaces the CNPs it sends. Gaps are between CNPs of one key; "across" between those of different finer
/// keys (different queue pairs of one IP pair, different IP pairs of one sender): that is what pacing by the coarser
/// key would keep apart. 0: none seen.
struct CnpPacing {
  IpAddress src;
  std::uint64_t cnps = 0;
  Nanos qp_gap;
  Nanos pair_gap;
  Nanos pair_gap_across;
  Nanos destination_gap;  ///< to one destination, whoever sent them
  Nanos destination_gap_across;
  Nanos port_gap;  ///< from this address: a port with several addresses is not known to be one
  Nanos port_gap_across;
};

}  // namespace rocetop::track
