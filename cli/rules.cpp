// SPDX-License-Identifier: BSD-3-Clause
#include "rules.h"

#include <CLI/CLI.hpp>

#include "command_name.h"
#include "exit_status.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "present/rules_text.h"
#include "present/text.h"
#include "terminal.h"

namespace rocetop::cli {
namespace {

/// Rules of one theme: "loss" lists loss.before_tap and the rest.
std::string about(const std::string& name, const present::TextStyle& style) {
  if (const verdict::RuleFacts* rule = verdict::find_rule(name)) return present::rule_text(*rule, style);
  std::string text;
  for (const verdict::RuleFacts& rule : verdict::kRuleBook) {
    if (!rule.id.starts_with(name + ".")) continue;
    text += (text.empty() ? "" : "\n") + present::rule_text(rule, style);
  }
  return text;
}

}  // namespace

CLI::App* add_rules(CLI::App& app, RulesOptions& options) {
  CLI::App* command = app.add_subcommand("rules", "List the rules of triage's findings, or explain one");
  command->add_option("RULE", options.rule, "A rule (loss.before_tap) or a theme (loss) to explain; none lists all");
  command->add_flag("--thresholds", options.thresholds, "Their thresholds, as a file that triage --thresholds reads")
      ->group("Output");
  command->add_flag("--markdown", options.markdown, "Everything as a page: docs/rules.md")->group("Output");
  add_look_options(*command, options.color, options.width);
  command->footer(
      "Examples:\n"
      "  rocetop rules retransmit.timeout\n"
      "  rocetop rules --thresholds > mine.conf && rocetop triage --thresholds mine.conf capture.pcapng");
  return command;
}

int run_rules(const RulesOptions& options) {
  const present::TextStyle style = text_style(options.color, options.width);
  std::string text;
  if (options.markdown) {
    text = present::rules_page();
  } else if (options.thresholds) {
    text = present::thresholds_file({}, style.width);
  } else if (options.rule.empty()) {
    text = present::rules_list(style);
  } else {
    text = about(options.rule, style);
    if (text.empty()) {
      complain("there is no rule '" + options.rule + "'", "rocetop rules lists them.");
      return kExitError;
    }
  }
  Output output;
  output.write(text);
  return output.finish() ? kExitOk : kExitError;
}

}  // namespace rocetop::cli
