// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/requester.h"

#include <algorithm>

#include "base/check.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::size_t kReadsMost = 16;  // under way; what adapters negotiate as "rd_atomic"
constexpr std::uint64_t kAddressBase = 0x7F00'0000'0000;

// IBTA vol. 1, table 45, in units of 10 µs.
constexpr std::uint32_t kRnrWaits[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                         48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                         2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
constexpr Time kRnrUnit = 10'000'000;

}  // namespace

std::uint32_t psns_of(Operation operation, std::uint32_t bytes, std::uint32_t path_mtu) {
  if (operation == Operation::kAtomic) return 1;
  return std::max<std::uint32_t>(1, (bytes + path_mtu - 1) / path_mtu);
}

Requester::Requester(const ConnectionPlan& plan, Sequence first_psn)
    : plan_(&plan), oldest_(first_psn), next_(first_psn), highest_(first_psn), end_(first_psn) {}

void Requester::ask(Operation operation, std::uint32_t bytes, std::uint32_t flow) {
  if (dead_) return;
  Work work{operation, bytes, psns_of(operation, bytes, plan_->path_mtu), flow, end_};
  if (work.answered()) ++reads_;
  end_ = work.end();
  works_.push_back(work);
}

bool Requester::may_send() const {
  if (dead_ || next_ >= end_) return false;
  if (plan_->unreliable || next_ == oldest_) return true;
  const Work& work = works_[cursor_];
  if (!work.answered()) return next_ - oldest_ < plan_->window;
  return work.end() - oldest_ <= plan_->window && reads_under_way() < kReadsMost;
}

std::size_t Requester::reads_under_way() const {
  if (reads_ == 0) return 0;
  return static_cast<std::size_t>(std::count_if(works_.begin(), works_.begin() + static_cast<std::ptrdiff_t>(cursor_),
                                                [](const Work& work) { return work.answered(); }));
}

Packet Requester::next_packet(Time now) {
  const Work& work = works_[cursor_];
  Packet packet;
  packet.kind = PacketKind::kRequest;
  packet.sequence = next_;
  packet.message = work.first;
  packet.resent = next_ < highest_;
  work.answered() ? build_read(work, packet) : build_data(work, packet);
  if (oldest_ == next_) deadline_ = now + (Time{4'096'000} << plan_->timeout);
  next_ += packet.psns;
  highest_ = std::max(highest_, next_);
  if (next_ == work.end()) ++cursor_;
  if (plan_->unreliable) advance(next_, now);
  return packet;
}

void Requester::build_read(const Work& work, Packet& packet) const {
  const auto skipped = static_cast<std::uint32_t>(next_ - work.first);
  packet.psns = static_cast<std::uint32_t>(work.end() - next_);
  packet.ack_request = true;
  packet.address = kAddressBase + static_cast<std::uint64_t>(next_) * plan_->path_mtu;
  packet.dma_length = work.bytes - skipped * plan_->path_mtu;
  packet.opcode = work.operation == Operation::kRead ? Opcode::kReadRequest : Opcode::kFetchAdd;
}

void Requester::build_data(const Work& work, Packet& packet) const {
  const auto at = static_cast<std::uint32_t>(next_ - work.first);
  const bool first = at == 0;
  const bool last = next_ + 1 == work.end();
  const auto base =
      static_cast<unsigned>(work.operation == Operation::kWrite ? Opcode::kWriteFirst : Opcode::kSendFirst);
  // First, Middle, Last, Last with immediate, Only
  const unsigned place = first && last ? 4 : first ? 0 : last ? 2 : 1;
  packet.opcode = static_cast<Opcode>(base + place);
  packet.payload = last ? work.bytes - at * plan_->path_mtu : plan_->path_mtu;
  const bool fills_window = next_ + 1 - oldest_ >= plan_->window;
  packet.ack_request =
      !plan_->unreliable && (last || fills_window || (static_cast<std::uint64_t>(next_) + 1) % plan_->ack_every == 0);
  packet.address = kAddressBase + static_cast<std::uint64_t>(work.first) * plan_->path_mtu;
  packet.dma_length = work.bytes;
}

/// First PSN that was sent of READs and atomics without their responses; `end_` where there is none.
Sequence Requester::first_unanswered() const {
  if (reads_ == 0) return end_;
  for (const Work& work : works_) {
    if (work.first >= highest_) break;
    if (work.answered()) return std::max(work.first, oldest_);
  }
  return end_;
}

void Requester::advance(Sequence oldest, Time now) {
  if (oldest <= oldest_) return;
  oldest_ = oldest;
  timeouts_ = 0;
  deadline_ = now + (Time{4'096'000} << plan_->timeout);
  while (!works_.empty() && works_.front().end() <= oldest_) {
    if (works_.front().answered()) --reads_;
    completed_.push_back(works_.front().flow);
    works_.pop_front();
    if (cursor_ > 0) --cursor_;
  }
  if (next_ < oldest_) {  // acknowledged while it was about to be sent again
    next_ = oldest_;
    cursor_ = 0;
  }
}

void Requester::go_back(Sequence to, GoBackCause cause, Time now) {
  ++go_backs_[static_cast<std::size_t>(cause)];
  next_ = to;
  deadline_ = now + (Time{4'096'000} << plan_->timeout);
  const auto holds = std::partition_point(works_.begin(), works_.end(), [&](const Work& w) { return w.end() <= to; });
  cursor_ = static_cast<std::size_t>(holds - works_.begin());
}

void Requester::restart_read(Sequence at, Time now) {
  if (restarted_at_ == at) return;
  restarted_at_ = at;
  go_back(at, GoBackCause::kReadRestart, now);
}

/// Covers all before it but READs and atomics whose response did not come: those are asked for again.
void Requester::on_acknowledge(Sequence p, Time now) {
  if (dead_ || p < oldest_) return;
  const Sequence unanswered = first_unanswered();
  advance(std::min(p + 1, unanswered), now);
  if (unanswered <= p) restart_read(unanswered, now);
}

void Requester::on_nak(const Packet& nak, Time now) {
  const Sequence p = nak.sequence;
  if (dead_ || p < oldest_) return;
  const Sequence unanswered = first_unanswered();
  advance(std::min(p, unanswered), now);
  if (unanswered < p) return restart_read(unanswered, now);
  const bool rnr = nak.kind == PacketKind::kRnrNak;
  if (!rnr && nak.syndrome != 0x60) return give_up();
  if (now < rnr_until_ || (!rnr && obeyed_at_ == p) || p >= highest_) return;
  if (rnr) rnr_until_ = now + kRnrWaits[nak.syndrome & 0x1F] * kRnrUnit;
  obeyed_at_ = p;
  go_back(p, rnr ? GoBackCause::kRnr : GoBackCause::kNak, now);
}

void Requester::on_response(Sequence p, Time now) {
  if (dead_) return;
  const Sequence unanswered = first_unanswered();
  if (p < unanswered || unanswered == end_) return;
  if (p == unanswered) return advance(p + 1, now);
  advance(unanswered, now);
  restart_read(unanswered, now);
}

void Requester::on_timeout(Time now) {
  if (deadline() > now) return;
  if (++timeouts_ > plan_->retries) return give_up();
  go_back(oldest_, GoBackCause::kTimeout, now);
  restarted_at_ = obeyed_at_ = -1;
}

void Requester::give_up() {
  dead_ = true;
  works_.clear();
  cursor_ = reads_ = 0;
}

}  // namespace rocetop::generate::sim
