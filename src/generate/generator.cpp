// SPDX-License-Identifier: BSD-3-Clause
#include "generate/generator.h"

#include <algorithm>

#include "generate/scenario_text.h"
#include "generate/sim/plan_text.h"

namespace rocetop::generate {
namespace {

bool takes_argument(std::string_view verb) { return sim::takes_argument(verb) || scenario_takes_argument(verb); }

/// Replaces what the options say. Errors: they do not fit.
Result<Done> adjust(sim::Plan& plan, const GenerateOptions& options) {
  if (options.duration) {
    plan.duration = *options.duration;
  } else if (options.packets != 0) {
    plan.duration = Nanos::max();
  }
  if (options.tap.empty()) return Done{};
  if (auto done = sim::set_tap(plan, Word{options.tap}); !done) {
    return Error{"there is no place '" + options.tap + "' in the scenario to capture at",
                 "Name a host, a switch, or one end of a link as NODE/NEIGHBOUR."};
  }
  return Done{};
}

std::uint64_t play(const DrawnScenario& drawn, const GenerateOptions& options, const sim::FrameSink& sink,
                   const sim::TextSink& truth) {
  std::uint64_t frames = 0;
  for (const TimedFrame& frame : drawn.frames) {
    if (options.packets != 0 && frames >= options.packets) break;
    ++frames;
    const std::span<const std::uint8_t> bytes(frame.bytes);
    if (!sink({frame.time, bytes.first(std::min<std::size_t>(bytes.size(), options.snap_length)),
               static_cast<std::uint32_t>(bytes.size())})) {
      return frames;
    }
  }
  if (truth) truth(drawn_truth(drawn, options.name, frames));
  return frames;
}

}  // namespace

Result<Generator> Generator::create(std::string_view text, GenerateOptions options) {
  const auto statements = parse_statements(text, &takes_argument);
  if (!statements) return statements.error();
  const bool simulated = std::any_of(statements.value().begin(), statements.value().end(),
                                     [](const Statement& s) { return sim::is_verb(s.verb.text); });
  if (!simulated) {
    if (options.duration || !options.tap.empty()) {
      return Error{"the scenario draws its packets one by one: it has no duration and no places to capture at",
                   "Scenarios with hosts have."};
    }
    auto drawn = draw_scenario(statements.value());
    if (!drawn) return drawn.error();
    return Generator(std::move(options), std::move(drawn.value()));
  }
  auto plan = sim::make_plan(statements.value());
  if (!plan) return plan.error();
  if (auto done = adjust(plan.value(), options); !done) return done.error();
  return Generator(std::move(options), std::move(plan.value()));
}

std::uint64_t Generator::run(const sim::FrameSink& sink, const sim::TextSink& truth) const {
  if (const auto* drawn = std::get_if<DrawnScenario>(&scenario_)) return play(*drawn, options_, sink, truth);
  const auto& plan = std::get<sim::Plan>(scenario_);
  sim::Truth book(plan, kScenarioStart, truth);
  book.begin(options_.name, options_.seed);
  return sim::simulate(
      plan, {options_.seed, options_.packets, options_.snap_length, kScenarioStart, options_.interrupted}, sink, book);
}

std::string Generator::tap() const {
  const auto* plan = std::get_if<sim::Plan>(&scenario_);
  return plan != nullptr ? plan->tap_name : "";
}

std::optional<std::uint64_t> Generator::link_speed() const {
  const auto* plan = std::get_if<sim::Plan>(&scenario_);
  if (plan == nullptr || (!plan->nodes[plan->tap.node].host && !plan->tap.neighbour)) return std::nullopt;
  for (const sim::LinkPlan& link : plan->links) {
    const bool here = link.a == plan->tap.node || link.b == plan->tap.node;
    const std::size_t peer = link.a == plan->tap.node ? link.b : link.a;
    if (here && plan->tap.neighbour.value_or(peer) == peer) return link.rate;
  }
  return std::nullopt;
}

std::optional<Nanos> Generator::duration() const {
  const auto* plan = std::get_if<sim::Plan>(&scenario_);
  if (plan == nullptr || plan->duration == Nanos::max()) return std::nullopt;
  return plan->duration;
}

}  // namespace rocetop::generate
