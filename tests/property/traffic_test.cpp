// SPDX-License-Identifier: BSD-3-Clause
// The traffic model against itself: whatever goes wrong, the requester gets all it asked for, each message is executed
// once and in order (the model CHECKs the order), and the books of the truth balance.
#include "generate/traffic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "traffic_plans.h"

namespace rocetop {
namespace {

using generate::Fault;
using generate::FaultKind;
using generate::MessagePlan;
using generate::MissingFate;
using generate::Operation;
using generate::PacketClass;
using generate::SpaceTruth;
using generate::Traffic;
using generate::TrafficPlan;
using generate::TrafficTruth;

Fault any_fault(const TrafficPlan& plan) {
  const auto kind =
      *rc::gen::element(FaultKind::kLostBeforeTap, FaultKind::kLostAfterTap, FaultKind::kCaptureMissed,
                        FaultKind::kDelayedBeforeTap, FaultKind::kCopiedBeforeTap, FaultKind::kCopiedAtTap);
  const auto victim =
      *rc::gen::element(PacketClass::kRequest, PacketClass::kResponse, PacketClass::kAcknowledge, PacketClass::kNak);
  std::uint32_t psns = 0;
  for (const MessagePlan& message : plan.messages) psns += generate::psn_count(message, plan.path_mtu);
  return {kind, victim, *rc::gen::inRange<std::uint32_t>(0, psns), *rc::gen::inRange<std::uint32_t>(0, 3)};
}

TrafficPlan any_faulty_plan() {
  TrafficPlan plan = any_clean_plan();
  const std::size_t count = *rc::gen::inRange<std::size_t>(0, 12);
  for (std::size_t i = 0; i < count; ++i) plan.faults.push_back(any_fault(plan));
  for (MessagePlan& message : plan.messages) {
    if (*rc::gen::inRange(0, 6) == 0) message.receiver_not_ready = *rc::gen::inRange<std::uint32_t>(1, 3);
  }
  return plan;
}

std::uint64_t payload_of(const TrafficPlan& plan, bool responses) {
  std::uint64_t bytes = 0;
  for (const MessagePlan& message : plan.messages) {
    const bool read = message.operation == Operation::kRead;
    if (message.operation != Operation::kAtomic && read == responses) bytes += message.bytes;
  }
  return bytes;
}

void check_books(const SpaceTruth& space) {
  const auto reordered = std::count_if(space.missing.begin(), space.missing.end(),
                                       [](const auto& m) { return m.fate == MissingFate::kReordered; });
  RC_ASSERT(reordered == 0 || space.reordered > 0U);  // one late READ request fills many PSNs
  std::uint64_t in_episodes = 0;
  for (const auto& episode : space.episodes) {
    RC_ASSERT(episode.packets > 0U);
    RC_ASSERT(episode.trigger_frame < episode.first_frame);
    in_episodes += episode.packets;
  }
  if (!space.episodes.empty()) RC_ASSERT(in_episodes == space.original_seen + space.original_unseen);
}

RC_GTEST_PROP(Traffic, AlwaysComesToItsEnd, ()) {
  const TrafficPlan plan = any_faulty_plan();
  RC_LOG() << describe(plan) << "\n";
  const Traffic traffic = generate::simulate({&plan, 1});
  const TrafficTruth& truth = traffic.truths.at(0);
  RC_ASSERT(truth.completed);
  RC_ASSERT(truth.messages_executed == plan.messages.size());
  RC_ASSERT(truth.requests.packets + truth.responses.packets + truth.acknowledgements + truth.naks + truth.rnr_naks ==
            traffic.frames.size());
  check_books(truth.requests);
  check_books(truth.responses);
}

RC_GTEST_PROP(Traffic, WithoutFaultsHasNothingToTell, ()) {
  const TrafficPlan plan = any_clean_plan();
  RC_LOG() << describe(plan) << "\n";
  const TrafficTruth truth = generate::simulate({&plan, 1}).truths.at(0);
  for (const SpaceTruth* space : {&truth.requests, &truth.responses}) {
    RC_ASSERT(space->missing.empty());
    RC_ASSERT(space->episodes.empty());
    RC_ASSERT(space->original_seen + space->original_unseen + space->duplicates + space->reordered == 0U);
  }
  RC_ASSERT(truth.naks + truth.rnr_naks == 0U);
  RC_ASSERT(truth.requests.payload_bytes == payload_of(plan, false));
  RC_ASSERT(truth.responses.payload_bytes == payload_of(plan, true));
  RC_ASSERT(truth.requests.packets == offsets_of(plan, PacketClass::kRequest).size());
  RC_ASSERT(truth.responses.packets == offsets_of(plan, PacketClass::kResponse).size());
}

// A loss before the tap is a hole that the resend fills, a loss after it none; either way the lost packet is sent
// again.
RC_GTEST_PROP(Traffic, ALostRequestIsSentAgain, (bool before_tap)) {
  TrafficPlan plan = any_clean_plan();
  const auto offsets = offsets_of(plan, PacketClass::kRequest);
  const std::size_t victim = *rc::gen::inRange<std::size_t>(0, offsets.size());
  plan.faults.push_back(
      {before_tap ? FaultKind::kLostBeforeTap : FaultKind::kLostAfterTap, PacketClass::kRequest, offsets[victim], 0});
  RC_LOG() << describe(plan) << "\n";
  const TrafficTruth truth = generate::simulate({&plan, 1}).truths.at(0);
  RC_ASSERT(truth.faults_fired == 1U);
  RC_ASSERT(truth.completed);
  RC_ASSERT(truth.requests.reordered + truth.requests.duplicates == 0U);
  const bool first = victim == 0;
  const bool overtaken = !truth.requests.missing.empty();
  RC_ASSERT(!overtaken || (before_tap && !first));
  RC_ASSERT(truth.requests.original_unseen == (overtaken || (first && truth.requests.original_unseen != 0) ? 1U : 0U));
  if (!before_tap) RC_ASSERT(truth.requests.original_seen > 0U);
  for (const auto& missing : truth.requests.missing) RC_ASSERT(missing.fate == MissingFate::kRetransmitted);
}

}  // namespace
}  // namespace rocetop
