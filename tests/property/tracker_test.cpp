// SPDX-License-Identifier: BSD-3-Clause
// The tracker against the traffic model: a clean trace has nothing to tell, and what was injected, and nothing else, is
// what it says.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/scenario_run.h"
#include "support/space_text.h"
#include "traffic_plans.h"
#include "truth_check.h"

namespace rocetop {
namespace {

using generate::Fault;
using generate::FaultKind;
using generate::MessagePlan;
using generate::Operation;
using generate::PacketClass;
using generate::Traffic;
using generate::TrafficPlan;

/// Everybody has gone on for long when the capture ends, so that nothing is left open by its end.
void append_epilogue(TrafficPlan& plan) {
  for (int i = 0; i < 3; ++i) plan.messages.push_back({Operation::kWrite, 1, 0, milliseconds(5)});
}

/// The path MTU shows and the directions are joined before anything goes wrong: a WRITE of two packets, acknowledged.
void prepend_prologue(TrafficPlan& plan) {
  plan.messages.insert(plan.messages.begin(), {Operation::kWrite, plan.path_mtu * 2, 0, {}});
  plan.messages.at(1).pause_before = milliseconds(3);
}

TrafficPlan any_framed_plan() {
  TrafficPlan plan = any_clean_plan();
  append_epilogue(plan);
  prepend_prologue(plan);
  return plan;
}

void check(std::span<const TrafficPlan> plans, std::size_t connections) {
  for (const TrafficPlan& plan : plans) RC_LOG() << describe(plan) << "\n";
  const Traffic traffic = generate::simulate(plans);
  for (const auto& truth : traffic.truths) {
    RC_PRE(truth.requests.lateness_visible && truth.responses.lateness_visible);
  }
  const test::TrackerRun run = test::track_frames(traffic.frames);
  std::string wrong;
  for (std::size_t i = 0; i < plans.size(); ++i) wrong += differences(plans[i], traffic.truths[i], run.connections);
  if (!wrong.empty()) RC_FAIL(wrong);
  RC_ASSERT(run.connections.size() == connections);
}

RC_GTEST_PROP(CleanTrace, HasNothingToTell, ()) {
  TrafficPlan plan = any_clean_plan();
  append_epilogue(plan);
  check({&plan, 1}, 1);
}

RC_GTEST_PROP(CleanTrace, InBothDirectionsAndOnSeveralQueuePairsHasNothingToTell, ()) {
  std::vector<TrafficPlan> plans;
  const std::uint32_t connections = *rc::gen::inRange<std::uint32_t>(1, 4);
  for (std::uint32_t i = 0; i < connections; ++i) {
    TrafficPlan forth = any_clean_plan();
    append_epilogue(forth);
    forth.requester_qpn = Qpn{17 + 2 * i};
    forth.responder_qpn = Qpn{50 + 3 * i};
    TrafficPlan back = any_clean_plan(forth.path_mtu);
    append_epilogue(back);
    std::swap(back.requester_ip, back.responder_ip);
    back.requester_qpn = forth.responder_qpn;
    back.responder_qpn = forth.requester_qpn;

    back.start = forth.start + Nanos{*rc::gen::inRange<std::int64_t>(0, 100'000)};
    plans.push_back(forth);
    plans.push_back(back);
  }
  check(plans, connections);
}

/// A fault of `kind` at a random packet of the class, away from the first and the last ones: there, what was lost or
/// missed is beyond what the tap can see.
void inject(TrafficPlan& plan, FaultKind kind, PacketClass victim) {
  const auto offsets = offsets_of(plan, victim);
  RC_PRE(offsets.size() > 6);
  const std::size_t which = *rc::gen::inRange<std::size_t>(3, offsets.size() - 3);
  plan.faults.push_back({kind, victim, offsets[which], 0});
}

void check_single(FaultKind kind, PacketClass victim) {
  TrafficPlan plan = any_framed_plan();
  inject(plan, kind, victim);
  check({&plan, 1}, 1);
}

RC_GTEST_PROP(Request, LostBeforeTheTap, ()) { check_single(FaultKind::kLostBeforeTap, PacketClass::kRequest); }
RC_GTEST_PROP(Request, LostAfterTheTap, ()) { check_single(FaultKind::kLostAfterTap, PacketClass::kRequest); }
RC_GTEST_PROP(Request, MissedByTheCapture, ()) { check_single(FaultKind::kCaptureMissed, PacketClass::kRequest); }
RC_GTEST_PROP(Request, Delayed, ()) { check_single(FaultKind::kDelayedBeforeTap, PacketClass::kRequest); }
RC_GTEST_PROP(Request, CopiedByTheNetwork, ()) { check_single(FaultKind::kCopiedBeforeTap, PacketClass::kRequest); }
RC_GTEST_PROP(Request, CopiedByTheCapture, ()) { check_single(FaultKind::kCopiedAtTap, PacketClass::kRequest); }
RC_GTEST_PROP(Response, LostBeforeTheTap, ()) { check_single(FaultKind::kLostBeforeTap, PacketClass::kResponse); }
RC_GTEST_PROP(Response, LostAfterTheTap, ()) { check_single(FaultKind::kLostAfterTap, PacketClass::kResponse); }
RC_GTEST_PROP(Response, MissedByTheCapture, ()) { check_single(FaultKind::kCaptureMissed, PacketClass::kResponse); }
RC_GTEST_PROP(Response, Delayed, ()) { check_single(FaultKind::kDelayedBeforeTap, PacketClass::kResponse); }
RC_GTEST_PROP(Response, CopiedByTheNetwork, ()) { check_single(FaultKind::kCopiedBeforeTap, PacketClass::kResponse); }
RC_GTEST_PROP(Response, CopiedByTheCapture, ()) { check_single(FaultKind::kCopiedAtTap, PacketClass::kResponse); }
RC_GTEST_PROP(Acknowledgement, LostBeforeTheTap, ()) {
  check_single(FaultKind::kLostBeforeTap, PacketClass::kAcknowledge);
}
RC_GTEST_PROP(Acknowledgement, LostAfterTheTap, ()) {
  check_single(FaultKind::kLostAfterTap, PacketClass::kAcknowledge);
}
RC_GTEST_PROP(Acknowledgement, MissedByTheCapture, ()) {
  check_single(FaultKind::kCaptureMissed, PacketClass::kAcknowledge);
}

struct Choice {
  FaultKind kind;
  PacketClass victim;
};

/// Faults far enough apart that the consequences of one are over before the next: three windows, and a pause.
RC_GTEST_PROP(SeveralFaults, AreToldApart, ()) {
  const std::vector<Choice> choices{
      {FaultKind::kLostBeforeTap, PacketClass::kRequest},  {FaultKind::kLostAfterTap, PacketClass::kRequest},
      {FaultKind::kCaptureMissed, PacketClass::kRequest},  {FaultKind::kCopiedAtTap, PacketClass::kRequest},
      {FaultKind::kLostBeforeTap, PacketClass::kResponse}, {FaultKind::kLostAfterTap, PacketClass::kResponse},
      {FaultKind::kCaptureMissed, PacketClass::kResponse}, {FaultKind::kCopiedAtTap, PacketClass::kResponse}};
  TrafficPlan plan;
  const int sections = *rc::gen::inRange(2, 5);
  for (int i = 0; i < sections; ++i) {
    TrafficPlan section = any_clean_plan(256);
    if (i == 0) {
      plan = section;
      plan.messages.clear();
    }
    append_epilogue(section);
    prepend_prologue(section);
    const Choice choice = *rc::gen::elementOf(choices);
    const auto offsets = offsets_of(section, choice.victim);
    std::uint32_t before = 0;
    for (const MessagePlan& message : plan.messages) before += generate::psn_count(message, plan.path_mtu);
    if (offsets.size() > 6) {
      const std::size_t which = *rc::gen::inRange<std::size_t>(3, offsets.size() - 3);
      plan.faults.push_back({choice.kind, choice.victim, before + offsets[which], 0});
    }
    plan.messages.insert(plan.messages.end(), section.messages.begin(), section.messages.end());
  }
  check({&plan, 1}, 1);
}

/// A NAK or a resend that is lost too is healed by the timer alone.
RC_GTEST_PROP(SecondLoss, OfTheResend, (bool before_tap)) {
  TrafficPlan plan = any_framed_plan();
  inject(plan, FaultKind::kLostAfterTap, PacketClass::kRequest);
  Fault second = plan.faults.back();
  second.attempt = 1;
  if (before_tap) second.kind = FaultKind::kLostBeforeTap;
  plan.faults.push_back(second);
  check({&plan, 1}, 1);
}

RC_GTEST_PROP(SecondLoss, OfTheNak, (bool before_tap)) {
  TrafficPlan plan = any_framed_plan();
  inject(plan, FaultKind::kLostAfterTap, PacketClass::kRequest);
  Fault second = plan.faults.back();
  second.victim = PacketClass::kNak;
  if (before_tap) second.kind = FaultKind::kLostBeforeTap;
  plan.faults.push_back(second);
  check({&plan, 1}, 1);
}

/// A capture may begin and end anywhere: what is cut off is not lost.
RC_GTEST_PROP(CleanTrace, AnyPartOfItHasNothingToTell, ()) {
  TrafficPlan plan = any_framed_plan();
  const Traffic traffic = generate::simulate({&plan, 1});
  const std::size_t first = *rc::gen::inRange<std::size_t>(0, traffic.frames.size());
  const std::size_t last = *rc::gen::inRange<std::size_t>(first, traffic.frames.size());
  RC_LOG() << describe(plan) << "\n  frames " << first + 1 << " to " << last + 1 << "\n";
  const test::TrackerRun run = test::track_frames(std::span(traffic.frames).subspan(first, last - first + 1));
  for (const auto& connection : run.connections) {
    const std::string text = test::connection_text(connection);
    if (text != "clean") RC_FAIL(text);
  }
}

RC_GTEST_PROP(ReceiverNotReady, IsNoLoss, ()) {
  TrafficPlan plan = any_framed_plan();
  std::vector<MessagePlan*> sends;
  for (MessagePlan& message : plan.messages) {
    if (message.operation == Operation::kSend) sends.push_back(&message);
  }
  RC_PRE(!sends.empty());
  sends[*rc::gen::inRange<std::size_t>(0, sends.size())]->receiver_not_ready = *rc::gen::inRange<std::uint32_t>(1, 4);
  check({&plan, 1}, 1);
}

}  // namespace
}  // namespace rocetop
