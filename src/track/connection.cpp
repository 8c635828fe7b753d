// SPDX-License-Identifier: BSD-3-Clause
#include "track/connection.h"

#include <algorithm>
#include <utility>

#include "base/prefetch.h"
#include "track/pairing.h"
#include "track/reply_kind.h"
#include "track/tap.h"

namespace rocetop::track {

namespace {

/// Of a reply whose requests are not known.
Observation observed_reply(const PacketFacts& packet) {
  if (packet.role == wire::Role::kCnp) return observed(Kind::kCnp, SpaceName::kNone, 0);
  if (packet.role == wire::Role::kResponse) return observed(Kind::kNew, SpaceName::kResponses, 0);
  return observed(reply_kind(packet), SpaceName::kNone, 0);
}

}  // namespace

Connection::Connection(const Connection& other)
    : id(other.id),
      transport_(other.transport_),
      paired_by_(other.paired_by_),
      headers_cut_(other.headers_cut_),
      side_count_(other.side_count_),
      path_mtu_(other.path_mtu_),
      longest_payload_(other.longest_payload_),
      first_frame_(other.first_frame_),
      last_frame_(other.last_frame_),
      last_time_(other.last_time_),
      has_lodgers(other.has_lodgers),
      sides_(other.sides_),
      first_time_(other.first_time_),
      own_qpn_of_side_0_(other.own_qpn_of_side_0_),
      cm_(other.cm_),
      facts(other.facts) {}

// Before the object stands where its memory begins.
void* Connection::operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  std::size_t room = bytes + align;
  void* memory = ::operator new(room + sizeof(void*));
  void* object = static_cast<void*>(static_cast<void**>(memory) + 1);
  std::align(align, bytes, object, room);
  static_cast<void**>(object)[-1] = memory;
  return object;
}

void Connection::operator delete(void* object, std::size_t, std::align_val_t) {
  if (object != nullptr) ::operator delete(static_cast<void**>(object)[-1]);
}

std::size_t Connection::add_side(const FlowKey& key) {
  const std::size_t index = side_count_++;
  sides_[index].emplace().key = key;
  DirectionTraffic& counts = sides_[index]->counts;
  counts.src = key.hosts.src;
  counts.dst = key.hosts.dst;
  counts.dst_qpn = key.dst_qpn;
  if (key.datagram) counts.src_qpn = key.src_qpn;
  return index;
}

void Connection::fetch(std::size_t index, const PacketFacts& packet) const {
  fetch_lines(this, kCacheLine);
  const Side& side = *sides_[index];
  fetch_lines(&side.row, 2 * kCacheLine);
  if (packet.role == wire::Role::kRequest) {
    side.requests.fetch(packet.position);
  } else if (is_paired()) {
    fetch_lines(&side.replies, kCacheLine);
    sides_[1 - index]->requests.fetch(packet.position);
  }
}

void Connection::fetch_further(std::size_t index, const PacketFacts& packet) const {
  const bool request = packet.role == wire::Role::kRequest;
  if (request || is_paired()) sides_[request ? index : 1 - index]->requests.fetch_further(packet.psn, packet.position);
}

bool Connection::take_ordinary(std::size_t index, const PacketFacts& packet) {
  Side& side = *sides_[index];
  if (packet.role != wire::Role::kRequest || !side.row.goes_on_with(packet) || !side.row.path_mtu_told ||
      side.congestion || suspicion || packet.paused_classes != 0 || packet.transport() != transport_ ||
      (!is_paired() && Pairing::bucket_of(packet.psn) != noted_bucket) || !side.requests.take_ordinary(packet)) {
    return false;
  }
  last_frame_ = packet.frame;
  last_time_ = std::max(last_time_, packet.time);
  side.count_in_row(packet);
  side.rate.add(packet.time, packet.wire_bytes);
  return true;
}

