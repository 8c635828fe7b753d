// SPDX-License-Identifier: BSD-3-Clause
// A simulated veRoCE packet as veroce_encoder.h wants it, and the room that it takes.
#pragma once

#include "generate/sim/packet.h"

namespace rocetop::generate::sim {

/// All but the payload. `addresses`: those of its queue pair.
VerocePacket veroce_packet(const Packet& packet, const VerocePlan& plan, const PacketSpec& addresses);
/// Bytes behind the BTH, without payload, pad and ICRC.
std::uint32_t veroce_header_bytes(const Packet& packet, const VerocePlan& plan);
/// Of payload and pad.
std::uint32_t veroce_zero_bytes(const Packet& packet, const VerocePlan& plan);

}  // namespace rocetop::generate::sim
