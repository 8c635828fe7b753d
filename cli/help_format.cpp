// SPDX-License-Identifier: BSD-3-Clause
#include "help_format.h"

#include "present/text.h"

namespace rocetop::cli {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kLeft = 24;  // names and arguments, with the gap after them
constexpr std::size_t kNarrowest = 20;

/// "-c,--count N": what the option takes by its name alone, not by its checks.
std::string names(const CLI::Option& option) {
  std::string text = option.get_name(false, true);
  if (option.get_items_expected_max() == 0) return text;
  const std::string type = option.get_type_name();
  return text + " " + type.substr(0, type.find(':'));
}

/// What follows the name: FILE is not marked as needed, since -r may give it.
std::string usage(const CLI::App& app) {
  if (!app.get_subcommands([](const CLI::App*) { return true; }).empty()) return "COMMAND [OPTIONS] ...";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() && option->get_name(true) != "FILE")
      return "[OPTIONS] [" + option->get_name(true) + "]";
  }
  return "[OPTIONS] FILE... [FILTER]";
}

}  // namespace

std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  const auto subcommands = app->get_subcommands([](const CLI::App*) { return true; });
  std::string out;
  for (const std::string& line : present::wrap(app->get_description(), width_, true)) out += line + "\n";
  out += "\nUsage: " + name + " " + usage(*app) + "\n";
  if (!subcommands.empty()) out += "\nCommands:\n";
  for (const CLI::App* sub : subcommands) out += row(sub->get_name(), sub->get_description());
  std::string positionals;
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) positionals += row(option->get_name(true), option->get_description());
  }
  if (!positionals.empty()) out += "\n" + positionals;
  for (const std::string& group : app->get_groups()) out += options_of(*app, group);
  return out + "\n" + app->get_footer() + "\n";
}

std::string HelpFormat::options_of(const CLI::App& app, const std::string& group) const {
  std::string rows;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() == group && option->nonpositional()) rows += row(names(*option), option->get_description());
  }
  return rows.empty() ? rows : "\n" + group + ":\n" + rows;
}

std::string HelpFormat::row(const std::string& left, const std::string& text) const {
  const std::size_t start = kMargin + kLeft;
  std::string out = std::string(kMargin, ' ') + left;
  bool beside = left.size() + 2 <= kLeft;
  if (!beside) out += "\n";
  for (const std::string& line : present::wrap(text, width_ > start + kNarrowest ? width_ - start : kNarrowest, true)) {
    out += std::string(beside ? kLeft - left.size() : start, ' ') + line + "\n";
    beside = false;
  }
  return out;
}

}  // namespace rocetop::cli
