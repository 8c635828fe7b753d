// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/network.h"

#include <algorithm>

#include "base/check.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::uint8_t kEct0 = 2;
constexpr std::uint8_t kEct1 = 1;
constexpr std::uint8_t kCe = 3;
constexpr std::uint8_t kControlDscp = 48;  // from here on a packet is of the class that goes first
constexpr std::uint16_t kLongestPause = 0xFFFF;
constexpr std::uint32_t kPauseWireBytes = 84;  // a frame of 64 bytes
constexpr Time kCopyDelay = 200'000;           // 200 ns after the original
// Streams of random numbers; faults have those from 100 on.
constexpr std::uint64_t kMarkStream = 1;
constexpr std::uint64_t kSprayStream = 2;
constexpr std::uint64_t kFaultStream = 100;

bool is_control(const Packet& packet) { return packet.dscp >= kControlDscp; }

Time pause_time(const Port& port, std::uint16_t quanta) { return Time{quanta} * 512 * port.byte_time / 8; }

}  // namespace

Network::Network(const Plan& plan, std::uint64_t seed, Agenda& agenda, PacketPool& packets, NetworkUser& user)
    : plan_(plan),
      agenda_(agenda),
      packets_(packets),
      user_(user),
      marks_(seed, kMarkStream),
      spray_(seed, kSprayStream),
      port_of_(plan.nodes.size()),
      inbox_(plan.nodes.size()),
      hung_(plan.nodes.size()) {
  for (std::size_t i = 0; i < plan.links.size(); ++i) {
    const LinkPlan& link = plan.links[i];
    const auto first = static_cast<std::uint32_t>(ports_.size());
    const Time byte_time = 8'000'000'000'000 / static_cast<Time>(link.rate);
    for (const bool forth : {true, false}) {
      Port port;
      port.link = i;
      port.node = forth ? link.a : link.b;
      port.peer = forth ? link.b : link.a;
      port.reverse = first + (forth ? 1 : 0);
      port.byte_time = byte_time;
      port.delay = from_nanos(link.delay);
      port_of_[port.node] = static_cast<std::uint32_t>(ports_.size());
      ports_.push_back(std::move(port));
    }
  }
  for (std::size_t i = 0; i < plan.faults.size(); ++i) {
    faults_.emplace_back(plan.faults[i], seed, kFaultStream + i);
    for (Port& port : ports_) {
      if (port.node == plan.faults[i].from_node && port.peer == plan.faults[i].to_node) port.faults.push_back(i);
    }
  }
  set_tap();
  set_routes();
}

void Network::set_tap() {
  const TapPlan& tap = plan_.tap;
  const bool all_that_arrives = !plan_.nodes[tap.node].host && !tap.neighbour;
  for (Port& port : ports_) {
    const bool away = port.node == tap.node && (!tap.neighbour || port.peer == *tap.neighbour);
    const bool here = port.peer == tap.node && (!tap.neighbour || port.node == *tap.neighbour);
    port.tap_sent = away && !all_that_arrives;
    port.tap_arrived = here;
  }
}

/// Breadth first from each host: of every node, the ports that lead nearer to it.
void Network::set_routes() {
  const std::size_t nodes = plan_.nodes.size();
  std::vector<std::vector<std::uint32_t>> ports_of(nodes);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) ports_of[ports_[i].node].push_back(i);
  routes_.assign(nodes, std::vector<std::vector<std::uint32_t>>(nodes));
  for (std::size_t host = 0; host < nodes; ++host) {
    if (!plan_.nodes[host].host) continue;
    std::vector<std::size_t> distance(nodes, nodes);
    std::deque<std::size_t> next{host};
    distance[host] = 0;
    while (!next.empty()) {
      const std::size_t at = next.front();
      next.pop_front();
      if (at != host && plan_.nodes[at].host) continue;  // hosts do not forward
      for (const std::uint32_t i : ports_of[at]) {
        const std::size_t peer = ports_[i].peer;
        if (distance[peer] != nodes) continue;
        distance[peer] = distance[at] + 1;
        next.push_back(peer);
      }
    }
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      if (distance[ports_[i].peer] + 1 == distance[ports_[i].node]) routes_[ports_[i].node][host].push_back(i);
    }
  }
}

void Network::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kArrive:
      return arrive(event.a, event.b);
    case EventKind::kPortFree:
      ports_[event.a].busy = false;
      return start(event.a);
    case EventKind::kPauseEnd:
      return start(event.a);
    case EventKind::kRefresh:
      if (ports_[event.a].pausing && ports_[event.a].refresh_at == event.time) refresh(event.a);
      return;
    case EventKind::kDeliver:
      return deliver(event.a, event.b);
    case EventKind::kDrained:
      return drained(event.a);
    default:
      ROCETOP_CHECK(false);
  }
}

