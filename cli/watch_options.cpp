// SPDX-License-Identifier: BSD-3-Clause
#include "watch_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "base/duration_text.h"
#include "options.h"

namespace rocetop::cli {

void add_input_options(CLI::App& command, WatchOptions& o, const std::string& default_interface) {
  const std::string group = "Input";
  command.add_option("FILTER", o.words.plain, "Filter (BPF, see pcap-filter(7)), in addition to: is RoCE");
  command
      .add_option("-i,--interface", o.interfaces,
                  "Watch this interface (repeatable), or any. Default: " + default_interface)
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->group(group);
  command
      .add_option("-r", o.words.read_files,
                  "Replay a capture instead, as if it were happening; - is standard input (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->group(group);
  command.add_option("--speed", o.speed, "Of a replay: 1 as it was captured (default), 10, max")
      ->type_name("N")
      ->group(group);
  command.add_option("-f,--filter", o.words.filter_option, "The same as FILTER or -- FILTER")
      ->type_name("FILTER")
      ->group(group);
}

void add_capture_options(CLI::App& command, WatchOptions& o) {
  const std::string group = "Input";
  command.add_option("-s,--snaplen", o.snap_length, "Bytes captured of each frame (default 256: all headers)")
      ->type_name("N")
      ->check(CLI::Range(64, 262'144))
      ->group(group);
  add_decode_options(command, o.roce_ports, o.no_icrc, o.veroce, group);
  command.add_flag("-n", o.numeric, "Accepted for tcpdump's sake: no names are looked up")->group(group);
}

void add_look_often_options(CLI::App& command, WatchOptions& o) {
  const std::string group = "Output";
  command.add_option("--interval", o.interval, "Time between two looks (default 1s)")->type_name("TIME")->group(group);
  command.add_option("--window", o.window, "Findings are active for so long after they were last seen (default 30s)")
      ->type_name("TIME")
      ->group(group);
  command
      .add_option("--max-connections", o.connections_most,
                  "Follow so many at one time (default 10000); the least recently active leave, and are counted")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000))
      ->group(group);
}

namespace {

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace

Result<Nanos> time_of(const std::string& option, const std::string& text, Nanos least) {
  const auto time = parse_duration(text);
  if (!time) return Error{option + " " + text + ": not a time", "Give for example 500ms, 30s or 5m."};
  if (*time < least) return Error{option + " " + text + ": less than " + exact_duration(least), ""};
  return *time;
}

LiveInputOptions input_of(const WatchOptions& options, const std::string& filter, Nanos interval) {
  LiveInputOptions input;
  input.interfaces = options.interfaces;
  input.files = options.words.read_files;
  if (!options.speed.empty()) input.speed = options.speed;
  input.filter = filter;
  input.roce_ports = options.roce_ports;
  input.snap_length = options.snap_length;
  input.interval = interval;
  return input;
}

Result<engine::LiveMonitorOptions> interpret_watch(const WatchOptions& options) {
  if (!options.words.plain.empty() && is_file(options.words.plain.front())) {
    const std::string& file = options.words.plain.front();
    return Error{file + " is a file, and plain words are a filter here", "To replay a capture: -r " + file};
  }
  if (!options.words.read_files.empty() && !options.interfaces.empty()) {
    return Error{"-i and -r cannot be given together", "Watch interfaces, or replay a capture."};
  }
  if (!options.speed.empty() && options.words.read_files.empty()) {
    return Error{"--speed is that of a replay, and there is none", "Give a capture with -r."};
  }
  engine::LiveMonitorOptions out;
  out.analysis.decode.roce_ports = options.roce_ports;
  out.analysis.decode.verify_icrc = !options.no_icrc;
  if (auto done = apply(options.veroce, out.analysis.decode.veroce_layout); !done) return done.error();
  if (auto done = apply(options.fabric, out.analysis); !done) return done.error();
  if (auto done = apply(options.thresholds, out.analysis.thresholds); !done) return done.error();
  const auto interval = time_of("--interval", options.interval, milliseconds(100));
  if (!interval) return interval.error();
  out.interval = interval.value();
  const auto window = time_of("--window", options.window, seconds(1));
  if (!window) return window.error();
  out.window = window.value();
  out.connections_most = options.connections_most;
  out.version = ROCETOP_VERSION;
  out.files = options.words.read_files;
  return out;
}

}  // namespace rocetop::cli
