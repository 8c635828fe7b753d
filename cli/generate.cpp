// SPDX-License-Identifier: BSD-3-Clause
#include "generate.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/duration_text.h"
#include "base/number_text.h"
#include "base/time_text.h"
#include "command_name.h"
#include "exit_status.h"
#include "file_output.h"
#include "generate/generator.h"
#include "generate/scenario_library.h"
#include "interrupt.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "present/text.h"
#include "progress.h"
#include "small_file.h"
#include "source/input_name.h"
#include "source/pcapng_writer.h"
#include "terminal.h"

namespace rocetop::cli {
namespace {

constexpr std::size_t kListName = 24;  // cells

struct Scenario {
  std::string name;
  std::string text;
};

/// A text has blanks or lines, which names do not have and paths rarely.
bool looks_like_text(const std::string& word) { return word.find_first_of(" \n|") != std::string::npos; }

Error no_such_scenario(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& scenario : generate::named_scenarios()) names.emplace_back(scenario.name);
  const auto meant = similar_word(word, names);
  return Error{"there is no scenario '" + word + "', and no file of that name",
               meant ? "Did you mean " + *meant + "?" : "rocetop generate --list shows them."};
}

Result<Scenario> scenario_of(const std::string& word) {
  if (const auto* named = generate::find_scenario(word)) return Scenario{word, std::string(named->text)};
  if (file_exists(word) || (looks_like_a_path(word) && !looks_like_text(word))) {
    auto text = read_small_file(word, true);
    if (!text) return text.error();
    return Scenario{word, std::move(text.value())};
  }
  if (looks_like_text(word)) return Scenario{word, word};
  return no_such_scenario(word);
}

/// What is written, to a file or to standard output.
class Sink {
 public:
  /// Errors: it exists, or cannot be written.
  Result<Done> open(const std::string& path, bool overwrite);
  void write(std::string_view text) { file_ ? file_->write(text) : output_.write(text); }
  bool usable() const { return file_ || output_.usable(); }
  bool finish();

 private:
  std::optional<FileOutput> file_;
  Output output_;
};

Result<Done> Sink::open(const std::string& path, bool overwrite) {
  if (path == "-") return Done{};
  struct stat facts{};
  if (!overwrite && ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
    return Error{source::input_name(path) + " exists", "Give another name, or --overwrite."};
  }
  file_.emplace();
  return file_->open(path);
}

bool Sink::finish() {
  if (!file_) return output_.finish();
  auto done = file_->finish();
  if (!done) complain(done.error());
  return static_cast<bool>(done);
}

/// Frames as pcapng.
class CaptureWriter {
 public:
  CaptureWriter(Sink& sink, const generate::Generator& generator, std::uint32_t snap_length, const std::string& comment)
      : sink_(sink) {
    interface_.name = generator.tap();
    interface_.snap_length = snap_length;
    interface_.speed_bits_per_second = generator.link_speed();
    pcapng_.begin(buffer_, comment);
  }
  void add(const generate::sim::CapturedFrame& captured);
  void flush();
  std::uint64_t bytes() const { return bytes_ + buffer_.size(); }
  std::uint64_t frames() const { return frames_; }
  /// Between the first frame and the last.
  Nanos span() const { return frames_ == 0 ? Nanos{} : last_ - first_; }

 private:
  static constexpr std::size_t kFlushAt = 1 << 18;

