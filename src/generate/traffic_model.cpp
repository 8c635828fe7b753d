// SPDX-License-Identifier: BSD-3-Clause
#include "generate/traffic_model.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "base/check.h"

namespace rocetop::generate {
namespace {

constexpr Sequence kNone = std::numeric_limits<Sequence>::max();
constexpr std::size_t kMaxEvents = 2'000'000;  // a model that does not come to an end is stopped, and says so
constexpr std::uint8_t kUnlimitedCredits = 0x1F;
constexpr std::uint8_t kSequenceError = 0x60;

bool answered(Operation op) { return op == Operation::kRead || op == Operation::kAtomic; }

std::uint32_t packets_of(std::uint32_t bytes, std::uint32_t path_mtu) {
  return std::max<std::uint32_t>(1, (bytes + path_mtu - 1) / path_mtu);
}

/// One request packet as it is sent the first time, and the PSNs that it takes.
struct Unit {
  std::size_t message = 0;
  Operation operation = Operation::kWrite;
  Sequence first = 0;
  std::uint32_t psns = 1;
  std::uint32_t bytes = 0;  ///< of the message
  bool first_of_message = true;
  bool last_of_message = true;
  PacketSpec packet;

  Sequence end() const { return first + psns; }
};

/// Future things to do, in order of time and then of asking.
class Agenda {
 public:
  Nanos now() const { return now_; }
  void at(Nanos time, std::function<void()> what) { queue_.push({std::max(time, now_), asked_++, std::move(what)}); }
  /// False when nothing is left.
  bool step() {
    if (queue_.empty()) return false;
    const Entry next = queue_.top();
    queue_.pop();
    now_ = next.time;
    next.what();
    return true;
  }

 private:
  struct Entry {
    Nanos time;
    std::uint64_t asked;
    std::function<void()> what;
    bool operator<(const Entry& other) const { return std::pair(other.time, other.asked) < std::pair(time, asked); }
  };
  std::priority_queue<Entry> queue_;
  std::uint64_t asked_ = 0;
  Nanos now_;
};

PacketSpec addressed(const TrafficPlan& plan, bool from_requester) {
  PacketSpec packet;
  packet.src = from_requester ? plan.requester_ip : plan.responder_ip;
  packet.dst = from_requester ? plan.responder_ip : plan.requester_ip;
  packet.ecn = 2;
  packet.dscp = 26;
  packet.dest_qp = from_requester ? plan.responder_qpn : plan.requester_qpn;
  const Qpn own = from_requester ? plan.requester_qpn : plan.responder_qpn;
  packet.udp_src = static_cast<std::uint16_t>(0xC000 | (own.value & 0x3FFF));
  return packet;
}

Opcode data_opcode(const Unit& u) {
  const bool send = u.operation == Operation::kSend;
  if (u.first_of_message && u.last_of_message) return send ? Opcode::kSendOnly : Opcode::kWriteOnly;
  if (u.first_of_message) return send ? Opcode::kSendFirst : Opcode::kWriteFirst;
  if (u.last_of_message) return send ? Opcode::kSendLast : Opcode::kWriteLast;
  return send ? Opcode::kSendMiddle : Opcode::kWriteMiddle;
}

constexpr std::uint64_t kAddressBase = 0x7F00'0000'0000;

RethSpec reth_at(const TrafficPlan& plan, Sequence at, std::uint32_t bytes) {
  return {kAddressBase + static_cast<std::uint64_t>(at) * plan.path_mtu, 0x1234, bytes};
}

std::vector<Unit> cut_into_units(const TrafficPlan& plan) {
  std::vector<Unit> units;
  Sequence at = plan.first_psn.value;
  std::uint32_t data_packets = 0;
  for (std::size_t m = 0; m < plan.messages.size(); ++m) {
    const MessagePlan& message = plan.messages[m];
    const std::uint32_t psns = psn_count(message, plan.path_mtu);
    const std::uint32_t parts = answered(message.operation) ? 1 : psns;
    for (std::uint32_t i = 0; i < parts; ++i) {
      Unit u{m, message.operation, at, psns / parts, message.bytes, i == 0, i + 1 == parts, addressed(plan, true)};
      u.packet.ack_request = u.last_of_message;
      if (u.operation == Operation::kRead) {
        u.packet.set(Opcode::kReadRequest);
        u.packet.reth = reth_at(plan, at, u.bytes);
      } else if (u.operation == Operation::kAtomic) {
        u.packet.set(Opcode::kFetchAdd);
        u.packet.atomic = AtomicEthSpec{kAddressBase, 0x1234, 1, 0};
      } else {
        u.packet.set(data_opcode(u));
        if (u.operation == Operation::kWrite && i == 0) u.packet.reth = reth_at(plan, at, u.bytes);
        u.packet.payload.assign(u.last_of_message ? u.bytes - i * plan.path_mtu : plan.path_mtu,
                                static_cast<std::uint8_t>(at));
        const std::uint32_t every = plan.acknowledge_every;
        if (every != 0 && ++data_packets % every == 0) u.packet.ack_request = true;
      }
      at += u.psns;
      units.push_back(std::move(u));
    }
  }
  return units;
}

class Model {
 public:
  explicit Model(const TrafficPlan& plan);
  RunLog run();