// ---- sending

void Network::start(std::uint32_t index) {
  Port& port = ports_[index];
  if (port.busy) return;
  if (const auto packet = choose(port)) transmit(index, *packet);
}

std::optional<std::uint32_t> Network::choose(Port& port) {
  const auto take = [](std::deque<std::uint32_t>& queue) {
    const std::uint32_t packet = queue.front();
    queue.pop_front();
    return packet;
  };
  if (!port.pauses.empty()) return take(port.pauses);
  const bool paused = agenda_.now() < port.paused_until;
  if (plan_.nodes[port.node].host) return user_.next_packet(port.node, paused);
  if (port.control.empty() && (paused || port.data.empty())) return std::nullopt;
  const std::uint32_t packet = take(port.control.empty() ? port.data : port.control);
  port.queued -= packets_[packet].wire_bytes;
  release(packets_[packet].in_port, packets_[packet].wire_bytes);
  return packet;
}

void Network::transmit(std::uint32_t index, std::uint32_t packet) {
  Port& port = ports_[index];
  port.busy = true;
  if (port.tap_sent) user_.seen(packets_[packet]);
  const Time sent = agenda_.now() + packets_[packet].wire_bytes * port.byte_time;
  agenda_.at(sent, EventKind::kPortFree, index);
  if (port.faults.empty()) return agenda_.at(sent + port.delay, EventKind::kArrive, index, packet);
  const auto further = suffer(index, packet);
  if (further) agenda_.at(sent + port.delay + *further, EventKind::kArrive, index, packet);
}

std::optional<Time> Network::suffer(std::uint32_t index, std::uint32_t number) {
  const Time now = agenda_.now();
  Time further = 0;
  for (const std::size_t i : ports_[index].faults) {
    Packet& packet = packets_[number];
    if (!faults_[i].takes(packet, now)) continue;
    const FaultPlan& plan = faults_[i].plan();
    switch (plan.kind) {
      case FaultKind::kLose:
        lose(DeedKind::kLost, index, number);
        return std::nullopt;
      case FaultKind::kDelay:
        packet.note({DeedKind::kDelayed, index, now});
        further += from_nanos(plan.by);
        break;
      case FaultKind::kDamage:
        packet.note({DeedKind::kDamaged, index, now});
        packet.damaged = true;
        break;
      case FaultKind::kMark:
        if (packet.ecn != kEct0 && packet.ecn != kEct1) break;
        packet.note({DeedKind::kMarkedByFault, index, now});
        packet.ecn = kCe;
        break;
      case FaultKind::kTrim:
        if (!packet.is_trimmable()) break;
        packet.note({DeedKind::kTrimmed, index, now});
        packet.trim();
        break;
      case FaultKind::kCopy:
        packet.note({DeedKind::kCopied, index, now});
        copy(index, number, now + packet.wire_bytes * ports_[index].byte_time + ports_[index].delay + kCopyDelay);
        break;
    }
  }
  return further;
}

void Network::copy(std::uint32_t index, std::uint32_t packet, Time arrives) {
  Packet twin = packets_[packet];
  twin.copy = true;
  twin.frame = 0;
  twin.deeds = 0;
  agenda_.at(arrives, EventKind::kArrive, index, packets_.take(twin));
}

void Network::lose(DeedKind why, std::uint32_t port, std::uint32_t packet) {
  packets_[packet].note({why, port, agenda_.now()});
  user_.gone(packets_[packet]);
  packets_.give_back(packet);
}

// ---- arriving

void Network::arrive(std::uint32_t index, std::uint32_t number) {
  Port& port = ports_[index];
  Packet& packet = packets_[number];
  if (port.tap_arrived) user_.seen(packet);
  if (packet.kind == PacketKind::kPause) {
    Port& paused = ports_[port.reverse];
    paused.paused_until = agenda_.now() + pause_time(paused, packet.quanta);
    agenda_.at(paused.paused_until, EventKind::kPauseEnd, port.reverse);
    user_.gone(packet);
    packets_.give_back(number);
    return;
  }
  packet.in_port = index;
  if (!plan_.nodes[port.peer].host) return forward(index, number);
  if (hung_[port.peer]) return lose(DeedKind::kHung, index, number);
  take_in(index, number);
}

void Network::forward(std::uint32_t in_port, std::uint32_t number) {
  Packet& packet = packets_[number];
  const std::uint32_t out = route(ports_[in_port].peer, packet);
  Port& port = ports_[out];
  if (port.queued + packet.wire_bytes > plan_.links[port.link].buffer) return lose(DeedKind::kQueueFull, out, number);
  mark(port, out, packet);
  port.queued += packet.wire_bytes;
  (is_control(packet) ? port.control : port.data).push_back(number);
  hold(in_port, packet.wire_bytes);
  start(out);
}

