// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/faults.h"

#include <algorithm>

namespace rocetop::generate::sim {
namespace {

std::uint8_t mask_of(PacketKind kind) {
  switch (kind) {
    case PacketKind::kRequest:
    case PacketKind::kResponse:
      return kDataPackets;
    case PacketKind::kAck:
      return kAckPackets;
    case PacketKind::kNak:
    case PacketKind::kRnrNak:
      return kNakPackets;
    case PacketKind::kCnp:
      return kCnpPackets;
    case PacketKind::kCm:
      return kCmPackets;
    case PacketKind::kSack:
      return kSackPackets;
    case PacketKind::kRtt:
      return kProbePackets;
    case PacketKind::kSlowPath:
      return kSlowPathPackets;
    case PacketKind::kPause:
      break;
  }
  return 0;
}

bool ends_message(const Packet& packet) {
  switch (packet.opcode) {
    case Opcode::kSendFirst:
    case Opcode::kSendMiddle:
    case Opcode::kWriteFirst:
    case Opcode::kWriteMiddle:
    case Opcode::kReadResponseFirst:
    case Opcode::kReadResponseMiddle:
      return false;
    default:
      return packet.is_data();
  }
}

}  // namespace

bool WireFault::fits(const Packet& packet, Time now) const {
  if ((mask_of(packet.kind) & plan_->what) == 0) return false;
  if (now < from_nanos(plan_->from) || (plan_->to != Nanos::max() && now >= from_nanos(plan_->to))) return false;
  if (plan_->resent && !packet.resent) return false;
  if (plan_->last && !ends_message(packet)) return false;
  const auto& ports = plan_->ports;
  if (!ports.empty() && std::find(ports.begin(), ports.end(), packet.udp_src) == ports.end()) return false;
  const auto& whose = plan_->connections;
  return whose.empty() || std::find(whose.begin(), whose.end(), packet.sender / 2) != whose.end();
}

bool WireFault::takes(const Packet& packet, Time now) {
  if (!fits(packet, now)) return false;
  ++seen_;
  if (burst_left_ > 0) {
    --burst_left_;
    return true;
  }
  if (hits_ >= plan_->most || !hits()) return false;
  ++hits_;
  burst_left_ = plan_->burst - 1;
  return true;
}

bool WireFault::hits() {
  if (plan_->nth != 0) return seen_ == plan_->nth;
  if (plan_->every != 0) return seen_ % plan_->every == 0;
  return random_.happens(plan_->chance);
}

}  // namespace rocetop::generate::sim
