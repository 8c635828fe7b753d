// SPDX-License-Identifier: BSD-3-Clause
// Whether a plan can be carried out: its parts fit together, and into memory.
#pragma once

#include "generate/sim/plan.h"
#include "generate/sim/plan_values.h"

namespace rocetop::generate::sim {

/// What is wrong with it; nothing if it is not.
Failure check(const Plan& plan);

}  // namespace rocetop::generate::sim
