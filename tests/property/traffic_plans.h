// SPDX-License-Identifier: BSD-3-Clause
// Random traffic for properties: plans that need no window tuning and faults that the tap can tell apart.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>

#include "generate/traffic.h"

namespace rocetop {

/// Messages of all operations, any start (often near the wrap), any PMTU, window and AckReq rhythm; no faults.
generate::TrafficPlan any_clean_plan();
generate::TrafficPlan any_clean_plan(std::uint32_t path_mtu);

/// The same, with three short WRITEs far apart at the end: everybody has gone on for long when the capture ends, so
/// that nothing is left open by its end.
generate::TrafficPlan any_quiet_ended_plan();

/// PSN offsets of `plan` where a packet of the class exists in a clean run, in order. A READ request is at its first
/// PSN.
std::vector<std::uint32_t> offsets_of(const generate::TrafficPlan& plan, generate::PacketClass victim);

/// As a person would write it down, for failures.
std::string describe(const generate::TrafficPlan& plan);

}  // namespace rocetop
