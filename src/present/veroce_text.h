// SPDX-License-Identifier: BSD-3-Clause
// veRoCE in words: what one packet carries, and what a report says of the layout by which packets were read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/snapshot.h"
#include "wire/packet.h"

namespace rocetop::present {

/// Name of a packet's opcode: by veRoCE's table where it is veRoCE.
std::string_view opcode_name(const wire::Packet& packet);

/// "5-7 9": the PSNs that a SACK's bitmap says were received, or were not; "none".
std::string sack_ranges_text(const wire::SackEth& sack, bool received);

/// "WRITE Middle", "SACK", "veRoCE (unknown opcode …)", "veRoCE SEND Only (raw: …)".
std::string veroce_what(const wire::Packet& packet);
/// For one line: what veRoCE's own headers say.
std::vector<std::string> veroce_line_facts(const wire::Packet& packet);
/// For -v: one of its own headers.
std::string veroce_header_text(const wire::Packet& packet, wire::Header header);
/// For -v: by which layout it was read and how sure that is, or why it was not, and its bytes.
std::string veroce_layout_line(const wire::Packet& packet);

/// "5,527 veRoCE frames: headers decoded by …": "" without veRoCE.
std::string veroce_frames_text(const model::Snapshot& snapshot);

}  // namespace rocetop::present
