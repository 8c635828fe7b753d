// SPDX-License-Identifier: BSD-3-Clause
// Options that only connections by veRoCE have: paths, acknowledging, and the layout of the headers, in the words in
// which the decoder's --veroce-layout has it. The words are told here once more: encoder and decoder share no table.
#pragma once

#include "generate/sim/plan.h"
#include "generate/sim/plan_values.h"

namespace rocetop::generate::sim {

inline constexpr std::uint32_t kPathsMost = 64;

Failure set_protocol(ConnectionPlan& connection, const Option& option);
/// "49152,49160": of each path.
Failure set_ports(VerocePlan& plan, const Option& option);
/// "4,1,1": of each path.
Failure set_weights(VerocePlan& plan, const Option& option);
/// "cnp" or "becn".
Failure set_signal(VerocePlan& plan, const Option& option);
/// "sack_order=psn_len,retrans_bit=0x20".
Failure set_layout(VerocePlan& plan, const Option& option);
/// UDP source ports with commas between them.
Failure set_fault_ports(FaultPlan& fault, const Option& option);

/// All that a layout may say, a "key=word" each: for tests and help.
std::vector<std::string> layout_words();

}  // namespace rocetop::generate::sim
