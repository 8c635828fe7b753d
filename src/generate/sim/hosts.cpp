// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/hosts.h"

#include <algorithm>
#include <utility>

#include "generate/sim/go_back_n.h"
#include "generate/sim/selective_repeat.h"
#include "generate/sim/veroce_frame.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::uint64_t kPsnStream = 3;
constexpr std::uint64_t kStartStream = 4;
constexpr std::uint8_t kControlDscp = 48;
constexpr std::uint64_t kStartJitter = 1'000'000;  // picoseconds: no two applications start at one moment
constexpr std::uint8_t kCe = 3;
constexpr Time kCmWait = 4'294'967'296'000;  // 4.096 µs * 2^20, as Linux waits for an answer of a peer's CM
constexpr std::uint32_t kCmMessagesMost = 16;
constexpr std::uint64_t kResponsePsnStream = 6;
constexpr std::uint64_t kClockStream = 7;

double line_of(const Plan& plan, std::size_t host) {
  const auto link =
      std::find_if(plan.links.begin(), plan.links.end(), [&](const LinkPlan& l) { return l.a == host || l.b == host; });
  return link == plan.links.end() ? 1 : static_cast<double>(link->rate);
}

/// PSNs at which the two ends of a connection begin, and their clocks.
struct Beginnings {
  Sequence requests[2];
  Sequence responses[2];
  std::uint32_t clocks[2];
};

std::unique_ptr<Transport> make_transport(const Plan& plan, const ConnectionPlan& connection, std::size_t side,
                                          const Beginnings& first) {
  const std::size_t peer = 1 - side;
  if (!connection.is_veroce()) {
    return std::make_unique<GoBackN>(connection, first.requests[side], first.requests[peer]);
  }
  const std::size_t host = side == 0 ? connection.a : connection.b;
  const VeroceHost where{FrameWriter::port_of(connection), line_of(plan, host), from_nanos(plan.nodes[host].latency),
                         first.clocks[side]};
  return std::make_unique<SelectiveRepeat>(connection, VerocePsns{first.requests[side], first.responses[side]},
                                           VerocePsns{first.requests[peer], first.responses[peer]}, where);
}

}  // namespace

Hosts::Hosts(const Plan& plan, std::uint64_t seed, Agenda& agenda)
    : plan_(plan), agenda_(agenda), adapters_(plan.nodes.size()), flows_(plan.flows.size()) {
  Random psns(seed, kPsnStream);
  Random response_psns(seed, kResponsePsnStream);
  Random clocks(seed, kClockStream);
  pairs_.reserve(2 * plan.connections.size());
  for (const ConnectionPlan& connection : plan.connections) {
    Beginnings first{};
    for (const std::size_t side : {0U, 1U}) {
      first.requests[side] = static_cast<Sequence>(psns.next() & kMask24);
      first.responses[side] = static_cast<Sequence>(response_psns.next() & kMask24);
      first.clocks[side] = static_cast<std::uint32_t>(clocks.next());
      if (connection.first_psn) first.requests[side] = first.responses[side] = connection.first_psn->value;
    }
    for (const std::size_t side : {0U, 1U}) {
      pairs_.emplace_back(connection, static_cast<std::uint32_t>(pairs_.size()),
                          make_transport(plan, connection, side, first), first.requests[1 - side], 1.0);
    }
  }
  Random starts(seed, kStartStream);
  for (std::uint32_t i = 0; i < pairs_.size(); i += 2) {
    if (!pairs_[i].set_up) agenda_.at(static_cast<Time>(starts.below(kStartJitter)), EventKind::kConnect, i);
  }
  for (std::uint32_t i = 0; i < plan.flows.size(); ++i) {
    const Time jitter = static_cast<Time>(starts.below(kStartJitter));
    for (std::uint32_t d = 0; d < plan.flows[i].depth; ++d) {
      agenda_.at(from_nanos(plan.flows[i].start) + jitter, EventKind::kPost, i);
    }
  }
  for (std::uint32_t i = 0; i < plan.troubles.size(); ++i) {
    agenda_.at(from_nanos(plan.troubles[i].from), EventKind::kTrouble, i, 0);
    if (plan.troubles[i].to != Nanos::max()) agenda_.at(from_nanos(plan.troubles[i].to), EventKind::kTrouble, i, 1);
  }
}

void Hosts::connect(Network& network) {
  network_ = &network;
  for (QueuePair& pair : pairs_) pair.control = Dcqcn(static_cast<double>(network.rate_of(pair.host)));
}

// ---- what is sent

