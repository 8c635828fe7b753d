// SPDX-License-Identifier: BSD-3-Clause
#include "run.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "command_name.h"
#include "exit_status.h"
#include "export.h"
#include "generate.h"
#include "help_format.h"
#include "live.h"
#include "message.h"
#include "output.h"
#include "packets.h"
#include "rules.h"
#include "terminal.h"
#include "triage.h"

namespace rocetop::cli {
namespace {

int usage_error(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const auto used = app.get_subcommands();
  const std::string command = used.empty() ? "rocetop" : "rocetop " + used.front()->get_name();
  std::vector<std::string> options;
  for (const CLI::Option* option : (used.empty() ? &app : used.front())->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  const auto meant = meant_option(words, options);
  complain(error.what(), meant ? *meant : "See " + command + " --help.");
  return kExitError;
}

}  // namespace

int run(std::vector<std::string> arguments) {
  guard_standard_descriptors();
  CLI::App app("Network diagnostics for RDMA over Ethernet: packets, not counters", "rocetop");
  app.set_version_flag("--version", "rocetop " ROCETOP_VERSION);
  app.require_subcommand(0, 1);
  const present::TextStyle style = text_style("never", 0);
  app.formatter(std::make_shared<HelpFormat>(style.width, style.unicode));
  app.footer(
      "Examples:\n"
      "  sudo rocetop live -i eth0\n"
      "  rocetop triage capture.pcapng\n"
      "  sudo rocetop export -i eth0\n"
      "  rocetop packets capture.pcapng host 192.0.2.1");
  TriageOptions triage_options;
  PacketsOptions packets_options;
  LiveOptions live_options;
  ExportOptions export_options;
  RulesOptions rules_options;
  GenerateCommand generate_command;
  CLI::App* triage = add_triage(app, triage_options);
  CLI::App* packets = add_packets(app, packets_options);
  CLI::App* live = add_live(app, live_options);
  CLI::App* exporter = add_export(app, export_options);
  CLI::App* rules = add_rules(app, rules_options);
  CLI::App* generate = add_generate(app, generate_command);

  if (!arguments.empty()) {
    const auto wrong = wrong_command(arguments.front(),
                                     {triage->get_name(), packets->get_name(), live->get_name(), exporter->get_name(),
                                      rules->get_name(), generate->get_name()},
                                     file_exists);
    if (wrong) return complain(*wrong), kExitError;
  }
  for (const std::string& word : arguments) live_options.typed += (live_options.typed.empty() ? "" : " ") + word;
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes != arguments.end()) {
    triage_options.common.words.after_dashes.assign(dashes + 1, arguments.end());
    packets_options.common.words.after_dashes = triage_options.common.words.after_dashes;
    live_options.words.after_dashes = triage_options.common.words.after_dashes;
    export_options.words.after_dashes = triage_options.common.words.after_dashes;
    arguments.erase(dashes, arguments.end());
  }
  export_options.typed = live_options.typed;
  if (!arguments.empty() && arguments.front() == exporter->get_name()) {
    export_options.arguments.assign(arguments.begin() + 1, arguments.end());
    auto with_file = export_words(export_options);
    if (!with_file) return complain(with_file.error()), kExitError;
    arguments.erase(arguments.begin() + 1, arguments.end());
    arguments.insert(arguments.end(), with_file->begin(), with_file->end());
  }
  const std::vector<std::string> words = arguments;
  std::reverse(arguments.begin(), arguments.end());  // the parser takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help, --version
    return usage_error(app, error, words);
  }
  if (triage->parsed()) return run_triage(triage_options);
  if (packets->parsed()) return run_packets(packets_options);
  if (live->parsed()) return run_live(live_options);
  if (exporter->parsed()) return run_export(export_options);
  if (rules->parsed()) return run_rules(rules_options);
  if (generate->parsed()) return run_generate(generate_command);
  if (stdout_is_terminal()) return run_live(live_options);
  complain("no subcommand given, and standard output is no terminal to watch on",
           "Try rocetop triage FILE, sudo rocetop live --json -i eth0, or rocetop --help.");
  return kExitError;
}

}  // namespace rocetop::cli
