// SPDX-License-Identifier: BSD-3-Clause
#include "export.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "adapter_watch.h"
#include "exit_status.h"
#include "export_config.h"
#include "export_plan.h"
#include "export_settings.h"
#include "exporter.h"
#include "file_watch.h"
#include "host/host_reader.h"
#include "interrupt.h"
#include "live_input.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "present/host_metrics.h"
#include "present/metric_list.h"
#include "present/metrics.h"
#include "privileges.h"
#include "source/input_name.h"

namespace rocetop::cli {
namespace {

constexpr std::chrono::milliseconds kGrace{1'000};      // for answers that have begun, at the end
constexpr std::chrono::milliseconds kLookAgain{1'000};  // at files that may have changed

void add_server_options(CLI::App& command, ExportOptions& o) {
  const std::string group = "Server";
  command
      .add_option("--web.listen-address", o.listen_addresses,
                  "Listen on [HOST]:PORT (repeatable); no host: all addresses, IPv4 and IPv6; port 0: any. Default "
                  ":14791")
      ->type_name("ADDRESS")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->group(group);
  command
      .add_option("--web.config.file", o.web_config,
                  "TLS, basic authentication, headers and a rate limit, in the format of Prometheus' exporters")
      ->type_name("FILE")
      ->check(not_empty())
      ->group(group);
  command.add_option("--web.telemetry-path", o.metrics_path, "Where the metrics are (default /metrics)")
      ->type_name("PATH")
      ->group(group);
  command
      .add_option("--config", o.config,
                  "Options of this list from a file, as max-pairs = 200; the command line wins over it")
      ->type_name("FILE")
      ->check(not_empty())
      ->group(group);
}

void add_metrics_options(CLI::App& command, ExportOptions& o) {
  const std::string group = "Metrics";
  command
      .add_option(
          "--max-pairs", o.pairs_most,
          "Series of their own for so many pairs of hosts (default 100, at most 10000); the rest share one row, "
          "other")
      ->type_name("N")
      ->check(CLI::Range(0, 10'000))
      ->group(group);
  command.add_option("--max-series", o.series_most, "Series of the capture at most (default 20000, up to 1000000)")
      ->type_name("N")
      ->check(CLI::Range(1'000, 1'000'000))
      ->group(group);
  command
      .add_option("--series-timeout", o.series_timeout,
                  "Series of a pair that is silent for so long end (default 10m), and go on where they were when it "
                  "comes back")
      ->type_name("TIME")
      ->group(group);
  command
      .add_option("--per-connection", o.per_connection,
                  "Series of single connections too: top=N, N at most 1000. Default: none")
      ->type_name("top=N")
      ->check(not_empty())
      ->group(group);
  command.add_flag("--pair-histograms", o.pair_histograms, "Histograms by pair of hosts, not only in all")
      ->group(group);
  command.add_flag("--no-host-counters", o.no_host_counters, "Without the adapters' and interfaces' own counters")
      ->group(group);
  command.add_flag("--list-metrics", o.list_metrics, "Print name, type and help of every metric, and end")
      ->group(group);
}

Result<std::vector<ListeningSocket>> listen_on_all(const std::vector<ListenAddress>& addresses) {
  std::vector<ListeningSocket> out;
  for (const ListenAddress& address : addresses) {
    auto sockets = listen_on(address);
    if (!sockets) return sockets.error();
    for (ListeningSocket& socket : sockets.value()) out.push_back(std::move(socket));
  }
  return out;
}

/// The server gets a fraction of what may be opened: an interface that comes back takes descriptors, too.
HttpLimits limits_for_this_process() {
  constexpr rlim_t kWanted = 1'024;
  constexpr rlim_t kOfCapture = 64;
  HttpLimits limits;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return limits;
  if (files.rlim_cur < kWanted) {
    files.rlim_cur = std::min(files.rlim_max, kWanted);
    setrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_NOFILE, &files);
  }
  const rlim_t left = files.rlim_cur > kOfCapture ? files.rlim_cur - kOfCapture : 4;
  limits.connections = std::min<std::size_t>(limits.connections, left);
  return limits;
}

/// Until the monitor has something, a signal comes, or it is time to look at files.
void wait_for_something(int monitor) {
  std::array<pollfd, 2> waiting = {{{monitor, POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}}};
  poll(waiting.data(), waiting.size(), static_cast<int>(kLookAgain.count()));
  drain_interrupt_pipe();
}

/// Says what changed about the interfaces.
void tell_changes(const model::LiveSnapshot& now, std::map<std::string, std::string>& known) {
  for (const model::LiveInterface& interface : now.interfaces) {
    const std::string state = interface.error.empty() ? std::string(word(interface.state)) : interface.error;
    auto [at, is_new] = known.try_emplace(interface.name, state);
    if (is_new ? interface.state == model::LinkState::kUp && interface.error.empty() : at->second == state) continue;
    at->second = state;
    complain(source::input_name(interface.name) + (interface.error.empty() ? " is " : ": ") + state);
  }
}

/// Until a signal ends it. False if the input ended by itself with a fault.
bool follow(Exporter& exporter, ExportSettings& settings, std::optional<AdapterWatch> adapters, bool is_live) {
  std::map<std::string, std::string> interfaces;
  bool good = true;
  auto last_look = std::chrono::steady_clock::now();
  while (!interrupted()) {
    wait_for_something(exporter.monitor().descriptor());
    if (const auto snapshot = exporter.look()) {
      tell_changes(*snapshot, interfaces);
      if (snapshot->final) {
        good = !report_problems(exporter.monitor().source());
        complain("the input has ended; what it held is served until somebody ends this");
      }
      if (snapshot->final && is_live) return false;
    }
    const bool asked = reload_wanted();
    const auto now = std::chrono::steady_clock::now();
    const bool due = now - last_look >= kLookAgain;
    if (due) last_look = now;
    if (due && adapters) {
      if (const auto news = adapters->look()) complain(*news);
      exporter.set_unwatched_interfaces(adapters->unwatched());
    }
    if (asked || (due && settings.changed())) settings.read_again();
  }
  return good;
}

std::string url_of(const ListeningSocket& socket, bool tls, const std::string& path) {
  return std::string(tls ? "https://" : "http://") + socket.address() + path;
}

/// Names of what is watched.
std::vector<std::string> inputs_of(const ExportOptions& options, const LiveInput& input) {
  std::vector<std::string> names;
  const auto& given = options.words.read_files.empty() ? input.interfaces : options.words.read_files;
  names.reserve(given.size());
  for (const std::string& name : given) names.push_back(source::input_name(name));
  return names;
}

ExporterOptions exporter_options(const ExportOptions& options, const ExportPlan& plan, const LiveInput& input) {
  ExporterOptions out;
  out.limits = limits_for_this_process();
  out.metrics_path = options.metrics_path;
  out.inputs = inputs_of(options, input);
  out.render = [metrics = plan.metrics](const model::LiveSnapshot& snapshot) {
    return present::metrics_text(present::metric_families(snapshot, metrics));
  };
  if (options.no_host_counters) return out;
  host::HostReaderOptions reader;
  reader.interval =
      std::chrono::milliseconds(std::max<std::int64_t>(plan.interval.count / 1'000'000, reader.interval.count()));
  if (input.live != nullptr) reader.roots.also = input.interfaces;
  out.more = [host = std::make_shared<host::HostReader>(reader)] {
    const auto [reading, age] = host->latest();
    return reading ? present::host_metric_families(*reading, age) : std::vector<prometheus::MetricFamily>();
  };
  return out;
}

Result<LiveInput> open_input(const ExportOptions& options, const ExportPlan& plan) {
  LiveInputOptions input = input_of(options, plan.filter, plan.monitor.interval);
  input.every_adapter = true;
  if (options.loop) input.loop_silence = plan.monitor.silent + seconds(1);
  return open_live_input(input, options.typed);
}

int serve(const ExportOptions& options, ExportPlan& plan, LiveInput input, std::vector<ListeningSocket> sockets) {
  FileWatch watch;
  if (!options.config.empty()) watch.watch({options.config});
  auto policy = read_policy(options.web_config, watch, std::nullopt);
  if (!policy) return complain(policy.error()), kExitError;
  const bool tls = policy->tls != nullptr;
  const bool is_live = input.live != nullptr;
  std::optional<AdapterWatch> adapters;
  if (is_live && options.interfaces.empty()) adapters.emplace(input.interfaces);
  if (!input.judges_filter) plan.monitor.analysis.filter = plan.filter;
  plan.monitor.live = input.live;
  const ExporterOptions exporter_settings = exporter_options(options, plan, input);
  auto monitor = engine::LiveMonitor::create(std::move(input.source), plan.monitor);
  if (!monitor) return complain(monitor.error()), kExitError;
  std::vector<std::string> urls;
  urls.reserve(sockets.size());
  for (const ListeningSocket& socket : sockets) urls.push_back(url_of(socket, tls, options.metrics_path));
  Exporter exporter(std::move(monitor.value()), exporter_settings);
  const Protection protection(policy.value());
  exporter.start(std::move(sockets), std::move(policy.value()));
  for (const std::string& url : urls) complain("serving " + url);
  ExportSettings settings(options, exporter, std::move(watch), protection);
  const bool good = follow(exporter, settings, std::move(adapters), is_live);
  exporter.stop(kGrace);
  return good ? kExitOk : kExitError;
}

int list_metrics(const std::string& form) {
  const bool as_text = form == "true" || form == "text";
  if (!as_text && form != "markdown") {
    return complain("--list-metrics=" + form + ": not a form", "There are: text, markdown."), kExitError;
  }
  std::vector<present::MetricTable> tables = present::metric_tables();
  tables.push_back({"This machine's own counters", present::host_metrics()});
  tables.push_back({"The exporter itself", ExporterMetrics::facts()});
  Output output;
  output.write(as_text ? present::metric_list_text(tables) : present::metric_list_markdown(tables));
  return output.finish() ? kExitOk : kExitError;
}

}  // namespace

CLI::App* add_export(CLI::App& app, ExportOptions& options) {
  CLI::App* command = app.add_subcommand("export", "Serve what goes on as metrics for Prometheus");
  add_input_options(*command, options, "every one with an RDMA device");
  command->add_flag("--loop", options.loop, "Replay the captures again and again, in time that goes on")
      ->group("Input");
  add_capture_options(*command, options);
  add_server_options(*command, options);
  add_metrics_options(*command, options);
  add_look_often_options(*command, options);
  add_fabric_options(*command, options.fabric);
  add_threshold_options(*command, options.thresholds);
  command->footer(
      "It prints the address that it serves, and logs to standard error. Paths: /metrics, / for people, /-/healthy and "
      "/healthz (the process lives), /-/ready (there is something to scrape, and an interface is up).\n\n"
      "SIGHUP reads --web.config.file and --config again; that one of them has changed, or a certificate or key, is "
      "noticed within seconds. Of --config's options --interval and --web.config.file follow at once, others take a "
      "restart, "
      "which is logged. SIGTERM and Ctrl-C end it; answers that have begun may end for a second.\n\n"
      "Exit status: 0, after signals too; 2 after an error, or if the input was broken. A capture that has ended is "
      "served on, with rocetop_up 0.\n\n"
      "Examples:\n"
      "  sudo rocetop export\n"
      "  sudo rocetop export -i eth0 --web.config.file web.yml\n"
      "  rocetop export -r write-loss.pcapng --loop --web.listen-address 127.0.0.1:0\n"
      "  ssh host tcpdump -U -w - udp port 4791 or 4794 | rocetop export -r -");
  return command;
}

Result<std::vector<std::string>> export_words(const ExportOptions& options) {
  CLI::App app;
  ExportOptions ignored;
  CLI::App* command = add_export(app, ignored);
  const auto parse = [&](const std::vector<std::string>& words) {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    reversed.emplace_back("export");
    app.parse(reversed);
  };
  try {
    parse(options.arguments);
  } catch (const CLI::ParseError&) {
    return options.arguments;  // who parses it next says what is wrong
  }
  const bool has_filter = !ignored.words.plain.empty() || !options.words.after_dashes.empty();
  std::vector<ConfigOption> names;
  for (const CLI::Option* option : command->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name == "help" || name == "list-metrics") continue;  // what they do is done once, by somebody who is there
      const bool given = option->count() > 0 || (name == "filter" && has_filter) ||
                         (name == "interface" && !ignored.words.read_files.empty());
      names.push_back({name, given, option->get_items_expected_max() > 1});
    }
  }
  auto of_file = words_of_config(ignored.config, names);
  if (!of_file) return of_file.error();
  // What is wrong in the file is said to be of the file.
  try {
    parse(of_file.value());
  } catch (const CLI::ParseError& error) {
    return Error{ignored.config + ": " + error.what(), ""};
  }
  of_file->insert(of_file->end(), options.arguments.begin(), options.arguments.end());
  return of_file;
}

int run_export(const ExportOptions& options) {
  if (!options.list_metrics.empty()) return list_metrics(options.list_metrics);
  auto plan = interpret_export(options);
  if (!plan) return complain(plan.error()), kExitError;
  if (options.loop && options.words.read_files.empty()) {
    return complain("--loop repeats captures: give them with -r"), kExitError;
  }
  stop_on_interrupt();
  reload_on_hangup();
  // First of all, as it may take rights that are given up, and fails fast.
  auto sockets = listen_on_all(plan->addresses);
  if (!sockets) return complain(sockets.error()), kExitError;
  auto input = open_input(options, plan.value());
  if (!input && interrupted()) return complain("interrupted before anything was read"), interrupted_status();
  if (!input) return complain(input.error()), kExitError;
  if (!input->chosen.empty()) complain(input->chosen);
  if (input->live != nullptr) {
    const bool reads_again = !options.web_config.empty() || !options.config.empty();
    if (auto done = give_up_rights(reads_again); !done) return complain(done.error()), kExitError;
  }
  return serve(options, plan.value(), std::move(input.value()), std::move(sockets.value()));
}

}  // namespace rocetop::cli
