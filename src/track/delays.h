// SPDX-License-Identifier: BSD-3-Clause
// How long things took, as plain data: round trips, messages, and what a requester's time went into. All of it as seen
// at the tap, for the requests of one direction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/frame_id.h"
#include "base/histogram.h"
#include "base/lazy.h"
#include "base/nanos.h"

namespace rocetop::track {

/// A packet that wants a reply (AckReq, READ, atomic), sent once, to the reply that covers it first (Karn's rule: none
/// where a covered packet was resent). Near the requester this is the round trip, near the responder its own delay.
struct RoundTripCounts {
  Histogram rtt_ns;
  /// TIMELY's signal (Mittal et al., SIGCOMM 2015): the smoothed difference of two samples in a row over the smallest.
  double largest_gradient = 0;
  std::uint64_t rising = 0;    ///< samples at which it was above kRisingGradient
  std::uint64_t compared = 0;  ///< samples that had a predecessor
  /// Mean round trip of a stretch of time.
  struct Bin {
    std::uint32_t samples = 0;
    std::uint32_t largest_ns = 0;  ///< 4.29 s and more are 4.29 s
    double sum_ns = 0;
  };
  std::vector<Bin> bins;  ///< from `first_time` on, each 2^`bin_bits` ns long; at most kRoundTripBins
  Nanos first_time;
  std::uint8_t bin_bits = 20;
};
inline constexpr std::size_t kRoundTripBins = 64;
/// Gradients up to this are noise of the clock and of the peer's own delay: TIMELY's thresholds lie in this range.
inline constexpr double kRisingGradient = 0.25;

enum class Operation : std::uint8_t { kWrite, kSend, kRead, kAtomic };
inline constexpr std::size_t kOperations = 4;

/// Messages of one operation. A message lasts from the first packet of its first transmission to the reply that
/// completes it: the acknowledgement that covers its last PSN, a READ's last response, an atomic acknowledgement.
/// Recovery of what was lost in between is part of it.
struct MessageCounts {
  std::uint64_t complete = 0;
  std::uint64_t bytes = 0;    ///< payload of the complete ones
  std::uint64_t partial = 0;  ///< began before the capture, or in part not captured: not timed
  std::uint64_t open = 0;     ///< no reply had completed them when the connection, or the capture, ended
  Nanos first_time;           ///< first packet of the first complete one
  Nanos last_time;            ///< completion of the last one
  Histogram size_bytes;
  Histogram completion_ns;
  /// From a completion that left nothing outstanding to the first packet of the next message, which is of this kind.
  Histogram idle_ns;
};

/// Where the time of a direction's requests went, from its first message on. Adds up to `wall`.
struct TimeSplit {
  Nanos wall;
  Nanos moving;   ///< a message being sent, or READ responses flowing
  Nanos network;  ///< held up in mid-message (paused, paced, or a full window), or recovering from a loss
  Nanos peer;     ///< all was sent, the reply outstanding; RNR waits. Near the requester the round trip is part of it
  Nanos host;     ///< nothing outstanding: nothing was asked of the wire
};

struct MessageStats {
  std::array<Lazy<MessageCounts>, kOperations> operations;  ///< by Operation
  Histogram outstanding_reads;  ///< READs and atomics outstanding when one more was asked, that one included
  std::uint64_t rnr_waits = 0;
  Nanos rnr_waited;                     ///< RNR NAK to resend
  Nanos rnr_advertised;                 ///< what the RNR NAKs asked for
  std::uint64_t credit_replies = 0;     ///< acknowledgements that carried a credit count
  std::uint64_t no_credit_replies = 0;  ///< … of zero
  Nanos without_credit;                 ///< from an acknowledgement with no credits to the next with some
  TimeSplit time;
};

/// Where the capture point sits, as inferred.
enum class Tap : std::uint8_t { kUnknown, kNearSource, kNearDestination };

/// Why the tap is taken to be there.
struct TapEvidence {
  enum class Sure : std::uint8_t {
    kUnknown,
    kInferred,   ///< one sign says so
    kConfirmed,  ///< several independent ones do
  };
  Sure sure = Sure::kUnknown;
  std::string why;  ///< what was compared, in words; empty where there is nothing to compare
};

}  // namespace rocetop::track
