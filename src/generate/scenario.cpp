// SPDX-License-Identifier: BSD-3-Clause
// The meaning of the verbs of a scenario: statements -> drawn packets -> frames.
#include "generate/scenario.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "generate/cm_encoder.h"
#include "generate/scenario_text.h"

namespace rocetop::generate {
namespace {

constexpr std::uint64_t kAddressBase = 0x7F00'0000'0000;  // virtual address of PSN 0
constexpr std::uint32_t kRKey = 0x1234;
constexpr std::uint8_t kUnlimitedCredits = 0x1F;
constexpr std::uint8_t kCnpDscp = 48;

using Failure = std::optional<Error>;

struct Drawn {
  PacketSpec packet;
  Nanos time;
  Side sender = Side::kA;
  bool dropped = false;
};

struct Message {
  Sequence last = 0;
  bool read = false;
  bool complete = false;  ///< its last packet was drawn
};

/// What one side asked of the other.
struct Space {
  std::map<Sequence, PacketSpec> sent;   ///< newest packet by PSN
  std::map<Sequence, Message> messages;  ///< by first PSN
  std::optional<Sequence> newest;

  Sequence sequence(Psn psn) const { return newest ? extend(*newest, psn) : Sequence{psn.value}; }
  void advance(Sequence s) { newest = std::max(newest.value_or(s), s); }

  /// Registers a message unless it repeats (a part of) a known one; a continuation extends the one it continues.
  void add(Sequence first, const Message& message, bool continues, bool afresh) {
    auto before = messages.upper_bound(first);
    if (before != messages.begin()) {
      --before;
      if (continues && !before->second.complete && before->second.last + 1 == first) {
        before->second = message;
        return;
      }
      if (!afresh && before->second.last >= first) return;
    }
    messages[first] = message;
  }

  /// What a responder reports when everything up to `s` (a NAK: below it) has arrived: READs count from their request
  /// on.
  Msn completed(Sequence s, bool nak) const {
    const Sequence limit = nak ? s - 1 : s;
    const auto counts = [&](const auto& entry) {
      return entry.second.read ? entry.first <= limit : entry.second.complete && entry.second.last <= limit;
    };
    return Msn{static_cast<std::uint32_t>(std::count_if(messages.begin(), messages.end(), counts))};
  }
};

/// Opcodes of one operation by the packet's place in the message.
struct Family {
  Opcode first, middle, last, only, last_immediate, only_immediate;

  bool contains(std::uint8_t operation) const {
    return operation >= static_cast<std::uint8_t>(first) && operation <= static_cast<std::uint8_t>(only_immediate);
  }
};
constexpr Family kSend{Opcode::kSendFirst, Opcode::kSendMiddle,        Opcode::kSendLast,
                       Opcode::kSendOnly,  Opcode::kSendLastImmediate, Opcode::kSendOnlyImmediate};
constexpr Family kWrite{Opcode::kWriteFirst, Opcode::kWriteMiddle,        Opcode::kWriteLast,
                        Opcode::kWriteOnly,  Opcode::kWriteLastImmediate, Opcode::kWriteOnlyImmediate};
constexpr Family kReadResponse{Opcode::kReadResponseFirst, Opcode::kReadResponseMiddle, Opcode::kReadResponseLast,
                               Opcode::kReadResponseOnly,  Opcode::kReadResponseLast,   Opcode::kReadResponseOnly};

/// A run of packets that form one message, or a part of one.
struct Run {
  Sequence first = 0;
  std::uint32_t count = 1;
  std::uint32_t last_bytes = 0;  ///< payload of the last packet
  bool open = false;
  bool more = false;

  bool starts(std::uint32_t i) const { return i == 0 && !open; }
  bool ends(std::uint32_t i) const { return i + 1 == count && !more; }
  Opcode opcode(const Family& family, std::uint32_t i, bool immediate = false) const {
    if (starts(i) && ends(i)) return immediate ? family.only_immediate : family.only;
    if (starts(i)) return family.first;
    if (ends(i)) return immediate ? family.last_immediate : family.last;
    return family.middle;
  }
};

class Player {
 public:
  Failure run(const Statement& statement);
  std::vector<TimedFrame> frames() const;
  static bool takes_argument(std::string_view verb);

