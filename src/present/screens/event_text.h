// SPDX-License-Identifier: BSD-3-Clause
// What happened on a connection, in plain words.
#pragma once

#include <string>

#include "model/recent.h"

namespace rocetop::present {

/// "192.0.2.1 resent 12 packets from PSN 7 on (#12), asked to by the NAK in #11". `who`: the sender's name.
std::string event_text(const model::RecentEvent& event, const std::string& who, bool several_files);

}  // namespace rocetop::present
