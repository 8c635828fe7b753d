// SPDX-License-Identifier: BSD-3-Clause
// The named scenarios: the files of scenarios/, compiled in. The first line of each, a comment, says what it is.
#pragma once

#include <span>
#include <string_view>

namespace rocetop::generate {

struct NamedScenario {
  std::string_view name;
  std::string_view text;

  /// The first line without its "# ".
  std::string_view summary() const {
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.substr(line.find_first_not_of("# "));
  }
};

/// By name.
std::span<const NamedScenario> named_scenarios();
/// Null if there is none of that name.
const NamedScenario* find_scenario(std::string_view name);

}  // namespace rocetop::generate
