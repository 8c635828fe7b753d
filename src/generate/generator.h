// SPDX-License-Identifier: BSD-3-Clause
// Generator: a scenario in the language of docs/generate.md, drawn (scenario.h) or simulated (sim/), as a stream of
// frames and the truth about them. One way in for `rocetop generate` and for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "generate/scenario.h"
#include "generate/sim/simulation.h"

namespace rocetop::generate {

struct GenerateOptions {
  std::string name;  ///< of the scenario, as the truth gives it
  std::uint64_t seed = 1;
  std::uint64_t packets = 0;               ///< the capture ends after so many; 0: when the scenario does
  std::optional<Nanos> duration;           ///< instead of the scenario's
  std::string tap;                         ///< instead of the scenario's; empty: its own
  std::function<bool()> interrupted = {};  ///< asked now and then whether to stop; or empty
  std::uint32_t snap_length = 262'144;
};

class Generator {
 public:
  /// Errors: the text is wrong (line and column), or an option does not fit it.
  static Result<Generator> create(std::string_view text, GenerateOptions options);

  /// Frames given to `sink`, which may end it. `truth` may be empty; what it gets is whole unless `sink` ended it.
  std::uint64_t run(const sim::FrameSink& sink, const sim::TextSink& truth) const;

  bool simulated() const { return std::holds_alternative<sim::Plan>(scenario_); }
  /// Where the capture is made; empty where the scenario is drawn.
  std::string tap() const;
  /// Of the tap's link, where there is one.
  std::optional<std::uint64_t> link_speed() const;
  /// When applications stop asking; nothing: the packets decide.
  std::optional<Nanos> duration() const;

 private:
  Generator(GenerateOptions options, std::variant<DrawnScenario, sim::Plan> scenario)
      : options_(std::move(options)), scenario_(std::move(scenario)) {}

  GenerateOptions options_;
  std::variant<DrawnScenario, sim::Plan> scenario_;
};

}  // namespace rocetop::generate
