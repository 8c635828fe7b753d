// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/go_back_n.h"

namespace rocetop::generate::sim {

void GoBackN::receive(const Packet& packet, Time now) {
  switch (packet.kind) {
    case PacketKind::kRequest:
      return responder_.on_request(packet, now);
    case PacketKind::kResponse:
      return requester_.on_response(packet.sequence, now);
    case PacketKind::kAck:
      return requester_.on_acknowledge(packet.sequence, now);
    case PacketKind::kNak:
    case PacketKind::kRnrNak:
      return requester_.on_nak(packet, now);
    default:
      return;  // nothing of a connection's reliability
  }
}

}  // namespace rocetop::generate::sim
