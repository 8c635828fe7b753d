// SPDX-License-Identifier: BSD-3-Clause
// The meaning of the verbs of a scenario: statements, with arguments and options checked, -> calls of ScenarioTrace.
#include "generate/scenario.h"

#include <algorithm>

#include "generate/scenario_text.h"
#include "generate/scenario_trace.h"

namespace rocetop::generate {
namespace {

using Failure = std::optional<Error>;

class Player {
 public:
  Failure run(const Statement& statement);
  DrawnScenario result() const { return {trace_.frames(), trace_.edits()}; }
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

  Failure write(const Statement& s, Side from) { return message(s, from, kWrites); }
  Failure send(const Statement& s, Side from) { return message(s, from, kSends); }
  Failure message(const Statement& s, Side from, const Family& family);
  Failure read(const Statement& s, Side from);
  Failure atomic(const Statement& s, Side from);
  Failure read_response(const Statement& s, Side from);
  Failure atomic_acknowledge(const Statement& s, Side from) { return reply(s, from, Opcode::kAtomicAcknowledge, 0); }
  Failure acknowledge(const Statement& s, Side from) { return reply(s, from, Opcode::kAcknowledge, kUnlimitedCredits); }
  Failure nak(const Statement& s, Side from);
  Failure rnr_nak(const Statement& s, Side from);
  Failure reply(const Statement& s, Side from, Opcode opcode, std::uint8_t syndrome);
  Failure cnp(const Statement&, Side from) { return trace_.cnp(from), std::nullopt; }
  Failure fast_cnp(const Statement& s, Side instead_of);
  Failure xoff(const Statement& s, Side from);
  Failure xon(const Statement& s, Side from) { return pause(s, from, 0); }
  Failure pause(const Statement& s, Side from, std::uint16_t quanta);
  Failure datagram(const Statement& s, Side from);
  Failure cm(const Statement& s, Side from);

  Failure drop(const Statement& s, Side) {
    return edit(s, [](Drawn& d) {
      d.dropped = true;
      d.edit = "lost";
    });
  }
  Failure bad(const Statement& s, Side) {
    return edit(s, [](Drawn& d) {
      d.packet.bad_icrc = true;
      d.edit = "damaged";
    });
  }
  Failure mark(const Statement& s, Side) {
    return edit(s, [](Drawn& d) {
      d.packet.ecn = 3;
      d.edit = "marked";
    });
  }
  Failure duplicate(const Statement& s, Side);
  Failure late(const Statement& s, Side);

