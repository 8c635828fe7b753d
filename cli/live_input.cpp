// SPDX-License-Identifier: BSD-3-Clause
#include "live_input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>
#include <variant>

#include "interrupt.h"
#include "privileges.h"
#include "source/input_name.h"
#include "source/live_interfaces.h"
#include "source/loop_source.h"
#include "source/opening_source.h"
#include "source/pipe_source.h"
#include "source/replay_source.h"

namespace rocetop::cli {
namespace {

constexpr std::chrono::milliseconds kBeginningWait{200};
constexpr std::uint32_t kBuffersBytes = 512U << 20;  // of all interfaces' rings, which the kernel keeps in memory

/// What is no file on a disk may let us wait.
bool is_pipe(const std::string& path) {
  struct stat facts{};
  if (path == "-") return ::fstat(STDIN_FILENO, &facts) == 0 && !S_ISREG(facts.st_mode);
  return ::stat(path.c_str(), &facts) == 0 && S_ISFIFO(facts.st_mode);
}

bool is_pipe_or_input(const std::string& path) { return path == "-" || is_pipe(path); }

using Source = Result<std::unique_ptr<source::FrameSource>>;

/// How far time goes at once where nothing waits. Who looks may change the interval: steps that most of them consist
/// of.
Nanos tick(const LiveInputOptions& options) {
  constexpr Nanos kStep = milliseconds(100);
  if (!options.at_once) return options.interval;
  return Nanos{options.interval.count / ((options.interval.count + kStep.count - 1) / kStep.count)};
}

Result<LiveInput> replay(const LiveInputOptions& options) {
  const auto speed = parse_speed(options.speed);
  if (!speed) return speed.error();
  LiveInput input;
  if (options.loop_silence && std::any_of(options.files.begin(), options.files.end(), is_pipe_or_input)) {
    return Error{"--loop cannot read a pipe or standard input twice", "Write it into a file first."};
  }
  if (options.files.size() == 1 && is_pipe(options.files.front())) {
    auto pipe = std::make_unique<source::PipeSource>(
        [path = options.files.front()](int stop) { return source::open_capture(path, stop); });
    // What is no capture mostly shows at once; a capture may begin as late as it likes.
    if (auto begun = pipe->wait_for_beginning(kBeginningWait); !begun) return begun.error();
    input.source = std::move(pipe);
    return input;
  }
  const auto open = [files = options.files, factor = speed.value(), step = tick(options)](int stop) -> Source {
    auto capture = source::open_captures(files, stop);
    if (!capture) return capture.error();
    return std::unique_ptr<source::FrameSource>(
        std::make_unique<source::ReplaySource>(std::move(capture.value()), factor, step));
  };
  input.is_replay = true;
  input.speed = speed.value();
  // A file is opened now, so that what is wrong with it is said without a screen.
  if (options.at_once && std::any_of(options.files.begin(), options.files.end(), is_pipe)) {
    input.source = std::make_unique<source::OpeningSource>(open);
    return input;
  }
  auto opened = open(interrupt_descriptor());
  if (!opened) return opened.error();
  input.source = std::move(opened.value());
  if (options.loop_silence) {
    input.source = std::make_unique<source::LoopSource>(std::move(input.source), open, *options.loop_silence);
  }
  return input;
}

Result<source::InterfaceChoices> choose(bool every_adapter) {
  if (every_adapter) return source::choose_interfaces();
  auto one = source::choose_interface();
  if (!one) return one.error();
  if (!one->passed_over.empty())
    one->reason += "; -i watches others that have one: " + source::input_names(one->passed_over);
  return source::InterfaceChoices{{one->name}, one->reason};
}

}  // namespace

Result<double> parse_speed(std::string_view text) {
  if (text == "max") return 0.0;
  const Error wrong{"--speed " + std::string(text) + ": not a speed",
                    "Give a factor from 0.001 to 1000000 (1 is as it was captured), or max."};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc{} || !(rest.empty() || rest == "x")) return wrong;
  if (!(value >= 1e-3 && value <= 1e6)) return wrong;
  return value;
}

Result<LiveInput> open_live_input(const LiveInputOptions& options, std::string_view arguments) {
  if (!options.files.empty() && !options.interfaces.empty()) {
    return Error{"-i and -r cannot be given together", "Watch interfaces, or replay a capture."};
  }
  if (!options.files.empty()) return replay(options);
  source::LiveOptions live;
  LiveInput input;
  for (const std::string& name : options.interfaces) {
    if (std::find(live.interfaces.begin(), live.interfaces.end(), name) == live.interfaces.end()) {
      live.interfaces.push_back(name);
    }
  }
  if (live.interfaces.empty()) {
    auto choice = choose(options.every_adapter);
    if (!choice) return choice.error();
    live.interfaces = std::move(choice->names);
    input.chosen = "watching " + source::input_names(live.interfaces) + ": " + choice->reason;
  }
  input.interfaces = live.interfaces;
  live.buffer_bytes = std::min(live.buffer_bytes, kBuffersBytes / static_cast<std::uint32_t>(live.interfaces.size()));
  live.filter = options.filter;
  live.roce_ports = options.roce_ports;
  live.snap_length = options.snap_length;
  auto opened = source::LiveSource::open(live);
  if (auto* failure = std::get_if<source::LiveFailure>(&opened)) {
    if (!failure->permission) return failure->error;
    return explain_missing_right(failure->error, program_path(), arguments);
  }
  auto& source = std::get<std::unique_ptr<source::LiveSource>>(opened);
  input.live = source.get();
  input.source = std::move(source);
  input.judges_filter = source::LiveSource::joins_filter(options.filter);
  return input;
}

}  // namespace rocetop::cli
