// SPDX-License-Identifier: BSD-3-Clause
// The options of the verbs of simulated scenarios: which there are, and what of a plan each sets.
#pragma once

#include "generate/sim/plan.h"
#include "generate/sim/plan_values.h"

namespace rocetop::generate::sim {

// Each takes all options of a statement; an error where one is none of the verb's, or has a wrong value.
Failure host_options(const Statement& s, NodePlan& target);
Failure switch_options(const Statement& s, NodePlan& target);
Failure link_options(const Statement& s, LinkPlan& target);
Failure connection_options(const Statement& s, ConnectionPlan& target);
Failure flow_options(const Statement& s, FlowPlan& target);
Failure fault_options(const Statement& s, FaultPlan& target);
Failure span_options(const Statement& s, TroublePlan& target);
Failure refuse_options(const Statement& s, TroublePlan& target);
Failure remark_options(const Statement& s, TroublePlan& target);

}  // namespace rocetop::generate::sim
