// SPDX-License-Identifier: BSD-3-Clause
// Options that subcommands share: which captures, which part of them, what to show, how it looks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bound.h"
#include "engine/analysis.h"
#include "inputs.h"
#include "model/selection.h"
#include "source/frame_source.h"
#include "veroce_options.h"
#include "watched_source.h"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace rocetop::cli {

/// As the command line gave them.
struct CommonOptions {
  Words words;
  std::string from;
  std::string to;
  std::optional<std::uint64_t> count;
  std::vector<std::uint16_t> roce_ports;
  bool no_icrc = false;
  VeroceOptions veroce;
  int numeric = 0;  ///< -n: nothing to do
  std::optional<std::uint32_t> connection;
  std::string host;
  std::string qp;
  std::string color = "auto";
  std::size_t width = 0;
  bool json = false;
  bool utc = false;
};

/// `count_help`: what -c counts.
void add_common_options(CLI::App& command, CommonOptions& options, const std::string& count_help);

/// Refuses the empty word: somebody's variable was empty.
CLI::Validator not_empty();
/// A number of 1 or more; a UDP port. (CLI11's own words for what is wrong are hundreds of digits long.)
CLI::Validator at_least_one();
CLI::Validator a_port();

/// --color and --width.
void add_look_options(CLI::App& command, std::string& color, std::size_t& width);

/// --roce-port, --no-icrc and those of veRoCE, under the heading `group`.
void add_decode_options(CLI::App& command, std::vector<std::uint16_t>& roce_ports, bool& no_icrc, VeroceOptions& veroce,
                        const std::string& group);

/// What they mean.
struct Job {
  std::vector<std::string> files;
  model::Selection selection;
  std::string selection_text;  ///< "host 192.0.2.1"; empty for everything
  engine::Options engine;      ///< without the bounds that depend on the first frame
  std::optional<BoundText> from;
  std::optional<BoundText> to;

  /// " in what the filter, --from and --to let through"; empty when everything is analysed. Says nothing of -c.
  std::string part() const;
  bool several_files() const { return files.size() > 1; }
};

/// Errors: what does not make sense, in a sentence.
Result<Job> interpret(const CommonOptions& options);

/// An opened input with the analysis to run on it.
struct Run {
  std::unique_ptr<WatchedSource> source;
  std::unique_ptr<engine::Analysis> analysis;
};

/// Opens the files. `before_batch` as of WatchedSource.
Result<Run> open(const Job& job, std::function<bool()> before_batch);

/// "17" or "0x11".
std::optional<Qpn> parse_qpn(std::string_view text);

/// Prints the input's problems. True if one was fatal.
bool report_problems(const source::FrameSource& source);

}  // namespace rocetop::cli
