// SPDX-License-Identifier: BSD-3-Clause
#include "present/triage_text.h"

#include <fmt/format.h>

#include "base/number_text.h"
#include "base/time_text.h"
#include "present/connection_table.h"
#include "present/delay_text.h"
#include "present/finding_text.h"
#include "present/honesty_text.h"
#include "present/path_table.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

constexpr std::size_t kFilesNamed = 8;
constexpr std::size_t kToldInFull = 2;  // connections that were asked for, whose times are told

/// "early_wait 5ms (default 1ms)"; "" if all have their defaults.
std::string changed_thresholds(const verdict::Thresholds& thresholds) {
  std::string text;
  for (const verdict::ThresholdFacts& facts : verdict::kThresholds) {
    const std::string value = verdict::threshold_text(facts, thresholds);
    const std::string usual = verdict::threshold_text(facts, verdict::Thresholds{});
    if (value == usual) continue;
    text += fmt::format("{}{} {} (default {})", text.empty() ? "" : ", ", facts.name, value, usual);
  }
  return text;
}

/// The files, when, and what else is in them.
std::string about_input(const model::Snapshot& snapshot, Zone zone) {
  std::string text;
  const bool several = snapshot.files.size() > 1;
  for (std::size_t i = 0; i < snapshot.files.size() && i < kFilesNamed; ++i) {
    if (i != 0) text += ", ";
    const std::string name = snapshot.files[i] == "-" ? "standard input" : snapshot.files[i];
    text += several ? fmt::format("file {}: {}", i + 1, name) : name;
  }
  if (snapshot.files.size() > kFilesNamed) text += fmt::format(" and {} more", snapshot.files.size() - kFilesNamed);
  if (snapshot.capture.first_time) {
    text += fmt::format("{}from {}", text.empty() ? "" : "; ", rfc3339(*snapshot.capture.first_time, zone));
  }
  const std::string changed = changed_thresholds(snapshot.thresholds);
  if (!changed.empty()) text += "; thresholds set: " + changed;
  const std::string also = also_there(snapshot.capture);
  if (!also.empty()) text += "; also " + also;
  const std::string congestion = congestion_text(snapshot);
  if (!congestion.empty()) text += "; " + congestion;
  return text;
}

}  // namespace

void write_triage_text(const model::Snapshot& whole, const model::Snapshot& shown, const TriageTextOptions& options,
                       const TextSink& sink) {
  const TextStyle& style = options.style;
  std::vector<Span> first = {{"capture:", Tone::kQuiet}};
  for (Span& span : honesty_spans(whole)) first.push_back(std::move(span));
  sink(paragraph(style, first, 0, 2));
  const std::string about = about_input(whole, options.zone);
  if (!about.empty()) sink(paragraph(style, {{about, Tone::kQuiet}}, 0, 2));
  if (!options.selection.empty()) {
    const std::string text =
        fmt::format("showing only {}: {} of {}", options.selection, grouped(shown.connections.size()),
                    plural(whole.connections.size(), "connection"));
    sink(paragraph(style, {{text, Tone::kStrong}}, 0, 2));
  }
  sink("\n");
  if (whole.capture.roce_frames == 0) {
    sink(no_roce_text(whole, style));
    if (shown.findings.empty()) return;
    sink("\n");
  }
  if (shown.findings.empty()) {
    sink(no_findings_text(shown, style));
  } else {
    write_findings(shown, style, options.all, sink);
  }
  if (shown.connections.empty()) return;
  sink("\n");
  write_connection_table(shown, style, options.all, sink);
  write_path_tables(shown, style, options.all, sink);
  if (options.selection.empty() || shown.connections.size() > kToldInFull) return;
  for (const auto& c : shown.connections) write_delays_text(c, shown.thresholds, style, sink);
}

}  // namespace rocetop::present
