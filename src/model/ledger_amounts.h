// SPDX-License-Identifier: BSD-3-Clause
// The amounts that metrics count, as plain numbers that can be added up. Times are nanoseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/histogram.h"
#include "track/counts.h"
#include "track/pause_log.h"

namespace rocetop::model {

inline constexpr std::size_t kProtocols = 4;  ///< of wire::Protocol
inline constexpr std::size_t kDscps = 64;
enum class TimeState : std::uint8_t { kMoving, kNetwork, kPeer, kHost };  ///< as in track::TimeSplit
inline constexpr std::size_t kTimeStates = 4;
enum class PauseKind : std::uint8_t { kXoff, kXon };
inline constexpr std::size_t kPauseKinds = 2;

/// Upper edges of the buckets, in nanoseconds: few, as each is a series. Above the last one there is +Inf.
inline constexpr std::array<std::int64_t, 10> kRttEdges = {5'000,   10'000,  20'000,    50'000,    100'000,
                                                           200'000, 500'000, 1'000'000, 5'000'000, 50'000'000};
inline constexpr std::array<std::int64_t, 10> kCompletionEdges = {
    10'000, 50'000, 100'000, 500'000, 1'000'000, 5'000'000, 10'000'000, 50'000'000, 100'000'000, 1'000'000'000};
inline constexpr std::array<std::int64_t, 7> kCeToCnpEdges = {5'000,   10'000,    20'000,    50'000,
                                                              100'000, 1'000'000, 10'000'000};

/// A distribution in the form that Prometheus has them: at_most[i] counts the values up to the i-th edge.
template <std::size_t N>
struct Buckets {
  std::array<std::uint64_t, N> at_most{};
  std::uint64_t count = 0;
  std::uint64_t sum_ns = 0;
};

/// What one host sent to another.
struct PairAmounts {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;  ///< on the wire
  std::uint64_t data_packets = 0;
  std::uint64_t payload_bytes = 0;
  std::array<std::uint64_t, track::kCauses> retransmitted_packets{};  ///< by track::Cause
  std::array<std::uint64_t, track::kCauses> retransmitted_bytes{};
  std::array<std::uint64_t, track::kCauses> episodes{};
  std::array<std::uint64_t, track::kOutcomes> missing_packets{};  ///< PSNs, by track::Outcome
  std::uint64_t reordered_packets = 0;
  std::uint64_t duplicate_packets = 0;
  std::uint64_t bad_icrc_packets = 0;
  std::array<std::uint64_t, wire::kNakCodes> naks{};  ///< by wire::NakCode
  std::uint64_t rnr_naks = 0;
  std::uint64_t rnr_stall_ns = 0;       ///< of requests sent this way
  std::uint64_t rnr_advertised_ns = 0;  ///< … what the RNR NAKs asked for
  std::uint64_t ce_packets = 0;
  std::uint64_t not_ect_packets = 0;  ///< of data
  std::uint64_t cnps = 0;
  std::uint64_t fast_cnps = 0;
  std::uint64_t cnps_without_ce = 0;  ///< that came for data sent this way, as all that follow
  std::uint64_t cnps_with_nak = 0;
  std::uint64_t slowdowns = 0;
  std::uint64_t no_slowdowns = 0;
  std::uint64_t veroce_sacks = 0;                    ///< about what was sent this way, in both sequence spaces
  std::uint64_t veroce_trimmed = 0;                  ///< without their payload
  std::uint64_t veroce_second_rounds = 0;            ///< resends of what had been resent before
  std::uint64_t veroce_needless = 0;                 ///< resends of what had arrived
  std::uint64_t veroce_slow_signals = 0;             ///< about paths this way
  std::uint64_t veroce_late = 0;                     ///< first transmissions behind packets with higher PSNs
  std::uint64_t veroce_lost_on_paths = 0;            ///< that passed the tap, and whose path is known
  std::array<std::uint64_t, kTimeStates> time_ns{};  ///< by TimeState: of the requests sent this way
  std::array<std::uint64_t, track::kOperations> messages{};
  std::array<std::uint64_t, track::kOperations> message_bytes{};
  Buckets<kRttEdges.size()> rtt;
  std::array<Buckets<kCompletionEdges.size()>, track::kOperations> completion;
  Buckets<kCeToCnpEdges.size()> ce_to_cnp;
};

/// What data of one DSCP met. By the DSCP of the first packet of its kind.
struct ClassAmounts {
  std::uint64_t retransmitted_packets = 0;
  std::array<std::uint64_t, track::kOutcomes> missing_packets{};
};

/// Pauses of one class, as the capture shows them.
struct PauseAmounts {
  std::uint64_t paused_ns = 0;                      ///< at least, where the speed of the link is not known
  std::array<std::uint64_t, kPauseKinds> frames{};  ///< by PauseKind
};

/// Adds what a direction of a connection counts.
void add(PairAmounts& sum, const track::DirectionCounts& direction);
void add(ClassAmounts& sum, const track::SpaceCounts& space);

/// Adds number by number.
void add(PairAmounts& sum, const PairAmounts& other);
void add(ClassAmounts& sum, const ClassAmounts& other);
void add(PauseAmounts& sum, const PauseAmounts& other);

/// Raises `level` to `now`, and gives by how much. Nothing falls: where some of the numbers that belong together (the
/// causes, the outcomes) fell, the others rise by as much less, so that their sum stays right.
PairAmounts raise(PairAmounts& level, const PairAmounts& now);
ClassAmounts raise(ClassAmounts& level, const ClassAmounts& now);
PauseAmounts raise(PauseAmounts& level, const PauseAmounts& now);

/// As much of `level` as there is, and not more than `most`; and what is left without it.
PairAmounts part_of(const PairAmounts& level, const PairAmounts& most);
void take_away(PairAmounts& from, const PairAmounts& part);

/// How many values of `histogram` are at most as large as each edge. Those in the bucket of the edge are (as in
/// Histogram::share_above()): they are up to 3 % above it.
void count_at_most(const Histogram& histogram, std::span<const std::int64_t> edges, std::span<std::uint64_t> counts);

}  // namespace rocetop::model
