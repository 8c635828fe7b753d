// SPDX-License-Identifier: BSD-3-Clause
// Statements of the scenario language -> a Plan: the verbs of simulated scenarios (docs/generate.md).
#pragma once

#include <string_view>
#include <vector>

#include "generate/scenario_text.h"
#include "generate/sim/plan.h"

namespace rocetop::generate::sim {

/// Whether a verb is one of simulated scenarios, and whether it takes an argument.
bool is_verb(std::string_view verb);
bool takes_argument(std::string_view verb);

/// Errors name line, column and what was expected.
Result<Plan> make_plan(const std::vector<Statement>& statements);

/// "HOST", "SWITCH" or "NODE/NEIGHBOUR", instead of the plan's. Errors: there is no such place.
Result<Done> set_tap(Plan& plan, const Word& where);

}  // namespace rocetop::generate::sim
