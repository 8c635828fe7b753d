// SPDX-License-Identifier: BSD-3-Clause
// LiveHistory: what screens remember of the snapshots before: rates for sparklines, and which findings are new. Bounded
// by the connections of a snapshot and by what a screen is wide.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/live.h"

namespace rocetop::present {

/// A name for a finding that stays the same while its numbers change.
std::string finding_key(const verdict::Finding& finding);

class LiveHistory {
 public:
  static constexpr std::size_t kKept = 240;  ///< snapshots
  static constexpr std::size_t kStrip = 16;  ///< of each connection

  /// A snapshot that follows those before. One that was added already is ignored.
  void add(const model::LiveSnapshot& snapshot);

  const std::vector<double>& bits_per_second() const { return bits_; }
  /// Of a connection, oldest first; empty if it is not known.
  std::vector<double> bits_per_second(std::uint32_t id) const;

  /// What passed on a connection between the last two snapshots that were added, each way: [0] is a to b.
  struct Passed {
    std::array<std::uint64_t, 2> frames{};
    std::array<std::uint64_t, 2> bytes{};
  };
  Passed passed(std::uint32_t id) const;
  Nanos passed_in() const { return passed_in_; }

  /// The worst finding that the latest snapshots brought.
  struct News {
    std::string title;
    verdict::Severity severity = verdict::Severity::kInfo;
    std::uint64_t snapshot = 0;  ///< that brought it; 0: there is none
    std::uint64_t further = 0;   ///< new ones of the same snapshot
  };
  const News& news() const { return news_; }

 private:
  struct Strip {
    std::array<float, kStrip> bits{};
    std::size_t count = 0;
    std::uint64_t snapshot = 0;  // the last one it was in
    Passed all;                  // as of then …
    Passed added;                // … and since the one before
  };
  void note_findings(const model::LiveSnapshot& snapshot);

  std::uint64_t last_ = 0;  // number
  Nanos last_time_;
  Nanos passed_in_;
  std::uint64_t resets_ = 0;
  std::vector<double> bits_;
  std::unordered_map<std::uint32_t, Strip> strips_;
  std::unordered_set<std::string> known_;  // findings of the latest snapshot and those before
  News news_;
};

}  // namespace rocetop::present
