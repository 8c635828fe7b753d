// SPDX-License-Identifier: BSD-3-Clause
#include "traffic_plans.h"

#include <algorithm>

namespace rocetop {
namespace {

using generate::MessagePlan;
using generate::Operation;
using generate::PacketClass;
using generate::TrafficPlan;

constexpr std::uint32_t kLongestMessage = 8;  // PSNs

MessagePlan any_message(std::uint32_t path_mtu) {
  const auto operation =
      *rc::gen::element(Operation::kWrite, Operation::kWrite, Operation::kSend, Operation::kRead, Operation::kAtomic);
  return {operation, *rc::gen::inRange<std::uint32_t>(0, kLongestMessage * path_mtu + 1), 0, {}};
}

Psn any_first_psn() {
  return Psn{*rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 1U << 24),
                             rc::gen::inRange<std::uint32_t>((1U << 24) - 200, (1U << 24)))};
}

}  // namespace

TrafficPlan any_clean_plan() { return any_clean_plan(*rc::gen::element(256U, 512U)); }

TrafficPlan any_clean_plan(std::uint32_t path_mtu) {
  TrafficPlan plan;
  plan.requester_ip = *IpAddress::parse("192.0.2.1");
  plan.responder_ip = *IpAddress::parse("192.0.2.2");
  plan.path_mtu = path_mtu;
  const std::size_t count = *rc::gen::inRange<std::size_t>(1, 40);
  for (std::size_t i = 0; i < count; ++i) plan.messages.push_back(any_message(plan.path_mtu));
  plan.first_psn = any_first_psn();
  plan.window = *rc::gen::inRange<std::uint32_t>(kLongestMessage, 40);
  plan.acknowledge_every = *rc::gen::inRange<std::uint32_t>(0, 6);
  return plan;
}

TrafficPlan any_quiet_ended_plan() {
  TrafficPlan plan = any_clean_plan();
  for (int i = 0; i < 3; ++i) plan.messages.push_back({Operation::kWrite, 1, 0, milliseconds(5)});
  return plan;
}

std::vector<std::uint32_t> offsets_of(const TrafficPlan& plan, PacketClass victim) {
  std::vector<std::uint32_t> offsets;
  std::uint32_t at = 0;
  for (const MessagePlan& message : plan.messages) {
    const std::uint32_t psns = generate::psn_count(message, plan.path_mtu);
    const bool answered = message.operation == Operation::kRead || message.operation == Operation::kAtomic;
    const bool request = victim == PacketClass::kRequest;
    if (victim == PacketClass::kAcknowledge && !answered) offsets.push_back(at + psns - 1);
    if (request && answered) offsets.push_back(at);
    if ((request && !answered) || (victim == PacketClass::kResponse && answered)) {
      for (std::uint32_t i = 0; i < psns; ++i) offsets.push_back(at + i);
    }
    at += psns;
  }
  return offsets;
}

std::string describe(const TrafficPlan& plan) {
  constexpr std::string_view kOperations[] = {"WRITE", "SEND", "READ", "ATOMIC"};
  constexpr std::string_view kKinds[] = {"lost before tap",    "lost after tap",    "capture missed",
                                         "delayed before tap", "copied before tap", "copied at tap"};
  constexpr std::string_view kClasses[] = {"request", "response", "acknowledgement", "nak"};
  std::string out = "first PSN " + std::to_string(plan.first_psn.value) + ", PMTU " + std::to_string(plan.path_mtu) +
                    ", window " + std::to_string(plan.window) + ", AckReq every " +
                    std::to_string(plan.acknowledge_every) + ":";
  std::uint32_t at = 0;
  for (const MessagePlan& message : plan.messages) {
    const std::uint32_t psns = generate::psn_count(message, plan.path_mtu);
    out += " " + std::string(kOperations[static_cast<std::size_t>(message.operation)]) + "[" + std::to_string(at) +
           ".." + std::to_string(at + psns - 1) + "]";
    if (message.receiver_not_ready != 0) out += "(RNR x" + std::to_string(message.receiver_not_ready) + ")";
    at += psns;
  }
  for (const generate::Fault& fault : plan.faults) {
    out += "\n  fault: " + std::string(kClasses[static_cast<std::size_t>(fault.victim)]) + " at offset " +
           std::to_string(fault.offset) + " (attempt " + std::to_string(fault.attempt) + ") " +
           std::string(kKinds[static_cast<std::size_t>(fault.kind)]);
  }
  return out;
}

}  // namespace rocetop
