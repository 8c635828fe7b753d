// SPDX-License-Identifier: BSD-3-Clause
// Settlement: what later packets made of one frame, put together from the resolutions that the tracker gives bit by
// bit. For faces that show a packet once its future is known.
#pragma once

#include <optional>

#include "track/observation.h"

namespace rocetop::track {

struct Settlement {
  FrameId trigger_frame;
  FrameId acked_in;
  std::optional<Resolution::Fate> fate;
  std::optional<Cause> cause;  ///< of a retransmission

  void add(const Resolution& resolution) {
    if (resolution.acked_in) acked_in = resolution.acked_in;
    // A retransmission that is acknowledged afterwards stays a retransmission.
    if (resolution.fate == Resolution::Fate::kAcknowledged && fate) return;
    fate = resolution.fate;
    if (resolution.fate != Resolution::Fate::kRetransmission) return;
    cause = resolution.cause;
    trigger_frame = resolution.trigger_frame;
  }
};

}  // namespace rocetop::track