 private:
  // network
  void transmit(Transmission t, Nanos leaves);
  void deliver(std::size_t index);
  const Fault* fault_of(const Transmission& t) const;

  // requester
  const Unit& unit_at(Sequence s) const { return units_[unit_of_[static_cast<std::size_t>(s - begin_)]]; }
  Sequence first_unanswered() const;
  void ask_to_pump() {
    if (!std::exchange(pump_asked_, true)) agenda_.at(std::max(send_free_, rnr_until_), [this] { pump(); });
  }
  void pump();
  void send_unit(const Unit& unit);
  void arm();
  void on_timer();
  void advance(Sequence unacknowledged);
  void go_back(Sequence from, GoBackCause cause, std::size_t trigger);
  void restart_read(Sequence at, std::size_t trigger);
  void on_acknowledge(Sequence p, std::size_t index);
  void on_nak(Sequence p, std::size_t index, bool rnr);
  void on_response(Sequence p, std::size_t index);

  // responder
  void on_request(const Transmission& t);
  void execute(const Transmission& t);
  void repeat(const Transmission& t);
  void reply(PacketClass packet_class, Sequence p, std::uint8_t syndrome);
  void respond(const Unit& unit, const Transmission& request);
  void send_reply(Transmission t);

  const TrafficPlan& plan_;
  const std::vector<Unit> units_;
  const Sequence begin_;
  Sequence end_;
  std::vector<std::size_t> unit_of_;  ///< by PSN offset
  Agenda agenda_;
  RunLog log_;
  std::map<std::pair<PacketClass, Sequence>, std::uint32_t> attempts_;
  std::uint16_t next_ip_id_[2] = {1, 1};

  Sequence next_;            ///< to send next
  Sequence unacknowledged_;  ///< lowest PSN without acknowledgement
  Sequence high_;            ///< end of what was ever sent
  Sequence restarted_at_ = kNone;
  Sequence nak_obeyed_at_ = kNone;
  Nanos send_free_;
  Nanos rnr_until_;
  Nanos deadline_;
  bool pump_asked_ = false;
  bool timer_asked_ = false;