std::optional<Packet> Hosts::next_packet(std::size_t host, bool paused) {
  Adapter& adapter = adapters_[host];
  if (network_->hung(host)) return std::nullopt;
  if (!adapter.cnps.empty() && (!paused || plan_.nodes[host].cnp_dscp >= kControlDscp)) {
    const DueCnp due = adapter.cnps.front();
    adapter.cnps.pop_front();
    Packet cnp;
    cnp.udp_src = due.udp_src;
    cnp.veroce.there = pairs_[due.queue_pair].plan->is_veroce();
    cnp.kind = PacketKind::kCnp;
    cnp.opcode = Opcode::kCnp;
    cnp.psns = 0;
    return finish(cnp, due.queue_pair);
  }
  if (paused) return std::nullopt;
  if (!adapter.management.empty()) {
    const Packet message = adapter.management.front();
    adapter.management.pop_front();
    return message;
  }
  if (!adapter.answers.empty()) {
    const std::uint32_t number = adapter.answers.front();
    adapter.answers.pop_front();
    pairs_[number].in_answers = false;
    const Packet answer = finish(pairs_[number].transport->next_answer(agenda_.now()), number);
    list(number);
    return answer;
  }
  return next_data(host);
}

std::optional<Packet> Hosts::next_data(std::size_t host) {
  Adapter& adapter = adapters_[host];
  const Time now = agenda_.now();
  while (!adapter.data.empty()) {
    const std::uint32_t number = adapter.data.front();
    adapter.data.pop_front();
    QueuePair& pair = pairs_[number];
    pair.in_data = false;
    const Time when = data_at(pair);
    if (when > now) {
      list(number);  // wakes it in time
      continue;
    }
    const Packet packet = finish(pair.transport->next_data(now), number);
    pair.transport->on_sent(packet, now);
    if (pair.is_paced()) {
      pair.control.on_sent(now, packet.wire_bytes);
      if (pair.control.limits()) {
        pair.paced_until = now + static_cast<Time>(packet.wire_bytes * 8 / pair.control.rate(now) * 1e12);
      }
    }
    settle(number);
    return packet;
  }
  return std::nullopt;
}

Time Hosts::data_at(const QueuePair& pair) const {
  if (!pair.established) return kNever;
  return std::max(pair.paced_until, pair.transport->data_at(agenda_.now()));
}

/// What all packets of a queue pair have in common.
Packet Hosts::finish(Packet packet, std::uint32_t number) {
  const QueuePair& pair = pairs_[number];
  packet.sender = number;
  packet.ecn = pair.plan->ecn;
  packet.dscp = packet.kind == PacketKind::kCnp ? plan_.nodes[pair.host].cnp_dscp : pair.dscp;
  if (packet.kind == PacketKind::kCm) packet.dscp = packet.ecn = 0;
  packet.ip_id = adapters_[pair.host].ip_id++;
  if (packet.udp_src == 0) packet.udp_src = pair.udp_src;
  packet.wire_bytes = wire_bytes(packet, *pair.plan, plan_.nodes[pair.host].ip.is_v4());
  return packet;
}

/// In the lists of its adapter, for what it has to send; or woken when it may.
void Hosts::list(std::uint32_t number) {
  QueuePair& pair = pairs_[number];
  Adapter& adapter = adapters_[pair.host];
  const bool answers = pair.transport->has_answer();
  if (answers && !std::exchange(pair.in_answers, true)) adapter.answers.push_back(number);
  if (answers && pair.in_data) return;
  const Time when = data_at(pair);
  if (when <= agenda_.now()) {
    if (!std::exchange(pair.in_data, true)) adapter.data.push_back(number);
  } else if (when != kNever && (pair.wake_at <= agenda_.now() || when < pair.wake_at)) {
    pair.wake_at = when;
    agenda_.at(when, EventKind::kWake, number);
  }
}

// ---- what comes

void Hosts::deliver(std::size_t host, const Packet& packet) {
  const std::uint32_t number = packet.sender ^ 1U;
  QueuePair& pair = pairs_[number];
  const Time now = agenda_.now();
  if (packet.damaged) return;
  if (owes_cnp(pair, packet) && !pair.transport->tell_mark(packet)) {
    adapters_[host].cnps.push_back({number, packet.udp_src});
  }
  switch (packet.kind) {
    case PacketKind::kCm:
      on_cm(number, packet.cm);
      break;
    case PacketKind::kRequest:
      if (!pair.established) establish(number);  // the RTU was lost: data says as much
      pair.transport->receive(packet, now);
      break;
    case PacketKind::kCnp:
      if (pair.is_paced() && !pair.plan->ignores_cnps) pair.control.on_cnp(now);
      pair.transport->receive(packet, now);
      break;
    default:
      pair.transport->receive(packet, now);
  }
  settle(number);
  network_->kick(host);
}

