// SPDX-License-Identifier: BSD-3-Clause
#include "generate/sim/plan_options.h"

#include <algorithm>
#include <utility>

#include "generate/sim/veroce_options.h"

namespace rocetop::generate::sim {
namespace {

constexpr std::uint64_t kMessageMost = std::uint64_t{1} << 30;
constexpr std::uint64_t kMost = 0xFFFF'FFFF;

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

/// "cm", or "cm=rejected".
Failure set_cm(ConnectionPlan& connection, const Option& option) {
  if (option.value && option.value != "rejected") return error_at(option.word, "cm or cm=rejected is expected");
  connection.set_up = option.value ? SetUp::kRejected : SetUp::kCm;
  return std::nullopt;
}

Failure set_what(FaultPlan& fault, const Option& option) {
  constexpr std::pair<std::string_view, std::uint8_t> kWords[] = {
      {"data", kDataPackets}, {"ack", kAckPackets},       {"nak", kNakPackets},
      {"cnp", kCnpPackets},   {"cm", kCmPackets},         {"sack", kSackPackets},
      {"rtt", kProbePackets}, {"slow", kSlowPathPackets}, {"any", kAnyPackets}};
  std::string_view rest = option.value.value_or("");
  fault.what = 0;
  while (true) {
    const std::string_view part = rest.substr(0, rest.find(','));
    const auto* found = std::find_if(std::begin(kWords), std::end(kWords), [&](auto& w) { return w.first == part; });
    if (found == std::end(kWords))
      return error_at(option.word, "what=data, ack, sack, nak, cnp, cm, rtt, slow or any is expected");
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

Failure set_immediate(FlowPlan& flow, const Option& option) {
  if (option.value) return error_at(option.word, "takes no value");
  flow.notice = Notice::kImmediate;
  return std::nullopt;
}

Failure set_invalidate(FlowPlan& flow, const Option& option) {
  if (option.value) return error_at(option.word, "takes no value");
  flow.notice = Notice::kInvalidate;
  return std::nullopt;
}

Failure set_profile(ConnectionPlan& connection, const Option& option) {
  const auto word = value_word(option);
  if (!word) return word.error();
  return assign(parse_number(word.value(), 3), connection.profile);
}

/// An option that only veRoCE has.
template <auto Set>
Failure of_veroce(ConnectionPlan& connection, const Option& option) {
  return Set(connection.veroce, option);
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
    {"cm", set_cm},
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
    {"protocol", set_protocol},
    {"profile", set_profile},
    {"paths", of_veroce<set_number<&VerocePlan::paths, 1, kPathsMost, VerocePlan>>},
    {"ports", of_veroce<set_ports>},
    {"weights", of_veroce<set_weights>},
    {"signal", of_veroce<set_signal>},
    {"lazy", of_veroce<set_number<&VerocePlan::lazy, 0, kSackBits, VerocePlan>>},
    {"slow", of_veroce<set_number<&VerocePlan::slow_path, 0, kSackBits, VerocePlan>>},
    {"rtt", of_veroce<set_duration<&VerocePlan::round_trip, VerocePlan>>},
    {"probe", of_veroce<set_duration<&VerocePlan::probe, VerocePlan>>},
    {"overrun", of_veroce<set_flag<&VerocePlan::overrun, VerocePlan>>},
    {"layout", of_veroce<set_layout>},
};
constexpr Setter<FlowPlan> kFlowOptions[] = {
    {"size", set_bytes<&FlowPlan::bytes, kMessageMost>},
    {"count", set_number<&FlowPlan::count, 1, kMost>},
    {"depth", set_number<&FlowPlan::depth, 1, 1'024>},
    {"pause", set_duration<&FlowPlan::pause>},
    {"start", set_duration<&FlowPlan::start>},
    {"stagger", elsewhere},
    {"imm", set_immediate},
    {"inv", set_invalidate},
};
constexpr Setter<FaultPlan> kFaultOptions[] = {
    {"what", set_what},
    {"of", elsewhere},
    {"port", set_fault_ports},
    {"resent", set_flag<&FaultPlan::resent>},
    {"last", set_flag<&FaultPlan::last>},
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

}  // namespace

Failure host_options(const Statement& s, NodePlan& target) { return apply(kHostOptions, s, target); }
Failure switch_options(const Statement& s, NodePlan& target) { return apply(kSwitchOptions, s, target); }
Failure link_options(const Statement& s, LinkPlan& target) { return apply(kLinkOptions, s, target); }
Failure connection_options(const Statement& s, ConnectionPlan& target) { return apply(kConnectionOptions, s, target); }
Failure flow_options(const Statement& s, FlowPlan& target) { return apply(kFlowOptions, s, target); }
Failure fault_options(const Statement& s, FaultPlan& target) { return apply(kFaultOptions, s, target); }
Failure span_options(const Statement& s, TroublePlan& target) { return apply(kSpanOptions, s, target); }
Failure refuse_options(const Statement& s, TroublePlan& target) { return apply(kRefuseOptions, s, target); }
Failure remark_options(const Statement& s, TroublePlan& target) { return apply(kRemarkOptions, s, target); }

}  // namespace rocetop::generate::sim
