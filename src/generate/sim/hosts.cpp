// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/hosts.h"

#include <utility>

#include "generate/sim/frame_writer.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::uint64_t kPsnStream = 3;
constexpr std::uint64_t kStartStream = 4;
constexpr std::uint8_t kControlDscp = 48;
constexpr std::uint64_t kStartJitter = 1'000'000;  // picoseconds: no two applications start at one moment
constexpr std::uint8_t kCe = 3;
constexpr Time kCmWait = 4'294'967'296'000;  // 4.096 µs * 2^20, as Linux waits for an answer of a peer's CM
constexpr std::uint32_t kCmMessagesMost = 16;

}  // namespace

Hosts::Hosts(const Plan& plan, std::uint64_t seed, Agenda& agenda)
    : plan_(plan), agenda_(agenda), adapters_(plan.nodes.size()), flows_(plan.flows.size()) {
  Random psns(seed, kPsnStream);
  pairs_.reserve(2 * plan.connections.size());
  for (const ConnectionPlan& connection : plan.connections) {
    Sequence first[2];
    for (Sequence& psn : first) {
      psn = static_cast<Sequence>(psns.next() & kMask24);
      if (connection.first_psn) psn = connection.first_psn->value;
    }
    for (const std::size_t side : {0U, 1U}) {
      pairs_.emplace_back(connection, static_cast<std::uint32_t>(pairs_.size()), first[side], first[1 - side], 1.0);
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
    const std::uint32_t number = adapter.cnps.front();
    adapter.cnps.pop_front();
    Packet cnp;
    cnp.kind = PacketKind::kCnp;
    cnp.opcode = Opcode::kCnp;
    cnp.psns = 0;
    return finish(cnp, number);
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
    const Packet answer = finish(pairs_[number].responder.next_answer(), number);
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
    const Packet packet = finish(data_of(pair), number);
    if (pair.plan->control == CongestionControl::kDcqcn) {
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
  if (pair.responder.answers_with_data() || pair.requester.ready(agenda_.now())) return pair.paced_until;
  return std::max(pair.paced_until, pair.requester.waits_until());
}

Packet Hosts::data_of(QueuePair& pair) {
  if (pair.responder.answers_with_data()) return pair.responder.next_answer();
  return pair.requester.next_packet(agenda_.now());
}

/// What all packets of a queue pair have in common.
Packet Hosts::finish(Packet packet, std::uint32_t number) {
  const QueuePair& pair = pairs_[number];
  packet.sender = number;
  packet.ecn = pair.plan->ecn;
  packet.dscp = packet.kind == PacketKind::kCnp ? plan_.nodes[pair.host].cnp_dscp : pair.dscp;
  if (packet.kind == PacketKind::kCm) packet.dscp = packet.ecn = 0;
  packet.ip_id = adapters_[pair.host].ip_id++;
  packet.wire_bytes = wire_bytes(packet, plan_.nodes[pair.host].ip.is_v4());
  return packet;
}

/// In the lists of its adapter, for what it has to send; or woken when it may.
void Hosts::list(std::uint32_t number) {
  QueuePair& pair = pairs_[number];
  Adapter& adapter = adapters_[pair.host];
  const bool answers = pair.responder.has_answer() && !pair.responder.answers_with_data();
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
  const NodePlan& node = plan_.nodes[host];
  if (packet.is_data() && packet.ecn == kCe && node.cnp_gap >= Nanos{} &&
      (pair.cnp_at == kNever || now - pair.cnp_at >= from_nanos(node.cnp_gap))) {
    pair.cnp_at = now;
    adapters_[host].cnps.push_back(number);
  }
  switch (packet.kind) {
    case PacketKind::kRequest:
      if (!pair.established) establish(number);  // the RTU was lost: data says as much
      pair.responder.on_request(packet, now);
      break;
    case PacketKind::kCm:
      on_cm(number, packet.cm);
      break;
    case PacketKind::kResponse:
      pair.requester.on_response(packet.sequence, now);
      break;
    case PacketKind::kAck:
      pair.requester.on_acknowledge(packet.sequence, now);
      break;
    case PacketKind::kNak:
    case PacketKind::kRnrNak:
      pair.requester.on_nak(packet, now);
      break;
    case PacketKind::kCnp:
      if (pair.plan->control == CongestionControl::kDcqcn && !pair.plan->ignores_cnps) pair.control.on_cnp(now);
      break;
    case PacketKind::kPause:
      break;
  }
  settle(number);
  network_->kick(host);
}

void Hosts::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::kWake:
      if (pairs_[event.a].wake_at != event.time) return;
      pairs_[event.a].wake_at = kNever;
      list(event.a);
      return network_->kick(pairs_[event.a].host);
    case EventKind::kTimeout:
      pairs_[event.a].timer_set = false;
      pairs_[event.a].requester.on_timeout(event.time);
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
  pair.requester.take_completed(completed_);
  for (const std::uint32_t flow : completed_) {
    --flows_[flow].under_way;
    agenda_.at(agenda_.now() + from_nanos(plan_.flows[flow].pause), EventKind::kPost, flow);
  }
  completed_.clear();
  const Time deadline = pair.requester.deadline();
  if (deadline != kNever && !std::exchange(pair.timer_set, true)) {
    agenda_.at(deadline, EventKind::kTimeout, number);
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
  pairs_[number].requester.ask(plan.operation, plan.bytes, flow);
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
        pairs_[pair].responder.refuse_after(trouble.after, trouble.code);
      }
      return;
    case TroubleKind::kRemark:
      for (const std::uint32_t pair : {first, first + 1}) pairs_[pair].dscp = trouble.dscp;
      return;
  }
}

}  // namespace rocetop::generate::sim
