// SPDX-License-Identifier: BSD-3-Clause
#include "triage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "base/number_text.h"
#include "exit_status.h"
#include "interrupt.h"
#include "message.h"
#include "model/words.h"
#include "output.h"
#include "present/connection_table.h"
#include "present/markdown.h"
#include "present/text.h"
#include "present/triage_json.h"
#include "present/triage_text.h"
#include "progress.h"
#include "reports.h"
#include "terminal.h"

namespace rocetop::cli {
namespace {

constexpr const char* kNotWhole = "rocetop: interrupted before the report was whole: what was not finished is gone\n";
constexpr const char* kWhole = "rocetop: interrupted when the report was whole\n";

model::Snapshot analyse(const Job& job, Run& run, engine::Recorder* recorder, ProgressBar& bar) {
  const engine::Progress progress = [&](std::uint64_t bytes_read, std::optional<std::uint64_t> bytes_total) {
    bar.update(bytes_read, bytes_total);
    return true;  // the source asks before each batch
  };
  run.analysis->run(*run.source, recorder ? recorder->observer() : engine::FrameObserver{}, progress, recorder);
  // The first signal ends the reading; there is nothing like that to end from here on.
  end_on_interrupt(kNotWhole);
  bar.say("judging what was read");
  model::Snapshot snapshot = run.analysis->finish();
  snapshot.rocetop_version = ROCETOP_VERSION;
  snapshot.files = job.files;
  if (run.source->stopped()) snapshot.partial = snapshot.interrupted = true;
  return snapshot;
}

void render(const TriageOptions& options, const Job& job, const model::Snapshot& whole, const model::Snapshot& shown,
            Output& output) {
  const present::TextSink sink = [&output](std::string_view text) { output.write(text); };
  if (options.common.json) return present::write_triage_json(shown, sink);
  if (options.markdown) return present::write_markdown(whole, shown, {job.selection_text, options.all}, sink);
  present::TriageTextOptions text;
  text.style = text_style(options.common.color, options.common.width);
  text.all = options.all;
  text.zone = options.common.utc ? Zone::kUtc : Zone::kLocal;
  text.selection = job.selection_text;
  present::write_triage_text(whole, shown, text, sink);
}

bool has_finding_at(const model::Snapshot& snapshot, const std::string& fail_on) {
  const auto severity = model::severity_from(fail_on);
  if (!severity) return false;  // never
  return std::any_of(snapshot.findings.begin(), snapshot.findings.end(),
                     [&](const verdict::Finding& f) { return f.severity >= *severity; });
}

/// True if --connection, --host or --qp chose something: a connection, or a finding about more than the capture.
bool matches_something(const model::Snapshot& shown) {
  return !shown.connections.empty() ||
         std::any_of(shown.findings.begin(), shown.findings.end(),
                     [](const verdict::Finding& f) { return !f.connections.empty() || !f.hosts.empty(); });
}

bool has_fatal(const std::vector<model::InputProblem>& problems) {
  return std::any_of(problems.begin(), problems.end(), [](const model::InputProblem& p) { return p.fatal; });
}

void say_nothing_matches(const Job& job, const model::Snapshot& whole) {
  complain("no connection matches " + job.selection_text,
           (whole.partial ? "What was analysed holds " : "The input holds ") +
               plural(whole.connections.size(), "connection") + "; rocetop triage --all lists them.");
}

}  // namespace

CLI::App* add_triage(CLI::App& app, TriageOptions& options) {
  CLI::App* command = app.add_subcommand("triage", "Say what went wrong in a capture, why, and which packets prove it");
  add_common_options(*command, options.common, "Stop after N frames (that passed the filter)");
  add_fabric_options(*command, options.fabric);
  command->add_flag("--all", options.all, "Quiet connections, long lists and consequences too")->group("Output");
  command->add_flag("--markdown", options.markdown, "Markdown instead of text, to paste into a ticket")
      ->group("Output")
      ->excludes("--json");
  command->add_option("--html", options.html, "Write the report with plots to FILE too: one file, no network needed")
      ->type_name("FILE")
      ->check(not_empty())
      ->group("Output");
  command->add_option("--csv", options.csv, "Write connections, episodes, findings and messages to DIR too")
      ->type_name("DIR")
      ->check(not_empty())
      ->group("Output");
  command
      ->add_option("--fail-on", options.fail_on,
                   "Exit with status 1 on findings of this severity or worse: info, warning, critical, never")
      ->type_name("SEVERITY")
      ->check(CLI::IsMember({"info", "warning", "critical", "never"}))
      ->group("Verdicts");
  add_threshold_options(*command, options.thresholds);
  std::string columns = "Columns of the table of connections (the second name is that of narrow terminals):\n";
  for (const present::ColumnLegend& column : present::connection_table_legend())
    columns += "  " + column.names + "\t" + column.help + "\n";
  command->footer(
      columns +
      "\nExit status, whatever the form of the report: 0 nothing at or above --fail-on (default critical), 1 findings, "
      "2 an error (an input that is damaged is reported up to there), 3 no RoCE in the input. An input that is cut off "
      "in its last record is no error: a warning on standard error and \"problems\" in the JSON say it. Ctrl-C and "
      "kill: 130 and 143, with a report of what was read until then; a second one, or one that comes when reading has "
      "ended, ends rocetop at once and leaves no half-written file.\n\n"
      "Examples:\n"
      "  rocetop triage write-loss.pcapng --html report.html\n"
      "  ssh host tcpdump -U -w - udp port 4791 or 4794 | rocetop triage --json - | jq '.findings[].title'");
  return command;
}

int run_triage(const TriageOptions& options) {
  auto job = interpret(options.common);
  if (!job) return complain(job.error()), kExitError;
  if (auto done = apply(options.fabric, job->engine); !done) return complain(done.error()), kExitError;
  if (auto done = apply(options.thresholds, job->engine.thresholds); !done) return complain(done.error()), kExitError;
  stop_on_interrupt();
  Reports reports;
  std::vector<std::string> read = job->files;
  for (const std::string& file : {options.thresholds.file, options.fabric.expect}) {
    if (!file.empty()) read.push_back(file);
  }
  if (auto done = reports.open(options.html, options.csv, read); !done) return complain(done.error()), kExitError;
  auto run = open(*job, [] { return !interrupted(); });
  if (!run) return complain(run.error()), interrupted() ? interrupted_status() : kExitError;
  ProgressBar bar(stderr_is_terminal());
  const model::Snapshot whole = analyse(*job, *run, reports.recorder(), bar);
  bar.say("writing the report");
  std::optional<model::Snapshot> chosen;
  if (!job->selection.everything()) chosen = model::select(whole, job->selection);
  const model::Snapshot& shown = chosen ? *chosen : whole;

  Output output;
  const bool nothing_read = whole.capture.frames == 0 && has_fatal(whole.problems);
  const bool no_match = chosen && whole.capture.roce_frames != 0 && !matches_something(shown);
  bool written = true;
  if (!nothing_read && !no_match) {
    // The files first: whoever reads standard output may leave, and that ends the program.
    const auto done = reports.write(whole, shown, job->selection_text);
    bar.clear();
    if (!done) {
      complain(done.error());
      written = false;
    }
    render(options, *job, whole, shown, output);
  }
  bar.clear();
  written = output.finish() && written;
  end_on_interrupt(kWhole);
  if (whole.interrupted) complain("interrupted: the report covers what was read until then");
  if (!whole.interrupted && interrupted()) complain("interrupted when everything had been read");
  const bool broken = report_problems(*run->source);
  if (interrupted() && written && !broken) return interrupted_status();
  if (no_match) return say_nothing_matches(*job, whole), kExitError;
  if (!written || broken) return kExitError;
  if (whole.capture.roce_frames == 0) return kExitNoRoce;
  return has_finding_at(shown, options.fail_on) ? kExitFindings : kExitOk;
}

}  // namespace rocetop::cli
