// SPDX-License-Identifier: BSD-3-Clause
#include "verdict/judge.h"

#include "verdict/causes.h"
#include "verdict/rules.h"

namespace rocetop::verdict {
namespace {

constexpr std::size_t kApart = 8;  // connections with the same finding that are still shown one by one

}  // namespace

std::vector<Finding> judge(const Evidence& evidence, const Thresholds& thresholds) {
  Docket docket(evidence, thresholds);
  judge_capture(docket);
  judge_receivers(docket);
  judge_peers(docket);
  judge_integrity(docket);
  judge_loss(docket);
  judge_order(docket);
  judge_retransmissions(docket);
  judge_management(docket);
  judge_congestion(docket);
  judge_classes(docket);
  judge_pauses(docket);
  judge_sharing(docket);
  judge_expectations(docket);
  judge_set_ups(docket);
  judge_hosts(docket);
  judge_stragglers(docket);
  judge_mtu(docket);
  judge_veroce_paths(docket);
  judge_veroce_recovery(docket);
  judge_veroce_profiles(docket);
  std::vector<Finding> findings = std::move(docket.findings());
  for (Finding& f : findings) settle_proof(f);
  gather(findings, kApart);
  link_and_order(findings, thresholds);
  return findings;
}

}  // namespace rocetop::verdict
