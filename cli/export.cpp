// SPDX-License-Identifier: BSD-3-Clause
#include "export.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "exit_status.h"
#include "export_config.h"
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
constexpr std::size_t kConnectionRowsMost = 1'000;

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

/// "top=N".
Result<std::size_t> connection_rows(const std::string& text) {
  if (text.empty()) return std::size_t{0};
  const Error wrong{"--per-connection " + text + ": not understood", "Give top=N with N from 1 to 1000, as top=50."};
  if (!text.starts_with("top=")) return wrong;
  std::size_t rows = 0;
  const auto [end, error] = std::from_chars(text.data() + 4, text.data() + text.size(), rows);
  if (error != std::errc{} || end != text.data() + text.size()) return wrong;
  if (rows < 1 || rows > kConnectionRowsMost) return wrong;
  return rows;
}

/// What the options mean.
struct Plan {
  engine::LiveMonitorOptions monitor;
  Nanos interval;  ///< between two looks, on the wall's clock; the monitor's is on that of the packets
  present::MetricsOptions metrics;
  std::vector<ListenAddress> addresses;
  std::string filter;
};

Result<Plan> interpret(const ExportOptions& options) {
  Plan plan;
  auto monitor = interpret_watch(options);
  if (!monitor) return monitor.error();
  plan.monitor = std::move(monitor.value());
  // For ever: lists make room, and intervals go by when nothing comes.
  plan.monitor.endless = true;
  plan.interval = plan.monitor.interval;
  const auto speed = parse_speed(options.speed.empty() ? "1" : options.speed);
  if (!speed) return speed.error();
  // Time between two looks is that of whoever scrapes; at full speed nobody could tell them apart.
  const double pace = options.words.read_files.empty() || speed.value() <= 0 ? 1 : speed.value();
  plan.monitor.interval.count = std::max<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(plan.monitor.interval.count) * pace), 1'000'000);
  plan.monitor.first_interval = std::min(plan.monitor.interval, milliseconds(250));
  const auto timeout = time_of("--series-timeout", options.series_timeout, seconds(1));
  if (!timeout) return timeout.error();
  const auto rows = connection_rows(options.per_connection);
  if (!rows) return rows.error();
  plan.metrics.pair_histograms = options.pair_histograms;
  plan.metrics.series_most = options.series_most;
  plan.monitor.ledger = present::that_fit({options.pairs_most, rows.value(), timeout.value()}, plan.metrics);
  const std::string& path = options.metrics_path;
  if (path == "/" || path == "/healthz" || path.starts_with("/-/")) {
    return Error{"--web.telemetry-path " + path + ": taken by what else is served", "Give for example /metrics."};
  }
  if (!path.starts_with('/') || path.find_first_of("?# \"'<>\\") != std::string::npos) {
    return Error{"--web.telemetry-path " + path + ": not a path", "Give for example /metrics."};
  }
  const auto texts =
      options.listen_addresses.empty() ? std::vector<std::string>{kListenAddress} : options.listen_addresses;
  for (const std::string& text : texts) {
    auto address = parse_listen_address(text);
    if (!address) return address.error();
    // The same one twice would be said to be taken by somebody else.
    const bool again = address->port != 0 && std::find(&texts.front(), &text, text) != &text;
    if (!again) plan.addresses.push_back(std::move(address.value()));
  }
  auto filter = filter_of(options.words);
  if (!filter) return filter.error();
  plan.filter = std::move(filter.value());
  return plan;
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

/// `watch` gets the file and those that it names, before each is read; also if they cannot be used then.
Result<HttpPolicy> read_policy(const std::string& path, FileWatch& watch) {
  if (path.empty()) return HttpPolicy{};
  auto config = read_web_config(path, [&](const std::string& file) { watch.watch({file}); });
  if (!config) return config.error();
  return make_policy(config.value());
}

/// Options in which `before` and `after` differ, by their long names.
std::vector<std::string> changed_options(const std::vector<std::string>& before,
                                         const std::vector<std::string>& after) {
  std::map<std::string, std::pair<std::vector<std::string>, std::vector<std::string>>> values;
  const auto name_of = [](const std::string& word) { return word.substr(0, word.find('=')); };
  for (const std::string& word : before) values[name_of(word)].first.push_back(word);
  for (const std::string& word : after) values[name_of(word)].second.push_back(word);
  std::vector<std::string> out;
  for (const auto& [name, both] : values) {
    if (both.first != both.second) out.push_back(name);
  }
  return out;
}

/// What is read again at run time.
class Settings {
 public:
  Settings(const ExportOptions& options, Exporter& exporter, FileWatch watch)
      : options_(options), exporter_(exporter), watch_(std::move(watch)) {
    auto words = export_words(options_.arguments);
    if (words) words_ = std::move(words.value());
  }

  bool changed() { return watch_.changed(); }

  void read_again() {
    watch_.again();
    const bool good = read_options() && read_web();
    exporter_.metrics().count_reload(good);
    if (good) complain("configuration read again");
  }

