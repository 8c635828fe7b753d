// SPDX-License-Identifier: BSD-3-Clause
#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <utility>

#include "interrupt.h"
#include "message.h"

namespace rocetop::cli {
namespace {

void add_input_options(CLI::App& command, CommonOptions& o, const std::string& count_help) {
  const std::string group = "Input";
  command.add_option(
      "FILE", o.words.plain,
      "Captures: pcap or pcapng, plain, gzip or zstd; - is standard input. Several are read as one, in order "
      "of time. The first word that is no file starts a filter, as with tcpdump");
  command.add_option("-r", o.words.read_files, "A capture, as with tcpdump; the plain words are then the filter")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("-f,--filter", o.words.filter_option,
                  "Filter (BPF, see pcap-filter(7)); the same as FILTER or -- FILTER. A host name in it is looked up, "
                  "by DNS where the system is set up so; addresses are not")
      ->type_name("FILTER")
      ->group(group);
  command.add_option("-c,--count", o.count, count_help)->type_name("N")->check(at_least_one())->group(group);
  command
      .add_option("--from", o.from,
                  "Start at '#120' (frame; '#2:120' of the second file), 2026-11-29T17:31:17.5Z, 17:31:17.5, seconds "
                  "since 1970, or +1.5s after the first frame (ns, us or µs, ms, s, m, h); what comes before is not "
                  "analysed")
      ->type_name("WHEN")
      ->check(not_empty())
      ->group(group);
  command.add_option("--to", o.to, "End there")->type_name("WHEN")->check(not_empty())->group(group);
  add_decode_options(command, o.roce_ports, o.no_icrc, o.veroce, group);
  command.add_flag("-n", o.numeric, "Accepted for tcpdump's sake (-nn too): no address is ever turned into a name")
      ->group(group);
}

void add_show_options(CLI::App& command, CommonOptions& o) {
  const std::string group = "What is shown (everything is analysed all the same)";
  command.add_option("--connection", o.connection, "Only the connection with this id")->type_name("N")->group(group);
  command.add_option("--host", o.host, "Only connections of this address")
      ->type_name("IP")
      ->check(not_empty())
      ->group(group);
  command.add_option("--qp", o.qp, "Only connections of this queue pair number, decimal or 0x")
      ->type_name("QPN")
      ->check(not_empty())
      ->group(group);
}

std::string in_words(const CommonOptions& o) {
  std::vector<std::string> parts;
  if (o.connection) parts.push_back(fmt::format("connection {}", *o.connection));
  if (!o.host.empty()) parts.push_back("host " + o.host);
  if (!o.qp.empty()) parts.push_back("queue pair " + o.qp);
  return fmt::format("{}", fmt::join(parts, ", "));
}

Result<Done> interpret_selection(const CommonOptions& o, Job& job) {
  job.selection.connection = o.connection;
  if (!o.host.empty()) {
    job.selection.host = IpAddress::parse(o.host);
    if (!job.selection.host) return Error{"--host " + o.host + ": not an IP address", "Names are not looked up."};
  }
  if (!o.qp.empty()) {
    job.selection.qp = parse_qpn(o.qp);
    if (!job.selection.qp)
      return Error{"--qp " + o.qp + ": not a queue pair number", "Give 0 to 16777215, or 0x0 to 0xffffff."};
  }
  job.selection_text = in_words(o);
  return Done{};
}

/// A frame and a moment cannot be compared before the capture is read.
Result<Done> check_order(const engine::Bound& from, const engine::Bound& to) {
  if (from.file != to.file) return Done{};
  const bool backwards =
      (from.frame && to.frame && *to.frame < *from.frame) || (from.time && to.time && *to.time < *from.time);
  if (backwards) return Error{"--to is before --from", "Nothing can lie between them."};
  return Done{};
}

Result<Done> interpret_bounds(const CommonOptions& o, Job& job) {
  for (const auto& [option, text, bound] : {std::tuple{"--from", &o.from, &job.from}, {"--to", &o.to, &job.to}}) {
    if (text->empty()) continue;
    auto parsed = parse_bound(option, *text, o.utc ? Zone::kUtc : Zone::kLocal);
    if (!parsed) return parsed.error();
    *bound = parsed.value();
  }
  for (const auto& [option, bound] : {std::pair{"--from ", &job.from}, {"--to ", &job.to}}) {
    const auto file = *bound ? (*bound)->fixed.file : std::nullopt;
    if (file && *file >= job.files.size()) {
      return Error{option + fmt::format("#{}:{}: there is no file {}", *file + 1, *(*bound)->fixed.frame, *file + 1),
                   "Files count from 1, in the order in which they are given."};
    }
  }
  if (!job.from || !job.to) return Done{};
  return check_order(job.from->fixed, job.to->fixed);
}

}  // namespace

void add_common_options(CLI::App& command, CommonOptions& options, const std::string& count_help) {
  add_input_options(command, options, count_help);
  add_show_options(command, options);
  command.add_flag("--json", options.json, "JSON instead of text")->group("Output");
  command.add_flag("--utc", options.utc, "Times in UTC, not in the local zone; those of --from and --to too")
      ->group("Output");
  add_look_options(command, options.color, options.width);
}

void add_decode_options(CLI::App& command, std::vector<std::uint16_t>& roce_ports, bool& no_icrc, VeroceOptions& veroce,
                        const std::string& group) {
  command.add_option("--roce-port", roce_ports, "A further UDP port that carries RoCEv2 (repeatable)")
      ->type_name("N")
      ->allow_extra_args(false)
      ->check(a_port())
      ->group(group);
  command.add_flag("--no-icrc", no_icrc, "Do not check the ICRC (for captures made before the adapter fills it in)")
      ->group(group);
  add_veroce_options(command, veroce, group);
}

void add_look_options(CLI::App& command, std::string& color, std::size_t& width) {
  command.add_option("--color", color, "auto, always or never; auto obeys NO_COLOR")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Output");
  command.add_option("--width", width, "Columns to fill (default: the terminal's)")
      ->type_name("N")
      ->check(CLI::Range(20, 1000))
      ->group("Output");
}

CLI::Validator at_least_one() {
  return CLI::Validator(
      [](std::string& text) {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        const bool zero = text.find_first_not_of('0') == std::string::npos;
        std::uint64_t number = 0;
        const bool fits = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
        if (digits && !zero && !fits) return "'" + text + "' is more than can be counted";
        return digits && !zero ? std::string() : "'" + text + "' is not a number of 1 or more";
      },
      "");
}

CLI::Validator a_port() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint16_t port = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
        const bool ok = error == std::errc{} && end == text.data() + text.size() && port != 0;
        return ok ? std::string() : "'" + text + "' is not a UDP port (1 to 65535)";
      },
      "");
}

