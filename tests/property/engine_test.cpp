// SPDX-License-Identifier: BSD-3-Clause
// The whole analysis, from bytes to findings: where a capture is split must not matter, a clean trace gives no finding,
// and an injected fault gives its own findings and nobody else's.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "engine/analysis.h"
#include "generate/pcap_writer.h"
#include "generate/scenario.h"
#include "present/triage_json.h"
#include "source/open.h"
#include "support/memory_source.h"
#include "support/scenario_run.h"
#include "traffic_plans.h"

namespace rocetop {
namespace {

using generate::FaultKind;
using generate::MessagePlan;
using generate::Operation;
using generate::PacketClass;
using generate::Traffic;
using generate::TrafficPlan;

model::Snapshot analyse(source::FrameSource& source, const engine::FrameObserver& observer = {}) {
  auto analysis = engine::Analysis::create({});
  RC_ASSERT(static_cast<bool>(analysis));
  (*analysis)->run(source, observer, {}, nullptr);
  return (*analysis)->finish();
}

model::Snapshot analyse(const std::vector<generate::TimedFrame>& frames, std::vector<std::size_t> batch_sizes = {}) {
  test::MemorySource source(frames, std::move(batch_sizes));
  return analyse(source);
}

std::string json(const model::Snapshot& snapshot) {
  std::string out;
  present::write_triage_json(snapshot, [&](std::string_view text) { out += text; });
  return out;
}

TrafficPlan any_faulty_plan() {
  TrafficPlan plan = any_quiet_ended_plan();
  const auto offsets = offsets_of(plan, PacketClass::kRequest);
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    const auto kind = *rc::gen::element(FaultKind::kLostBeforeTap, FaultKind::kLostAfterTap, FaultKind::kCaptureMissed,
                                        FaultKind::kDelayedBeforeTap, FaultKind::kCopiedAtTap);
    plan.faults.push_back({kind, PacketClass::kRequest, *rc::gen::elementOf(offsets), 0});
  }
  return plan;
}

RC_GTEST_PROP(Split, IntoBatchesAnywhereChangesNothing, ()) {
  const TrafficPlan plan = any_faulty_plan();
  RC_LOG() << describe(plan) << "\n";
  const auto frames = generate::simulate({&plan, 1}).frames;
  const auto sizes =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 9)));
  RC_ASSERT(json(analyse(frames, sizes)) == json(analyse(frames)));
}

/// What the tracker says, as JSON, and of each packet.
std::string tracked(const std::vector<generate::TimedFrame>& frames, bool shortcuts, track::Limits limits = {}) {
  limits.shortcuts = shortcuts;
  const test::TrackerRun run = test::track_frames(frames, {}, limits);
  model::Snapshot snapshot;
  snapshot.connections = run.connections;
  std::string out = json(snapshot);
  for (const track::Observation& o : run.observations) {
    out += std::to_string(o.connection) + ' ' + std::to_string(static_cast<int>(o.space)) +
           std::to_string(static_cast<int>(o.kind)) + ' ' + std::to_string(o.original_frame.number()) + ' ' +
           std::to_string(o.trigger_frame.number()) + ' ' + std::to_string(o.missing_before) + ' ' +
           std::to_string(o.acks_frame.number()) + ' ' + std::to_string(o.rtt.value_or(Nanos{}).count) + '\n';
  }
  return out;
}

RC_GTEST_PROP(Shortcut, OfOrdinaryPacketsSaysWhatTheLongWaySays, ()) {
  const TrafficPlan plan = any_faulty_plan();
  RC_LOG() << describe(plan) << "\n";
  const auto frames = generate::simulate({&plan, 1}).frames;
  RC_ASSERT(tracked(frames, true) == tracked(frames, false));
}

/// Who looks at the packets gets them decoded; who does not, gets the same numbers.
RC_GTEST_PROP(Shortcut, PastTheDecoderSaysWhatTheDecodedPacketsSay, ()) {
  const TrafficPlan plan = any_faulty_plan();
  RC_LOG() << describe(plan) << "\n";
  const auto frames = generate::simulate({&plan, 1}).frames;
  std::size_t seen = 0;
  test::MemorySource source(frames, {});
  const auto watched = analyse(source, [&](const auto&, const auto&, const auto&) { ++seen; });
  RC_ASSERT(seen == frames.size());
  RC_ASSERT(json(watched) == json(analyse(frames)));
}

