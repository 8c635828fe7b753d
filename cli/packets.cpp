// SPDX-License-Identifier: BSD-3-Clause
#include "packets.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_set>

#include "base/number_text.h"
#include "base/time_text.h"
#include "exit_status.h"
#include "message.h"
#include "output.h"
#include "present/packet_details.h"
#include "present/packet_json.h"
#include "present/packet_line.h"
#include "present/text.h"
#include "settled.h"
#include "terminal.h"

namespace rocetop::cli {
namespace {

constexpr std::uint64_t kMicrosecondTicks = 1'000'000;

present::TimeFormat time_format(const std::string& name) {
  if (name == "utc") return present::TimeFormat::kUtc;
  if (name == "epoch") return present::TimeFormat::kEpoch;
  if (name == "relative") return present::TimeFormat::kRelative;
  return present::TimeFormat::kLocal;
}

/// Which packets are shown. A packet names only the queue pair it goes to; the other direction of a connection is shown
/// once the connection is known to belong to the queue pair.
class Choice {
 public:
  explicit Choice(const model::Selection& selection) : selection_(selection) {}

  bool shows(const wire::Decoded& decoded, const track::Observation& observation) {
    if (selection_.everything()) return true;
    if (decoded.kind != wire::FrameKind::kRoce) return false;
    if (selection_.connection && observation.connection != *selection_.connection) return false;
    const wire::Packet& p = decoded.packet;
    if (selection_.host && p.src != *selection_.host && p.dst != *selection_.host) return false;
    return !selection_.qp || belongs_to_qp(p, observation.connection);
  }

 private:
  bool belongs_to_qp(const wire::Packet& p, std::uint32_t connection) {
    const bool named = p.bth.dest_qp == *selection_.qp || (p.has(wire::kDeth) && p.deth.src_qp == *selection_.qp);
    if (!named) return connections_of_qp_.count(connection) != 0;
    if (connection != 0) connections_of_qp_.insert(connection);
    return true;
  }

  const model::Selection& selection_;
  std::unordered_set<std::uint32_t> connections_of_qp_;
};

class Printer {
 public:
  Printer(const PacketsOptions& options, const Job& job, const Settled* settled, Output& output)
      : json_(options.common.json),
        verbose_(options.verbose),
        several_files_(job.several_files()),
        fold_(options.common.width != 0 || stdout_is_terminal()),
        limit_(options.common.count),
        settled_(settled),
        output_(output),
        choice_(job.selection) {
    line_.style = text_style(options.common.color, options.common.width);
    line_.time = time_format(options.time.empty() && options.common.utc ? "utc" : options.time);
    line_.several_files = several_files_;
  }

  void print(const source::Frame& frame, const source::FrameSource& source, const wire::Decoded& decoded,
             const track::Observation& observed) {
    if (finished()) return;
    if (decoded.kind != wire::FrameKind::kPause) ++roce_frames_;
    const track::Observation observation =
        settled_ != nullptr ? settled_->final_observation(frame.id, observed) : observed;
    if (!choice_.shows(decoded, observation)) return;
    present::PacketRecord record;
    record.id = frame.id;
    if (frame.has_time) record.time = frame.time;
    const auto& interfaces = source.interfaces();
    record.nanoseconds =
        frame.interface < interfaces.size() && interfaces[frame.interface].ticks_per_second > kMicrosecondTicks;
    record.frame = frame.bytes;
    record.wire_length = frame.wire_length;
    record.decoded = &decoded;
    record.observation = observation;
    if (settled_ != nullptr) record.final = settled_->find(frame.id);
    if (write(record)) ++shown_;
  }

  /// What relative times count from.
  void start_at(Nanos first_frame) { line_.time_zero = first_frame; }

  /// -c packets were printed.
  bool finished() const { return limit_ && shown_ >= *limit_; }

  std::uint64_t roce_frames() const { return roce_frames_; }
  std::uint64_t shown() const { return shown_; }

 private:
  /// False for what has no line.
  bool write(const present::PacketRecord& record) {
    if (json_) {
      present::write_packet_json(record, several_files_, [this](std::string_view text) { output_.write(text); });
      return true;
    }
    const std::string line = present::packet_line(record, line_);
    if (line.empty()) return false;
    output_.write(line);
    output_.write("\n");
    if (verbose_) output_.write(present::packet_details(record, line_.style, several_files_, fold_));
    return true;
  }