void Connection::on_packet(std::size_t index, const PacketFacts& packet, Context& context, Observation& observation) {
  Side& side = *sides_[index];
  note_time(packet);
  if (transport_ == wire::Transport::kCnp) transport_ = packet.transport();
  const Nanos last_data = side.last_data_time();
  side.count(packet);
  headers_cut_ =
      headers_cut_ || (packet.headers_cut && (packet.is_read_request() || packet.role == wire::Role::kAcknowledge));
  if (!side.row.path_mtu_told) learn_path_mtu(side, packet, context);
  if (packet.is_data())
    side.watch_data(packet, last_data, context, [&](Nanos before) { return pause_before(index, packet, before); });

  switch (packet.role) {
    case wire::Role::kRequest:
      side.requests.on_request(packet, path_mtu_, side.delivered(packet), context, observation);
      break;
    case wire::Role::kResponse:
    case wire::Role::kAcknowledge:
      if (packet.role == wire::Role::kAcknowledge || !is_paired()) observation = observed_reply(packet);
      if (is_paired()) {
        deliver_reply(index, packet, observation, context);
      } else {
        hold_reply(side, packet, context);
      }
      break;
    case wire::Role::kDatagram:
      observation.kind = side.is_copied_datagram(packet) ? Kind::kDuplicate : Kind::kDatagram;
      observation.space = SpaceName::kRequests;
      side.requests.on_datagram(packet, observation.kind == Kind::kDuplicate);
      break;
    case wire::Role::kCnp:
      observation.kind = Kind::kCnp;
      if (!is_paired()) {
        hold_reply(side, packet, context);
      } else if (!deliver_cnp(index, packet, context)) {
        observation.kind = Kind::kDuplicate;
      }
      break;
    case wire::Role::kUnknown:
      break;
  }
  observation.connection = id;
}

void Connection::note_time(const PacketFacts& packet) {
  if (!first_frame_) {
    first_frame_ = packet.frame;
    first_time_ = packet.time;
  }
  last_frame_ = packet.frame;
  last_time_ = std::max(last_time_, packet.time);
}

bool Connection::agrees(const Outlier& outlier, const PacketFacts& packet) const {
  constexpr std::uint32_t kNear = 4096;  // PSNs: noise at random comes as near once in 4,000 packets
  const PacketFacts& first = outlier.packets.back();
  // After a READ, as many as it can take.
  const std::uint32_t span = first.is_read_request() ? first.read_bytes / PathMtu::kLeast : 0;
  const std::int32_t further = serial_difference(packet.psn.value, first.psn.value);
  return further >= 0 && static_cast<std::uint32_t>(further) < kNear + span &&
         sides_[outlier.side]->requests.packets() == outlier.requests_seen;
}

/// What the sender of `index`, whose next data packet this is, did before it. Idle: everything asked for had been
/// answered, and nobody had asked for more. At rest: it begins a message after an answer came, with nothing more on the
/// way or after half a round trip without anything sent; or it is a READ's first response, for which its data had to be
/// fetched. Called before the packet counts as sent.
SenderPause Connection::pause_before(std::size_t index, const PacketFacts& packet, Nanos last_data) const {
  if (!is_paired()) return {};
  const RequestSpace& own = sides_[index]->requests;
  const RequestSpace& other = sides_[1 - index]->requests;
  const bool begins = packet.position == wire::Position::kFirst || packet.position == wire::Position::kOnly;
  const bool own_done = !own.started() || own.all_acknowledged();
  if (packet.role == wire::Role::kResponse) {
    // Until the READ came; what is left of it is the responder's own time.
    const bool idle = begins && own_done;
    return {idle ? std::max(other.last_request_time() - last_data, Nanos{}) : Nanos{}, begins};
  }
  const auto reply = own.last_reply_time();
  const bool answered = begins && reply && *reply > last_data;
  const Nanos gap = packet.time - last_data;
  const Nanos round_trip = own.shortest_round_trip();
  const bool rests = answered && (own_done || (round_trip > Nanos{} && gap + gap >= round_trip));
  if (!own_done || (other.started() && !other.all_acknowledged())) return {{}, rests};
  return {std::max(packet.time - std::max(last_data, own.last_ack_time()), Nanos{}), rests};
}

std::size_t Connection::held() const {
  std::size_t n = 0;
  for (std::size_t i = 0; i < side_count(); ++i) {
    const Side& side = *sides_[i];
    n += side.held.size() + (side.veroce ? side.veroce->held.size() : 0) +
         (side.lodgers ? side.lodgers->cnps.size() : 0);
  }
  return n;
}

void Connection::deliver_reply(std::size_t index, const PacketFacts& packet, Observation& observation,
                               Context& context) {
  if (packet.role == wire::Role::kCnp) {
    if (is_paired()) deliver_cnp(index, packet, context);
    return;
  }
  Side& side = *sides_[index];
  const bool delivered = side.delivered(packet);
  if (packet.is_sequence_nak() && is_paired() && sides_[1 - index]->congestion) {
    sides_[1 - index]->congestion.use().on_nak(packet);
  }
  RequestSpace* requests = is_paired() ? &sides_[1 - index]->requests : nullptr;
  if (packet.role == wire::Role::kResponse) {
    if (requests) requests->on_response_psn(packet.psn);
    side.responses.on_response(packet, requests, delivered, context, observation);
  }
  if (!requests || !delivered) return;
  if (packet.role == wire::Role::kAcknowledge && !requests->reads().empty()) {
    side.responses.on_acknowledgement(packet, *requests);
  }
  if (packet.role == wire::Role::kAcknowledge && side.is_copied_ack(packet)) {
    if (packet.is_rnr_nak()) ++side.counts.rnr_nak_copies;
    return;
  }
  requests->on_reply(packet, context, observation);
}

