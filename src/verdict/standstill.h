// SPDX-License-Identifier: BSD-3-Clause
// Standstill: which classes were paused for how long, and whose data stood still meanwhile. Evidence for the rules
// about pauses and about receivers that many senders share; it judges nothing.
#pragma once

#include <vector>

#include "verdict/docket.h"

namespace rocetop::verdict {

/// Directions whose data passed in pauses of class `c` far less than it would if it were spread evenly.
std::vector<DirectionView> stood_still(const Docket& docket, std::size_t c, double paused_share);

/// A class that one port paused.
struct PausedClass {
  const track::PausingPort* port = nullptr;
  std::size_t c = 0;
  double least = 0;  ///< share of the capture for which it was paused for certain …
  double most = 0;   ///< … and at most
  std::vector<DirectionView> still;
  bool noticeable =
      false;  ///< for a share worth a word; of links of unknown speed, for certain, or senders stood still

  const track::PauseCounts& counts() const { return port->classes[c]; }
};

/// Every class that was paused at all.
std::vector<PausedClass> paused_classes(const Docket& docket);

}  // namespace rocetop::verdict
