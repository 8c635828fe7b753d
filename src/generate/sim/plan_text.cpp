// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/plan_text.h"

#include <algorithm>
#include <utility>

#include "generate/sim/plan_check.h"
#include "generate/sim/plan_options.h"
#include "generate/sim/plan_values.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::size_t kNodesMost = 1'024;
constexpr std::size_t kLinksMost = 16'384;
constexpr std::size_t kConnectionsMost = 65'536;
constexpr std::size_t kFaultsMost = 4'096;
constexpr std::uint32_t kFirstQpn = 0x100;

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
  Failure hosts(const Statement& s) { return host_options(s, host_); }
  Failure links(const Statement& s) { return link_options(s, link_); }
  Failure connections(const Statement& s) { return connection_options(s, connection_); }
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
  Failure trim(const Statement& s) { return fault(s, FaultKind::kTrim); }
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
      {"trim", true, &Planner::trim},
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
  if (auto failure = host_options(s, like)) return failure;
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
  if (auto failure = switch_options(s, like)) return failure;
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
  if (auto failure = link_options(s, like)) return failure;
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
  if (auto failure = connection_options(s, like)) return failure;
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
  if (auto failure = flow_options(s, like)) return failure;
  if (operation == Operation::kAtomic) like.bytes = 8;
  if (like.bytes == 0) return error_at(s.verb, "a message has at least one byte");
  const bool data = operation == Operation::kWrite || operation == Operation::kSend;
  if ((like.notice != Notice::kNone && !data) ||
      (like.notice == Notice::kInvalidate && operation != Operation::kSend)) {
    return error_at(s.verb, "imm is for write and send, inv for send");
  }
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
      if (like.notice != Notice::kNone && !plan_.connections[connection].is_veroce())
        return error_at(s.verb, "imm and inv are for connections with protocol=veroce");
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
  if (auto failure = fault_options(s, like)) return failure;
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
  if (auto failure = span_options(s, trouble)) return failure;
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
  if (auto failure = refuse_options(s, trouble)) return failure;
  return connection_trouble(s, trouble);
}

Failure Planner::remark(const Statement& s) {
  TroublePlan trouble;
  trouble.kind = TroubleKind::kRemark;
  if (auto failure = remark_options(s, trouble)) return failure;
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
  if (auto failure = check(plan_)) return *failure;
  if (tap_) {
    if (auto done = set_tap(plan_, *tap_); !done) return done.error();
  } else {
    plan_.tap_name = plan_.nodes.front().name;
  }
  return std::move(plan_);
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