  Failure wait(const Statement& s, Side);
  Failure step(const Statement& s, Side);
  Failure pmtu(const Statement& s, Side);
  Failure rc(const Statement&, Side) { return set().transport = 0, std::nullopt; }
  Failure uc(const Statement&, Side) { return set().transport = 1, std::nullopt; }
  Failure dscp(const Statement& s, Side) {
    return set_number(s, 63, [&](auto v) { set().dscp = static_cast<std::uint8_t>(v); });
  }
  Failure ecn(const Statement& s, Side) {
    return set_number(s, 3, [&](auto v) { set().ecn = static_cast<std::uint8_t>(v); });
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

  /// `option` as a number, else nothing.
  static Result<std::optional<std::uint32_t>> option(const Statement& s, std::string_view name, std::uint64_t max);
  static Result<std::optional<Msn>> msn(const Statement& s);
  /// Payload of the last packet.
  Result<std::uint32_t> last_bytes(const Statement& s) const;
  /// PSNs for as many packets as there is room for.
  Result<PsnRange> packets(const Statement& s) const;
  ScenarioSettings& set() { return trace_.settings; }

  ScenarioTrace trace_{kScenarioStart};
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
      {"FCNP", false, kB, " switch ", &Player::fast_cnp},
      {"XOFF", true, kB, " quanta ", &Player::xoff},
      {"XON", true, kB, " ", &Player::xon},
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

// ---- packets

Failure Player::message(const Statement& s, Side from, const Family& family) {
  const auto psns = packets(s);
  if (!psns) return psns.error();
  const auto bytes = last_bytes(s);
  if (!bytes) return bytes.error();
  trace_.message(
      from, family, psns.value(),
      {bytes.value(), s.has("open"), s.has("more"), s.has("new"), s.has("imm"), s.has("noack"), s.has("ackall")});
  return std::nullopt;
}

Failure Player::read(const Statement& s, Side from) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  const auto bytes = last_bytes(s);
  if (!bytes) return bytes.error();
  trace_.read(from, psns.value(), bytes.value());
  return std::nullopt;
}

Failure Player::atomic(const Statement& s, Side from) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  if (psns.value().count != 1) return error_at(*s.argument, "an atomic takes one PSN");
  trace_.fetch_add(from, psns.value().first);
  return std::nullopt;
}

Failure Player::read_response(const Statement& s, Side from) {
  const auto psns = packets(s);
  if (!psns) return psns.error();
  const auto bytes = last_bytes(s);
  if (!bytes) return bytes.error();
  const auto number = msn(s);
  if (!number) return number.error();
  const Sequence first = trace_.sequence_of(other(from), psns.value().first);
  trace_.read_response(from, {first, psns.value().count, bytes.value(), s.has("open"), s.has("more")}, number.value());
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
  const auto timer = option(s, "timer", 31);
  if (!timer) return timer.error();
  return reply(s, from, Opcode::kAcknowledge, static_cast<std::uint8_t>(0x20 | timer.value().value_or(12)));
}

Failure Player::reply(const Statement& s, Side from, Opcode opcode, std::uint8_t syndrome) {
  const auto psns = parse_psns(*s.argument);
  if (!psns) return psns.error();
  if (psns.value().count != 1) return error_at(*s.argument, "a reply carries one PSN");
  const auto number = msn(s);
  if (!number) return number.error();
  trace_.reply(from, opcode, psns.value().first, syndrome, number.value());
  return std::nullopt;
}

Failure Player::fast_cnp(const Statement& s, Side instead_of) {
  auto address = IpAddress::parse("2001:db8::ff");
  if (const Option* given = s.find("switch")) {
    const auto word = value_word(*given);
    if (!word) return word.error();
    address = IpAddress::parse(word.value().text);
    if (!address || address->is_v4()) return error_at(word.value(), "an IPv6 address is expected");
  }
  if (set().ip[0].is_v4() || set().ip[1].is_v4()) {
    return error_at(s.verb, "only hosts with IPv6 addresses are sent Fast CNPs: ip A/B");
  }
  trace_.fast_cnp(instead_of, *address);
  return std::nullopt;
}

Failure Player::xoff(const Statement& s, Side from) {
  const auto quanta = option(s, "quanta", 0xFFFF);
  if (!quanta) return quanta.error();
  return pause(s, from, static_cast<std::uint16_t>(quanta.value().value_or(0xFFFF)));
}

/// The argument: a class, a range of classes, or "all" (802.3x).
Failure Player::pause(const Statement& s, Side from, std::uint16_t quanta) {
  PauseSpec spec;
  spec.quanta = quanta;
  spec.priority = s.argument->text != "all";
  if (spec.priority) {
    const auto classes = parse_psns(*s.argument);
    if (!classes || classes.value().first.value + classes.value().count > 8) {
      return error_at(*s.argument, "a class from 0 to 7, a range such as 3-4, or all is expected");
    }
    const unsigned mask = (1U << classes.value().count) - 1;
    spec.classes = static_cast<std::uint8_t>(mask << classes.value().first.value);
  }
  trace_.pause(from, spec);
  return std::nullopt;
}

Failure Player::datagram(const Statement& s, Side from) {
  const auto psns = packets(s);
  if (!psns) return psns.error();
  const auto bytes = last_bytes(s);
  if (!bytes) return bytes.error();
  trace_.datagrams(from, psns.value(), bytes.value());
  return std::nullopt;
}

Failure Player::cm(const Statement& s, Side from) {
  constexpr std::pair<std::string_view, CmType> kTypes[] = {{"REQ", CmType::kReq},   {"REP", CmType::kRep},
                                                            {"RTU", CmType::kRtu},   {"REJ", CmType::kRej},
                                                            {"DREQ", CmType::kDreq}, {"DREP", CmType::kDrep}};
  const auto* type =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](auto& t) { return t.first == s.verb.text; });
  std::optional<Psn> starting_psn;
  if (s.argument) {
    const auto psns = parse_psns(*s.argument);
    if (!psns) return psns.error();
    starting_psn = psns.value().first;
  }
  const auto reason = option(s, "reason", 0xFFFF);
  if (!reason) return reason.error();
  trace_.cm(from, type->second, starting_psn, reason.value());
  return std::nullopt;
}

// ---- edits

template <typename Change>
Failure Player::edit(const Statement& s, Change change) {
  const auto psns = packets(s);
  if (!psns) return psns.error();
  for (std::uint32_t i = 0; i < psns.value().count; ++i) {
    const Psn psn{psns.value().first.value + i};
    Drawn* found = trace_.latest(psn, s.side);
    if (found == nullptr)
      return error_at(*s.argument, "no packet with PSN " + std::to_string(psn.value) + " was drawn");
    change(*found);
  }
  return std::nullopt;
}

Failure Player::duplicate(const Statement& s, Side) {
  std::vector<Drawn> originals;
  auto failure = edit(s, [&](Drawn& d) { originals.push_back(d); });
  for (const Drawn& original : originals) trace_.copy(original);
  return failure;
}

