// SPDX-License-Identifier: BSD-3-Clause
#include "veroce_options.h"

#include <CLI/CLI.hpp>

#include "options.h"
#include "small_file.h"

namespace rocetop::cli {

void add_veroce_options(CLI::App& command, VeroceOptions& options, const std::string& group) {
  command
      .add_option("--veroce-layout", options.values,
                  "Read veRoCE's headers so, whatever the packets tell, as sack_order=psn_len (repeatable); an unknown "
                  "key lists all, docs/veroce.md explains them")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--veroce-layout-file", options.file, "The same from a file of KEY = VALUE lines")
      ->type_name("FILE")
      ->check(not_empty())
      ->group(group);
}

Result<Done> apply(const VeroceOptions& options, wire::VeroceLayout& layout) {
  if (!options.file.empty()) {
    const auto text = read_small_file(options.file, true);
    if (!text) return text.error();
    const auto read = wire::read_veroce_layout(layout, text.value());
    if (!read) return Error{options.file + ": " + read.error().message, read.error().hint};
  }
  for (const std::string& word : options.values) {
    const auto set = wire::set_veroce_item(layout, word);
    if (!set) return Error{"--veroce-layout " + word + ": " + set.error().message, set.error().hint};
  }
  return Done{};
}

}  // namespace rocetop::cli
