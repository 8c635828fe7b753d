// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/plan_text.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "generate/sim/plan_values.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::size_t kNodesMost = 1'024;
constexpr std::size_t kLinksMost = 16'384;
constexpr std::size_t kConnectionsMost = 65'536;
constexpr std::size_t kFaultsMost = 4'096;
constexpr std::uint64_t kMessageMost = std::uint64_t{1} << 30;
constexpr std::uint64_t kUnderWayMost = std::uint64_t{1} << 26;  // PSNs of all connections together
constexpr std::uint64_t kAskedMost = std::uint64_t{1} << 20;     // messages that applications keep under way
constexpr std::uint32_t kFirstQpn = 0x100;
constexpr std::uint64_t kMost = 0xFFFF'FFFF;

// ---- options

Failure set_ip(NodePlan& node, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  const auto ip = IpAddress::parse(word.value().text);
  if (!ip) return error_at(word.value(), "an IP address is expected");
  node.ip = *ip;
  return std::nullopt;
}

Failure set_cnp(NodePlan& node, const Option& option) {
  if (option.value == "off") {
    node.cnp_gap = Nanos{-1};
    return std::nullopt;
  }
  return set_duration<&NodePlan::cnp_gap>(node, option);
}

Failure set_pmtu(ConnectionPlan& connection, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  constexpr std::string_view kAllowed[] = {"256", "512", "1024", "2048", "4096"};
  const auto* found = std::find(std::begin(kAllowed), std::end(kAllowed), word.value().text);
  if (found == std::end(kAllowed)) return error_at(word.value(), "256, 512, 1024, 2048 or 4096 is expected");
  connection.path_mtu = 256U << (found - std::begin(kAllowed));
  return std::nullopt;
}

Failure set_qpns(ConnectionPlan& connection, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  const auto pair = parse_pair(word.value());
  if (!pair) return pair.error();
  const auto a = parse_number(pair.value().first, kMask24);
  if (!a) return a.error();
  const auto b = parse_number(pair.value().second, kMask24);
  if (!b) return b.error();
  if (a.value() < 2 || b.value() < 2) return error_at(word.value(), "queue pairs 0 and 1 are not for connections");
  connection.qpn_a = Qpn{static_cast<std::uint32_t>(a.value())};
  connection.qpn_b = Qpn{static_cast<std::uint32_t>(b.value())};
  return std::nullopt;
}

Failure set_psn(ConnectionPlan& connection, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  const auto psn = parse_number(word.value(), kMask24);
  if (!psn) return psn.error();
  connection.first_psn = Psn{static_cast<std::uint32_t>(psn.value())};
  return std::nullopt;
}

Failure set_control(ConnectionPlan& connection, const Option& option) {
  if (option.value != "dcqcn" && option.value != "none")
    return error_at(option.word, "cc=dcqcn or cc=none is expected");
  connection.control = option.value == "dcqcn" ? CongestionControl::kDcqcn : CongestionControl::kNone;
  return std::nullopt;
}

Failure set_what(FaultPlan& fault, const Option& option) {
  constexpr std::pair<std::string_view, std::uint8_t> kWords[] = {
      {"data", kDataPackets}, {"ack", kAckPackets}, {"nak", kNakPackets}, {"cnp", kCnpPackets}, {"any", kAnyPackets}};
  std::string_view rest = option.value.value_or("");
  fault.what = 0;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const auto* found = std::find_if(std::begin(kWords), std::end(kWords), [&](auto& w) { return w.first == part; });
    if (found == std::end(kWords)) return error_at(option.word, "what=data, ack, nak, cnp or any is expected");
    fault.what = static_cast<std::uint8_t>(fault.what | found->second);
    if (part.size() == rest.size()) return std::nullopt;
    rest.remove_prefix(part.size() + 1);
  }
}

