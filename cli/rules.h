// SPDX-License-Identifier: BSD-3-Clause
// `rocetop rules`: the rules that findings are made by, and their thresholds.
#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace rocetop::cli {

struct RulesOptions {
  std::string rule;
  bool thresholds = false;
  bool markdown = false;
  std::string color = "auto";
  std::size_t width = 0;
};

CLI::App* add_rules(CLI::App& app, RulesOptions& options);
int run_rules(const RulesOptions& options);

}  // namespace rocetop::cli
