// SPDX-License-Identifier: BSD-3-Clause
// What selective retransmission of a veRoCE direction cost, over both sequence spaces: for every rule that mentions it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "verdict/docket.h"

namespace rocetop::verdict {

struct RecoveryCost {
  std::uint64_t resent_packets = 0;
  std::uint64_t resent_psns = 0;   ///< PSNs sent again at least once
  std::uint64_t second_round = 0;  ///< resends of what had been resent before
  std::uint64_t needless = 0;      ///< resends of what the receiver had
  std::uint64_t sacks = 0;
  std::uint64_t packet_drop_naks = 0;
  std::optional<std::int64_t> sack_depth_min;  ///< shallowest out-of-order depth that drew a SACK
};

/// Of a direction without VeroceDirection: nothing but what every direction counts.
RecoveryCost recovery_cost(const track::DirectionCounts& direction);
/// " Sent again in all: 31 packets for 30 PSNs (1.03 each), 1 of them a second time or more. …": a leading space, or
/// empty where nothing was sent again.
std::string recovery_text(const RecoveryCost& cost);
/// The same as values of a finding.
void add_recovery_values(Finding& finding, const RecoveryCost& cost);

}  // namespace rocetop::verdict
