// SPDX-License-Identifier: BSD-3-Clause
// The settings of `rocetop export` that follow their files while it runs: who may ask, and a few options of --config.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "export.h"
#include "export_plan.h"
#include "exporter.h"
#include "file_watch.h"
#include "http_server.h"

namespace rocetop::cli {

/// What protects what is served.
struct Protection {
  explicit Protection(const HttpPolicy& policy) : tls(policy.tls != nullptr), passwords(!policy.users.empty()) {}
  bool tls;
  bool passwords;
};

/// `watch` gets the file and those that it names, before each is read; also if they cannot be used then. `now`: what
/// there is, which a file that somebody is about to write, or could not, does not take away.
Result<HttpPolicy> read_policy(const std::string& path, FileWatch& watch, const std::optional<Protection>& now);

/// What is read again at run time. All of it is taken, or nothing.
class ExportSettings {
 public:
  /// `watch`: what read_policy() gave it.
  ExportSettings(const ExportOptions& options, Exporter& exporter, FileWatch watch, Protection protection);

  /// A file of it did.
  bool changed() { return watch_.changed(); }
  /// Says how that went.
  void read_again();

 private:
  Result<Done> take_all();
  Result<Done> parse(const std::vector<std::string>& words, ExportOptions& into) const;
  void take(const std::string& name, const ExportOptions& next, const ExportPlan& plan);
  std::string where() const { return options_.config.empty() ? "" : options_.config + ": "; }

  const ExportOptions options_;
  Exporter& exporter_;
  std::vector<std::string> words_;
  FileWatch watch_;
  Protection protection_;
};

}  // namespace rocetop::cli
