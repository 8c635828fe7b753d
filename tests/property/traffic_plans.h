// SPDX-License-Identifier: BSD-3-Clause
// Random traffic for properties: plans that need no window tuning and faults that the tap can tell apart.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "generate/traffic.h"

namespace rocetop {

/// What faults a random plan may have.
struct FaultChoice {
  generate::FaultKind kind;
  generate::PacketClass victim;
};

/// Messages of all operations, any start (often near the wrap), any PMTU, window and AckReq rhythm; no faults.
generate::TrafficPlan any_clean_plan();
generate::TrafficPlan any_clean_plan(std::uint32_t path_mtu);

/// PSN offsets of `plan` where a packet of the class exists in a clean run, in order. A READ request is at its first
/// PSN.
std::vector<std::uint32_t> offsets_of(const generate::TrafficPlan& plan, generate::PacketClass victim);

/// As a person would write it down, for failures.
std::string describe(const generate::TrafficPlan& plan);

}  // namespace rocetop
