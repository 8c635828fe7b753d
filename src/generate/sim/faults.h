// SPDX-License-Identifier: BSD-3-Clause
// WireFault: one thing that goes wrong on a wire, with its own random numbers and its own count of the packets that
// fit.
#pragma once

#include "generate/sim/packet.h"
#include "generate/sim/random.h"

namespace rocetop::generate::sim {

class WireFault {
 public:
  WireFault(const FaultPlan& plan, std::uint64_t seed, std::uint64_t number) : plan_(&plan), random_(seed, number) {}

  /// Whether it takes this packet, which passes now.
  bool takes(const Packet& packet, Time now);
  const FaultPlan& plan() const { return *plan_; }

 private:
  bool fits(const Packet& packet, Time now) const;
  bool hits();

  const FaultPlan* plan_;
  Random random_;
  std::uint64_t seen_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t burst_left_ = 0;
};

}  // namespace rocetop::generate::sim