  Sequence expected_;
  bool complained_ = false;
  std::uint32_t executed_ = 0;
  std::vector<std::uint32_t> not_ready_;  ///< refusals left, by message
  std::vector<Nanos> pauses_;             ///< still to be made, by message
  Nanos reply_free_;
};

Model::Model(const TrafficPlan& plan)
    : plan_(plan),
      units_(cut_into_units(plan)),
      begin_(plan.first_psn.value),
      end_(units_.empty() ? begin_ : units_.back().end()),
      next_(begin_),
      unacknowledged_(begin_),
      high_(begin_),
      send_free_(plan.start),
      expected_(begin_) {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    ROCETOP_CHECK(units_[i].psns <= plan.window);
    unit_of_.insert(unit_of_.end(), units_[i].psns, i);
    log_.answered_by_response.insert(log_.answered_by_response.end(), units_[i].psns, answered(units_[i].operation));
  }
  for (const MessagePlan& message : plan.messages) {
    not_ready_.push_back(message.receiver_not_ready);
    pauses_.push_back(message.pause_before);
  }
  log_.first_psn = begin_;
}

RunLog Model::run() {
  ask_to_pump();
  for (std::size_t events = 0; events < kMaxEvents && agenda_.step(); ++events) {
  }
  log_.completed = unacknowledged_ == end_;
  log_.messages_executed = executed_;
  return std::move(log_);
}

// ---- network

const Fault* Model::fault_of(const Transmission& t) const {
  const auto hits = [&](const Fault& f) {
    return f.victim == t.packet_class && begin_ + Sequence{f.offset} == t.first && f.attempt == t.attempt;
  };
  const auto found = std::find_if(plan_.faults.begin(), plan_.faults.end(), hits);
  return found == plan_.faults.end() ? nullptr : &*found;
}

void Model::transmit(Transmission t, Nanos leaves) {
  const bool from_requester = t.packet_class == PacketClass::kRequest;
  t.packet.psn = wire_psn(t.first);
  t.packet.ip_id = next_ip_id_[from_requester ? 0 : 1]++;
  t.attempt = attempts_[{t.packet_class, t.first}]++;
  t.at_tap = leaves + (from_requester ? plan_.to_tap : plan_.to_responder);
  const Nanos behind = from_requester ? plan_.to_responder : plan_.to_tap;
  const Fault* fault = fault_of(t);
  const auto is = [&](FaultKind kind) { return fault != nullptr && fault->kind == kind; };
  if (fault != nullptr) ++log_.faults_fired;
  if (is(FaultKind::kDelayedBeforeTap)) t.at_tap = t.at_tap + Nanos{plan_.gap.count * 3 / 2};
  t.seen = !is(FaultKind::kLostBeforeTap) && !is(FaultKind::kCaptureMissed);
  log_.sent.push_back(t);
  const std::size_t index = log_.sent.size() - 1;
  if (!is(FaultKind::kLostBeforeTap) && !is(FaultKind::kLostAfterTap)) {
    agenda_.at(t.at_tap + behind, [this, index] { deliver(index); });
  }
  if (is(FaultKind::kCopiedBeforeTap) || is(FaultKind::kCopiedAtTap)) {
    t.copy = true;
    t.at_tap = t.at_tap + Nanos{plan_.gap.count / 4};
    log_.sent.push_back(t);
    if (is(FaultKind::kCopiedBeforeTap)) agenda_.at(t.at_tap + behind, [this, index] { deliver(index + 1); });
  }
}

void Model::deliver(std::size_t index) {
  const Transmission t = log_.sent[index];  // a copy: the log grows
  switch (t.packet_class) {
    case PacketClass::kRequest:
      on_request(t);
      break;
    case PacketClass::kResponse:
      on_response(t.first, index + 1);
      break;
    case PacketClass::kAcknowledge:
      on_acknowledge(t.first, index + 1);
      break;
    case PacketClass::kNak:
      on_nak(t.first, index + 1, t.packet.aeth->syndrome != kSequenceError);
      break;
  }
}

// ---- requester

Sequence Model::first_unanswered() const {
  for (Sequence s = unacknowledged_; s < high_;) {
    const Unit& unit = unit_at(s);
    if (answered(unit.operation)) return s;
    s = unit.end();
  }
  return kNone;
}

void Model::pump() {
  pump_asked_ = false;
  if (agenda_.now() < std::max(send_free_, rnr_until_)) return ask_to_pump();
  if (next_ >= end_) return;
  const Unit& unit = unit_at(next_);
  if (unit.end() - unacknowledged_ > plan_.window) return;  // advance() asks again
  if (const Nanos pause = std::exchange(pauses_[unit.message], Nanos{}); pause > Nanos{}) {
    send_free_ = agenda_.now() + pause;
    return ask_to_pump();
  }
  if (unacknowledged_ == next_) arm();
  send_unit(unit);
  next_ = unit.end();
  high_ = std::max(high_, next_);
  send_free_ = agenda_.now() + plan_.gap;
  ask_to_pump();
}

void Model::send_unit(const Unit& unit) {
  Transmission t{PacketClass::kRequest, unit.packet, next_, static_cast<std::uint32_t>(unit.end() - next_)};
  if (next_ != unit.first) {  // the rest of a READ
    t.packet.reth = reth_at(plan_, next_, unit.bytes - static_cast<std::uint32_t>(next_ - unit.first) * plan_.path_mtu);
  }
  t.go_back = next_ < high_ ? log_.go_backs.size() : 0;
  transmit(std::move(t), agenda_.now());
}

void Model::arm() {
  deadline_ = agenda_.now() + plan_.timeout;
  if (!std::exchange(timer_asked_, true)) agenda_.at(deadline_, [this] { on_timer(); });
}

void Model::on_timer() {
  timer_asked_ = false;
  if (unacknowledged_ >= high_) return;
  if (agenda_.now() < deadline_) {
    timer_asked_ = true;
    agenda_.at(deadline_, [this] { on_timer(); });
    return;
  }
  go_back(unacknowledged_, GoBackCause::kTimeout, 0);
  restarted_at_ = kNone;
  nak_obeyed_at_ = kNone;
}

void Model::advance(Sequence unacknowledged) {
  if (unacknowledged <= unacknowledged_) return;
  unacknowledged_ = unacknowledged;
  next_ = std::max(next_, unacknowledged_);
  arm();
  ask_to_pump();
}

void Model::go_back(Sequence from, GoBackCause cause, std::size_t trigger) {
  log_.go_backs.push_back({cause, from, trigger});
  next_ = from;
  arm();
  ask_to_pump();
}

void Model::restart_read(Sequence at, std::size_t trigger) {
  if (restarted_at_ == at) return;
  restarted_at_ = at;
  go_back(at, GoBackCause::kReadRestart, trigger);
}

// An acknowledgement covers all before it but READs and atomics whose response did not come: those are asked for again.
void Model::on_acknowledge(Sequence p, std::size_t index) {
  if (p < unacknowledged_) return;
  const Sequence unanswered = first_unanswered();
  advance(std::min(p + 1, unanswered));
  if (unanswered <= p) restart_read(unanswered, index);
}

void Model::on_nak(Sequence p, std::size_t index, bool rnr) {
  if (p < unacknowledged_) return;
  const Sequence unanswered = first_unanswered();
  advance(std::min(p, unanswered));
  if (unanswered < p) return restart_read(unanswered, index);
  const bool waiting = agenda_.now() < rnr_until_;
  if (waiting || (!rnr && nak_obeyed_at_ == p)) return;
  if (rnr) rnr_until_ = agenda_.now() + plan_.rnr_wait;
  nak_obeyed_at_ = p;
  go_back(p, rnr ? GoBackCause::kRnr : GoBackCause::kNak, index);
}

void Model::on_response(Sequence p, std::size_t index) {
  const Sequence unanswered = first_unanswered();
  if (p < unanswered) return;
  if (p == unanswered) return advance(p + 1);
  advance(unanswered);
  restart_read(unanswered, index);
}

// ---- responder

void Model::on_request(const Transmission& t) {
  if (t.first < expected_) return repeat(t);
  if (t.first > expected_) {
    if (!std::exchange(complained_, true)) reply(PacketClass::kNak, expected_, kSequenceError);
    return;
  }
  complained_ = false;
  const Unit& unit = unit_at(t.first);
  std::uint32_t& refusals = not_ready_[unit.message];
  if (unit.operation == Operation::kSend && unit.first_of_message && refusals > 0) {
    --refusals;
    return reply(PacketClass::kNak, expected_, static_cast<std::uint8_t>(0x20 | plan_.rnr_timer_code));
  }
  execute(t);
}

void Model::execute(const Transmission& t) {
  const Unit& unit = unit_at(t.first);
  expected_ = unit.end();
  if (unit.last_of_message) {
    ROCETOP_CHECK(unit.message == executed_);
    ++executed_;
  }
  if (answered(unit.operation)) return respond(unit, t);
  if (t.packet.ack_request) reply(PacketClass::kAcknowledge, t.first, kUnlimitedCredits);
}

void Model::repeat(const Transmission& t) {
  const Unit& unit = unit_at(t.first);
  if (answered(unit.operation)) return respond(unit, t);
  reply(PacketClass::kAcknowledge, expected_ - 1, kUnlimitedCredits);
}

void Model::reply(PacketClass packet_class, Sequence p, std::uint8_t syndrome) {
  Transmission t{packet_class, addressed(plan_, false), p, 0};
  t.packet.set(Opcode::kAcknowledge);
  t.packet.aeth = AethSpec{syndrome, Msn{executed_}};
  send_reply(std::move(t));
}

void Model::respond(const Unit& unit, const Transmission& request) {
  for (Sequence p = request.first; p < request.first + request.psns; ++p) {
    Transmission t{PacketClass::kResponse, addressed(plan_, false), p, 1};
    t.copy = request.copy;
    const bool last = p + 1 == unit.end();
    if (unit.operation == Operation::kAtomic) {
      t.packet.set(Opcode::kAtomicAcknowledge);
      t.packet.atomic_original = 7;
    } else {
      const Opcode at_first = last ? Opcode::kReadResponseOnly : Opcode::kReadResponseFirst;
      const Opcode later = last ? Opcode::kReadResponseLast : Opcode::kReadResponseMiddle;
      t.packet.set(p == unit.first ? at_first : later);
      const std::uint32_t before = static_cast<std::uint32_t>(p - unit.first) * plan_.path_mtu;
      t.packet.payload.assign(last ? unit.bytes - before : plan_.path_mtu, static_cast<std::uint8_t>(p));
    }
    if (!t.packet.is(Opcode::kReadResponseMiddle)) t.packet.aeth = AethSpec{kUnlimitedCredits, Msn{executed_}};
    send_reply(std::move(t));
  }
}

void Model::send_reply(Transmission t) {
  const Nanos leaves = std::max(agenda_.now(), reply_free_);
  reply_free_ = leaves + plan_.gap;
  transmit(std::move(t), leaves);
}

}  // namespace

std::uint32_t psn_count(const MessagePlan& message, std::uint32_t path_mtu) {
  return message.operation == Operation::kAtomic ? 1 : packets_of(message.bytes, path_mtu);
}

RunLog run_plan(const TrafficPlan& plan) { return Model(plan).run(); }

}  // namespace rocetop::generate
