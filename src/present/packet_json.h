// SPDX-License-Identifier: BSD-3-Clause
// The JSON of `rocetop packets --json`: one object a line, one line a RoCE packet.
#pragma once

#include "present/json_writer.h"
#include "present/packet_record.h"

namespace rocetop::present {

/// Writes the object and "\n". Pause frames are not RoCE and write nothing; RoCE that could not be decoded is an object
/// with "undecodable" instead of the packet's fields.
void write_packet_json(const PacketRecord& record, bool several_files, const TextSink& sink);

}  // namespace rocetop::present