  Sink& sink_;
  source::PcapngWriter pcapng_;
  source::InterfaceFacts interface_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t bytes_ = 0;
  std::uint64_t frames_ = 0;
  Nanos first_;
  Nanos last_;
};

void CaptureWriter::add(const generate::sim::CapturedFrame& captured) {
  source::Frame frame;
  frame.link_type = interface_.link_type;
  frame.time = captured.time;
  frame.wire_length = captured.wire_length;
  frame.bytes = captured.bytes;
  pcapng_.add(frame, interface_, buffer_);
  if (frames_++ == 0) first_ = captured.time;
  last_ = captured.time;
  if (buffer_.size() >= kFlushAt) flush();
}

void CaptureWriter::flush() {
  sink_.write({reinterpret_cast<const char*>(buffer_.data()), buffer_.size()});
  bytes_ += buffer_.size();
  buffer_.clear();
}

int list_scenarios(const GenerateCommand& command) {
  const present::TextStyle style = text_style(command.color, command.width);
  Output output;
  for (const auto& scenario : generate::named_scenarios()) {
    std::string left = fmt::format("{:<{}}", scenario.name, kListName);
    const std::size_t room = std::max<std::size_t>(style.width, kListName + 20) - kListName;
    for (const std::string& line : present::wrap(scenario.summary(), room, style.unicode)) {
      output.write(left + line + "\n");
      left.assign(kListName, ' ');
    }
  }
  return output.finish() ? kExitOk : kExitError;
}

int show_scenario(const std::string& name) {
  const auto* scenario = generate::find_scenario(name);
  if (scenario == nullptr) return complain(no_such_scenario(name)), kExitError;
  Output output;
  output.write(scenario->text);
  return output.finish() ? kExitOk : kExitError;
}

Result<generate::Generator> prepare(const GenerateCommand& command, const Scenario& scenario) {
  generate::GenerateOptions options;
  options.name = scenario.name;
  options.seed = command.seed;
  options.packets = command.packets;
  options.tap = command.tap;
  options.snap_length = command.snap_length;
  options.interrupted = interrupted;
  if (!command.duration.empty()) {
    options.duration = parse_duration(command.duration);
    if (!options.duration)
      return Error{"--duration " + command.duration + ": not a time", "Such as 500us, 20ms or 3s."};
  }
  auto generator = generate::Generator::create(scenario.text, std::move(options));
  if (!generator && scenario.name != scenario.text) {
    return Error{source::input_name(scenario.name) + ": " + generator.error().message, generator.error().hint};
  }
  return generator;
}

Result<Done> check_command(const GenerateCommand& command) {
  if (command.scenario.empty()) return Error{"no scenario is given", "rocetop generate --list shows the named ones."};
  if (command.write.empty()) return Error{"-w FILE is missing: what to write", "-w - is standard output."};
  if (command.write == "-" && stdout_is_terminal()) {
    return Error{"a capture is not for a terminal", "-w FILE, or | rocetop triage -"};
  }
  if (command.truth == "-") return Error{"--truth writes a file, not standard output", ""};
  std::error_code error;
  if (!command.truth.empty() && std::filesystem::weakly_canonical(command.truth, error) ==
                                    std::filesystem::weakly_canonical(command.write, error)) {
    return Error{"--truth and -w name the same file", "Give two names."};
  }
  for (const std::string* written : {&command.write, &command.truth}) {
    if (!written->empty() && source::written_over(*written, {command.scenario}) != nullptr) {
      return Error{source::input_name(*written) + " would overwrite the scenario", "Give another name."};
    }
  }
  return Done{};
}

std::string summary(const GenerateCommand& command, const generate::Generator& generator,
                    const CaptureWriter& capture) {
  std::string text =
      fmt::format("{}: {} in {}", command.write, plural(capture.frames(), "packet"), short_duration(capture.span()));
  if (generator.simulated()) text += fmt::format(", captured at {}, seed {}", generator.tap(), command.seed);
  return text + "\n";
}

/// The whole of it. Exit status.
int write_files(const GenerateCommand& command, const Scenario& scenario, const generate::Generator& generator) {
  stop_on_interrupt();
  Sink sink;
  if (auto done = sink.open(command.write, command.overwrite); !done) return complain(done.error()), kExitError;
  Sink truth;
  if (!command.truth.empty()) {
    if (auto done = truth.open(command.truth, command.overwrite); !done) return complain(done.error()), kExitError;
  }
  CaptureWriter capture(
      sink, generator, command.snap_length,
      fmt::format("rocetop {} generate: scenario {}, seed {}", ROCETOP_VERSION, scenario.name, command.seed));
  ProgressBar bar(stderr_is_terminal());
  const auto total = [&](Nanos passed) -> std::optional<std::uint64_t> {
    double share = 0;
    if (command.packets != 0) share = static_cast<double>(capture.frames()) / static_cast<double>(command.packets);
    if (const auto all = generator.duration(); all && all->count > 0)
      share = std::max(share, static_cast<double>(passed.count) / static_cast<double>(all->count));
    if (share <= 0) return std::nullopt;
    return static_cast<std::uint64_t>(static_cast<double>(capture.bytes()) / std::min(1.0, share));
  };
  constexpr std::uint64_t kLookEvery = 4'096;
  const auto frame = [&](const generate::sim::CapturedFrame& captured) {
    capture.add(captured);
    if (capture.frames() % kLookEvery == 0) bar.update(capture.bytes(), total(capture.span()));
    return sink.usable() && !interrupted();
  };
  const auto words = [&](std::string_view text) { truth.write(text); };
  generator.run(frame, command.truth.empty() ? generate::sim::TextSink{} : words);
  bar.clear();
  if (interrupted()) {
    complain("interrupted: nothing is left of what was not whole");
    return interrupted_status();
  }
  capture.flush();
  if (!sink.finish()) return kExitError;
  if (!command.truth.empty() && !truth.finish()) return kExitError;
  if (command.write == "-") return kExitOk;
  Output output;
  output.write(summary(command, generator, capture));
  return output.finish() ? kExitOk : kExitError;
}

}  // namespace