  const bool json_;
  const bool verbose_;
  const bool several_files_;
  const bool fold_;  // for the eye, not for grep
  const std::optional<std::uint64_t> limit_;
  const Settled* settled_;
  Output& output_;
  Choice choice_;
  present::PacketLineOptions line_;
  std::uint64_t roce_frames_ = 0;
  std::uint64_t shown_ = 0;
};

/// The first of two passes; what it says of veRoCE's layout becomes part of the job. Errors: the input cannot be
/// opened.
Result<Done> settle_frames(Job& job, Settled& settled) {
  auto run = open(job, {});
  if (!run) return run.error();
  run->analysis->run(*run->source, {}, {}, &settled);
  job.engine.veroce_known = run->analysis->veroce_layouts();
  const model::Snapshot analysed = run->analysis->finish();  // settles what was still open
  if (analysed.parts.before) {
    complain("warning: frames before --from are not analysed: what they caused, or answered, is not known",
             "--connection, --host and --qp choose what is shown of the whole.");
  }
  if (settled.omitted() != 0) {
    complain("warning: --two-pass keeps " + grouped(Settled::kFrameLimit) +
                 " frames; later ones are shown as they were read",
             "Use --from and --to to look at less.");
  }
  return Done{};
}

Result<Done> check_two_pass(const Job& job) {
  for (const std::string& file : job.files) {
    std::error_code ignored;
    if (file != "-" && (!std::filesystem::exists(file, ignored) || std::filesystem::is_regular_file(file, ignored)))
      continue;
    return Error{"--two-pass reads its input twice, and a pipe or standard input can be read only once",
                 "Write it to a file first."};
  }
  return Done{};
}

/// Lines show a time of day alone: the date and the zone are said once, to whoever reads on a terminal.
void say_zone(const PacketsOptions& options, Nanos first) {
  if (options.common.utc || !(options.time.empty() || options.time == "local")) return;
  complain("times of day are local; the first frame's is " + rfc3339(first, Zone::kLocal).substr(0, 19) +
           rfc3339(first, Zone::kLocal).substr(29) + " (--utc for UTC)");
}

}  // namespace

CLI::App* add_packets(CLI::App& app, PacketsOptions& options) {
  CLI::App* command = app.add_subcommand("packets", "Print every RoCE packet of a capture as a line");
  add_common_options(*command, options.common, "Stop after N printed packets");
  command->add_flag("-v,--verbose", options.verbose, "The fields of every header, one header a line")->group("Output");
  command->add_flag("--two-pass", options.two_pass, "Read the input twice: show what later packets settled")
      ->group("Output");
  command
      ->add_option("--time", options.time,
                   "local (time of day; the default), utc, epoch or relative (to the first frame)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"local", "utc", "epoch", "relative"}))
      ->group("Output");
  command->footer(
      "With several files, #2:128 is frame 128 of the second one.\n\n"
      "Examples:\n"
      "  rocetop packets write-loss.pcapng --qp 38 --from '#100' -v\n"
      "  rocetop packets --two-pass --json write-loss.pcapng | jq 'select(.analysis.kind == \"retransmission\")'");
  return command;
}

int run_packets(const PacketsOptions& options) {
  CommonOptions common = options.common;
  common.utc = common.utc || options.time == "utc";
  auto job = interpret(common);
  if (!job) return complain(job.error()), kExitError;
  job->engine.frame_limit.reset();  // -c counts what is printed
  Settled settled;
  if (options.two_pass) {
    if (auto done = check_two_pass(*job); !done) return complain(done.error()), kExitError;
    if (auto done = settle_frames(*job, settled); !done) return complain(done.error()), kExitError;
  }
  Output output;
  const bool live = std::find(job->files.begin(), job->files.end(), "-") != job->files.end();
  Printer printer(options, *job, options.two_pass ? &settled : nullptr, output);
  auto run = open(*job, [&] {
    if (live) output.flush();  // whoever watches a pipe wants to see packets as they come
    return output.usable() && !printer.finished();
  });
  if (!run) return complain(run.error()), kExitError;
  const std::optional<Nanos> first = run->source->first_time();
  if (first) printer.start_at(*first);
  if (first && !common.json && stdout_is_terminal()) say_zone(options, *first);
  run->analysis->run(
      *run->source,
      [&](const source::Frame& frame, const wire::Decoded& decoded, const track::Observation& observation) {
        printer.print(frame, *run->source, decoded, observation);
      },
      {}, nullptr);
  const bool written = output.finish();
  const bool broken = report_problems(*run->source);
  if (!written || broken) return kExitError;
  if (printer.roce_frames() != 0) {
    if (printer.shown() != 0 || job->selection.everything()) return kExitOk;
    complain("no packet matches " + job->selection_text + job->part());
    return kExitError;
  }
  complain("no RoCE" + (job->part().empty() ? " here" : job->part()) +
               " (UDP destination port 4791 or 4794, EtherType 0x8915)",
           "rocetop triage says what is there instead.");
  return kExitNoRoce;
}

}  // namespace rocetop::cli