 private:
  struct Verb {
    std::string_view name;
    bool argument;
    Side sender;
    std::string_view options;  ///< names with a space around each
    Failure (Player::*run)(const Statement&, Side);
  };
  static const Verb* find_verb(std::string_view name);

  Failure write(const Statement& s, Side from) { return message(s, from, kWrite); }
  Failure send(const Statement& s, Side from) { return message(s, from, kSend); }
  Failure message(const Statement& s, Side from, const Family& family);
  Failure read(const Statement& s, Side from);
  Failure atomic(const Statement& s, Side from);
  Failure read_response(const Statement& s, Side from);
  Failure atomic_acknowledge(const Statement& s, Side from) { return reply(s, from, Opcode::kAtomicAcknowledge, 0); }
  Failure acknowledge(const Statement& s, Side from) { return reply(s, from, Opcode::kAcknowledge, kUnlimitedCredits); }
  Failure nak(const Statement& s, Side from);
  Failure rnr_nak(const Statement& s, Side from);
  Failure cnp(const Statement& s, Side from);
  Failure datagram(const Statement& s, Side from);
  Failure cm(const Statement& s, Side from);

  Failure drop(const Statement& s, Side) {
    return edit(s, [](Drawn& d) { d.dropped = true; });
  }
  Failure bad(const Statement& s, Side) {
    return edit(s, [](Drawn& d) { d.packet.bad_icrc = true; });
  }
  Failure mark(const Statement& s, Side) {
    return edit(s, [](Drawn& d) { d.packet.ecn = 3; });
  }
  Failure duplicate(const Statement& s, Side);
  Failure late(const Statement& s, Side);

  Failure wait(const Statement& s, Side);
  Failure step(const Statement& s, Side);
  Failure pmtu(const Statement& s, Side);
  Failure rc(const Statement&, Side) { return transport_ = 0, std::nullopt; }
  Failure uc(const Statement&, Side) { return transport_ = 1, std::nullopt; }
  Failure dscp(const Statement& s, Side) {
    return set_number(s, 63, [&](auto v) { dscp_ = static_cast<std::uint8_t>(v); });
  }
  Failure ecn(const Statement& s, Side) {
    return set_number(s, 3, [&](auto v) { ecn_ = static_cast<std::uint8_t>(v); });
  }
  Failure vlan(const Statement& s, Side);
  Failure port(const Statement& s, Side);
  Failure queue_pairs(const Statement& s, Side);
  Failure addresses(const Statement& s, Side);

  template <typename Set>
  Failure set_number(const Statement& s, std::uint64_t max, Set set) {
    const auto value = parse_number(*s.argument, max);
    if (!value) return value.error();
    set(value.value());
    return std::nullopt;
  }
  template <typename Change>
  Failure edit(const Statement& s, Change change);

  Failure reply(const Statement& s, Side from, Opcode opcode, std::uint8_t syndrome);
  /// `option` as a number, else `fallback`.
  Result<std::uint64_t> option(const Statement& s, std::string_view name, std::uint64_t fallback,
                               std::uint64_t max) const;
  Result<AethSpec> aeth(const Statement& s, const Space& space, Sequence at, std::uint8_t syndrome, bool nak) const;
  Result<Run> make_run(const Statement& s, Sequence first, std::uint32_t count) const;
  Failure check_count(const Statement& s, std::uint32_t count) const;
  void draw_message(const Statement& s, Side from, const Family& family, const Run& run);
  std::uint64_t address_of(Sequence s) const { return kAddressBase + static_cast<std::uint64_t>(s) * pmtu_; }
  std::vector<std::uint8_t> payload(Sequence s, std::uint32_t bytes) const {
    return std::vector<std::uint8_t>(bytes, static_cast<std::uint8_t>(s));
  }