/// At the bound the oldest held reply is taken as one that answers nothing known.
void Connection::hold_reply(Side& side, const PacketFacts& packet, Context& context) {
  if (context.held_left == 0) {
    Observation unused;
    deliver_reply(&side == &*sides_[0] ? 0 : 1, packet, unused, context);
    return;
  }
  if (side.held.size() >= context.limits.held_packets) {
    Observation unused;
    const PacketFacts oldest = side.held.front();
    side.held.erase(side.held.begin());
    ++context.held_left;
    deliver_reply(&side == &*sides_[0] ? 0 : 1, oldest, unused, context);
  }
  --context.held_left;
  side.held.push_back(packet);
}

/// First and Middle packets are as long as the path MTU (IBTA vol. 1, 9.7.5.1).
void Connection::learn_path_mtu(Side& sender, const PacketFacts& packet, Context& context) {
  DirectionTraffic& counts = sender.counts;
  sender.row.path_mtu_told = path_mtu_ && counts.path_mtu != 0;
  if (sender.row.path_mtu_told || packet.icrc == wire::IcrcStatus::kBad) return;
  if (packet.role != wire::Role::kRequest && packet.role != wire::Role::kResponse) return;
  const bool full = packet.position == wire::Position::kFirst || packet.position == wire::Position::kMiddle;
  if (full && is_path_mtu(packet.payload_bytes)) {
    if (counts.path_mtu == 0) {
      counts.path_mtu = packet.payload_bytes;
      counts.path_mtu_frame = packet.frame;
      counts.path_mtu_time = packet.time;
    }
    if (path_mtu_) return;
    path_mtu_ = packet.payload_bytes;
    for (auto& side : sides_) {
      if (side) side->requests.on_path_mtu(*path_mtu_, context);
    }
  } else if (!path_mtu_ && packet.payload_bytes > longest_payload_) {
    longest_payload_ = packet.payload_bytes;
    for (auto& side : sides_) {
      if (side) side->requests.on_payload(longest_payload_, context);
    }
  }
}

void Connection::release_held(std::size_t index, Context& context) {
  const std::vector<PacketFacts> held = std::move(sides_[index]->held);
  sides_[index]->held.clear();
  context.held_left += held.size();
  for (const PacketFacts& packet : held) {
    Observation observation;
    if (packet.role != wire::Role::kResponse) observation = observed_reply(packet);
    deliver_reply(index, packet, observation, context);
    observation.connection = id;
    if (context.sink) context.sink->on_second_look({sides_[index]->key, packet, observation});
  }
}

void Connection::join(Connection& other, PairedBy by, Context& context) {
  sides_[1] = std::move(other.sides_[0]);
  other.sides_[0].reset();
  side_count_ = 2;
  other.side_count_ = 0;
  paired_by_ = by;
  if (other.first_frame_ && (!first_frame_ || other.first_frame_ < first_frame_)) {
    std::swap(sides_[0], sides_[1]);
    first_frame_ = other.first_frame_;
    first_time_ = other.first_time_;
    own_qpn_of_side_0_ = other.own_qpn_of_side_0_;
  }
  headers_cut_ = headers_cut_ || other.headers_cut_;
  has_lodgers = has_lodgers || other.has_lodgers;
  last_frame_ = std::max(last_frame_, other.last_frame_);
  last_time_ = std::max(last_time_, other.last_time_);
  if (transport_ == wire::Transport::kCnp) transport_ = other.transport_;
  if (!cm_) cm_ = other.cm_;
  if (!path_mtu_) path_mtu_ = other.path_mtu_;
  longest_payload_ = std::max(longest_payload_, other.longest_payload_);
  for (auto& side : sides_) {
    if (path_mtu_) side->requests.on_path_mtu(*path_mtu_, context);
    side->requests.on_payload(longest_payload_, context);
  }
  // In the order they were seen, as far as the two directions depend on each other: each only on the other's requests.
  for (std::size_t i = 0; i < 2; ++i) release_held(i, context);
  for (std::size_t i = 0; i < 2; ++i) release_veroce(i, context);
}