/// A window that fills what is remembered at first to the last slot, and a sender that goes back to its beginning.
TEST(Shortcut, EndsWhereTheHistoryHasToGrow) {
  for (const char* end : {"163", "164", "165", "228"}) {
    const std::string more = std::string("W 101-") + end + " | ";
    const auto frames =
        generate::run_scenario("W 100 | ACK 100 | " + more + "wait 200ms | W 100 | " + more + "ACK " + end);
    ASSERT_TRUE(frames) << frames.error().message;
    EXPECT_EQ(tracked(frames.value(), true), tracked(frames.value(), false)) << end;
  }
}

/// Nothing can be remembered, and acknowledgements pass before what they acknowledge.
TEST(Shortcut, NeedsAHistory) {
  const auto frames =
      generate::run_scenario("W 100-101 | ACK 101 | W 102 | ACK 108 | W 103-104 | W 105-106 | W 107-108 | ACK 108");
  ASSERT_TRUE(frames) << frames.error().message;
  for (const std::size_t slots : {std::size_t{0}, std::size_t{64}, std::size_t{100}}) {
    const track::Limits limits{.history_slots_total = slots};
    EXPECT_EQ(tracked(frames.value(), true, limits), tracked(frames.value(), false, limits)) << slots;
  }
}

RC_GTEST_PROP(Split, OfAPipeAnywhereChangesNothing, ()) {
  const TrafficPlan plan = any_faulty_plan();
  RC_LOG() << describe(plan) << "\n";
  const auto frames = generate::simulate({&plan, 1}).frames;
  const auto bytes = generate::pcap_bytes(frames);
  const auto read = [&](std::size_t chunk_bytes) {
    auto source = source::open_stream(source::memory_stream(bytes, chunk_bytes), "pipe");
    RC_ASSERT(static_cast<bool>(source));
    return analyse(**source);
  };
  const auto whole = json(read(0));
  RC_ASSERT(json(read(*rc::gen::inRange<std::size_t>(1, 2000))) == whole);
}

RC_GTEST_PROP(Split, ReadsFromAFileWhatWasGenerated, ()) {
  const TrafficPlan plan = any_faulty_plan();
  const auto frames = generate::simulate({&plan, 1}).frames;
  auto source = source::open_stream(source::memory_stream(generate::pcap_bytes(frames)), "file");
  RC_ASSERT(static_cast<bool>(source));
  std::vector<source::Frame> batch;
  std::size_t count = 0;
  while ((*source)->next_batch(batch)) {
    for (const source::Frame& frame : batch) {
      RC_ASSERT(count < frames.size());
      RC_ASSERT(frame.id == FrameId(0, count + 1));
      RC_ASSERT(frame.time == frames[count].time);
      RC_ASSERT(
          std::equal(frame.bytes.begin(), frame.bytes.end(), frames[count].bytes.begin(), frames[count].bytes.end()));
      ++count;
    }
  }
  RC_ASSERT(count == frames.size());
  RC_ASSERT((*source)->problems().empty());
}

// ---- findings

std::vector<std::string> rules_of(const model::Snapshot& snapshot) {
  std::vector<std::string> rules;
  for (const auto& finding : snapshot.findings) rules.push_back(finding.rule);
  return rules;
}

bool fired(const std::vector<std::string>& rules, std::string_view prefix) {
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& rule) { return rule.starts_with(prefix); });
}

void must_fire(const std::vector<std::string>& rules, std::initializer_list<std::string_view> wanted) {
  for (const std::string_view rule : wanted) {
    if (!fired(rules, rule)) RC_FAIL(std::string(rule) + " did not fire");
  }
}

void must_not_fire(const std::vector<std::string>& rules, std::initializer_list<std::string_view> unwanted) {
  for (const std::string_view rule : unwanted) {
    if (fired(rules, rule)) RC_FAIL(std::string(rule) + " fired");
  }
}

RC_GTEST_PROP(CleanTrace, GivesNoFinding, ()) {
  const TrafficPlan plan = any_quiet_ended_plan();
  RC_LOG() << describe(plan) << "\n";
  const model::Snapshot snapshot = analyse(generate::simulate({&plan, 1}).frames);
  for (const auto& finding : snapshot.findings) {
    if (finding.severity != verdict::Severity::kInfo) RC_FAIL(finding.rule + ": " + finding.title);
  }
  must_not_fire(rules_of(snapshot), {"loss.", "retransmit.", "rnr.", "nak.", "peer.", "order.", "icrc.", "capture."});
  RC_ASSERT(snapshot.capture.completeness == 1.0);
}