  PacketSpec packet_from(Side from) const;
  PacketSpec packet_from(Side from, Opcode opcode, Psn psn) const;
  Space& space_of(Side requester);
  void draw(Side from, PacketSpec packet);
  Drawn* latest(Psn psn, std::optional<Side> side);

  std::vector<Drawn> drawn_;
  Nanos now_ = kScenarioStart;
  Nanos step_ = microseconds(1);
  std::uint32_t pmtu_ = 1024;
  std::uint8_t transport_ = 0;
  std::uint8_t dscp_ = 26;
  std::uint8_t ecn_ = 2;
  std::optional<std::uint16_t> vlan_;
  std::array<Qpn, 2> qpn_{Qpn{17}, Qpn{18}};
  std::array<IpAddress, 2> ip_{*IpAddress::parse("192.0.2.1"), *IpAddress::parse("192.0.2.2")};
  std::array<std::optional<std::uint16_t>, 2> port_;
  std::array<std::uint16_t, 2> next_ip_id_{1, 1};
  std::map<std::tuple<IpAddress, IpAddress, Qpn, Qpn>, std::array<Space, 2>> spaces_;
};

const Player::Verb* Player::find_verb(std::string_view name) {
  constexpr Side kA = Side::kA;
  constexpr Side kB = Side::kB;
  static constexpr Verb kVerbs[] = {
      {"W", true, kA, " len open more new imm noack ackall ", &Player::write},
      {"S", true, kA, " len open more new imm noack ackall ", &Player::send},
      {"R", true, kA, " len ", &Player::read},
      {"AT", true, kA, " ", &Player::atomic},
      {"RR", true, kB, " len open more msn ", &Player::read_response},
      {"ATA", true, kB, " msn ", &Player::atomic_acknowledge},
      {"ACK", true, kB, " msn ", &Player::acknowledge},
      {"NAK", true, kB, " msn code ", &Player::nak},
      {"RNR", true, kB, " msn timer ", &Player::rnr_nak},
      {"CNP", false, kB, " ", &Player::cnp},
      {"UD", true, kA, " len ", &Player::datagram},
      {"REQ", true, kA, " ", &Player::cm},
      {"REP", true, kB, " ", &Player::cm},
      {"RTU", false, kA, " ", &Player::cm},
      {"REJ", false, kB, " reason ", &Player::cm},
      {"DREQ", false, kA, " ", &Player::cm},
      {"DREP", false, kB, " ", &Player::cm},
      {"drop", true, kA, " ", &Player::drop},
      {"dup", true, kA, " ", &Player::duplicate},
      {"late", true, kA, " after ", &Player::late},
      {"bad", true, kA, " ", &Player::bad},
      {"ce", true, kA, " ", &Player::mark},
      {"wait", true, kA, " ", &Player::wait},
      {"step", true, kA, " ", &Player::step},
      {"pmtu", true, kA, " ", &Player::pmtu},
      {"rc", false, kA, " ", &Player::rc},
      {"uc", false, kA, " ", &Player::uc},
      {"dscp", true, kA, " ", &Player::dscp},
      {"ecn", true, kA, " ", &Player::ecn},
      {"vlan", true, kA, " ", &Player::vlan},
      {"port", true, kA, " ", &Player::port},
      {"qp", true, kA, " new ", &Player::queue_pairs},
      {"ip", true, kA, " ", &Player::addresses},
  };
  const auto* found = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& v) { return v.name == name; });
  return found == std::end(kVerbs) ? nullptr : found;
}

bool Player::takes_argument(std::string_view verb) {
  const Verb* found = find_verb(verb);
  return found != nullptr && found->argument;
}

Failure Player::run(const Statement& statement) {
  const Verb* verb = find_verb(statement.verb.text);
  if (verb == nullptr) return error_at(statement.verb, "not a verb");
  if (verb->argument && !statement.argument) return error_at(statement.verb, "an argument must follow");
  for (const Option& given : statement.options) {
    const std::string name = " " + std::string(given.name) + " ";
    if (verb->options.find(name) == std::string_view::npos) {
      return error_at(given.word, "not an option of " + std::string(verb->name));
    }
  }
  return (this->*verb->run)(statement, statement.side.value_or(verb->sender));
}

