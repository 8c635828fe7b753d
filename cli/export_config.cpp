// SPDX-License-Identifier: BSD-3-Clause
#include "export_config.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <sstream>

#include "small_file.h"

namespace rocetop::cli {
namespace {

constexpr const char* kOption = "--config";

/// By any of its names: "--snaplen 96", "--snaplen=96", "-s 96", "-s96".
bool is_given(const std::vector<std::string>& words, const ConfigOption& option) {
  const std::string name = "--" + option.name;
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    if (word == name || word.starts_with(name + "=")) return true;
    return std::any_of(option.letters.begin(), option.letters.end(),
                       [&](const std::string& letter) { return word.starts_with("-" + letter); });
  });
}

/// "web.listen-address" is written as it is, or as listen-address in a section [web].
std::string name_of(const CLI::ConfigItem& item) {
  std::string name;
  for (const std::string& parent : item.parents) name += parent + ".";
  return name + item.name;
}

}  // namespace

std::string config_file_of(const std::vector<std::string>& words) {
  std::string file;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kOption && i + 1 < words.size()) file = words[i + 1];
    if (words[i].starts_with("--config=")) file = words[i].substr(9);
  }
  return file;
}

Result<ConfigWords> with_config_file(const std::vector<std::string>& words, const std::vector<ConfigOption>& options) {
  const std::string file = config_file_of(words);
  if (file.empty()) return ConfigWords{{}, words};
  auto text = read_small_file(file);
  if (!text) return Error{"--config " + text.error().message, text.error().hint};
  std::vector<CLI::ConfigItem> items;
  try {
    std::istringstream stream(text.value());
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    return Error{file + ": " + error.what(), ""};
  }
  ConfigWords out;
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
    if (is_given(words, *option)) continue;
    for (const std::string& input : item.inputs) out.of_file.push_back("--" + name + "=" + input);
  }
  out.all = out.of_file;
  out.all.insert(out.all.end(), words.begin(), words.end());
  return out;
}

}  // namespace rocetop::cli