struct Injected {
  std::vector<std::string> rules;
  generate::TrafficTruth truth;
};

Injected inject(FaultKind kind, PacketClass victim) {
  TrafficPlan plan = any_quiet_ended_plan();
  plan.messages.insert(plan.messages.begin(), {Operation::kWrite, plan.path_mtu * 2, 0, {}});
  plan.messages.at(1).pause_before = milliseconds(3);
  const auto offsets = offsets_of(plan, victim);
  RC_PRE(offsets.size() > 6U);
  plan.faults.push_back({kind, victim, offsets[*rc::gen::inRange<std::size_t>(3, offsets.size() - 3)], 0});
  RC_LOG() << describe(plan) << "\n";
  Traffic traffic = generate::simulate({&plan, 1});
  Injected injected{rules_of(analyse(traffic.frames)), std::move(traffic.truths.at(0))};
  for (const std::string& rule : injected.rules) RC_LOG() << "  fired: " << rule << "\n";
  return injected;
}

bool caused_by_nak(const generate::SpaceTruth& truth) {
  return truth.episodes.size() == 1 && truth.episodes[0].cause == generate::GoBackCause::kNak &&
         truth.episodes[0].cause_visible;
}

RC_GTEST_PROP(Finding, OfALossBeforeTheTap, ()) {
  const auto [rules, truth] = inject(FaultKind::kLostBeforeTap, PacketClass::kRequest);
  RC_PRE(caused_by_nak(truth.requests) && !truth.requests.missing.empty());
  must_fire(rules, {"loss.before_tap", "retransmit.nak"});
  must_not_fire(rules, {"loss.after_tap", "retransmit.timeout", "retransmit.spurious", "rnr.", "order.", "peer.",
                        "capture.", "nak.fatal"});
}

RC_GTEST_PROP(Finding, OfALossAfterTheTap, ()) {
  const auto [rules, truth] = inject(FaultKind::kLostAfterTap, PacketClass::kRequest);
  RC_PRE(caused_by_nak(truth.requests));
  must_fire(rules, {"loss.after_tap", "retransmit.nak"});
  must_not_fire(rules, {"loss.before_tap", "retransmit.timeout", "retransmit.spurious", "rnr.", "order.", "peer.",
                        "capture.", "nak.fatal"});
}

RC_GTEST_PROP(Finding, OfAPacketThatTheCaptureMissed, ()) {
  const auto [rules, truth] = inject(FaultKind::kCaptureMissed, PacketClass::kRequest);
  RC_PRE(!truth.requests.missing.empty());
  must_fire(rules, {"capture.incomplete"});
  must_not_fire(rules, {"loss.", "retransmit.", "rnr.", "order.", "peer.", "nak.fatal"});
}

RC_GTEST_PROP(Finding, OfACopyIsNoLoss, ()) {
  const auto [rules, truth] = inject(FaultKind::kCopiedAtTap, PacketClass::kRequest);
  RC_PRE(truth.faults_fired == 1U);
  must_not_fire(rules, {"loss.", "retransmit.", "rnr.", "order.", "peer.", "capture.incomplete", "nak.fatal"});
}

RC_GTEST_PROP(Finding, OfAReceiverThatWasNotReadyIsNoLoss, ()) {
  TrafficPlan plan = any_quiet_ended_plan();
  plan.messages.insert(plan.messages.begin(), {Operation::kWrite, plan.path_mtu * 2, 0, {}});
  plan.messages.push_back(
      {Operation::kSend, plan.path_mtu * 3, *rc::gen::inRange<std::uint32_t>(1, 5), milliseconds(1)});
  for (int i = 0; i < 3; ++i) plan.messages.push_back({Operation::kWrite, 1, 0, milliseconds(5)});
  RC_LOG() << describe(plan) << "\n";
  const auto rules = rules_of(analyse(generate::simulate({&plan, 1}).frames));
  must_not_fire(rules, {"loss.", "retransmit.nak", "retransmit.timeout", "retransmit.spurious", "order.", "peer.",
                        "capture.", "nak.fatal"});
}

}  // namespace
}  // namespace rocetop
