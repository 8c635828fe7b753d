// SPDX-License-Identifier: BSD-3-Clause
// Causes: which finding is a consequence of which, and findings of one kind on many connections as one.
#pragma once

#include <vector>

#include "verdict/finding.h"
#include "verdict/thresholds.h"

namespace rocetop::verdict {

/// Findings of a rule that fired on more connections than `apart` become one, worst first.
void gather(std::vector<Finding>& findings, std::size_t apart);

/// Orders findings (worst first, consequences right after their cause), numbers them from 1 and fills `caused_by`.
void link_and_order(std::vector<Finding>& findings, const Thresholds& thresholds);

}  // namespace rocetop::verdict
