// SPDX-License-Identifier: BSD-3-Clause
#include "live.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "base/time_text.h"
#include "engine/live_monitor.h"
#include "engine/ring_writer.h"
#include "exit_status.h"
#include "host/adapters.h"
#include "interrupt.h"
#include "live_input.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "present/live_json.h"
#include "present/live_text.h"
#include "present/screens/connection_columns.h"
#include "privileges.h"
#include "source/input_name.h"
#include "terminal.h"
#include "terminal_view.h"

namespace rocetop::cli {
namespace {

void add_source_options(CLI::App& command, LiveOptions& o) {
  const std::string group = "Input";
  add_input_options(command, o, "the one that carries RoCE");
  command.add_option("-c,--count", o.count, "Stop after N frames (that passed the filter)")
      ->type_name("N")
      ->check(at_least_one())
      ->group(group);
  command.add_option("--duration", o.duration, "Stop after this time, as 30s or 5m")->type_name("TIME")->group(group);
  add_capture_options(command, o);
}

void add_view_options(CLI::App& command, LiveOptions& o) {
  const std::string group = "Output";
  command.add_flag("--once", o.once, "Show one interval, and end")->group(group);
  command.add_flag("--json", o.json, "A line of JSON an interval, instead of text")->group(group);
  add_look_often_options(command, o);
  command.add_flag("--utc", o.utc, "Times in UTC, not in the local zone")->group(group);
  add_look_options(command, o.color, o.width);
}

void add_screen_options(CLI::App& command, LiveOptions& o) {
  const std::string group = "Screen";
  command.add_flag("--ascii", o.ascii, "ASCII characters only. Default where the locale is not UTF-8")->group(group);
  command
      .add_option("--theme", o.theme, "Colours for a dark (default) or light terminal, or plain: none (t changes it)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"dark", "light", "plain"}))
      ->group(group);
  command.add_option("--units", o.units, "Rates in bits (default) or bytes (u changes it)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"bits", "bytes"}))
      ->group(group);
  command.add_option("--sort", o.sort, "Sort connections by this column, as rate. Default: by trouble")
      ->type_name("COLUMN")
      ->group(group);
  command.add_flag("--reverse", o.reversed, "… the other way round")->group(group);
  command.add_option("--show", o.find, "Show only connections that fit, as 'ip:192.0.2.1 !state:idle' (/ changes it)")
      ->type_name("WORDS")
      ->group(group);
}

void add_recording_options(CLI::App& command, LiveOptions& o) {
  const std::string group = "Recording";
  command.add_option("-w,--write", o.write, "Write the packets that pass the filter to FILE too, as pcapng")
      ->type_name("FILE")
      ->check(not_empty())
      ->group(group);
  command.add_flag("--overwrite", o.overwrite, "… also if FILE exists; a ring begins with 00001 again")
      ->group(group)
      ->needs("--write");
  command
      .add_option("--ring-size", o.ring_size,
                  "Begin another file after so many bytes, as 100M: FILE_00001.pcapng, FILE_00002.pcapng, … (or behind "
                  "those that are there)")
      ->type_name("SIZE")
      ->group(group)
      ->needs("--write");
  command.add_option("--ring-files", o.ring_files, "Keep so many of them (default 10); the oldest are deleted")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000))
      ->group(group)
      ->needs("--ring-size");
}

/// "100M", "1G", "65536": powers of 1000.
Result<std::uint64_t> size_of(const std::string& text) {
  const Error wrong{"--ring-size " + text + ": not a size", "Give for example 100M or 1G; at least 64k."};
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc{}) return wrong;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  constexpr std::string_view kUnits = "kMGT";
  if (!unit.empty()) {
    const auto exponent = unit == "K" ? 0 : kUnits.find(unit);
    if (exponent == std::string_view::npos) return wrong;
    for (std::size_t i = 0; i <= exponent; ++i) {
      if (__builtin_mul_overflow(size, 1'000, &size)) return wrong;
    }
  }
  constexpr std::uint64_t kLeast = 64'000;
  if (size < kLeast) return wrong;
  return size;
}

/// What writes the packets; null where nobody asked for it.
Result<std::shared_ptr<engine::RingWriter>> open_recording(const LiveOptions& options, bool lossless) {
  if (options.write.empty()) return std::shared_ptr<engine::RingWriter>();
  if (options.write == "-") return Error{"-w writes a file, not standard output", ""};
  engine::RingOptions ring;
  ring.path = options.write;
  ring.read = options.words.read_files;
  ring.files = options.ring_files;
  ring.lossless = lossless;
  ring.overwrite = options.overwrite;
  if (!options.ring_size.empty()) {
    const auto size = size_of(options.ring_size);
    if (!size) return size.error();
    ring.file_bytes = size.value();
  }
  auto writer = engine::RingWriter::open(ring);
  if (!writer) return writer.error();
  return std::shared_ptr<engine::RingWriter>(std::move(writer.value()));
}

Result<engine::LiveMonitorOptions> interpret(const LiveOptions& options) {
  auto out = interpret_watch(options);
  if (!out) return out;
  out->analysis.frame_limit = options.count;
  if (options.duration.empty()) return out;
  const auto duration = time_of("--duration", options.duration, milliseconds(1));
  if (!duration) return duration.error();
  out->duration = duration.value();
  return out;
}

/// What 'w' on the screen writes to: files named after the time. (-w's own holds what was recorded from the start.)
std::string recording_path(Nanos now) {
  std::string name = "rocetop-" + rfc3339(now, Zone::kLocal).substr(0, 19);  // 2026-11-29T17:31:17
  name.erase(std::remove(name.begin(), name.end(), ':'), name.end());
  // Somebody who ends one and begins another within a second keeps both.
  std::string free = name;
  for (int i = 2; file_exists(free + "_00001.pcapng") && i < 100; ++i) free = fmt::format("{}-{}", name, i);
  return free + ".pcapng";
}

/// Begun by a key: a ring with a limit, whatever the command line says.
Result<std::shared_ptr<engine::RingWriter>> begin_recording(const LiveOptions& options, bool lossless) {
  LiveOptions wanted = options;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  wanted.overwrite = false;
  wanted.write = recording_path(Nanos{std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()});
  if (wanted.ring_size.empty()) wanted.ring_size = "100M";
  return open_recording(wanted, lossless);
}

/// The names of what is watched, for a title.
std::string title_of(const LiveOptions& options, const LiveInput& input) {
  return source::input_names(options.words.read_files.empty() ? input.interfaces : options.words.read_files);
}

/// The look that the options ask for; what text is printed with.
present::TextStyle style_of(const LiveOptions& options) {
  present::TextStyle style = text_style(options.color, options.width);
  if (options.ascii) style.unicode = false;
  return style;
}

/// What the screen shows to begin with.
present::UiState state_of(const LiveOptions& options, const engine::LiveMonitorOptions& monitor) {
  present::UiState state;
  state.interval = monitor.interval;
  state.theme = options.theme == "light"   ? present::Theme::kLight
                : options.theme == "plain" ? present::Theme::kPlain
                                           : present::Theme::kDark;
  state.units = options.units == "bytes" ? present::Units::kBytes : present::Units::kBits;
  state.filter = options.find;
  present::ListState& list = state.lists[static_cast<std::size_t>(present::Tab::kConnections)];
  list.sort = present::connection_column(options.sort).value_or(present::kTroubleColumn);
  list.reversed = options.reversed;
  return state;
}

Result<Done> check_find(const std::string& words) {
  const std::string_view wrong = present::impossible_word(words);
  if (wrong.empty()) return Done{};
  return Error{
      "--show " + std::string(wrong) + ": no connection can fit that",
      "There are ip:ADDRESS, qp:NUMBER and state: with the beginning of ended, idle, not ready, resends, "
      "marked, one-way or active; other words are looked for in all that is shown; ! in front turns one round."};
}

Result<Done> check_sort(const std::string& column) {
  if (column.empty() || present::connection_column(column)) return Done{};
  std::string all;
  for (const auto& known : present::connection_columns()) all += (all.empty() ? "" : ", ") + std::string(known.heading);
  return Error{"--sort " + column + ": no such column", "There are: " + all + "."};
}

/// What is printed shows every connection, in the order of the capture.
void warn_of_screen_options(const LiveOptions& options) {
  std::string given;
  if (!options.find.empty()) given += "--show";
  if (!options.sort.empty()) given += given.empty() ? "--sort" : " and --sort";
  if (!given.empty()) complain("warning: without effect off the screen: " + given);
}

/// How fast the packets' clock goes for who looks: time between two looks is their own.
double clock_speed(const LiveInput& input) { return input.is_replay && input.speed > 0 ? input.speed : 1; }

/// The screen, where standard output is a terminal that can show it and nobody asked for something else.
std::unique_ptr<TerminalView> open_screen(const LiveOptions& options, const engine::LiveMonitorOptions& monitor,
                                          const LiveInput& input, std::shared_ptr<engine::RingWriter> recording) {
  if (options.once || options.json) return nullptr;
  const present::TextStyle style = style_of(options);
  TerminalViewOptions view;
  view.title = title_of(options, input);
  if (input.is_replay && input.speed != 1) {
    view.title += input.speed > 0 ? fmt::format(" (speed {})", input.speed) : " (full speed)";
  }
  view.state = state_of(options, monitor);
  view.state.message = input.chosen;
  view.clock_speed = clock_speed(input);
  view.colour = style.colour;
  view.unicode = style.unicode;
  view.zone = options.utc ? Zone::kUtc : Zone::kLocal;
  view.leave_at_end = options.count.has_value() || monitor.duration.has_value();
  view.adapter_root = host::kAdapterRoot;
  view.recording = std::move(recording);
  view.begin_recording = [&options, lossless = input.is_replay] { return begin_recording(options, lossless); };
  return TerminalView::open(view);
}

/// Prints snapshots as they come.
class View {
 public:
  explicit View(const LiveOptions& options) : options_(options) {
    text_.style = style_of(options);
    text_.zone = options.utc ? Zone::kUtc : Zone::kLocal;
  }

  void show(const model::LiveSnapshot& snapshot) {
    const present::TextSink sink = [this](std::string_view text) { output_.write(text); };
    if (options_.json) {
      present::write_live_json(snapshot, options_.once, sink);
    } else {
      present::write_live_text(snapshot, text_, sink);
      output_.write("\n");
    }
    output_.flush();
    if (const std::string advice = present::bypass_text(snapshot); !advice.empty() && !advised_) {
      advised_ = true;
      complain(advice.substr(0, advice.find('\n')), advice.substr(advice.find('\n') + 1));
    }
  }
  bool usable() const { return output_.usable(); }
  bool finish() { return output_.finish(); }

 private:
  const LiveOptions& options_;
  present::LiveTextOptions text_;
  Output output_;
  bool advised_ = false;
};

/// Until the input ends, or somebody ends it.
void follow(engine::LiveMonitor& monitor, const LiveOptions& options, View& view) {
  bool stopped = false;
  std::uint64_t number = 0;
  const auto stop = [&] {
    monitor.stop();
    stopped = true;
  };
  while (true) {
    if (!stopped && !wait_for_input(monitor.descriptor())) stop();
    const auto snapshot = monitor.newer_than(number, std::chrono::milliseconds(stopped ? 1'000 : 0));
    if (!snapshot) continue;
    const bool first = number == 0;
    number = snapshot->number;
    if (view.usable() && (first || !options.once)) view.show(*snapshot);
    if (snapshot->final) return;
    if (!stopped && (options.once || !view.usable())) stop();
  }
}

/// False if something was not written.
bool print(engine::LiveMonitor& monitor, const LiveOptions& options,
           const std::shared_ptr<engine::RingWriter>& recording) {
  View view(options);
  monitor.start();
  follow(monitor, options, view);
  bool written = view.finish();
  if (!recording) return written;
  if (auto done = recording->finish(); !done) {
    complain(done.error());
    written = false;
  }
  return written;
}

/// The screen, and the summary that it leaves.
bool look(engine::LiveMonitor& monitor, const LiveOptions& options, TerminalView& screen) {
  monitor.start();
  const auto last = screen.run(monitor);
  View view(options);
  // Of what could not even be opened there is only the reason to tell.
  const bool opened = last && !could_not_open(*last);
  if (opened && last->interfaces.empty() && last->totals.capture.frames == 0) {
    complain("nothing came");
  } else if (opened) {
    view.show(*last);
  }
  if (!screen.recording_error().empty()) complain(screen.recording_error());
  return view.finish() && screen.recording_error().empty();
}

/// The first look comes soon. At full speed, where nobody waits for it, it is as long as the others.
void pace_for_screen(const LiveInput& input, engine::LiveMonitorOptions& monitor) {
  const auto on_clock = [&](Nanos time) {
    return Nanos{static_cast<std::int64_t>(static_cast<double>(time.count) * clock_speed(input))};
  };
  if (!(input.is_replay && input.speed <= 0)) {
    monitor.first_interval = on_clock(std::min(monitor.interval, milliseconds(250)));
  }
  monitor.interval = on_clock(monitor.interval);
}

}  // namespace

CLI::App* add_live(CLI::App& app, LiveOptions& options) {
  CLI::App* command = app.add_subcommand("live", "Watch interfaces: who resends, who waits, and why, as it happens");
  add_source_options(*command, options);
  add_view_options(*command, options);
  add_screen_options(*command, options);
  add_recording_options(*command, options);
  add_fabric_options(*command, options.fabric);
  add_threshold_options(*command, options.thresholds);
  command->footer(
      "On a terminal it is a screen: tabs of connections, host pairs, findings, congestion, connection management, "
      "the adapters' counters and the capture. Elsewhere, with --json or --once it prints.\n\n"
      "Keys: 1-7 Tab tabs, arrows hjkl PgUp PgDn g G move, Enter opens a connection or finding, Esc back, / filters "
      "(ip: qp: "
      "state: !), s S < > sort, c columns, p or Space pauses the display, w writes packets to a file, r begins the "
      "counters again, + - interval, u units, n names, b bell, t colours, ? help, q quits. The mouse works too.\n\n"
      "q or Ctrl-C ends it, with a last look at everything. Exit status: 0, after q, Ctrl-C and kill too; 2 after an "
      "error; 130 (Ctrl-C) or 143 (kill) when a signal came before there was anything to read, or a second one while "
      "it ended.\n\n"
      "Examples:\n"
      "  sudo rocetop live -i eth0\n"
      "  sudo rocetop live -i any --once --json | jq '.findings[].title'\n"
      "  rocetop live -r write-loss.pcapng --speed 10\n"
      "  ssh host tcpdump -U -w - udp port 4791 or 4794 | rocetop live -r -");
  return command;
}

int run_live(const LiveOptions& options) {
  auto monitor_options = interpret(options);
  if (!monitor_options) return complain(monitor_options.error()), kExitError;
  auto filter = filter_of(options.words);
  if (!filter) return complain(filter.error()), kExitError;
  if (auto done = check_sort(options.sort); !done) return complain(done.error()), kExitError;
  if (auto done = check_find(options.find); !done) return complain(done.error()), kExitError;
  stop_on_interrupt();
  const bool on_screen = !options.once && !options.json && TerminalView::possible();
  if (!on_screen) warn_of_screen_options(options);
  LiveInputOptions input_options = input_of(options, filter.value(), monitor_options->interval);
  input_options.at_once = on_screen;
  auto input = open_live_input(input_options, options.typed);
  if (!input && interrupted()) return complain("interrupted before anything was read"), interrupted_status();
  if (!input) return complain(input.error()), kExitError;
  if (!input->chosen.empty() && !on_screen) complain(input->chosen);
  if (input->live != nullptr) {
    if (auto done = give_up_rights(on_screen || !options.write.empty()); !done)
      return complain(done.error()), kExitError;
  }
  if (!input->judges_filter) monitor_options->analysis.filter = filter.value();
  monitor_options->live = input->live;
  // Somebody who looks wants the newest; a script wants each.
  monitor_options->lossless = input->is_replay && !on_screen;
  monitor_options->follows_connections = on_screen;
  monitor_options->endless = !input->is_replay;
  const engine::LiveMonitorOptions looked_at = monitor_options.value();
  if (on_screen) pace_for_screen(input.value(), monitor_options.value());
  auto monitor = engine::LiveMonitor::create(std::move(input->source), monitor_options.value());
  if (!monitor) return complain(monitor.error()), kExitError;
  // With the rights that are left: the files belong to whoever called sudo.
  auto recording = open_recording(options, input->is_replay);
  if (!recording) return complain(recording.error()), kExitError;
  (*monitor)->record(recording.value());
  auto screen = on_screen ? open_screen(options, looked_at, input.value(), recording.value()) : nullptr;
  const bool written = screen ? look(**monitor, options, *screen) : print(**monitor, options, recording.value());
  const bool broken = input->live == nullptr && report_problems((*monitor)->source());
  return written && !broken ? kExitOk : kExitError;
}

}  // namespace rocetop::cli
