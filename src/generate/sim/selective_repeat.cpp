// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/selective_repeat.h"

#include <algorithm>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint32_t kRttContext = 0x0C0C'0000;  // and the path's number
constexpr std::uint8_t kFatalNaks = 0x60;           // and the code

bool is_about_responses(Opcode opcode) {
  return opcode == Opcode::kAcknowledgeResponse || opcode == Opcode::kSackResponse;
}

Opcode acknowledgement_opcode(const Packet& packet, bool responses) {
  if (packet.kind == PacketKind::kSack) return responses ? Opcode::kSackResponse : Opcode::kSack;
  return responses ? Opcode::kAcknowledgeResponse : Opcode::kAcknowledge;
}

}  // namespace

SelectiveRepeat::SelectiveRepeat(const ConnectionPlan& plan, const VerocePsns& sends, const VerocePsns& receives,
                                 const VeroceHost& host)
    : plan_(&plan),
      requests_{SelectiveSender(plan, sends.requests), SelectiveReceiver(plan, receives.requests)},
      responses_{SelectiveSender(plan, sends.responses), SelectiveReceiver(plan, receives.responses)},
      paths_(plan, host.first_port, host.line),
      host_(host) {}

void SelectiveRepeat::ask(const FlowPlan& plan, std::uint32_t flow, Time /*now*/) {
  if (requests_.sender.dead()) return;
  VeroceMessage message;
  message.operation = plan.operation;
  message.notice = plan.notice;
  message.bytes = plan.bytes;
  const bool is_answered = message.is_answered();
  asked_.push_back({flow, requests_.sender.post(message), is_answered, false});
}

// ---- what is sent

Time SelectiveRepeat::data_at(Time now) const {
  return requests_.sender.ready() || responses_.sender.ready() ? paths_.free_at(now) : kNever;
}

/// Requests and responses take turns.
Packet SelectiveRepeat::next_data(Time now) {
  const bool both = requests_.sender.ready() && responses_.sender.ready();
  const bool response = both ? !last_was_response_ : responses_.sender.ready();
  last_was_response_ = response;
  Packet packet = space_of(response).sender.next_packet(now);
  packet.udp_src = paths_.next(now);
  return packet;
}

void SelectiveRepeat::on_sent(const Packet& packet, Time now) {
  paths_.on_sent(packet.udp_src, packet.wire_bytes, now);
}

/// An acknowledgement says what holds when it leaves.
Packet SelectiveRepeat::next_answer(Time now) {
  const Answer answer = answers_.front();
  answers_.pop_front();
  Packet packet = answer.packet;
  if (answer.is_acknowledgement) {
    packet = space_of(answer.responses).receiver.acknowledgement();
    packet.opcode = acknowledgement_opcode(packet, answer.responses);
    packet.udp_src = answer.packet.udp_src;
    packet.veroce.becn = answer.packet.veroce.becn;
  }
  if (packet.opcode == Opcode::kRttRequest) packet.veroce.rtt[1] = clock(now);
  if (packet.opcode == Opcode::kRttResponse) packet.veroce.rtt[3] = clock(now);
  return packet;
}

/// On the path of what it answers.
void SelectiveRepeat::answer(Packet packet, std::uint16_t port) {
  packet.psns = 0;
  packet.veroce.there = true;
  packet.udp_src = port;
  answers_.push_back({packet, false, false});
}

/// One that has not left does for later packets too, on the path of the latest; but BECN is about one path.
void SelectiveRepeat::acknowledge(const Packet& packet, bool responses) {
  const bool fits = !answers_.empty() && answers_.back().is_acknowledgement && answers_.back().responses == responses &&
                    (!answers_.back().packet.veroce.becn || answers_.back().packet.udp_src == packet.udp_src);
  if (!fits) answers_.push_back({{}, true, responses});
  answers_.back().packet.udp_src = packet.udp_src;
}

// ---- what comes

void SelectiveRepeat::receive(const Packet& packet, Time now) {
  switch (packet.kind) {
    case PacketKind::kRequest:
    case PacketKind::kResponse:
      return on_data(packet);
    case PacketKind::kAck:
    case PacketKind::kSack:
    case PacketKind::kNak:
      if (packet.veroce.becn) paths_.on_cnp(packet.udp_src, now);
      return space_of(is_about_responses(packet.opcode)).sender.on_acknowledge(packet, now);
    case PacketKind::kRtt:
      return on_rtt(packet, now);
    case PacketKind::kCnp:
      return paths_.on_cnp(packet.udp_src, now);
    default:
      return;  // a slow path is known now; this sender does nothing about it
  }
}

bool SelectiveRepeat::tell_mark(const Packet& packet) {
  if (!plan_->veroce.becn || refused_) return plan_->veroce.becn;
  acknowledge(packet, packet.kind == PacketKind::kResponse);
  answers_.back().packet.veroce.becn = true;
  return true;
}