void Connection::announce(const CmFacts& cm, std::uint32_t path_mtu, Qpn own_qpn_of_side_0) {
  cm_ = cm;
  if (path_mtu != 0) path_mtu_ = path_mtu;
  own_qpn_of_side_0_ = own_qpn_of_side_0;
  paired_by_ = PairedBy::kCm;
}

void Connection::give_back(Context& context) const {
  for (std::size_t i = 0; i < side_count(); ++i) {
    const Side& side = *sides_[i];
    context.slots.left += side.slots();
    context.lists.open_left += side.open_runs_claimed();
    context.lists.reads_left += side.requests.reads_claimed();
  }
}

void Connection::take_again(Context& context) const {
  const auto take = [](std::size_t& left, std::size_t n) { left -= std::min(left, n); };
  for (std::size_t i = 0; i < side_count(); ++i) {
    const Side& side = *sides_[i];
    take(context.slots.left, side.slots());
    take(context.lists.open_left, side.open_runs_claimed());
    take(context.lists.reads_left, side.requests.reads_claimed());
  }
}

ConnectionCounts Connection::finish(Context& context) {
  for (std::size_t i = 0; i < side_count(); ++i) keep_lodgers(i, context);
  // CNPs that were taken in may be older than the rest.
  if (is_paired() && sides_[1]->counts.first_frame < sides_[0]->counts.first_frame) std::swap(sides_[0], sides_[1]);
  for (std::size_t i = 0; i < side_count(); ++i) release_held(i, context);
  for (std::size_t i = 0; i < side_count(); ++i) release_veroce(i, context);
  for (std::size_t i = 0; i < side_count(); ++i) {
    if (sides_[i]->veroce) sides_[i]->veroce.use().finish(context);
    sides_[i]->responses.finish(is_paired() ? &sides_[1 - i]->requests : nullptr, context);
  }
  for (std::size_t i = 0; i < side_count(); ++i) sides_[i]->requests.finish(context);
  return counts();
}

ConnectionCounts Connection::counts() const {
  ConnectionCounts out;
  out.id = id;
  out.protocol = facts.protocol;
  out.network = facts.network;
  out.transport = transport_;
  out.paired_by = paired_by_;
  out.first_frame = first_frame_;
  out.last_frame = last_frame_;
  out.first_time = first_time_;
  out.last_time = last_time_;
  out.path_mtu = path_mtu_;
  out.cm = cm_;
  out.headers_cut = headers_cut_;
  out.a_ip = sides_[0]->counts.src;
  out.b_ip = sides_[0]->counts.dst;
  out.b_qpn = sides_[0]->counts.dst_qpn;
  if (is_paired()) {
    out.a_qpn = sides_[1]->counts.dst_qpn;
  } else if (sides_[0]->counts.src_qpn) {
    out.a_qpn = sides_[0]->counts.src_qpn;
  } else if (own_qpn_of_side_0_) {
    out.a_qpn = own_qpn_of_side_0_;
  }
  fill_direction(0, out.a_to_b.emplace());
  if (is_paired()) fill_direction(1, out.b_to_a.emplace());
  judge_tap(*out.a_to_b, out.b_to_a ? &*out.b_to_a : nullptr);
  if (out.b_to_a) judge_tap(*out.b_to_a, &*out.a_to_b);
  return out;
}

void Connection::fill_direction(std::size_t index, DirectionCounts& out) const {
  const Side& side = *sides_[index];
  static_cast<DirectionTraffic&>(out) = side.total();
  if (!(side.key.hosts.network == facts.network)) out.network = side.key.hosts.network;
  out.requests = side.requests.total();
  out.responses = side.responses.counts();
  if (side.congestion) out.congestion.use() = side.congestion->finish(side.last_data_time());
  if (side.veroce) fill_veroce(*side.veroce, out);
  const RequestSpace& requests = side.requests;
  if (!requests.started()) return;
  out.round_trips = requests.round_trips();
  out.messages = requests.messages();
  out.last_new_request_time = requests.last_new_time();
  out.last_request_time = requests.last_request_time();
  out.last_request_frame = requests.last_request_frame();
  out.left_over = requests.left_over();
  out.last_reply_time = requests.last_reply_time();
  if (requests.received() >= requests.first()) {
    out.last_acked_psn = wire_psn(requests.received());
    out.last_ack_frame = requests.last_ack_frame();
    out.last_ack_time = requests.last_ack_time();
  }
  out.unacknowledged_packets =
      static_cast<std::uint64_t>(std::max<Sequence>(requests.highest() - requests.received(), 0));
}

}  // namespace rocetop::track