std::uint32_t Network::route(std::size_t node, const Packet& packet) {
  const auto& ports = routes_[node][user_.destination(packet.sender)];
  ROCETOP_CHECK(!ports.empty());
  if (ports.size() == 1) return ports.front();
  const bool spray = plan_.nodes[node].spray && packet.is_data();
  return ports[(spray ? spray_.next() : Random::mix(user_.flow_hash(packet) + node)) % ports.size()];
}

void Network::mark(const Port& port, std::uint32_t index, Packet& packet) {
  const LinkPlan& link = plan_.links[port.link];
  if (link.kmax == 0 || port.queued < link.kmin || (packet.ecn != kEct0 && packet.ecn != kEct1)) return;
  const double share = static_cast<double>(port.queued - link.kmin) /
                       static_cast<double>(std::max<std::uint64_t>(1, link.kmax - link.kmin));
  if (share < 1 && !marks_.happens(share * link.pmax)) return;
  packet.ecn = kCe;
  packet.note({DeedKind::kMarked, index, agenda_.now()});
}

void Network::take_in(std::uint32_t in_port, std::uint32_t number) {
  const std::size_t host = ports_[in_port].peer;
  const std::uint64_t drain = plan_.nodes[host].drain;
  if (drain == 0) return hand_over(host, number);
  const Packet& packet = packets_[number];
  if (ports_[in_port].held + packet.wire_bytes > plan_.links[ports_[in_port].link].buffer) {
    return lose(DeedKind::kQueueFull, in_port, number);
  }
  hold(in_port, packet.wire_bytes);
  inbox_[host].push_back(number);
  if (inbox_[host].size() > 1) return;
  const Time takes = packet.wire_bytes * (8'000'000'000'000 / static_cast<Time>(drain));
  agenda_.at(agenda_.now() + takes, EventKind::kDrained, static_cast<std::uint32_t>(host));
}

void Network::drained(std::size_t host) {
  const std::uint32_t number = inbox_[host].front();
  inbox_[host].pop_front();
  release(packets_[number].in_port, packets_[number].wire_bytes);
  if (!inbox_[host].empty()) {
    const Time takes =
        packets_[inbox_[host].front()].wire_bytes * (8'000'000'000'000 / static_cast<Time>(plan_.nodes[host].drain));
    agenda_.at(agenda_.now() + takes, EventKind::kDrained, static_cast<std::uint32_t>(host));
  }
  hand_over(host, number);
}

void Network::hand_over(std::size_t host, std::uint32_t number) {
  const Time latency = from_nanos(plan_.nodes[host].latency);
  agenda_.at(agenda_.now() + latency, EventKind::kDeliver, static_cast<std::uint32_t>(host), number);
}

void Network::deliver(std::size_t host, std::uint32_t number) {
  const Packet packet = packets_[number];
  user_.gone(packet);
  packets_.give_back(number);
  user_.deliver(host, packet);
}

// ---- PFC

void Network::hold(std::uint32_t in_port, std::uint32_t bytes) {
  Port& port = ports_[in_port];
  port.held += bytes;
  const LinkPlan& link = plan_.links[port.link];
  if (link.xoff == 0 || port.pausing || port.held <= link.xoff) return;
  port.pausing = true;
  refresh(in_port);
}

void Network::release(std::uint32_t in_port, std::uint32_t bytes) {
  Port& port = ports_[in_port];
  port.held -= bytes;
  if (!port.pausing || port.storming || port.held > plan_.links[port.link].xon) return;
  port.pausing = false;
  send_pause(in_port, 0);
}

void Network::refresh(std::uint32_t in_port) {
  Port& port = ports_[in_port];
  send_pause(in_port, kLongestPause);
  port.refresh_at = agenda_.now() + pause_time(port, kLongestPause) / 2;
  agenda_.at(port.refresh_at, EventKind::kRefresh, in_port);
}

void Network::send_pause(std::uint32_t in_port, std::uint16_t quanta) {
  Packet pause;
  pause.kind = PacketKind::kPause;
  pause.quanta = quanta;
  pause.sender = ports_[in_port].reverse;
  pause.wire_bytes = kPauseWireBytes;
  ports_[pause.sender].pauses.push_back(packets_.take(pause));
  start(pause.sender);
}

void Network::storm(std::size_t host, bool on) {
  const std::uint32_t in_port = ports_[port_of_[host]].reverse;
  Port& port = ports_[in_port];
  port.storming = on;
  if (on && !port.pausing) {
    port.pausing = true;
    refresh(in_port);
  }
  if (!on) release(in_port, 0);
}

}  // namespace rocetop::generate::sim