CLI::Validator not_empty() {
  return CLI::Validator([](std::string& text) { return text.empty() ? "'' says nothing" : std::string(); }, "");
}

std::optional<Qpn> parse_qpn(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size() || number > kMask24) return std::nullopt;
  return Qpn{number};
}

std::string Job::part() const {
  std::vector<std::string> limits;
  if (!engine.filter.empty()) limits.emplace_back("the filter");
  if (from) limits.emplace_back("--from");
  if (to) limits.emplace_back("--to");
  if (limits.empty()) return {};
  return fmt::format(" in what {} let through", fmt::join(limits, " and "));
}

Result<Job> interpret(const CommonOptions& options) {
  Job job;
  auto inputs = sort_words(options.words, file_exists);
  if (!inputs) return inputs.error();
  job.files = inputs->files;
  job.engine.filter = inputs->filter;
  job.engine.frame_limit = options.count;
  job.engine.decode.roce_ports = options.roce_ports;
  job.engine.decode.verify_icrc = !options.no_icrc;
  if (auto done = apply(options.veroce, job.engine.decode.veroce_layout); !done) return done.error();
  if (auto done = interpret_selection(options, job); !done) return done.error();
  if (auto done = interpret_bounds(options, job); !done) return done.error();
  return job;
}

Result<Run> open(const Job& job, std::function<bool()> before_batch) {
  auto source = source::open_captures(job.files, interrupt_descriptor());
  if (!source && interrupted()) return Error{"interrupted before anything was read", ""};
  if (!source) return source.error();
  Run run;
  run.source = std::make_unique<WatchedSource>(std::move(source.value()), std::move(before_batch));
  engine::Options options = job.engine;
  const bool need_first = (job.from && job.from->needs_first_frame()) || (job.to && job.to->needs_first_frame());
  const std::optional<Nanos> first = need_first ? run.source->first_time() : std::nullopt;
  if (job.from) options.from = settle(*job.from, first);
  if (job.to) options.to = settle(*job.to, first);
  if (options.from && options.to) {
    if (auto done = check_order(*options.from, *options.to); !done) return done.error();
  }
  auto analysis = engine::Analysis::create(options);
  if (!analysis) return analysis.error();
  run.analysis = std::move(analysis.value());
  return run;
}

bool report_problems(const source::FrameSource& source) {
  bool fatal = false;
  for (const source::Problem& problem : source.problems()) {
    complain((problem.fatal ? "" : "warning: ") + problem.message, problem.hint);
    fatal = fatal || problem.fatal;
  }
  return fatal;
}

}  // namespace rocetop::cli
