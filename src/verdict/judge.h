// SPDX-License-Identifier: BSD-3-Clause
// judge(): all rules over one window of evidence, findings in the order to show them.
#pragma once

#include <vector>

#include "verdict/evidence.h"
#include "verdict/finding.h"
#include "verdict/thresholds.h"

namespace rocetop::verdict {

/// Findings, worst first, consequences right after their cause, numbered from 1.
std::vector<Finding> judge(const Evidence& evidence, const Thresholds& thresholds);

}  // namespace rocetop::verdict
