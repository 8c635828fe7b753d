// SPDX-License-Identifier: BSD-3-Clause
// Paths: over which of its paths a veRoCE sender sends its next packet. A path is a UDP source port. They take turns by
// their weights; one that its congestion control holds back is passed over (path-wise congestion control).
#pragma once

#include <cstdint>
#include <vector>

#include "generate/sim/dcqcn.h"
#include "generate/sim/plan.h"

namespace rocetop::generate::sim {

/// The ports that a plan means; `first`: of a connection without any named.
std::vector<std::uint16_t> path_ports(const VerocePlan& plan, std::uint16_t first);

class Paths {
 public:
  /// `line`: bits/s.
  Paths(const ConnectionPlan& plan, std::uint16_t first_port, double line);

  /// When a path is free to send: `now` or later.
  Time free_at(Time now) const;
  /// The port of the next packet. Some path has to be free.
  std::uint16_t next(Time now);
  void on_sent(std::uint16_t port, std::uint32_t bytes, Time now);
  void on_cnp(std::uint16_t port, Time now);
  const std::vector<std::uint16_t>& ports() const { return ports_; }

 private:
  struct Path {
    std::int64_t weight = 1;
    std::int64_t turn = 0;  ///< the highest is next
    Dcqcn control;
    Time free_at = 0;
  };
  Path* find(std::uint16_t port);

  bool controlled_;
  std::vector<std::uint16_t> ports_;
  std::vector<Path> paths_;
};

}  // namespace rocetop::generate::sim