void SelectiveRepeat::on_data(const Packet& packet) {
  if (refused_) return;
  const bool response = packet.kind == PacketKind::kResponse;
  SelectiveReceiver& receiver = space_of(response).receiver;
  const SelectiveReceiver::Answer wanted = receiver.take(packet);
  if (wanted.slow_path) {
    Packet signal;
    signal.kind = PacketKind::kSlowPath;
    signal.opcode = Opcode::kSlowPath;
    signal.sequence = packet.sequence;
    answer(signal, packet.udp_src);
  }
  if (wanted.drop_nak) {
    Packet nak = receiver.drop_nak(packet);
    nak.opcode = acknowledgement_opcode(nak, response);
    answer(nak, packet.udp_src);
  }
  if (wanted.acknowledge) acknowledge(packet, response);
  response ? on_response() : execute();
  if (refused_) {
    Packet nak = receiver.drop_nak(packet);
    nak.opcode = Opcode::kAcknowledge;
    nak.syndrome = static_cast<std::uint8_t>(kFatalNaks + refuse_code_);
    answer(nak, packet.udp_src);
  }
}

/// Messages take effect in order: a READ sees what was written before it.
void SelectiveRepeat::execute() {
  for (const MessageEnd& message : requests_.receiver.take_complete()) {
    if (executed_++ >= refuse_after_) {
      refused_ = true;
      return;
    }
    if (message.opcode == Opcode::kReadRequest || message.opcode == Opcode::kFetchAdd) respond(message);
  }
}

void SelectiveRepeat::respond(const MessageEnd& request) {
  VeroceMessage message;
  message.response = true;
  message.operation = request.opcode == Opcode::kFetchAdd ? Operation::kAtomic : Operation::kRead;
  message.bytes = request.bytes;
  message.asked_msn = request.msn;
  responses_.sender.post(message);
}

/// Responses are complete in the order in which they were asked for.
void SelectiveRepeat::on_response() {
  for ([[maybe_unused]] const MessageEnd& response : responses_.receiver.take_complete()) {
    requests_.sender.on_answered();
    const auto waits =
        std::find_if(asked_.begin(), asked_.end(), [](const Asked& a) { return a.is_answered && !a.done; });
    if (waits != asked_.end()) waits->done = true;
  }
}

void SelectiveRepeat::take_completed(std::vector<std::uint32_t>& into) {
  if (requests_.sender.dead()) return;
  while (!asked_.empty() && asked_.front().end <= requests_.sender.oldest() &&
         (asked_.front().done || !asked_.front().is_answered)) {
    into.push_back(asked_.front().flow);
    asked_.pop_front();
  }
}

// ---- time

void SelectiveRepeat::on_rtt(const Packet& packet, Time now) {
  if (packet.opcode != Opcode::kRttRequest) return;
  Packet response;
  response.kind = PacketKind::kRtt;
  response.opcode = Opcode::kRttResponse;
  response.veroce.rtt = packet.veroce.rtt;
  response.veroce.rtt[2] = clock(now - host_.latency);
  answer(response, packet.udp_src);
}

void SelectiveRepeat::probe(Time now) {
  next_probe_ = now + from_nanos(plan_->veroce.probe);
  std::uint32_t number = 0;
  for (const std::uint16_t port : paths_.ports()) {
    Packet request;
    request.kind = PacketKind::kRtt;
    request.opcode = Opcode::kRttRequest;
    request.veroce.rtt[0] = kRttContext + number++;
    answer(request, port);
  }
}

Time SelectiveRepeat::deadline() const {
  const Time silent = std::min(requests_.sender.deadline(), responses_.sender.deadline());
  const bool probes = plan_->veroce.probe > Nanos{} && !requests_.sender.idle() && !requests_.sender.dead();
  return probes ? std::min(silent, next_probe_) : silent;
}

void SelectiveRepeat::on_timeout(Time now) {
  requests_.sender.on_timeout(now);
  responses_.sender.on_timeout(now);
  if (plan_->veroce.probe > Nanos{} && next_probe_ <= now && !requests_.sender.idle()) probe(now);
}

void SelectiveRepeat::refuse_after(std::uint64_t messages, std::uint8_t code) {
  refuse_after_ = messages;
  refuse_code_ = code;
}

TransportDeeds SelectiveRepeat::deeds() const {
  TransportDeeds deeds;
  for (const Space* space : {&requests_, &responses_}) {
    for (std::size_t i = 0; i < kResendCauses; ++i) deeds.resends[i] += space->sender.resends()[i];
    deeds.received_again += space->receiver.again();
    deeds.beyond_bitmap += space->receiver.beyond();
  }
  return deeds;
}

}  // namespace rocetop::generate::sim
