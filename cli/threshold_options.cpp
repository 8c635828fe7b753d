// SPDX-License-Identifier: BSD-3-Clause
#include "threshold_options.h"

#include <CLI/CLI.hpp>

#include "options.h"
#include "small_file.h"

namespace rocetop::cli {

void add_threshold_options(CLI::App& command, ThresholdOptions& options) {
  command
      .add_option("--threshold", options.values,
                  "Judge by another value, as early_wait=5ms (repeatable); rocetop rules --thresholds lists them")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group("Verdicts");
  command.add_option("--thresholds", options.file, "Values from a file of NAME = VALUE lines")
      ->type_name("FILE")
      ->check(not_empty())
      ->group("Verdicts");
}

Result<Done> apply(const ThresholdOptions& options, verdict::Thresholds& thresholds) {
  if (!options.file.empty()) {
    const auto text = read_small_file(options.file, true);
    if (!text) return text.error();
    const auto read = verdict::read_thresholds(thresholds, text.value());
    if (!read) return Error{options.file + ": " + read.error().message, read.error().hint};
  }
  for (const std::string& word : options.values) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      return Error{"--threshold " + word + ": not NAME=VALUE", "For example early_wait=5ms."};
    const std::string_view whole = word;
    auto set = verdict::set_threshold(thresholds, whole.substr(0, equals), whole.substr(equals + 1));
    if (!set) return set.error();
  }
  return Done{};
}

}  // namespace rocetop::cli
