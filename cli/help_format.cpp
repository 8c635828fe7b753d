// SPDX-License-Identifier: BSD-3-Clause
#include "help_format.h"

#include <algorithm>

#include "present/text.h"

namespace rocetop::cli {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kLeft = 24;      // names and arguments, with the gap after them
constexpr std::size_t kReadable = 30;  // with less room beside the names, descriptions go under them
constexpr std::size_t kUnder = 6;
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
  for (const std::string& line : present::wrap(app->get_description(), width_, unicode_)) out += line + "\n";
  out += "\n";
  for (const std::string& line : present::wrap("Usage: " + name + " " + usage(*app), width_, unicode_))
    out += line + "\n";
  if (!subcommands.empty()) out += "\nCommands:\n";
  for (const CLI::App* sub : subcommands) out += row(sub->get_name(), sub->get_description());
  std::string positionals;
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) positionals += row(option->get_name(true), option->get_description());
  }
  if (!positionals.empty()) out += "\n" + positionals;
  for (const std::string& group : app->get_groups()) out += options_of(*app, group);
  return out + "\n" + footer(app->get_footer());
}

std::string HelpFormat::options_of(const CLI::App& app, const std::string& group) const {
  std::string rows;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() == group && option->nonpositional()) rows += row(names(*option), option->get_description());
  }
  if (rows.empty()) return rows;
  std::string title;
  for (const std::string& line : present::wrap(group + ":", width_, unicode_)) title += line + "\n";
  return "\n" + title + rows;
}

std::string HelpFormat::row(const std::string& left, const std::string& text) const {
  const std::size_t column = kMargin + kLeft;
  const bool wide = width_ >= column + kReadable;
  const std::size_t start = wide ? column : kUnder;
  std::string out = std::string(kMargin, ' ') + left;
  bool beside = wide && left.size() + 2 <= kLeft;
  if (!beside) out += "\n";
  for (const std::string& line : present::wrap(text, std::max(width_, start + kNarrowest) - start, unicode_)) {
    out += std::string(beside ? kLeft - left.size() : start, ' ') + line + "\n";
    beside = false;
  }
  return out;
}

/// What starts with blanks is an example, to be copied as it is, or "  name<tab>description"; the rest is prose.
std::string HelpFormat::footer(std::string_view text) const {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t tab = line.find('\t');
    if (tab != std::string_view::npos) {
      out += row(std::string(line.substr(kMargin, tab - kMargin)), std::string(line.substr(tab + 1)));
    } else if (line.starts_with(' ')) {
      out += std::string(line) + "\n";
    } else {
      for (const std::string& piece : present::wrap(line, width_, unicode_)) out += piece + "\n";
    }
  }
  return out;
}

}  // namespace rocetop::cli
