// SPDX-License-Identifier: BSD-3-Clause
#include "export_config.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <sstream>

#include "small_file.h"

namespace rocetop::cli {
namespace {

/// "web.listen-address" is written as it is, or as listen-address in a section [web].
std::string name_of(const CLI::ConfigItem& item) {
  std::string name;
  for (const std::string& parent : item.parents) name += parent + ".";
  return name + item.name;
}

}  // namespace

Result<std::vector<std::string>> words_of_config(const std::string& file, const std::vector<ConfigOption>& options) {
  std::vector<std::string> out;
  if (file.empty()) return out;
  auto text = read_small_file(file);
  if (!text) return Error{"--config " + text.error().message, text.error().hint};
  std::vector<CLI::ConfigItem> items;
  try {
    std::istringstream stream(text.value());
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    return Error{file + ": " + error.what(), ""};
  }
  std::set<std::string> seen;
  for (const CLI::ConfigItem& item : items) {
    if (item.name == "++" || item.name == "--") continue;  // where a section begins and ends
    const std::string name = name_of(item);
    const auto option = std::find_if(options.begin(), options.end(), [&](const auto& o) { return o.name == name; });
    if (name == "config" || option == options.end()) {
      return Error{file + ": " + name + " is no option that can be set in a file",
                   "They are named as in rocetop export --help, without the dashes."};
    }
    if (!option->repeatable && (item.inputs.size() > 1 || !seen.insert(name).second)) {
      return Error{file + ": " + name + " takes one value, and has several",
                   "A value with spaces or commas in it stands in quotes: " + name + " = \"…\"."};
    }
    if (option->given) continue;
    for (const std::string& input : item.inputs) out.push_back("--" + name + "=" + input);
  }
  return out;
}

}  // namespace rocetop::cli
