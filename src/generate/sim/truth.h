// SPDX-License-Identifier: BSD-3-Clause
// Truth: what only the simulation knows, in the words in which triage counts: of every packet that something was done
// to, what, where and when, with its number in the capture; and of every connection what its sender did and what passed
// the tap. One JSON object (rocetop.truth/1, docs/generate.md), written piece by piece, an event a line.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generate/sim/network.h"
#include "generate/sim/requester.h"

namespace rocetop::generate::sim {

/// One PSN space of one direction as the tap sees it. Counts PSNs for what is missing, packets for the rest.
class SpaceBook {
 public:
  struct Counts {
    std::uint64_t packets = 0;
    std::uint64_t missing = 0;          ///< PSNs skipped at the tap
    std::uint64_t original_seen = 0;    ///< sent again, and the original had passed the tap
    std::uint64_t original_unseen = 0;  ///< sent again, and it had not
    std::uint64_t reordered = 0;
    std::uint64_t copies = 0;
  };

  /// `span`: PSNs, at least those between the oldest that may come again and the newest.
  explicit SpaceBook(std::size_t span);
  void seen(const Packet& packet);
  const Counts& counts() const { return counts_; }

 private:
  bool test(Sequence s) const { return seen_[static_cast<std::size_t>(s) & mask_]; }
  void skip_to(Sequence s);

  std::vector<bool> seen_;
  std::size_t mask_;
  Sequence next_ = -1;  ///< above all that was seen; -1: nothing was
  Counts counts_;
};

using TextSink = std::function<void(std::string_view)>;

class Truth {
 public:
  /// Without a sink nothing is counted or written.
  Truth(const Plan& plan, Nanos start, TextSink sink);

  void begin(std::string_view scenario, std::uint64_t seed);
  void seen(const Packet& packet);
  void gone(const Packet& packet, const Network& network);
  /// `deeds`: by queue pair.
  void end(std::uint64_t frames, const std::vector<TransportDeeds>& deeds);

 private:
  static constexpr std::size_t kDeedKinds = 10;
  /// Of a direction of a veRoCE connection: packets in the capture, but for what was lost.
  struct Path {
    std::uint64_t frames = 0;
    std::uint64_t data = 0;
    std::uint64_t resent = 0;
    std::uint64_t ce = 0;
    std::uint64_t trimmed = 0;
    std::uint64_t lost = 0;
  };
  struct Direction {
    explicit Direction(std::size_t span) : requests(span), responses(span) {}

    std::uint64_t frames = 0;
    std::uint64_t acks = 0;
    std::uint64_t naks = 0;
    std::uint64_t rnr_naks = 0;
    std::uint64_t cnps = 0;
    std::uint64_t ce = 0;
    std::uint64_t damaged = 0;
    SpaceBook requests;
    SpaceBook responses;
    // veRoCE:
    std::uint64_t sacks = 0;
    std::uint64_t becn = 0;  ///< acknowledgements with it
    std::uint64_t slow_path_signals = 0;
    std::uint64_t rtt_packets = 0;
    std::map<std::uint16_t, Path> paths;  ///< by UDP source port
  };
  void count_veroce(const Packet& packet, Direction& direction);
  void write_veroce(std::size_t queue_pair, const std::vector<TransportDeeds>& deeds, std::string& out) const;
  void write_event(const Packet& packet, const Deed& deed, const Network& network);
  void write_direction(std::size_t queue_pair, const std::vector<TransportDeeds>& deeds);
  std::string name_of(std::size_t queue_pair, bool receiver) const;

  const Plan& plan_;
  Nanos start_;
  TextSink sink_;
  std::vector<Direction> directions_;
  std::array<std::uint64_t, kDeedKinds> deeds_{};
  std::uint64_t pauses_ = 0;
  std::uint64_t management_ = 0;
  std::uint64_t omitted_ = 0;
  bool has_veroce_ = false;  ///< the plan, of which else nothing is said of veRoCE
  std::string line_;
  bool any_event_ = false;
};

}  // namespace rocetop::generate::sim
