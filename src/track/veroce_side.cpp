// SPDX-License-Identifier: BSD-3-Clause
#include "track/veroce_side.h"

#include "wire/aeth.h"

namespace rocetop::track {

using wire::VeroceShape;

bool VeroceSide::on_packet(const PacketFacts& packet, const VeroceFacts& more, bool delivered, Context& context,
                           Observation& observation) {
  if (more.shape == VeroceShape::kUnknown) ++raw_packets;
  if (more.is_probe_request() && !more.is_copy) ++rtt_requests;
  if (!more.sequenced) return false;
  const bool brings = space(more.space).on_packet(packet, more, delivered, paths, context, observation);
  if (more.trimmed && observation.kind != Kind::kDuplicate) {
    ++trimmed;
    trimmed_frames.use().add(packet.frame, packet.time);
  }
  if (more.space == wire::VeroceSpace::kRequests) {
    if (observation.kind == Kind::kRetransmission) {
      messages.on_resend(packet.time, observation.cause.value_or(Cause::kUnknown));
    }
    if (brings && more.has_msn) messages.on_request(packet, more, observation.missing_before > 0, context);
  }
  return brings;
}

void VeroceSide::on_reply(const PacketFacts& reply, const VeroceFacts& more, Context& context,
                          Observation& observation) {
  switch (more.shape) {
    case VeroceShape::kAck:
    case VeroceShape::kSack:
      space(more.space).on_reply(reply, more, paths, context, observation);
      if (more.space == wire::VeroceSpace::kRequests) messages.on_reply(reply);
      break;
    case VeroceShape::kReadResponse:
    case VeroceShape::kAtomicAck:
      if (reply.has_aeth) messages.on_response(reply);
      break;
    case VeroceShape::kCnp:
      paths.on_cnp(reply);
      break;
    case VeroceShape::kSlowPath:
      paths.on_slow_signal(reply);
      break;
    case VeroceShape::kRtt:
      if (more.probe) paths.on_probe(reply.udp_src, *more.probe);
      if (more.host_took) host_delay_ns.add(*more.host_took);
      break;
    default:
      break;
  }
}

Fit VeroceSide::fits(const PacketFacts& reply) const {
  const wire::VeroceOpcode opcode = wire::veroce_opcode(reply.opcode);
  return opcode.acknowledges() ? space(opcode.space).fits(reply) : Fit::kNone;
}

bool VeroceSide::has_just_sent(const PacketFacts& packet) const {
  if (!packet.is_data()) return false;
  return (packet.role == wire::Role::kResponse ? responses : requests).has_just_seen(packet);
}

void VeroceSide::finish(Context& context) {
  requests.finish(context);
  responses.finish(context);
}

VeroceDirection VeroceSide::counts() const {
  VeroceDirection out;
  out.requests = requests.recovery();
  out.responses = responses.recovery();
  out.paths = paths.paths();
  out.packets_elsewhere = paths.packets_elsewhere();
  out.lost_elsewhere = paths.lost_elsewhere();
  out.trimmed = trimmed;
  out.trimmed_frames = trimmed_frames;
  out.rtt_requests = rtt_requests;
  out.raw_packets = raw_packets;
  out.host_delay_ns = host_delay_ns;
  return out;
}

}  // namespace rocetop::track
