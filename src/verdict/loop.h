// SPDX-License-Identifier: BSD-3-Clause
// The loop verdict of each direction: what became of marks -> CNPs -> slowdown -> recovery, judged from what was
// measured. Whatever the capture does not show is unknown, not broken.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "verdict/docket.h"

namespace rocetop::verdict {

/// Requests and responses of a direction, and of these what carried a codepoint.
std::uint64_t data_packets(const track::DirectionCounts& d);
std::uint64_t data_with(const track::DirectionCounts& d, wire::Ecn ecn);
/// Of these, what carries payload or could: not READ and atomic requests, nor their one-packet acknowledgements.
std::uint64_t payload_packets(const track::DirectionCounts& d);
/// Most of the data cannot be marked.
bool is_not_ect(const track::DirectionCounts& d);

/// The rate fell after CNPs, but too rarely, or too late, to say that they were why.
bool slowed_by_chance(const track::CongestionCounts& c);
/// What a direction's loop verdict rests on, in words; empty without CE and CNP.
std::string loop_facts(const track::DirectionCounts& d);

/// What is known of all connections together.
class LoopReader {
 public:
  LoopReader(const std::vector<track::ConnectionCounts>& connections, const CaptureEvidence& capture,
             const Thresholds& thresholds);

  track::Loop loop(const DirectionView& v) const;

  /// Marked data, the way back captured, and no CNP though there was time for one.
  bool marks_unanswered(const DirectionView& v) const;
  /// The sender takes no notice of CNPs, seen where its own rate is seen.
  bool takes_no_notice(const DirectionView& v) const;
  bool oscillates(const DirectionView& v) const;
  /// Signs that packets of this direction waited or were dropped, though none was marked.
  bool queues_without_marks(const DirectionView& v) const;
  /// Data that this host receives is marked at this capture point: it is behind a queue that marks.
  bool marks_seen_towards(const IpAddress& host) const {
    const auto found = receivers_.find(host);
    return found != receivers_.end() && found->second.marked_directions > 0;
  }

 private:
  struct Receiver {
    std::uint64_t marked_directions = 0;
    std::uint64_t cnps = 0;
    std::set<IpAddress> losing;  ///< hosts that lost packets on the way to it
    std::set<IpAddress> slow;    ///< hosts whose round trips to it are far above the shortest
  };
  bool rtt_is_inflated(const track::DirectionCounts& d) const;

  const Thresholds& thresholds_;
  bool paused_ = false;
  std::map<IpAddress, Receiver> receivers_;
};

/// Fills DirectionCounts::loop, and gives Fast CNPs, which name the receiver's queue pair, to the data they are about.
void judge_loops(std::vector<track::ConnectionCounts>& connections, const CaptureEvidence& capture,
                 const Thresholds& thresholds);

}  // namespace rocetop::verdict