std::vector<TimedFrame> Player::frames() const {
  std::vector<TimedFrame> frames;
  for (const Drawn& d : drawn_) {
    if (!d.dropped) frames.push_back({d.time, encode(d.packet)});
  }
  std::stable_sort(frames.begin(), frames.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return frames;
}

// ---- packets

Failure Player::message(const Statement& s, Side from, const Family& family) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  const std::uint32_t count = psns.value().count;
  if (auto failure = check_count(s, count)) return failure;
  Space& space = space_of(from);
  const Sequence first = space.sequence(psns.value().first);
  const auto known = [&](Sequence q) {
    const auto found = space.sent.find(q);
    return !s.has("new") && found != space.sent.end() && family.contains(found->second.opcode & 0x1F);
  };
  for (std::uint32_t i = 0; i < count;) {
    if (known(first + i)) {
      draw(from, space.sent.at(first + i));
      ++i;
      continue;
    }
    std::uint32_t fresh = 1;
    while (i + fresh < count && !known(first + i + fresh)) ++fresh;
    const auto run = make_run(s, first + i, fresh);
    if (!run) return run.error();
    draw_message(s, from, family, run.value());
    i += fresh;
  }
  return std::nullopt;
}

void Player::draw_message(const Statement& s, Side from, const Family& family, const Run& run) {
  Space& space = space_of(from);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const Sequence at = run.first + i;
    const bool immediate = s.has("imm");
    PacketSpec packet = packet_from(from, run.opcode(family, i, immediate), wire_psn(at));
    packet.ack_request = s.has("ackall") || (run.ends(i) && !s.has("noack"));
    packet.payload = payload(at, i + 1 == run.count ? run.last_bytes : pmtu_);
    if (immediate && run.ends(i)) packet.immediate = 0x11223344;
    if (&family == &kWrite && run.starts(i)) {
      packet.reth = RethSpec{address_of(at), kRKey, (run.count - 1) * pmtu_ + run.last_bytes};
    }
    space.sent[at] = packet;
    space.advance(at);
    draw(from, std::move(packet));
  }
  space.add(run.first, {run.first + run.count - 1, false, !run.more}, run.open, s.has("new"));
}

Failure Player::read(const Statement& s, Side from) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  Space& space = space_of(from);
  const auto run = make_run(s, space.sequence(psns.value().first), psns.value().count);
  if (!run) return run.error();
  const Sequence first = run.value().first;
  const Sequence last = first + run.value().count - 1;
  PacketSpec packet = packet_from(from, Opcode::kReadRequest, wire_psn(first));
  packet.ack_request = true;
  packet.reth = RethSpec{address_of(first), kRKey, (run.value().count - 1) * pmtu_ + run.value().last_bytes};
  space.sent[first] = packet;
  space.advance(last);
  space.add(first, {last, true, true}, false, false);
  draw(from, std::move(packet));
  return std::nullopt;
}

Failure Player::atomic(const Statement& s, Side from) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  if (psns.value().count != 1) return error_at(*s.argument, "an atomic takes one PSN");
  Space& space = space_of(from);
  const Sequence at = space.sequence(psns.value().first);
  PacketSpec packet = packet_from(from, Opcode::kFetchAdd, wire_psn(at));
  packet.ack_request = true;
  packet.atomic = AtomicEthSpec{address_of(at), kRKey, 1, 0};
  space.sent[at] = packet;
  space.advance(at);
  space.add(at, {at, false, true}, false, false);
  draw(from, std::move(packet));
  return std::nullopt;
}

