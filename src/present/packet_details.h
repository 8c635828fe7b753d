// SPDX-License-Identifier: BSD-3-Clause
// `rocetop packets -v`: the fields of every header, one header a line, outermost first, indented under the packet's
// line.
#pragma once

#include <string>

#include "present/packet_record.h"
#include "present/paint.h"

namespace rocetop::present {

/// Lines with line feeds; "" for a frame that is not RoCE. `fold`: what is wider than the style's width goes on in the
/// next line, further in; else a header is one line however long it is, for grep.
std::string packet_details(const PacketRecord& record, const TextStyle& style, bool several_files, bool fold = false);

}  // namespace rocetop::present
