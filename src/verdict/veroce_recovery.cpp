// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/veroce_recovery.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_text.h"

namespace rocetop::verdict {

RecoveryCost recovery_cost(const track::DirectionCounts& direction) {
  RecoveryCost cost;
  for (const auto* space : {&direction.requests, &direction.responses})
    cost.resent_packets += space->retransmitted_original_seen + space->retransmitted_original_unseen;
  if (!direction.veroce) return cost;
  for (const auto* recovery : {&direction.veroce->requests, &direction.veroce->responses}) {
    cost.resent_psns += recovery->resent_psns;
    cost.second_round += recovery->second_round;
    cost.needless += recovery->needless + recovery->early_answers;
    cost.sacks += recovery->sacks;
    cost.packet_drop_naks += recovery->packet_drop_naks;
    if (recovery->sack_depth.empty()) continue;
    const std::int64_t least = recovery->sack_depth.min();
    cost.sack_depth_min = std::min(least, cost.sack_depth_min.value_or(least));
  }
  return cost;
}

std::string recovery_text(const RecoveryCost& cost) {
  if (cost.resent_packets == 0) return {};
  std::string text = fmt::format(" Sent again in all: {}", plural(cost.resent_packets, "packet"));
  if (cost.resent_psns > 0) {
    text += fmt::format(" for {} ({:.2f} each)", plural(cost.resent_psns, "PSN"),
                        static_cast<double>(cost.resent_packets) / static_cast<double>(cost.resent_psns));
  }
  if (cost.second_round > 0) text += fmt::format(", {} of them a second time or more", grouped(cost.second_round));
  text += ".";
  if (cost.sack_depth_min) {
    text += fmt::format(" The receiver complained by SACK from {} out of order on.",
                        plural(static_cast<std::uint64_t>(*cost.sack_depth_min), "packet"));
  }
  return text;
}

void add_recovery_values(Finding& finding, const RecoveryCost& cost) {
  finding.values.emplace_back("resent_packets", static_cast<double>(cost.resent_packets));
  finding.values.emplace_back("resent_psns", static_cast<double>(cost.resent_psns));
  finding.values.emplace_back("second_round_packets", static_cast<double>(cost.second_round));
  finding.values.emplace_back("sacks", static_cast<double>(cost.sacks));
  finding.values.emplace_back("packet_drop_naks", static_cast<double>(cost.packet_drop_naks));
  if (cost.sack_depth_min)
    finding.values.emplace_back("sack_depth_min_packets", static_cast<double>(*cost.sack_depth_min));
}

}  // namespace rocetop::verdict