Failure Player::read_response(const Statement& s, Side from) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  if (auto failure = check_count(s, psns.value().count)) return failure;
  const Space& space = space_of(other(from));
  const auto parsed = make_run(s, space.sequence(psns.value().first), psns.value().count);
  if (!parsed) return parsed.error();
  const Run& run = parsed.value();
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const Sequence at = run.first + i;
    PacketSpec packet = packet_from(from, run.opcode(kReadResponse, i), wire_psn(at));
    packet.payload = payload(at, i + 1 == run.count ? run.last_bytes : pmtu_);
    if (!packet.is(Opcode::kReadResponseMiddle)) {
      const auto ack = aeth(s, space, at, kUnlimitedCredits, false);
      if (!ack) return ack.error();
      packet.aeth = ack.value();
    }
    draw(from, std::move(packet));
  }
  return std::nullopt;
}

Failure Player::nak(const Statement& s, Side from) {
  constexpr std::string_view kCodes[] = {"sequence", "invalid", "access", "operational", "rd"};
  std::uint8_t syndrome = 0x60;
  if (const Option* code = s.find("code")) {
    const auto* found = std::find(std::begin(kCodes), std::end(kCodes), code->value.value_or(""));
    if (found == std::end(kCodes)) {
      return error_at(code->word, "code=sequence, invalid, access, operational or rd is expected");
    }
    syndrome = static_cast<std::uint8_t>(0x60 + (found - std::begin(kCodes)));
  }
  return reply(s, from, Opcode::kAcknowledge, syndrome);
}

Failure Player::rnr_nak(const Statement& s, Side from) {
  const auto timer = option(s, "timer", 12, 31);
  if (!timer) return timer.error();
  return reply(s, from, Opcode::kAcknowledge, static_cast<std::uint8_t>(0x20 | timer.value()));
}

Failure Player::reply(const Statement& s, Side from, Opcode opcode, std::uint8_t syndrome) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  if (psns.value().count != 1) return error_at(*s.argument, "a reply carries one PSN");
  const Space& space = space_of(other(from));
  PacketSpec packet = packet_from(from, opcode, psns.value().first);
  const bool refuses = syndrome >= 0x20;
  const auto ack = aeth(s, space, space.sequence(psns.value().first), syndrome, refuses);
  if (!ack) return ack.error();
  packet.aeth = ack.value();
  if (opcode == Opcode::kAtomicAcknowledge) packet.atomic_original = 7;
  draw(from, std::move(packet));
  return std::nullopt;
}

Failure Player::cnp(const Statement&, Side from) {
  PacketSpec packet = make_cnp(packet_from(from));
  packet.dscp = kCnpDscp;
  draw(from, std::move(packet));
  return std::nullopt;
}

Failure Player::datagram(const Statement& s, Side from) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  if (auto failure = check_count(s, psns.value().count)) return failure;
  const auto bytes = option(s, "len", pmtu_, pmtu_);
  if (!bytes) return bytes.error();
  for (std::uint32_t i = 0; i < psns.value().count; ++i) {
    PacketSpec packet = packet_from(from);
    packet.set(Opcode::kUdSendOnly);
    packet.psn = Psn{psns.value().first.value + i};
    packet.deth = DethSpec{0x1111'1111, qpn_[index(from)]};
    packet.payload = payload(packet.psn.value, static_cast<std::uint32_t>(bytes.value()));
    draw(from, std::move(packet));
  }
  return std::nullopt;
}

Failure Player::cm(const Statement& s, Side from) {
  constexpr std::pair<std::string_view, CmType> kTypes[] = {{"REQ", CmType::kReq},   {"REP", CmType::kRep},
                                                            {"RTU", CmType::kRtu},   {"REJ", CmType::kRej},
                                                            {"DREQ", CmType::kDreq}, {"DREP", CmType::kDrep}};
  const auto* type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](auto& t) { return t.first == s.verb.text; });
  CmSpec message;
  message.type = type->second;
  message.transaction_id = qpn_[0].value;
  message.local_comm_id = 0xC0000000 | qpn_[index(from)].value;
  message.remote_comm_id = 0xC0000000 | qpn_[index(other(from))].value;
  message.qpn = qpn_[index(message.type == CmType::kDreq ? other(from) : from)];
  message.path_mtu = pmtu_;
  message.transport_type = transport_;
  if (s.argument) {
    const auto psns = parse_psns(*s.argument);
    if (!psns) return psns.error();
    message.starting_psn = psns.value().first;
  }
  const auto reason = option(s, "reason", message.reject_reason, 0xFFFF);
  if (!reason) return reason.error();
  message.reject_reason = static_cast<std::uint16_t>(reason.value());
  draw(from, make_cm(packet_from(from), message));
  return std::nullopt;
}

