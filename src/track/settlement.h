// SPDX-License-Identifier: BSD-3-Clause
// Settlement: what later packets made of one frame, put together from what the tracker tells bit by bit. For faces that
// show a packet once its future is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "track/observation.h"

namespace rocetop::track {

/// PSNs right before a packet.
struct Gap {
  std::uint32_t missing = 0;       ///< sent again, or nothing shows what became of them
  std::uint32_t came_late = 0;     ///< came after all, and nobody had sent them again
  std::uint32_t not_captured = 0;  ///< were acknowledged all the same
};

struct Settlement {
  FrameId trigger_frame;
  FrameId acked_in;
  std::optional<Resolution::Fate> fate;
  std::optional<Cause> cause;  ///< of a retransmission
  // PSNs that were missing before it, as in Gap:
  std::uint32_t came_late = 0;
  std::uint32_t not_captured = 0;
  std::uint32_t never_sent = 0;  ///< none of all this: a READ request takes them
  bool gap_settled = false;      ///< of some of them it is known now

  void add(const Resolution& resolution) {
    if (resolution.acked_in) acked_in = resolution.acked_in;
    // A retransmission that is acknowledged afterwards stays a retransmission.
    if (resolution.fate == Resolution::Fate::kAcknowledged && fate) return;
    fate = resolution.fate;
    if (resolution.fate != Resolution::Fate::kRetransmission) return;
    cause = resolution.cause;
    trigger_frame = resolution.trigger_frame;
  }

  void add(const GapFate& gap) {
    gap_settled = true;
    if (gap.outcome == Outcome::kReordered) came_late += gap.psns;
    if (gap.outcome == Outcome::kCaptureMissed) not_captured += gap.psns;
    if (!gap.outcome) never_sent += gap.psns;
  }

  bool empty() const { return !fate && !gap_settled; }

  /// What is known now of the PSNs that were missing before the frame of `observation`.
  Gap gap_before(const Observation& observation) const {
    Gap gap;
    gap.missing = observation.missing_before;
    gap.came_late = std::min(came_late, gap.missing);
    gap.missing -= gap.came_late;
    gap.not_captured = std::min(not_captured, gap.missing);
    gap.missing -= gap.not_captured;
    gap.missing -= std::min(never_sent, gap.missing);
    return gap;
  }
};

}  // namespace rocetop::track
