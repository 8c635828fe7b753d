// SPDX-License-Identifier: BSD-3-Clause
// Dcqcn: the rate of one sender under DCQCN (Zhu et al., SIGCOMM 2015, section 5): a CNP cuts it by alpha / 2; time and
// bytes bring it back, first half-way to where it was (fast recovery), then by a step, then by a larger one. What time
// does is caught up with when the rate is asked for, so that idle senders cost nothing.
#pragma once

#include <cstdint>

#include "generate/sim/plan.h"

namespace rocetop::generate::sim {

class Dcqcn {
 public:
  /// `line`: bits/s.
  explicit Dcqcn(double line);

  void on_cnp(Time now);
  void on_sent(Time now, std::uint32_t bytes);
  /// Bits/s.
  double rate(Time now) {
    catch_up(now);
    return rate_;
  }
  bool limits() const { return rate_ < line_; }

 private:
  void catch_up(Time now);
  void increase();

  double line_;
  double rate_;
  double target_;
  double alpha_ = 1;
  Time last_cut_ = 0;
  bool cut_ = false;
  Time alpha_at_ = 0;     ///< when alpha shrinks next
  Time increase_at_ = 0;  ///< when time raises the rate next
  std::uint64_t bytes_ = 0;
  std::uint32_t by_time_ = 0;  ///< increases since the last cut
  std::uint32_t by_bytes_ = 0;
};

}  // namespace rocetop::generate::sim