CLI::App* add_generate(CLI::App& app, GenerateCommand& command) {
  CLI::App* sub = app.add_subcommand("generate", "Write a capture of a made-up scenario, and the truth about it");
  sub->add_option("SCENARIO", command.scenario,
                  "A named scenario (--list), a file that holds one, or its text: 'host a,b | write a/b'")
      ->check(not_empty());
  sub->add_flag("--list", command.list, "List the named scenarios")->group("Scenarios");
  sub->add_option("--show", command.show, "Print the text of a named scenario, to change it")
      ->type_name("NAME")
      ->check(not_empty())
      ->group("Scenarios");
  sub->add_option("-w,--write", command.write, "The capture, as pcapng; - is standard output")
      ->type_name("FILE")
      ->check(not_empty())
      ->group("Output");
  sub->add_option("--truth", command.truth, "What was done to which packet, and what triage has to count, as JSON")
      ->type_name("FILE")
      ->check(not_empty())
      ->group("Output");
  sub->add_flag("--overwrite", command.overwrite, "Files that exist too")->group("Output");
  sub->add_option("-s,--snaplen", command.snap_length, "Bytes kept of each packet, as with tcpdump")
      ->type_name("N")
      ->check(CLI::Range(64, 262'144))
      ->group("Output");
  sub->add_option("--seed", command.seed, "Another run of the same scenario (default 1); the same gives the same bytes")
      ->type_name("N")
      ->group("The run");
  sub->add_option("-c,--packets", command.packets, "Go on until the capture holds N packets, whatever the duration")
      ->type_name("N")
      ->check(at_least_one())
      ->group("The run");
  sub->add_option("--duration", command.duration, "Applications ask for so long (20ms), instead of as it says")
      ->type_name("TIME")
      ->check(not_empty())
      ->group("The run");
  sub->add_option("--tap", command.tap, "Capture at another place: a host, a switch, or NODE/NEIGHBOUR")
      ->type_name("PLACE")
      ->check(not_empty())
      ->group("The run");
  add_look_options(*sub, command.color, command.width);
  sub->footer(
      "docs/generate.md describes the language.\n\n"
      "Examples:\n"
      "  rocetop generate lossy-link -w loss.pcapng --truth loss.json\n"
      "  rocetop generate incast --seed 7 -w - | rocetop triage -\n"
      "  rocetop generate 'host a,b | write a/b | lose a/b nth=100' -w one.pcapng");
  return sub;
}

int run_generate(const GenerateCommand& command) {
  if (command.list) return list_scenarios(command);
  if (!command.show.empty()) return show_scenario(command.show);
  if (auto done = check_command(command); !done) return complain(done.error()), kExitError;
  const auto scenario = scenario_of(command.scenario);
  if (!scenario) return complain(scenario.error()), kExitError;
  const auto generator = prepare(command, scenario.value());
  if (!generator) return complain(generator.error()), kExitError;
  return write_files(command, scenario.value(), generator.value());
}

}  // namespace rocetop::cli