Failure Player::late(const Statement& s, Side) {
  const Option* after = s.find("after");
  if (after == nullptr) return error_at(s.verb, "after=PSN is expected");
  const auto word = value_word(*after);
  if (!word) return word.error();
  const auto psns = parse_psns(word.value());
  if (!psns) return psns.error();
  const Drawn* anchor = trace_.latest(psns.value().first, s.side);
  if (anchor == nullptr) return error_at(word.value(), "no packet with this PSN was drawn");
  const Nanos time = anchor->time + Nanos{set().step.count / 2};
  return edit(s, [&](Drawn& d) {
    d.time = time;
    d.edit = "delayed";
  });
}

// ---- settings

Failure Player::wait(const Statement& s, Side) {
  const auto duration = parse_duration(*s.argument);
  if (!duration) return duration.error();
  trace_.wait(duration.value());
  return std::nullopt;
}

Failure Player::step(const Statement& s, Side) {
  const auto duration = parse_duration(*s.argument);
  if (!duration) return duration.error();
  set().step = duration.value();
  return std::nullopt;
}

Failure Player::pmtu(const Statement& s, Side) {
  const auto bytes = parse_number(*s.argument, 4096);
  if (!bytes) return bytes.error();
  for (const std::uint32_t allowed : {256U, 512U, 1024U, 2048U, 4096U}) {
    if (bytes.value() == allowed) return set().pmtu = allowed, std::nullopt;
  }
  return error_at(*s.argument, "256, 512, 1024, 2048 or 4096 is expected");
}

Failure Player::vlan(const Statement& s, Side) {
  if (s.argument->text == "none") return set().vlan.reset(), std::nullopt;
  return set_number(s, 4095, [&](auto v) { set().vlan = static_cast<std::uint16_t>(v); });
}

Failure Player::port(const Statement& s, Side) {
  return set_number(s, 65535, [&](auto v) {
    for (const Side side : {Side::kA, Side::kB}) {
      if (s.side.value_or(side) == side) set().port[index(side)] = static_cast<std::uint16_t>(v);
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
  set().qpn = {Qpn{static_cast<std::uint32_t>(a.value())}, Qpn{static_cast<std::uint32_t>(b.value())}};
  if (s.has("new")) trace_.forget_connection();
  return std::nullopt;
}

Failure Player::addresses(const Statement& s, Side) {
  const auto pair = parse_pair(*s.argument);
  if (!pair) return pair.error();
  const auto a = IpAddress::parse(pair.value().first.text);
  if (!a) return error_at(pair.value().first, "an IP address is expected");
  const auto b = IpAddress::parse(pair.value().second.text);
  if (!b) return error_at(pair.value().second, "an IP address is expected");
  set().ip = {*a, *b};
  return std::nullopt;
}

// ---- what verbs share

Result<std::optional<std::uint32_t>> Player::option(const Statement& s, std::string_view name, std::uint64_t max) {
  const Option* given = s.find(name);
  if (given == nullptr) return std::optional<std::uint32_t>{};
  const auto word = value_word(*given);
  if (!word) return word.error();
  const auto value = parse_number(word.value(), max);
  if (!value) return value.error();
  return std::optional{static_cast<std::uint32_t>(value.value())};
}

Result<std::optional<Msn>> Player::msn(const Statement& s) {
  const auto number = option(s, "msn", kMask24);
  if (!number) return number.error();
  return number.value() ? std::optional{Msn{*number.value()}} : std::nullopt;
}

Result<std::uint32_t> Player::last_bytes(const Statement& s) const {
  const auto bytes = option(s, "len", trace_.settings.pmtu);
  if (!bytes) return bytes.error();
  return bytes.value().value_or(trace_.settings.pmtu);
}

Result<PsnRange> Player::packets(const Statement& s) const {
  auto psns = parse_psns(*s.argument);
  if (!psns || trace_.size() + psns.value().count <= kMaxScenarioPackets) return psns;
  return error_at(*s.argument, "a scenario holds at most " + std::to_string(kMaxScenarioPackets) + " packets");
}

}  // namespace

bool scenario_takes_argument(std::string_view verb) { return Player::takes_argument(verb); }

Result<DrawnScenario> draw_scenario(const std::vector<Statement>& statements) {
  Player player;
  for (const Statement& statement : statements) {
    if (auto failure = player.run(statement)) return *failure;
  }
  return player.result();
}

Result<std::vector<TimedFrame>> run_scenario(std::string_view text) {
  const auto statements = parse_statements(text, &Player::takes_argument);
  if (!statements) return statements.error();
  auto drawn = draw_scenario(statements.value());
  if (!drawn) return drawn.error();
  return std::move(drawn->frames);
}

}  // namespace rocetop::generate
