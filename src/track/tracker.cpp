// SPDX-License-Identifier: BSD-3-Clause
#include "track/tracker.h"

#include <malloc.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "wire/fast_cnp.h"

namespace rocetop::track {
namespace {

constexpr std::uint32_t kAttemptsAtFirst = 64;
constexpr std::size_t kGoodSourcesMost = 1 << 16;

/// While results grow, what they are made of goes back to the system: 4,096 connections are some 50 MB.
constexpr std::size_t kRetiredAtOnce = 4'096;
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

bool is_reply(const PacketFacts& packet) {
  return packet.role == wire::Role::kAcknowledge || packet.role == wire::Role::kResponse;
}

}  // namespace

Tracker::Tracker(const Limits& limits, ResolutionSink* sink)
    : context_(limits),
      management_(limits.management_exchanges),
      pairing_(limits.noted_windows, limits.hosts),
      cnps_(limits.hosts),
      fast_cnps_(limits.hosts) {
  context_.sink = sink;
}

Tracker::~Tracker() = default;

void Tracker::prepare(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes,
                      Arrival& out) const {
  out.kind = Arrival::Kind::kPacket;
  out.packet = &packet;
  take_facts(packet, frame, time, wire_bytes, out.facts);
  // The key is made later: what the decoder has just written is slow to copy.
  const bool datagram = out.facts.role == wire::Role::kDatagram;
  out.hash =
      FlowKeyHash::of(HostPairHash::of(packet.src, packet.dst, packet.network, packet.protocol), packet.bth.dest_qp,
                      datagram && packet.has(wire::kDeth) ? packet.deth.src_qp : Qpn{}, datagram);
  out.flows_version = 0;
  flows_.fetch(out.hash);
}

FlowTable::Flow Tracker::find(const Arrival& arrival) {
  return arrival.kind == Arrival::Kind::kPlain ? flows_.find(arrival.plain_key, arrival.hash)
                                               : flows_.find(arrival.key, arrival.hash);
}

void Tracker::look_up(Arrival& arrival) {
  if (arrival.kind == Arrival::Kind::kNone) return;
  if (arrival.kind == Arrival::Kind::kPacket) take_key(*arrival.packet, arrival.facts.role, arrival.key);
  arrival.flow = find(arrival);
  arrival.flows_version = flows_.version();
  if (arrival.flow) arrival.flow.connection->fetch(arrival.flow.side, arrival.facts);
}

void Tracker::look_further(const Arrival& arrival) const {
  if (arrival.kind == Arrival::Kind::kNone || !arrival.flow || arrival.flows_version != flows_.version()) return;
  arrival.flow.connection->fetch_further(arrival.flow.side, arrival.facts);
}

Observation Tracker::on_packet(const wire::Packet& packet, FrameId frame, Nanos time, std::uint32_t wire_bytes) {
  Arrival arrival;
  prepare(packet, frame, time, wire_bytes, arrival);
  return on_packet(arrival);
}

Observation Tracker::on_other(const Arrival& arrival) {
  const PacketFacts& facts = arrival.facts;
  if (arrival.kind == Arrival::Kind::kPlain) return route(arrival.plain_key.full(), facts, arrival.flow);
  const FlowKey& key = arrival.key;
  const bool is_cnp = facts.role == wire::Role::kCnp;
  if (is_cnp && arrival.packet->is_fast_cnp()) {
    fast_cnps_.on_fast_cnp(*arrival.packet, facts.frame, facts.time, is_about_data_captured_twice(*arrival.packet));
  }
  if (key.dst_qpn.value <= 1 && !is_cnp) {
    on_management(*arrival.packet, key, facts.frame, facts.time);
    return observed(Kind::kManagement, SpaceName::kNone, 0);
  }
  const bool veroce = key.hosts.protocol == wire::Protocol::kVeroce;
  const Observation observation =
      veroce ? route_veroce(key, *arrival.packet, facts, arrival.flow) : route(key, facts, arrival.flow);
  if (is_cnp && observation.kind != Kind::kDuplicate) cnps_.on_cnp(key.hosts, facts, key.dst_qpn);
  return observation;
}

Observation Tracker::route(const FlowKey& key, const PacketFacts& packet, FlowTable::Flow flow) {
  Observation observation;
  if (!flow && !may_open(key, packet)) return observation;
  if (!flow) flow = open_flow(key, packet);
  if (packet.role == wire::Role::kCnp && networks_.size() > 1) flow = home_of_cnps(key, flow, packet);
  if (flow.connection->has_lodgers) flow = settle_lodgers(key, flow, packet);
  if (packet.role == wire::Role::kRequest) {
    Connection& known = *flow.connection;
    const Side& sender = known.side(flow.side);
    if (!known.suspicion && sender.requests.is_suspect(packet) && sender.delivered(packet)) {
      if (!sender.requests.is_far(packet)) {
        doubt(flow.index, flow.side, packet);
      } else if (set_aside(known, flow.side, packet, observation)) {
        return observation;
      } else {
        take_up_outliers(flow.index, flow.side);
      }
      flow = flows_.find(key);
      if (!flow) flow = open_flow(key, packet);
    }
  } else if (is_reply(packet) && flow.connection->has_outliers && flow.connection->answers_outlier(flow.side, packet)) {
    take_up_outliers(flow.index, 1 - flow.side);
    flow = flows_.find(key);
    if (!flow) flow = open_flow(key, packet);
  } else if (is_reply(packet) && !flow.connection->is_paired()) {
    try_to_pair(key, packet);
    flow = flows_.find(key);
  }
  Connection& connection = *flow.connection;
  Side& side = connection.side(flow.side);
  if (packet.role == wire::Role::kCnp && side.lodgers && side.lodgers->name == key) {
    connection.lodge_cnp(flow.side, packet, context_, observation);
  } else {
    const SinkInstead sink(context_, sink_of(connection));
    connection.on_packet(flow.side, packet, context_, observation);
    if (packet.role == wire::Role::kCnp && observation.kind != Kind::kDuplicate) {
      side.note_network_of_cnp(key.hosts.network);
    }
  }
  if (connection.id == 0) connection.id = next_id_++;
  observation.connection = connection.id;
  if (packet.role == wire::Role::kRequest && !connection.is_paired()) {
    const RequestSpace& requests = connection.side(flow.side).requests;
    note_window(flow, key.hosts, packet.psn, wire_psn(std::max(requests.highest(), requests.first())));
  }
  if (!connection.suspicion) return observation;
  return decide_doubt(flow.index, flow.side, packet).value_or(observation);
}

/// An unpaired side sent requests from `first` on, and up to `last`: replies to them are looked for there.
void Tracker::note_window(const Flow& flow, const HostPair& hosts, Psn first, Psn last) {
  Connection& connection = *flow.connection;
  if (Pairing::bucket_of(last) == connection.noted_bucket && Pairing::bucket_of(first) == connection.noted_bucket) {
    return;
  }
  pairing_.note_requests(hosts, flow.index, first, last,
                         [this](ConnectionIndex index) { return waits_for_other_side(index); });
  connection.noted_bucket = Pairing::bucket_of(last);
}

/// A damaged packet's queue pair may be what was damaged: it opens none, where the sender's other ICRCs are right.
bool Tracker::may_open(const FlowKey& key, const PacketFacts& packet) {
  if (packet.icrc == wire::IcrcStatus::kGood) {
    if (good_sources_.size() >= kGoodSourcesMost) good_sources_.clear();
    good_sources_[key.hosts.src] = true;
  }
  if (packet.icrc != wire::IcrcStatus::kBad || good_sources_.count(key.hosts.src) == 0) return true;
  ++stray_damaged_packets_;
  return false;
}

FlowTable::Flow Tracker::open_flow(const FlowKey& key, const PacketFacts& packet,
                                   std::optional<std::uint64_t> identity) {
  if (live_ >= context_.limits.live_connections) make_room();
  const bool known_network = std::find(networks_.begin(), networks_.end(), key.hosts.network) != networks_.end();
  if (!known_network && networks_.size() < context_.limits.networks) networks_.push_back(key.hosts.network);
  if (const Elsewhere elsewhere = flow_elsewhere(key, packet, identity)) {
    return elsewhere.is_copy ? also_known_as(key, elsewhere.flow) : lodge(key, elsewhere.flow);
  }
  if (key.datagram) {
    if (FlowTable::Flow flow = flows_.find(key.reversed_datagram())) {
      flow.side = static_cast<std::uint32_t>(flow.connection->add_side(key));
      flows_.put(key, flow);
      ++joined_;
      note_noise();
      return flow;
    }
  }
  const ConnectionIndex index = make_connection(key);
  Connection& connection = *connections_[index];
  flows_.put(key, {&connection, index, 0});
  // veRoCE's connections are set up by RoCEv2's messages.
  FlowKey announced_as = key;
  if (key.hosts.protocol == wire::Protocol::kVeroce) announced_as.hosts.protocol = wire::Protocol::kRoceV2;
  if (const auto said = announced_.find(announced_as); said != announced_.end()) {
    const Announcement& a = said->second.announcement;
    FlowKey other_key = announced_as == a.a_to_b ? a.b_to_a : a.a_to_b;
    other_key.hosts.protocol = key.hosts.protocol;
    connection.announce(a.facts, a.path_mtu, other_key.dst_qpn);
    const FlowTable::Flow other = flows_.find(other_key);
    if (other && other.index != index && !other.connection->is_paired()) join(other.index, index, PairedBy::kCm);
  }
  return flows_.find(key);
}

/// With one side, which sends what `key` says.
ConnectionIndex Tracker::make_connection(const FlowKey& key) {
  const ConnectionIndex index = free_index();
  connections_[index] = std::make_unique<Connection>();
  ++live_;
  connections_[index]->facts = {key.hosts.protocol, key.hosts.network};
  connections_[index]->add_side(key);
  return index;
}

ConnectionIndex Tracker::free_index() {
  if (free_.empty()) {
    connections_.emplace_back();
    return static_cast<ConnectionIndex>(connections_.size() - 1);
  }
  const ConnectionIndex index = free_.back();
  free_.pop_back();
  return index;
}

void Tracker::drop(ConnectionIndex index) {
  pairing_.forget(index);
  note_readable(*connections_[index]);
  connections_[index].reset();
  free_.push_back(index);
  --live_;
}

// ---------------------------------------------------------------------------------------------- pairing

void Tracker::try_to_pair(const FlowKey& key, const PacketFacts& packet) {
  const ConnectionIndex index = flows_.find(key).index;
  // A side whose replies fit none, or too many, is tried more and more seldom.
  const std::uint32_t attempt = connections_[index]->pairing_attempts++;
  if (attempt >= kAttemptsAtFirst && attempt % kAttemptsAtFirst != 0) return;
  const auto match = pairing_.find(key.hosts, *connections_[index], index, packet,
                                   [&](ConnectionIndex candidate) -> const Connection* {
                                     return waits_for_other_side(candidate) ? connections_[candidate].get() : nullptr;
                                   });
  if (match) join(*match, index, PairedBy::kAck);
}

bool Tracker::waits_for_other_side(ConnectionIndex index) const {
  const Connection* connection = connections_[index].get();
  return connection && !connection->is_paired() && connection->side_count() == 1;
}

void Tracker::join(ConnectionIndex one, ConnectionIndex other, PairedBy by) {
  // The one that has been numbered first stays.
  const auto rank = [&](ConnectionIndex i) {
    const std::uint32_t id = connections_[i]->id;
    return id == 0 ? 0xFFFFFFFF : id;
  };
  const ConnectionIndex kept = rank(one) <= rank(other) ? one : other;
  const ConnectionIndex gone = kept == one ? other : one;
  for (const ConnectionIndex index : {kept, gone}) release_outliers(*connections_[index]);
  Connection& connection = *connections_[kept];
  const std::uint32_t gone_id = connections_[gone]->id;
  ROCETOP_CHECK(gone_id == 0 || gone_id != connection.id);
  if (context_.sink && gone_id != 0) context_.sink->on_join(connection.id, gone_id);
  connection.join(*connections_[gone], by, context_);
  ++joined_;
  note_noise();
  drop(gone);
  pairing_.forget(kept);
  for (std::uint32_t side = 0; side < 2; ++side) {
    for (const FlowKey& name : names_of(connection.side(side))) flows_.put(name, {&connection, kept, side});
  }
}

/// A Fast CNP names the data's receiver and its queue pair; some may name the sender's.
bool Tracker::is_about_data_captured_twice(const wire::Packet& fast_cnp) {
  const auto receiver = wire::parse_fast_cnp(fast_cnp).data_destination;
  if (!receiver) return false;
  const HostPair data{fast_cnp.dst, *receiver, fast_cnp.network, fast_cnp.protocol};
  if (const Flow flow = flows_.find({data, fast_cnp.bth.dest_qp, {}, false})) {
    return flow.connection->side(flow.side).is_captured_twice();
  }
  const Flow back = flows_.find({data.reversed(), fast_cnp.bth.dest_qp, {}, false});
  return back && back.connection->is_paired() && back.connection->side(1 - back.side).is_captured_twice();
}

/// At the end: of a host pair's sides that nothing else joined, two that share a UDP source port with each other and
/// with no third one, and whose packets do not speak against it, are taken for one connection.
void Tracker::join_by_ports() {
  struct Candidates {
    std::vector<ConnectionIndex> forward, backward;
  };
  std::map<std::tuple<IpAddress, IpAddress, std::uint64_t, std::uint16_t, std::uint8_t, wire::Protocol>, Candidates>
      by_port;
  for (ConnectionIndex i = 0; i < connections_.size(); ++i) {
    const Connection* c = connections_[i].get();
    if (!c || c->side_count() != 1 || c->is_paired()) continue;
    const auto transport = c->transport();
    if (transport == wire::Transport::kUd) continue;
    const DirectionTraffic& d = c->side(0).counts;
    const bool forward = d.src < d.dst;
    const auto& n = c->facts.network;
    auto& entry = by_port[{std::min(d.src, d.dst), std::max(d.src, d.dst),
                           std::uint64_t{n.vni} << 32 | std::uint64_t{n.vlan_outer} << 16 | n.vlan_inner, d.udp_src,
                           static_cast<std::uint8_t>(transport), c->facts.protocol}];
    (forward ? entry.forward : entry.backward).push_back(i);
  }
  for (const auto& [port, candidates] : by_port) {
    if (std::get<3>(port) == 0 || candidates.forward.size() != 1 || candidates.backward.size() != 1) continue;
    const ConnectionIndex f = candidates.forward.front();
    const ConnectionIndex b = candidates.backward.front();
    const auto speaks_against = [&](const Connection& requester, const Connection& replier) {
      return requester.side(0).sends_requests() && replier.side(0).holds_replies();
    };
    if (speaks_against(*connections_[f], *connections_[b]) || speaks_against(*connections_[b], *connections_[f]))
      continue;
    join(f, b, PairedBy::kUdpPort);
  }
}

// ---------------------------------------------------------------------------------------------- the end of connections

/// Its packets are another connection's from here on, and what it held of the common budgets is free again.
void Tracker::detach(Connection& connection, ConnectionIndex index) {
  lay_doubt(connection);
  release_outliers(connection);
  for (std::size_t side = 0; side < connection.side_count(); ++side) {
    for (const FlowKey& name : names_of(connection.side(side))) {
      const Flow flow = flows_.find(name);
      if (flow && flow.index == index) flows_.erase(name);
    }
  }
  connection.give_back(context_);
}

void Tracker::retire(ConnectionIndex index) {
  Connection& connection = *connections_[index];
  detach(connection, index);
  const std::size_t held = connection.held();
  if (context_.limits.endless && !at_end_ && finished_.size() + live_ > context_.limits.connections) forget_ended();
  if (connection.is_stray()) count_stray(connection.side(0).frames());
  if (finished_.size() >= context_.limits.connections) leave_strays_out();
  if (is_noise(connection)) {
    context_.held_left += held;  // counted, not listed
    give_back_lists(connection);
  } else if (finished_.size() < context_.limits.connections) {
    listed_strays_ += connection.is_stray() ? 1 : 0;
    finished_.push_back(connection.finish(context_));
    finished_.back().ended_early = !at_end_;
  } else if (context_.limits.endless) {
    say_gone(connection.finish(context_));
    ++evicted_;
  } else {
    context_.held_left += held;
    give_back_lists(connection);
    ++evicted_;
  }
  drop(index);
}

/// One or two packets that nothing answered may be all that a capture shows of a connection. Where there are many of
/// them beside connections that were answered, they are taken for noise (a scan, a storm, another protocol on the
/// port): they must not bury those.
void Tracker::note_noise() {
  if (noise_from_ == 0 && strays_ > context_.limits.listed_strays && joined_ > 0) noise_from_ = next_id_;
}

/// Who watches has been shown those that came before: they stay, until they are told as gone, so that no sum goes back.
bool Tracker::is_noise(const Connection& connection) const {
  if (!strays_are_noise() || !connection.is_stray()) return false;
  return !context_.limits.endless || at_end_ || connection.id == 0 || connection.id >= noise_from_;
}

void Tracker::count_stray(std::uint64_t packets) {
  ++strays_;
  stray_packets_ += packets;
  note_noise();
}

void Tracker::leave_strays_out() {
  if (!strays_are_noise() || listed_strays_ == 0 || (context_.limits.endless && !at_end_)) return;
  listed_strays_ = 0;
  std::erase_if(finished_, [this](const ConnectionCounts& c) {
    if (!was_stray(c)) return false;
    give_back_lists(c);
    return true;
  });
}

/// Of those that mean little first the stalest: strays, then what nothing answered, then the rest.
void Tracker::make_room() {
  leave_strays_out();
  if (context_.limits.endless && !finished_.empty()) forget_ended();
  std::vector<std::tuple<int, Nanos, ConnectionIndex>> by_age;
  for (ConnectionIndex i = 0; i < connections_.size(); ++i) {
    const Connection* c = connections_[i].get();
    if (!c) continue;
    const int rank = c->is_stray() ? 0 : c->side_count() == 1 ? 1 : 2;
    by_age.emplace_back(rank, c->last_time(), i);
  }
  const auto quarter = static_cast<std::ptrdiff_t>(std::max<std::size_t>(by_age.size() / 4, 1));
  std::nth_element(by_age.begin(), by_age.begin() + quarter, by_age.end());
  for (auto it = by_age.begin(); it != by_age.begin() + quarter; ++it) {
    if (!context_.limits.endless) {
      retire(std::get<2>(*it));
    } else {
      ++evicted_;
      forget(std::get<2>(*it));
    }
  }
}

// ---------------------------------------------------------------------------------------------- connection management

void Tracker::on_management(const wire::Packet& packet, const FlowKey& key, FrameId frame, Nanos time) {
  ++management_frames_;
  if (packet.icrc == wire::IcrcStatus::kBad) return;
  const auto cm = wire::parse_cm(packet.payload);
  if (!cm) return;
  const ManagementDatagram datagram{key.hosts, cm->message, cm->transaction_id, cm->local_comm_id, time};
  if (datagram.is_tagged_copy_of(last_management_)) return;
  last_management_ = datagram;
  if (const auto announcement = management_.on_message(key.hosts, *cm, frame, time)) announce(*announcement);
}

/// A mirror shows it at two places, and in different VLANs.
bool Tracker::ManagementDatagram::is_tagged_copy_of(const ManagementDatagram& other) const {
  return hosts.src == other.hosts.src && hosts.dst == other.hosts.dst && !(hosts.network == other.hosts.network) &&
         message == other.message && transaction_id == other.transaction_id && comm_id == other.comm_id &&
         time - other.time < kCopyWindow;
}

void Tracker::announce(const Announcement& announcement) {
  ++announcements_;
  for (const FlowKey& key : {announcement.a_to_b, announcement.b_to_a}) {
    announced_.insert_or_assign(key, Announced{announcement, announcements_});
    announced_order_.emplace_back(key, announcements_);
    // Whatever used these QPNs before is over.
    FlowKey of = key;
    for (const wire::Protocol protocol : {key.hosts.protocol, wire::Protocol::kVeroce}) {
      of.hosts.protocol = protocol;
      if (const FlowTable::Flow flow = flows_.find(of)) end_doubt(flow.index);
      if (const FlowTable::Flow flow = flows_.find(of)) retire(flow.index);
    }
  }
  // An exchange is forgotten, and counted, before its announcement is.
  while (announced_order_.size() > 2 * context_.limits.management_exchanges) {
    const auto& [key, number] = announced_order_.front();
    const auto oldest = announced_.find(key);
    if (oldest != announced_.end() && oldest->second.number == number) announced_.erase(oldest);
    announced_order_.pop_front();
  }
}

std::vector<ConnectionCounts> Tracker::finish() {
  for (bool doubts = true; doubts;) {  // looking again may give rise to others
    doubts = false;
    for (ConnectionIndex i = 0; i < connections_.size(); ++i) doubts = (connections_[i] && end_doubt(i)) || doubts;
  }
  bring_cnps_home();
  at_end_ = true;
  join_by_ports();
  finished_.reserve(std::min(finished_.size() + live_, context_.limits.connections));
  std::size_t retired = 0;
  for (ConnectionIndex i = 0; i < connections_.size(); ++i) {
    if (!connections_[i]) continue;
    retire(i);
    if (++retired % kRetiredAtOnce == 0) give_back_memory();
  }
  leave_strays_out();
  std::sort(finished_.begin(), finished_.end(),
            [](const ConnectionCounts& x, const ConnectionCounts& y) { return x.id < y.id; });
  return std::move(finished_);
}

}  // namespace rocetop::track
