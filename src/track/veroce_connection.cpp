// SPDX-License-Identifier: BSD-3-Clause
// Connection and veRoCE: one connection over all its paths (UDP source ports), with two sequence spaces a side. What a
// side says about the other one's packets and paths waits until the two are joined.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "track/connection.h"
#include "track/reply_kind.h"

namespace rocetop::track {
namespace {

using wire::VeroceShape;

/// Whether a packet says something of the other side's packets or paths.
bool says_something(const VeroceFacts& more) {
  switch (more.shape) {
    case VeroceShape::kAck:
    case VeroceShape::kSack:
    case VeroceShape::kCnp:
    case VeroceShape::kSlowPath:
    case VeroceShape::kReadResponse:
    case VeroceShape::kAtomicAck:
      return true;
    case VeroceShape::kRtt:
      return more.host_took.has_value();
    default:
      return false;
  }
}

/// Whether the PSN is near that of the latest packet that was far from all others, `before`; which it is from now on.
bool agrees_with_far(std::optional<Psn>& before, Psn psn) {
  constexpr std::uint32_t kNear = 4096;  // PSNs: noise at random comes as near once in 4,000 packets
  const std::optional<Psn> latest = std::exchange(before, psn);
  return latest && static_cast<std::uint32_t>(std::abs(serial_difference(psn.value, latest->value))) < kNear;
}

}  // namespace

void Connection::on_veroce(std::size_t index, const PacketFacts& packet, const VeroceFacts& more, Context& context,
                           Observation& observation) {
  Side& side = *sides_[index];
  VeroceSide& own = side.veroce.use();
  note_time(packet);
  if (more.sequenced || packet.role == wire::Role::kAcknowledge) transport_ = wire::Transport::kRc;
  const Nanos last_data = side.last_data_time();
  side.count(packet);
  headers_cut_ = headers_cut_ || (packet.headers_cut && packet.role == wire::Role::kAcknowledge);
  if (!side.row.path_mtu_told && !more.trimmed) learn_path_mtu(side, packet, context);
  if (packet.is_data()) {
    side.watch_data(packet, last_data, context,
                    [&](Nanos before) { return veroce_pause_before(index, packet, before); });
  }
  observation.connection = id;
  if (packet.role == wire::Role::kAcknowledge) observation.kind = reply_kind(packet);
  if (packet.role == wire::Role::kCnp) observation.kind = Kind::kCnp;
  // Far from all that this side sends: noise, or the first of another connection, which a second one shows, though not
  // its own copy. (A request that did is in that connection by now.)
  const bool far =
      more.sequenced && own.space(more.space).is_far(packet) &&
      (more.space == wire::VeroceSpace::kRequests || more.has_passed || !agrees_with_far(veroce_far, packet.psn));
  if (more.is_copy && !more.sequenced) {
    if (packet.role == wire::Role::kCnp) observation.kind = Kind::kDuplicate;
    if (packet.is_rnr_nak()) ++side.counts.rnr_nak_copies;
    return;
  }
  const bool brings = !far && own.on_packet(packet, more, side.delivered(packet), context, observation);
  if (!says_something(more) || (more.sequenced && !brings)) return;
  if (is_paired()) {
    deliver_veroce(index, {packet, more}, context, observation);
  } else {
    hold_veroce(index, {packet, more}, context);
  }
}

void Connection::deliver_veroce(std::size_t index, const VeroceSide::Held& said, Context& context,
                                Observation& observation) {
  const auto& [packet, more] = said;
  Side& side = *sides_[index];
  Side& other = *sides_[1 - index];
  if (packet.role == wire::Role::kCnp) take_cnp(index, packet, context);
  if (packet.is_sequence_nak() && other.congestion) other.congestion.use().on_nak(packet);
  if (packet.is_data() || side.delivered(packet)) {
    other.veroce.use().on_reply(packet, more, context, observation);
  }
}

/// At the bound the oldest is left out: it says nothing that later ones do not, but of messages and paths.
void Connection::hold_veroce(std::size_t index, const VeroceSide::Held& said, Context& context) {
  std::vector<VeroceSide::Held>& held = sides_[index]->veroce.use().held;
  if (context.held_left == 0) return;
  if (held.size() >= context.limits.held_packets) {
    held.erase(held.begin());
    ++context.held_left;
  }
  --context.held_left;
  held.push_back(said);
}

void Connection::release_veroce(std::size_t index, Context& context) {
  Side& side = *sides_[index];
  if (!side.veroce) return;
  const std::vector<VeroceSide::Held> held = std::exchange(side.veroce.use().held, {});
  context.held_left += held.size();
  if (!is_paired()) return;
  for (const VeroceSide::Held& said : held) {
    const PacketFacts& packet = said.first;
    Observation observation;
    if (packet.role == wire::Role::kAcknowledge) observation.kind = reply_kind(packet);
    if (packet.role == wire::Role::kCnp) observation.kind = Kind::kCnp;
    deliver_veroce(index, said, context, observation);
    observation.connection = id;
    // What is observed of a response does not depend on the other side.
    if (context.sink && !packet.is_data()) context.sink->on_second_look({side.key, packet, observation});
  }
}

/// As pause_before(), from what selective retransmission knows: idle while everything was acknowledged.
SenderPause Connection::veroce_pause_before(std::size_t index, const PacketFacts& packet, Nanos last_data) const {
  if (!is_paired() || !sides_[index]->veroce) return {};
  const VeroceSide& own = *sides_[index]->veroce;
  const bool begins = packet.position == wire::Position::kFirst || packet.position == wire::Position::kOnly;
  const SelectiveSpace& space = packet.role == wire::Role::kResponse ? own.responses : own.requests;
  const auto reply = space.last_reply_time();
  const bool rests = begins && (packet.role == wire::Role::kResponse || (reply && *reply > last_data));
  if (!own.all_acknowledged() || !reply) return {{}, rests};
  return {std::max(packet.time - std::max(last_data, *reply), Nanos{}), rests};
}

bool Connection::begins_anew(std::size_t index, const PacketFacts& packet, const VeroceFacts& more) {
  const Side& side = *sides_[index];
  if (!side.veroce || !more.sequenced || more.space != wire::VeroceSpace::kRequests || !side.delivered(packet)) {
    return false;
  }
  const SelectiveSpace& space = side.veroce->requests;
  if (!space.started()) return false;
  if (space.is_far(packet)) return packet.icrc == wire::IcrcStatus::kGood || agrees_with_far(veroce_far, packet.psn);
  // The first message of all, as new, at PSNs that were acknowledged or, where nothing is outstanding, at others than
  // come next.
  const bool first_message = more.has_msn && more.msn.value == 1 && packet.starts_message() && !more.retransmit;
  const std::int32_t ahead = serial_difference(1, side.veroce->messages.highest().value);
  constexpr std::int32_t kWrapsSoon = 1024;  // messages under way when the numbers wrap
  if (!first_message || side.veroce->messages.highest().value <= 1 || (ahead > 0 && ahead < kWrapsSoon)) return false;
  // A resend without flag looks the same, but for the time in which nothing was outstanding.
  const bool idle = space.all_acknowledged() && packet.time - space.last_packet_time() >= kSilence;
  if (!more.flag_certain && !idle) return false;
  const Sequence seq = extend(space.highest(), packet.psn);
  if (seq > space.highest() + 1) return space.all_acknowledged();
  return seq <= space.received() && !space.has_just_seen(packet);
}

void Connection::fill_veroce(const VeroceSide& side, DirectionCounts& out) {
  out.veroce.use() = side.counts();
  out.requests = side.requests.total();
  out.responses = side.responses.total();
  const SelectiveSpace& requests = side.requests;
  if (!requests.started()) return;
  out.round_trips = requests.round_trips();
  out.messages = side.messages.total();
  out.last_new_request_time = requests.last_new_time();
  out.last_request_time = requests.last_packet_time();
  out.last_request_frame = requests.last_packet_frame();
  out.last_reply_time = requests.last_reply_time();
  if (requests.received() >= requests.first()) {
    out.last_acked_psn = wire_psn(requests.received());
    out.last_ack_frame = requests.last_ack_frame();
    out.last_ack_time = requests.last_ack_time();
  }
  out.unacknowledged_packets = requests.unacknowledged();
}

}  // namespace rocetop::track
