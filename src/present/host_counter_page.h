// SPDX-License-Identifier: BSD-3-Clause
// docs/host-counters.md as the table of counters has it.
#pragma once

#include <string>

namespace rocetop::present {

std::string host_counter_page();

}  // namespace rocetop::present
