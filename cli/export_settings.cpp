// SPDX-License-Identifier: BSD-3-Clause
#include "export_settings.h"

#include <CLI/CLI.hpp>
#include <map>
#include <utility>

#include "message.h"
#include "web_config.h"

namespace rocetop::cli {
namespace {

void tell_protection(const Protection& before, const Protection& now) {
  if (before.tls != now.tls) complain(now.tls ? "TLS is on now" : "TLS is off now");
  if (before.passwords != now.passwords) {
    complain(now.passwords ? "passwords are asked for now" : "passwords are not asked for any more");
  }
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

}  // namespace

Result<HttpPolicy> read_policy(const std::string& path, FileWatch& watch, const std::optional<Protection>& now) {
  if (path.empty()) return HttpPolicy{};
  auto config = read_web_config(path, [&](const std::string& file) { watch.watch({file}); });
  if (!config) return config.error();
  if (config->empty && now && (now->tls || now->passwords)) {
    return Error{path + ": holds nothing: TLS and passwords would be off",
                 "If that is meant, restart rocetop, or write http_server_config: {} into it."};
  }
  return make_policy(config.value());
}

ExportSettings::ExportSettings(const ExportOptions& options, Exporter& exporter, FileWatch watch, Protection protection)
    : options_(options), exporter_(exporter), watch_(std::move(watch)), protection_(protection) {
  auto words = export_words(options_);
  if (words) words_ = std::move(words.value());
}

void ExportSettings::read_again() {
  watch_.again();
  const auto done = take_all();
  exporter_.metrics().count_reload(static_cast<bool>(done));
  if (done) return complain("configuration read again");
  complain(done.error());
  complain("the configuration stays as it was");
}

Result<Done> ExportSettings::take_all() {
  auto words = export_words(options_);
  if (!words) return words.error();
  ExportOptions next;
  if (auto done = parse(words.value(), next); !done) return done.error();
  auto plan = interpret_export(next);
  if (!plan) return Error{where() + plan.error().message, plan.error().hint};
  auto policy = read_policy(next.web_config, watch_, protection_);
  if (!policy) return policy.error();
  const Protection protection(policy.value());
  exporter_.server().set_policy(std::move(policy.value()));
  tell_protection(std::exchange(protection_, protection), protection);
  for (const std::string& name : changed_options(words_, words.value())) take(name, next, plan.value());
  words_ = std::move(words.value());
  return Done{};
}

Result<Done> ExportSettings::parse(const std::vector<std::string>& words, ExportOptions& into) const {
  CLI::App app;
  add_export(app, into);
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  reversed.emplace_back("export");
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return Error{where() + error.what(), ""};
  }
  into.words.after_dashes = options_.words.after_dashes;
  return Done{};
}

void ExportSettings::take(const std::string& name, const ExportOptions& next, const ExportPlan& plan) {
  if (name == "--interval") {
    exporter_.monitor().set_interval(plan.monitor.interval);
    complain("--interval is " + next.interval + " now");
  } else if (name == "--web.config.file") {
    complain("--web.config.file is " + (next.web_config.empty() ? "none" : next.web_config) + " now");
  } else {
    complain(name + " has changed in " + options_.config + ": that takes a restart");
  }
}

}  // namespace rocetop::cli