// ---- edits

template <typename Change>
Failure Player::edit(const Statement& s, Change change) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  if (auto failure = check_count(s, psns.value().count)) return failure;
  for (std::uint32_t i = 0; i < psns.value().count; ++i) {
    const Psn psn{psns.value().first.value + i};
    Drawn* found = latest(psn, s.side);
    if (found == nullptr)
      return error_at(*s.argument, "no packet with PSN " + std::to_string(psn.value) + " was drawn");
    change(*found);
  }
  return std::nullopt;
}

Failure Player::duplicate(const Statement& s, Side) {
  std::vector<Drawn> copies;
  auto failure = edit(s, [&](Drawn& d) { copies.push_back(d); });
  for (Drawn& copy : copies) {
    copy.time = copy.time + Nanos{step_.count / 2};
    drawn_.push_back(std::move(copy));
  }
  return failure;
}

Failure Player::late(const Statement& s, Side) {
  const Option* after = s.find("after");
  if (after == nullptr) return error_at(s.verb, "after=PSN is expected");
  const auto word = value_word(*after);
  if (!word) return word.error();
  const auto psns = parse_psns(word.value());
  if (!psns) return psns.error();
  const Drawn* anchor = latest(psns.value().first, s.side);
  if (anchor == nullptr) return error_at(word.value(), "no packet with this PSN was drawn");
  const Nanos time = anchor->time + Nanos{step_.count / 2};
  return edit(s, [&](Drawn& d) { d.time = time; });
}

// ---- settings

Failure Player::wait(const Statement& s, Side) {
  const auto duration = parse_duration(*s.argument);
  if (!duration) return duration.error();
  now_ = now_ + duration.value();
  return std::nullopt;
}

Failure Player::step(const Statement& s, Side) {
  const auto duration = parse_duration(*s.argument);
  if (!duration) return duration.error();
  step_ = duration.value();
  return std::nullopt;
}

Failure Player::pmtu(const Statement& s, Side) {
  const auto bytes = parse_number(*s.argument, 4096);
  if (!bytes) return bytes.error();
  for (const std::uint32_t allowed : {256U, 512U, 1024U, 2048U, 4096U}) {
    if (bytes.value() == allowed) return pmtu_ = allowed, std::nullopt;
  }
  return error_at(*s.argument, "256, 512, 1024, 2048 or 4096 is expected");
}

Failure Player::vlan(const Statement& s, Side) {
  if (s.argument->text == "none") return vlan_.reset(), std::nullopt;
  return set_number(s, 4095, [&](auto v) { vlan_ = static_cast<std::uint16_t>(v); });
}

Failure Player::port(const Statement& s, Side) {
  return set_number(s, 65535, [&](auto v) {
    for (const Side side : {Side::kA, Side::kB}) {
      if (s.side.value_or(side) == side) port_[index(side)] = static_cast<std::uint16_t>(v);
    }
  });
}

Failure Player::queue_pairs(const Statement& s, Side) {
  const auto pair = parse_pair(*s.argument);
  if (!pair) return pair.error();
  const auto a = parse_number(pair.value().first, kMask24);
  if (!a) return a.error();
  const auto b = parse_number(pair.value().second, kMask24);
  if (!b) return b.error();
  qpn_ = {Qpn{static_cast<std::uint32_t>(a.value())}, Qpn{static_cast<std::uint32_t>(b.value())}};
  if (s.has("new")) spaces_.erase({ip_[0], ip_[1], qpn_[0], qpn_[1]});
  return std::nullopt;
}