Failure set_code(TroublePlan& trouble, const Option& option) {
  constexpr std::string_view kCodes[] = {"invalid", "access", "operational", "rd"};
  const auto* found = std::find(std::begin(kCodes), std::end(kCodes), option.value.value_or(""));
  if (found == std::end(kCodes)) return error_at(option.word, "code=invalid, access, operational or rd is expected");
  trouble.code = static_cast<std::uint8_t>(found - std::begin(kCodes) + 1);
  return std::nullopt;
}

/// Options whose value is read elsewhere.
template <typename T>
Failure elsewhere(T& /*target*/, const Option& /*option*/) {
  return std::nullopt;
}

constexpr Setter<NodePlan> kHostOptions[] = {
    {"ip", set_ip},
    {"drain", set_rate<&NodePlan::drain>},
    {"latency", set_duration<&NodePlan::latency>},
    {"cnp", set_cnp},
    {"cnp-dscp", set_number<&NodePlan::cnp_dscp, 0, 63>},
};
constexpr Setter<NodePlan> kSwitchOptions[] = {{"spray", set_flag<&NodePlan::spray>}};
constexpr Setter<LinkPlan> kLinkOptions[] = {
    {"rate", set_rate<&LinkPlan::rate>},
    {"delay", set_duration<&LinkPlan::delay>},
    {"buffer", set_bytes<&LinkPlan::buffer, kMost>},
    {"kmin", set_bytes<&LinkPlan::kmin, kMost>},
    {"kmax", set_bytes<&LinkPlan::kmax, kMost>},
    {"pmax", set_share<&LinkPlan::pmax>},
    {"xoff", set_bytes<&LinkPlan::xoff, kMost>},
    {"xon", set_bytes<&LinkPlan::xon, kMost>},
};
constexpr Setter<ConnectionPlan> kConnectionOptions[] = {
    {"count", elsewhere},
    {"qp", set_qpns},
    {"port", set_number<&ConnectionPlan::port, 1, 65'535>},
    {"psn", set_psn},
    {"uc", set_flag<&ConnectionPlan::unreliable>},
    {"pmtu", set_pmtu},
    {"dscp", set_number<&ConnectionPlan::dscp, 0, 63>},
    {"ecn", set_number<&ConnectionPlan::ecn, 0, 2>},
    {"window", set_number<&ConnectionPlan::window, 1, 65'536>},
    {"ack-every", set_number<&ConnectionPlan::ack_every, 1, 65'536>},
    {"timeout", set_number<&ConnectionPlan::timeout, 1, 31>},
    {"retries", set_number<&ConnectionPlan::retries, 0, 7>},
    {"rnr-timer", set_number<&ConnectionPlan::rnr_timer, 0, 31>},
    {"receives", set_number<&ConnectionPlan::receives, 0, 65'536>},
    {"post-every", set_duration<&ConnectionPlan::post_every>},
    {"reorder", set_number<&ConnectionPlan::reorder, 0, 1'024>},
    {"cc", set_control},
    {"ignore-cnps", set_flag<&ConnectionPlan::ignores_cnps>},
};
constexpr Setter<FlowPlan> kFlowOptions[] = {
    {"size", set_bytes<&FlowPlan::bytes, kMessageMost>}, {"count", set_number<&FlowPlan::count, 1, kMost>},
    {"depth", set_number<&FlowPlan::depth, 1, 1'024>},   {"pause", set_duration<&FlowPlan::pause>},
    {"start", set_duration<&FlowPlan::start>},           {"stagger", elsewhere},
};
constexpr Setter<FaultPlan> kFaultOptions[] = {
    {"what", set_what},
    {"of", elsewhere},
    {"chance", set_share<&FaultPlan::chance>},
    {"nth", set_number<&FaultPlan::nth, 1, kMost>},
    {"every", set_number<&FaultPlan::every, 1, kMost>},
    {"burst", set_number<&FaultPlan::burst, 1, kMost>},
    {"most", set_number<&FaultPlan::most, 1, kMost>},
    {"from", set_duration<&FaultPlan::from>},
    {"to", set_duration<&FaultPlan::to>},
    {"by", set_duration<&FaultPlan::by>},
};
constexpr Setter<TroublePlan> kSpanOptions[] = {{"from", set_duration<&TroublePlan::from>},
                                                {"to", set_duration<&TroublePlan::to>}};
constexpr Setter<TroublePlan> kRefuseOptions[] = {{"after", set_number<&TroublePlan::after, 0, kMost>},
                                                  {"code", set_code}};
constexpr Setter<TroublePlan> kRemarkOptions[] = {{"from", set_duration<&TroublePlan::from>},
                                                  {"dscp", set_number<&TroublePlan::dscp, 0, 63>}};

// ---- statements

/// Reads statements in order. What a name means is settled when it is used, so what is named comes first.
class Planner {
 public:
  Failure run(const Statement& statement);
  Result<Plan> finish();

  struct Verb {
    std::string_view name;
    bool argument;
    Failure (Planner::*run)(const Statement&);
  };
  static const Verb* find_verb(std::string_view name);

 private:
  Failure hosts(const Statement& s) { return apply(kHostOptions, s, host_); }
  Failure links(const Statement& s) { return apply(kLinkOptions, s, link_); }
  Failure connections(const Statement& s) { return apply(kConnectionOptions, s, connection_); }
  Failure host(const Statement& s);
  Failure add_switch(const Statement& s);
  Failure link(const Statement& s);
  Failure connect(const Statement& s);
  Failure write(const Statement& s) { return flow(s, Operation::kWrite); }
  Failure send(const Statement& s) { return flow(s, Operation::kSend); }
  Failure read(const Statement& s) { return flow(s, Operation::kRead); }
  Failure atomic(const Statement& s) { return flow(s, Operation::kAtomic); }
  Failure flow(const Statement& s, Operation operation);
  Failure lose(const Statement& s) { return fault(s, FaultKind::kLose); }
  Failure delay(const Statement& s) { return fault(s, FaultKind::kDelay); }
  Failure copy(const Statement& s) { return fault(s, FaultKind::kCopy); }
  Failure damage(const Statement& s) { return fault(s, FaultKind::kDamage); }
  Failure mark(const Statement& s) { return fault(s, FaultKind::kMark); }
  Failure fault(const Statement& s, FaultKind kind);
  Failure hang(const Statement& s) { return host_trouble(s, TroubleKind::kHang); }
  Failure storm(const Statement& s) { return host_trouble(s, TroubleKind::kStorm); }
  Failure host_trouble(const Statement& s, TroubleKind kind);
  Failure refuse(const Statement& s);
  Failure remark(const Statement& s);
  Failure connection_trouble(const Statement& s, TroublePlan trouble);
  Failure tap(const Statement& s);
  Failure miss(const Statement& s) { return assign(parse_share(*s.argument), plan_.miss); }
  Failure duration(const Statement& s) { return assign(parse_duration(*s.argument), plan_.duration); }

  using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;
  Failure add_node(const Word& word, const std::string& name, const NodePlan& like);
  Result<std::vector<std::size_t>> nodes(const Word& word);
  /// Every node on the left with every one on the right.
  Result<Pairs> pairs(const Word& word);
  Result<Pairs> host_pairs(const Word& word);
  /// Connections between two hosts, whichever is their A; one is made where there is none.
  Result<std::vector<std::size_t>> connections_of(const Word& word, std::size_t a, std::size_t b);
  Failure add_connection(const Word& word, const ConnectionPlan& plan);
  void link_what_is_not();
  Failure check();
  Failure check_size() const;

  Plan plan_;
  NodePlan host_;  ///< what holds for those that follow
  LinkPlan link_;
  ConnectionPlan connection_;
  std::optional<Word> tap_;
};

const Planner::Verb* Planner::find_verb(std::string_view name) {
  static constexpr Verb kVerbs[] = {
      {"hosts", false, &Planner::hosts},
      {"links", false, &Planner::links},
      {"connections", false, &Planner::connections},
      {"host", true, &Planner::host},
      {"switch", true, &Planner::add_switch},
      {"link", true, &Planner::link},
      {"connect", true, &Planner::connect},
      {"write", true, &Planner::write},
      {"send", true, &Planner::send},
      {"read", true, &Planner::read},
      {"atomic", true, &Planner::atomic},
      {"lose", true, &Planner::lose},
      {"delay", true, &Planner::delay},
      {"copy", true, &Planner::copy},
      {"damage", true, &Planner::damage},
      {"mark", true, &Planner::mark},
      {"hang", true, &Planner::hang},
      {"storm", true, &Planner::storm},
      {"refuse", true, &Planner::refuse},
      {"remark", true, &Planner::remark},
      {"tap", true, &Planner::tap},
      {"miss", true, &Planner::miss},
      {"duration", true, &Planner::duration},
  };
  const auto* found = std::find_if(std::begin(kVerbs), std::end(kVerbs), [&](const Verb& v) { return v.name == name; });
  return found == std::end(kVerbs) ? nullptr : found;
}

Failure Planner::run(const Statement& statement) {
  const Verb* verb = find_verb(statement.verb.text);
  if (verb == nullptr) {
    return error_at(statement.verb, "not a verb of simulated scenarios; one with hosts draws no packets of its own");
  }
  if (statement.side) return error_at(statement.verb, "takes no A: or B: before it");
  if (verb->argument && !statement.argument) return error_at(statement.verb, "an argument must follow");
  return (this->*verb->run)(statement);
}

Failure Planner::add_node(const Word& word, const std::string& name, const NodePlan& like) {
  const auto same = [&](const NodePlan& node) { return node.name == name; };
  if (std::any_of(plan_.nodes.begin(), plan_.nodes.end(), same)) return error_at(word, name + " is there already");
  if (plan_.nodes.size() >= kNodesMost) return error_at(word, "too many hosts and switches");
  plan_.nodes.push_back(like);
  plan_.nodes.back().name = name;
  return std::nullopt;
}

Failure Planner::host(const Statement& s) {
  const auto names = parse_names(*s.argument);
  if (!names) return names.error();
  NodePlan like = host_;
  if (auto failure = apply(kHostOptions, s, like)) return failure;
  if (s.has("ip") && names.value().size() > 1) return error_at(*s.argument, "one address is not for several hosts");
  for (const std::string& name : names.value()) {
    if (auto failure = add_node(*s.argument, name, like)) return failure;
    if (s.has("ip")) continue;
    const auto number = static_cast<std::uint32_t>(plan_.nodes.size());
    const std::uint8_t bytes[] = {10, 0, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
    plan_.nodes.back().ip = IpAddress::v4(bytes);
  }
  return std::nullopt;
}

Failure Planner::add_switch(const Statement& s) {
  const auto names = parse_names(*s.argument);
  if (!names) return names.error();
  NodePlan like;
  like.host = false;
  if (auto failure = apply(kSwitchOptions, s, like)) return failure;
  for (const std::string& name : names.value()) {
    if (auto failure = add_node(*s.argument, name, like)) return failure;
  }
  return std::nullopt;
}

Result<std::vector<std::size_t>> Planner::nodes(const Word& word) {
  const auto names = parse_names(word);
  if (!names) return names.error();
  std::vector<std::size_t> found;
  for (const std::string& name : names.value()) {
    const auto node = std::find_if(plan_.nodes.begin(), plan_.nodes.end(), [&](auto& n) { return n.name == name; });
    if (node == plan_.nodes.end()) return error_at(word, "there is no host or switch " + name + " before this");
    found.push_back(static_cast<std::size_t>(node - plan_.nodes.begin()));
  }
  return found;
}

Result<Planner::Pairs> Planner::pairs(const Word& word) {
  const auto halves = parse_pair(word);
  if (!halves) return halves.error();
  const auto left = nodes(halves.value().first);
  if (!left) return left.error();
  const auto right = nodes(halves.value().second);
  if (!right) return right.error();
  if (left.value().size() * right.value().size() > kConnectionsMost) return error_at(word, "too many pairs");
  Pairs all;
  for (const std::size_t l : left.value()) {
    for (const std::size_t r : right.value()) {
      if (l != r) all.emplace_back(l, r);
    }
  }
  if (all.empty()) return error_at(word, "two different nodes are expected");
  return all;
}

Result<Planner::Pairs> Planner::host_pairs(const Word& word) {
  auto all = pairs(word);
  if (!all) return all;
  for (const auto& [a, b] : all.value()) {
    for (const std::size_t node : {a, b}) {
      if (!plan_.nodes[node].host) return error_at(word, plan_.nodes[node].name + " is a switch");
    }
  }
  return all;
}

Failure Planner::link(const Statement& s) {
  const auto ends = pairs(*s.argument);
  if (!ends) return ends.error();
  LinkPlan like = link_;
  if (auto failure = apply(kLinkOptions, s, like)) return failure;
  for (const auto& [a, b] : ends.value()) {
    if (plan_.links.size() >= kLinksMost) return error_at(*s.argument, "too many links");
    like.a = a;
    like.b = b;
    plan_.links.push_back(like);
  }
  return std::nullopt;
}

Failure Planner::add_connection(const Word& word, const ConnectionPlan& plan) {
  if (plan_.connections.size() >= kConnectionsMost) return error_at(word, "too many connections");
  const auto number = static_cast<std::uint32_t>(plan_.connections.size());
  plan_.connections.push_back(plan);
  ConnectionPlan& added = plan_.connections.back();
  if (added.qpn_a == Qpn{}) {
    added.qpn_a = Qpn{kFirstQpn + 2 * number};
    added.qpn_b = Qpn{kFirstQpn + 2 * number + 1};
  }
  return std::nullopt;
}

Failure Planner::connect(const Statement& s) {
  const auto ends = host_pairs(*s.argument);
  if (!ends) return ends.error();
  ConnectionPlan like = connection_;
  if (auto failure = apply(kConnectionOptions, s, like)) return failure;
  std::uint64_t count = 1;
  if (const Option* given = s.find("count")) {
    const auto word = value_word(*given);
    if (!word) return word.error();
    if (auto failure = assign(parse_number(word.value(), kConnectionsMost), count)) return failure;
  }
  const bool numbered = like.qpn_a != Qpn{};
  for (const auto& [a, b] : ends.value()) {
    for (std::uint32_t i = 0; i < count; ++i) {
      like.a = a;
      like.b = b;
      if (auto failure = add_connection(*s.argument, like)) return failure;
      if (numbered) {
        like.qpn_a = Qpn{like.qpn_a.value + 1};
        like.qpn_b = Qpn{like.qpn_b.value + 1};
      }
    }
  }
  return std::nullopt;
}

Result<std::vector<std::size_t>> Planner::connections_of(const Word& word, std::size_t a, std::size_t b) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < plan_.connections.size(); ++i) {
    const ConnectionPlan& connection = plan_.connections[i];
    const bool same = (connection.a == a && connection.b == b) || (connection.a == b && connection.b == a);
    if (same) found.push_back(i);
  }
  if (!found.empty()) return found;
  ConnectionPlan made = connection_;
  made.a = a;
  made.b = b;
  if (auto failure = add_connection(word, made)) return *failure;
  return std::vector{plan_.connections.size() - 1};
}

Failure Planner::flow(const Statement& s, Operation operation) {
  const auto ends = host_pairs(*s.argument);
  if (!ends) return ends.error();
  FlowPlan like;
  like.operation = operation;
  if (auto failure = apply(kFlowOptions, s, like)) return failure;
  if (operation == Operation::kAtomic) like.bytes = 8;
  if (like.bytes == 0) return error_at(s.verb, "a message has at least one byte");
  Nanos stagger;
  if (const Option* given = s.find("stagger")) {
    const auto word = value_word(*given);
    if (!word) return word.error();
    if (auto failure = assign(parse_duration(word.value()), stagger)) return failure;
  }
  for (const auto& [a, b] : ends.value()) {
    const auto connections = connections_of(*s.argument, a, b);
    if (!connections) return connections.error();
    for (const std::size_t connection : connections.value()) {
      like.connection = connection;
      like.from_b = plan_.connections[connection].b == a;
      if (plan_.connections[connection].unreliable &&
          (operation == Operation::kRead || operation == Operation::kAtomic))
        return error_at(s.verb, "an unreliable connection knows no READs and no atomics");
      plan_.flows.push_back(like);
      like.start = like.start + stagger;
    }
  }
  return std::nullopt;
}

Failure Planner::fault(const Statement& s, FaultKind kind) {
  const auto ends = pairs(*s.argument);
  if (!ends) return ends.error();
  FaultPlan like;
  like.kind = kind;
  if (auto failure = apply(kFaultOptions, s, like)) return failure;
  if (const Option* of = s.find("of")) {
    const auto word = value_word(*of);
    if (!word) return word.error();
    const auto hosts = host_pairs(word.value());
    if (!hosts) return hosts.error();
    for (const auto& [a, b] : hosts.value()) {
      const auto connections = connections_of(word.value(), a, b);
      if (!connections) return connections.error();
      like.connections.insert(like.connections.end(), connections.value().begin(), connections.value().end());
    }
  }
  for (const auto& [from, to] : ends.value()) {
    if (plan_.faults.size() >= kFaultsMost) return error_at(*s.argument, "too many faults");
    like.from_node = from;
    like.to_node = to;
    plan_.faults.push_back(like);
  }
  return std::nullopt;
}

Failure Planner::host_trouble(const Statement& s, TroubleKind kind) {
  const auto where = nodes(*s.argument);
  if (!where) return where.error();
  TroublePlan trouble;
  trouble.kind = kind;
  if (auto failure = apply(kSpanOptions, s, trouble)) return failure;
  for (const std::size_t node : where.value()) {
    if (!plan_.nodes[node].host) return error_at(*s.argument, plan_.nodes[node].name + " is a switch");
    trouble.host = node;
    plan_.troubles.push_back(trouble);
  }
  return std::nullopt;
}

Failure Planner::refuse(const Statement& s) {
  TroublePlan trouble;
  trouble.kind = TroubleKind::kRefuse;
  if (auto failure = apply(kRefuseOptions, s, trouble)) return failure;
  return connection_trouble(s, trouble);
}

Failure Planner::remark(const Statement& s) {
  TroublePlan trouble;
  trouble.kind = TroubleKind::kRemark;
  if (auto failure = apply(kRemarkOptions, s, trouble)) return failure;
  return connection_trouble(s, trouble);
}

Failure Planner::connection_trouble(const Statement& s, TroublePlan trouble) {
  const auto ends = host_pairs(*s.argument);
  if (!ends) return ends.error();
  for (const auto& [a, b] : ends.value()) {
    const auto connections = connections_of(*s.argument, a, b);
    if (!connections) return connections.error();
    for (const std::size_t connection : connections.value()) {
      trouble.connection = connection;
      plan_.troubles.push_back(trouble);
    }
  }
  return std::nullopt;
}

Failure Planner::tap(const Statement& s) {
  tap_ = *s.argument;
  return std::nullopt;
}

// ---- the whole

/// Without a link: two hosts are joined directly, more by a switch.
void Planner::link_what_is_not() {
  if (!plan_.links.empty()) return;
  const std::size_t hosts = plan_.nodes.size();
  LinkPlan link = link_;
  if (hosts == 2) {
    link.b = 1;
    plan_.links.push_back(link);
    return;
  }
  NodePlan middle;
  middle.name = "sw";
  middle.host = false;
  plan_.nodes.push_back(middle);
  for (std::size_t i = 0; i < hosts; ++i) {
    link.a = i;
    link.b = hosts;
    plan_.links.push_back(link);
  }
}

Result<Plan> Planner::finish() {
  if (plan_.nodes.empty()) return Error{"the scenario has no hosts", "host a,b | write a/b"};
  link_what_is_not();
  if (auto failure = check()) return *failure;
  if (tap_) {
    if (auto done = set_tap(plan_, *tap_); !done) return done.error();
  } else {
    plan_.tap_name = plan_.nodes.front().name;
  }
  return std::move(plan_);
}

/// Every host has one link; every connection has a way.
Failure Planner::check() {
  std::vector<std::size_t> links(plan_.nodes.size());
  std::vector<std::size_t> group(plan_.nodes.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = i;
  const auto root = [&](std::size_t i) {
    while (group[i] != i) i = group[i] = group[group[i]];
    return i;
  };
  for (const LinkPlan& link : plan_.links) {
    ++links[link.a];
    ++links[link.b];
    group[root(link.a)] = root(link.b);
  }
  for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (plan_.nodes[i].host && links[i] != 1) {
      return Error{"host " + plan_.nodes[i].name + " has " + std::to_string(links[i]) + " links, not one", ""};
    }
  }
  for (const ConnectionPlan& connection : plan_.connections) {
    if (root(connection.a) == root(connection.b)) continue;
    return Error{"there is no way from " + plan_.nodes[connection.a].name + " to " + plan_.nodes[connection.b].name,
                 "link them, or their switches."};
  }
  for (const FaultPlan& fault : plan_.faults) {
    const auto joins = [&](const LinkPlan& l) {
      return (l.a == fault.from_node && l.b == fault.to_node) || (l.b == fault.from_node && l.a == fault.to_node);
    };
    if (std::any_of(plan_.links.begin(), plan_.links.end(), joins)) continue;
    return Error{"there is no link from " + plan_.nodes[fault.from_node].name + " to " +
                     plan_.nodes[fault.to_node].name + " for a fault",
                 ""};
  }
  return check_size();
}

/// What a simulation has under way is what it keeps in memory.
Failure Planner::check_size() const {
  std::vector<std::uint64_t> psns(plan_.connections.size());
  for (std::size_t i = 0; i < psns.size(); ++i) psns[i] = plan_.connections[i].window;
  std::uint64_t asked = 0;
  for (const FlowPlan& flow : plan_.flows) {
    const std::uint32_t path_mtu = plan_.connections[flow.connection].path_mtu;
    psns[flow.connection] = std::max<std::uint64_t>(psns[flow.connection], flow.bytes / path_mtu + 1);
    asked += flow.depth;
  }
  if (std::accumulate(psns.begin(), psns.end(), std::uint64_t{0}) > kUnderWayMost || asked > kAskedMost) {
    return Error{"the scenario has too much under way at a time", "Less of count=, window=, size= or depth=."};
  }
  return std::nullopt;
}

}  // namespace

bool is_verb(std::string_view verb) { return Planner::find_verb(verb) != nullptr; }

bool takes_argument(std::string_view verb) {
  const auto* found = Planner::find_verb(verb);
  return found != nullptr && found->argument;
}

Result<Plan> make_plan(const std::vector<Statement>& statements) {
  Planner planner;
  for (const Statement& statement : statements) {
    if (auto failure = planner.run(statement)) return *failure;
  }
  return planner.finish();
}

Result<Done> set_tap(Plan& plan, const Word& where) {
  const std::size_t slash = where.text.find('/');
  const auto find = [&](std::string_view name) {
    const auto node = std::find_if(plan.nodes.begin(), plan.nodes.end(), [&](auto& n) { return n.name == name; });
    return static_cast<std::size_t>(node - plan.nodes.begin());
  };
  TapPlan tap;
  tap.node = find(where.text.substr(0, slash));
  if (slash != std::string_view::npos) tap.neighbour = find(where.text.substr(slash + 1));
  const bool known = tap.node < plan.nodes.size() && tap.neighbour.value_or(0) < plan.nodes.size();
  const auto joins = [&](const LinkPlan& l) {
    return (l.a == tap.node && l.b == *tap.neighbour) || (l.b == tap.node && l.a == *tap.neighbour);
  };
  if (!known || (tap.neighbour && std::none_of(plan.links.begin(), plan.links.end(), joins))) {
    return error_at(where, "a host, a switch, or NODE/NEIGHBOUR of a link is expected");
  }
  plan.tap = tap;
  plan.tap_name = std::string(where.text);
  return Done{};
}

}  // namespace rocetop::generate::sim