 private:
  bool read_options() {
    if (options_.config.empty()) return true;
    auto words = export_words(options_.arguments);
    if (!words) return complain_kept(words.error());
    ExportOptions next;
    CLI::App app;
    add_export(app, next);
    std::vector<std::string> reversed(words->rbegin(), words->rend());
    reversed.emplace_back("export");
    try {
      app.parse(reversed);
    } catch (const CLI::ParseError& error) {
      return complain_kept({options_.config + ": " + error.what(), ""});
    }
    auto plan = interpret(next);
    if (!plan) return complain_kept(plan.error());
    for (const std::string& name : changed_options(words_, words.value())) {
      if (name == "--interval") {
        exporter_.monitor().set_interval(plan->monitor.interval);
        complain("--interval is " + next.interval + " now");
      } else if (name == "--web.config.file") {
        options_.web_config = next.web_config;
        complain("--web.config.file is " + (next.web_config.empty() ? "none" : next.web_config) + " now");
      } else {
        complain(name + " has changed in " + options_.config + ": that takes a restart");
      }
    }
    words_ = std::move(words.value());
    return true;
  }

  bool read_web() {
    auto policy = read_policy(options_.web_config, watch_);
    if (!policy) return complain_kept(policy.error());
    exporter_.server().set_policy(std::move(policy.value()));
    return true;
  }

  static bool complain_kept(const Error& error) {
    complain(error);
    complain("the configuration stays as it was");
    return false;
  }

  ExportOptions options_;
  Exporter& exporter_;
  std::vector<std::string> words_;
  FileWatch watch_;
};

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
bool follow(Exporter& exporter, Settings& settings, bool is_live) {
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

ExporterOptions exporter_options(const ExportOptions& options, const Plan& plan, const LiveInput& input) {
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

Result<LiveInput> open_input(const ExportOptions& options, const Plan& plan) {
  LiveInputOptions input = input_of(options, plan.filter, plan.monitor.interval);
  input.every_adapter = true;
  if (options.loop) input.loop_silence = plan.monitor.silent + seconds(1);
  return open_live_input(input, options.typed);
}

int serve(const ExportOptions& options, Plan& plan, LiveInput input, std::vector<ListeningSocket> sockets) {
  FileWatch watch;
  if (!options.config.empty()) watch.watch({options.config});
  auto policy = read_policy(options.web_config, watch);
  if (!policy) return complain(policy.error()), kExitError;
  const bool tls = policy->tls != nullptr;
  const bool is_live = input.live != nullptr;
  if (!input.judges_filter) plan.monitor.analysis.filter = plan.filter;
  plan.monitor.live = input.live;
  const ExporterOptions exporter_settings = exporter_options(options, plan, input);
  auto monitor = engine::LiveMonitor::create(std::move(input.source), plan.monitor);
  if (!monitor) return complain(monitor.error()), kExitError;
  std::vector<std::string> urls;
  urls.reserve(sockets.size());
  for (const ListeningSocket& socket : sockets) urls.push_back(url_of(socket, tls, options.metrics_path));
  Exporter exporter(std::move(monitor.value()), exporter_settings);
  exporter.start(std::move(sockets), std::move(policy.value()));
  for (const std::string& url : urls) complain("serving " + url);
  Settings settings(options, exporter, std::move(watch));
  const bool good = follow(exporter, settings, is_live);
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
      "SIGHUP reads --web.config.file and --config again; a changed web configuration, certificate or key is noticed "
      "within seconds. Of --config's options --interval and --web.config.file follow at once, others take a restart, "
      "which is logged. SIGTERM and Ctrl-C end it; answers that have begun may end for a second.\n\n"
      "Exit status: 0, after signals too; 2 after an error, or if the input was broken. A capture that has ended is "
      "served on, with rocetop_up 0.\n\n"
      "Examples:\n"
      "  sudo rocetop export\n"
      "  sudo rocetop export -i eth0 --web.config.file web.yml\n"
      "  rocetop export -r write-loss.pcapng --loop --web.listen-address 127.0.0.1:0\n"
      "  ssh host tcpdump -U -w - udp port 4791 | rocetop export -r -");
  return command;
}

Result<std::vector<std::string>> export_words(const std::vector<std::string>& words) {
  CLI::App app;
  ExportOptions ignored;
  std::vector<ConfigOption> names;
  for (const CLI::Option* option : add_export(app, ignored)->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name == "help" || name == "list-metrics") continue;  // what they do is done once, by somebody who is there
      names.push_back({name, option->get_snames(), option->get_items_expected_max() > 1});
    }
  }
  auto out = with_config_file(words, names);
  if (!out) return out.error();
  // What is wrong in the file is said to be of the file.
  std::vector<std::string> reversed(out->of_file.rbegin(), out->of_file.rend());
  reversed.emplace_back("export");
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return Error{config_file_of(words) + ": " + error.what(), ""};
  }
  return std::move(out->all);
}

int run_export(const ExportOptions& options) {
  if (!options.list_metrics.empty()) return list_metrics(options.list_metrics);
  auto plan = interpret(options);
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