Failure Player::addresses(const Statement& s, Side) {
  const auto pair = parse_pair(*s.argument);
  if (!pair) return pair.error();
  const auto a = IpAddress::parse(pair.value().first.text);
  if (!a) return error_at(pair.value().first, "an IP address is expected");
  const auto b = IpAddress::parse(pair.value().second.text);
  if (!b) return error_at(pair.value().second, "an IP address is expected");
  ip_ = {*a, *b};
  return std::nullopt;
}

// ---- what verbs share

Result<std::uint64_t> Player::option(const Statement& s, std::string_view name, std::uint64_t fallback,
                                     std::uint64_t max) const {
  const Option* given = s.find(name);
  if (given == nullptr) return fallback;
  const auto word = value_word(*given);
  if (!word) return word.error();
  return parse_number(word.value(), max);
}

Result<AethSpec> Player::aeth(const Statement& s, const Space& space, Sequence at, std::uint8_t syndrome,
                              bool nak) const {
  const auto msn = option(s, "msn", space.completed(at, nak).value, kMask24);
  if (!msn) return msn.error();
  return AethSpec{syndrome, Msn{static_cast<std::uint32_t>(msn.value())}};
}

Result<Run> Player::make_run(const Statement& s, Sequence first, std::uint32_t count) const {
  const auto bytes = option(s, "len", pmtu_, pmtu_);
  if (!bytes) return bytes.error();
  return Run{first, count, static_cast<std::uint32_t>(bytes.value()), s.has("open"), s.has("more")};
}

Failure Player::check_count(const Statement& s, std::uint32_t count) const {
  if (drawn_.size() + count <= kMaxScenarioPackets) return std::nullopt;
  return error_at(*s.argument, "a scenario holds at most " + std::to_string(kMaxScenarioPackets) + " packets");
}

PacketSpec Player::packet_from(Side from) const {
  PacketSpec packet;
  if (from == Side::kB) std::swap(packet.mac_src, packet.mac_dst);
  packet.vlan = vlan_;
  packet.src = ip_[index(from)];
  packet.dst = ip_[index(other(from))];
  packet.dscp = dscp_;
  packet.ecn = ecn_;
  packet.udp_src = port_[index(from)].value_or(static_cast<std::uint16_t>(0xC000 | (qpn_[index(from)].value & 0x3FFF)));
  packet.dest_qp = qpn_[index(other(from))];
  return packet;
}

PacketSpec Player::packet_from(Side from, Opcode opcode, Psn psn) const {
  PacketSpec packet = packet_from(from);
  packet.opcode = static_cast<std::uint8_t>(static_cast<unsigned>(opcode) | transport_ << 5U);
  packet.psn = psn;
  return packet;
}

Space& Player::space_of(Side requester) { return spaces_[{ip_[0], ip_[1], qpn_[0], qpn_[1]}][index(requester)]; }

void Player::draw(Side from, PacketSpec packet) {
  packet.ip_id = next_ip_id_[index(from)]++;
  drawn_.push_back({std::move(packet), now_, from});
  now_ = now_ + step_;
}

Drawn* Player::latest(Psn psn, std::optional<Side> side) {
  const auto matches = [&](const Drawn& d) {
    return d.packet.psn == psn && !d.dropped && d.sender == side.value_or(d.sender);
  };
  const auto found = std::find_if(drawn_.rbegin(), drawn_.rend(), matches);
  return found == drawn_.rend() ? nullptr : &*found;
}

}  // namespace

Result<std::vector<TimedFrame>> run_scenario(std::string_view text) {
  const auto statements = parse_statements(text, &Player::takes_argument);
  if (!statements) return statements.error();
  Player player;
  for (const Statement& statement : statements.value()) {
    if (auto failure = player.run(statement)) return *failure;
  }
  return player.frames();
}

}  // namespace rocetop::generate