/// One in its time for a queue pair, and of veRoCE for a path.
bool Hosts::owes_cnp(QueuePair& pair, const Packet& packet) const {
  const Nanos gap = plan_.nodes[pair.host].cnp_gap;
  if (!packet.is_data() || packet.ecn != kCe || gap < Nanos{}) return false;
  const auto [last, first] = pair.cnp_at.try_emplace(packet.udp_src, agenda_.now());
  if (!first && agenda_.now() - last->second < from_nanos(gap)) return false;
  last->second = agenda_.now();
  return true;
}

void Hosts::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kWake:
      if (pairs_[event.a].wake_at != event.time) return;
      pairs_[event.a].wake_at = kNever;
      list(event.a);
      return network_->kick(pairs_[event.a].host);
    case EventKind::kTimeout:
      if (pairs_[event.a].timer_at != event.time) return;  // an earlier one took its place
      pairs_[event.a].timer_at = kNever;
      pairs_[event.a].transport->on_timeout(event.time);
      settle(event.a);
      return network_->kick(pairs_[event.a].host);
    case EventKind::kConnect:
      return set_up(event.a);
    case EventKind::kPost:
      return post(event.a);
    case EventKind::kTrouble:
      return trouble(event.a, event.b == 0);
    default:
      return;
  }
}

/// After anything that may have changed what a queue pair waits for.
void Hosts::settle(std::uint32_t number) {
  QueuePair& pair = pairs_[number];
  pair.transport->take_completed(completed_);
  for (const std::uint32_t flow : completed_) {
    --flows_[flow].under_way;
    agenda_.at(agenda_.now() + from_nanos(plan_.flows[flow].pause), EventKind::kPost, flow);
  }
  completed_.clear();
  const Time deadline = pair.transport->deadline();
  if (deadline < pair.timer_at) {
    pair.timer_at = std::max(deadline, agenda_.now());
    agenda_.at(pair.timer_at, EventKind::kTimeout, number);
  }
  list(number);
}

void Hosts::post(std::uint32_t flow) {
  const FlowPlan& plan = plan_.flows[flow];
  Flow& state = flows_[flow];
  if (!asking_ || (plan.count != 0 && state.asked >= plan.count)) return;
  ++state.asked;
  ++state.under_way;
  const auto number = static_cast<std::uint32_t>(2 * plan.connection + (plan.from_b ? 1 : 0));
  pairs_[number].transport->ask(plan, flow, agenda_.now());
  settle(number);
  network_->kick(pairs_[number].host);
}

// ---- setting up by CM

void Hosts::send_cm(std::uint32_t number, CmType type) {
  QueuePair& pair = pairs_[number];
  Packet packet;
  packet.kind = PacketKind::kCm;
  packet.cm = type;
  packet.psns = 0;
  packet.sequence = pair.cm_messages++;
  packet.dma_length = wire_psn(pair.wants).value;
  adapters_[pair.host].management.push_back(finish(packet, number));
  network_->kick(pair.host);
}

/// A's REQ, or B's REP, until it is answered.
void Hosts::set_up(std::uint32_t number) {
  if (pairs_[number].set_up || pairs_[number].cm_messages >= kCmMessagesMost) return;
  send_cm(number, number % 2 == 0 ? CmType::kReq : CmType::kRep);
  agenda_.at(agenda_.now() + kCmWait, EventKind::kConnect, number);
}

void Hosts::establish(std::uint32_t number) {
  pairs_[number].established = pairs_[number].set_up = true;
  list(number);
}

void Hosts::on_cm(std::uint32_t number, CmType type) {
  QueuePair& pair = pairs_[number];
  switch (type) {
    case CmType::kReq:
      if (pair.plan->set_up == SetUp::kRejected) return send_cm(number, CmType::kRej);
      if (pair.cm_messages == 0) return set_up(number);
      return send_cm(number, CmType::kRep);
    case CmType::kRep:
      send_cm(number, CmType::kRtu);
      return establish(number);
    case CmType::kRtu:
      return establish(number);
    case CmType::kRej:
      pair.set_up = true;
      return;
    default:
      return;
  }
}

void Hosts::trouble(std::uint32_t number, bool begins) {
  const TroublePlan& trouble = plan_.troubles[number];
  const auto first = static_cast<std::uint32_t>(2 * trouble.connection);
  switch (trouble.kind) {
    case TroubleKind::kHang:
      network_->hang(trouble.host, begins);
      return network_->kick(trouble.host);
    case TroubleKind::kStorm:
      return network_->storm(trouble.host, begins);
    case TroubleKind::kRefuse:
      for (const std::uint32_t pair : {first, first + 1}) {
        pairs_[pair].transport->refuse_after(trouble.after, trouble.code);
      }
      return;
    case TroubleKind::kRemark:
      for (const std::uint32_t pair : {first, first + 1}) pairs_[pair].dscp = trouble.dscp;
      return;
  }
}

}  // namespace rocetop::generate::sim
