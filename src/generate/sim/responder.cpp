// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/responder.h"

#include <algorithm>

namespace rocetop::generate::sim {
namespace {

constexpr std::uint8_t kUnlimitedCredits = 0x1F;
constexpr std::uint8_t kSequenceError = 0x60;

bool is_answered(const Packet& request) {
  return request.opcode == Opcode::kReadRequest || request.opcode == Opcode::kFetchAdd;
}

bool starts_send(const Packet& request) {
  return request.opcode == Opcode::kSendFirst || request.opcode == Opcode::kSendOnly;
}

bool starts_message(const Packet& request) { return request.sequence == request.message; }

bool ends_message(const Packet& request) {
  switch (request.opcode) {
    case Opcode::kSendLast:
    case Opcode::kSendOnly:
    case Opcode::kWriteLast:
    case Opcode::kWriteOnly:
      return true;
    default:
      return is_answered(request);
  }
}

}  // namespace

Responder::Responder(const ConnectionPlan& plan, Sequence first_psn)
    : plan_(&plan), expected_(first_psn), receives_(plan.receives) {}

void Responder::on_request(const Packet& request, Time now) {
  if (refused_) return;
  if (plan_->unreliable) return on_unreliable(request);
  if (request.sequence < expected_) {
    if (is_answered(request)) return respond(request, true);
    if (request.ack_request) acknowledge(expected_ - 1);
    return;
  }
  if (request.sequence > expected_) return ahead(request);
  complained_ = false;
  if (executed_ >= refuse_after_ && starts_message(request)) {
    refused_ = true;
    return refuse(PacketKind::kNak, static_cast<std::uint8_t>(kSequenceError + refuse_code_));
  }
  if (starts_send(request) && !has_receive(now)) {
    return refuse(PacketKind::kRnrNak, static_cast<std::uint8_t>(0x20 | plan_->rnr_timer));
  }
  execute(request);
  if (!taken_.empty()) catch_up();
}

void Responder::on_unreliable(const Packet& request) {
  expected_ = request.sequence + request.psns;
  if (ends_message(request)) ++executed_;
}

void Responder::ahead(const Packet& request) {
  if (plan_->reorder != 0 && !is_answered(request) && taken_.size() < plan_->reorder) {
    taken_.emplace(request.sequence, request);
    return;
  }
  if (!complained_) refuse(PacketKind::kNak, kSequenceError);
  complained_ = true;
}

void Responder::execute(const Packet& request) {
  expected_ = request.sequence + request.psns;
  if (ends_message(request)) ++executed_;
  if (is_answered(request)) return respond(request, false);
  if (request.ack_request) acknowledge(request.sequence);
}

/// What was taken ahead follows at once.
void Responder::catch_up() {
  while (!taken_.empty() && taken_.begin()->first <= expected_) {
    const Packet request = taken_.begin()->second;
    taken_.erase(taken_.begin());
    if (request.sequence == expected_) execute(request);
  }
}

void Responder::acknowledge(Sequence p) {
  Job job;
  job.kind = PacketKind::kAck;
  job.syndrome = kUnlimitedCredits;
  job.at = p;
  job.msn = static_cast<std::uint32_t>(executed_);
  if (!jobs_.empty() && jobs_.back().kind == PacketKind::kAck) jobs_.pop_back();
  jobs_.push_back(job);
}

void Responder::refuse(PacketKind kind, std::uint8_t syndrome) {
  Job job;
  job.kind = kind;
  job.syndrome = syndrome;
  job.at = expected_;
  job.msn = static_cast<std::uint32_t>(executed_);
  jobs_.push_back(job);
}

void Responder::respond(const Packet& request, bool repeated) {
  Job job;
  job.kind = PacketKind::kResponse;
  job.syndrome = kUnlimitedCredits;
  job.atomic = request.opcode == Opcode::kFetchAdd;
  job.repeated = repeated;
  job.at = request.sequence;
  job.end = request.sequence + request.psns;
  job.message = request.message;
  job.last_payload = job.atomic ? 0 : request.dma_length - (request.psns - 1) * plan_->path_mtu;
  job.msn = static_cast<std::uint32_t>(executed_);
  jobs_.push_back(job);
}

bool Responder::has_receive(Time now) {
  if (plan_->receives == 0) return true;
  const Time period = from_nanos(plan_->post_every);
  if (receives_ == plan_->receives) received_at_ = now;
  while (period > 0 && receives_ < plan_->receives && received_at_ + period <= now) {
    received_at_ += period;
    ++receives_;
  }
  if (receives_ == 0) return false;
  --receives_;
  return true;
}

Packet Responder::next_answer() {
  Job& job = jobs_.front();
  Packet packet;
  packet.kind = job.kind;
  packet.sequence = job.at;
  packet.message = job.message;
  packet.syndrome = job.syndrome;
  packet.msn = job.msn;
  packet.psns = 0;
  packet.resent = job.repeated;
  packet.opcode = Opcode::kAcknowledge;
  if (job.kind != PacketKind::kResponse) {
    jobs_.pop_front();
    return packet;
  }
  packet.psns = 1;
  const bool first = job.at == job.message;
  const bool last = job.at + 1 == job.end;
  packet.payload = last ? job.last_payload : plan_->path_mtu;
  if (job.atomic) {
    packet.opcode = Opcode::kAtomicAcknowledge;
  } else if (first) {
    packet.opcode = last ? Opcode::kReadResponseOnly : Opcode::kReadResponseFirst;
  } else {
    packet.opcode = last ? Opcode::kReadResponseLast : Opcode::kReadResponseMiddle;
  }
  if (++job.at == job.end) jobs_.pop_front();
  return packet;
}

}  // namespace rocetop::generate::sim
