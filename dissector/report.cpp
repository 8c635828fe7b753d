// SPDX-License-Identifier: GPL-2.0-or-later
#include "report.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "analysis_state.h"
#include "model/selection.h"
#include "model/snapshot.h"
#include "present/connection_table.h"
#include "present/paint.h"
#include "present/text.h"
#include "present/triage_text.h"

namespace {

using namespace rocetop;

constexpr std::size_t kNarrowest = 40;  // narrower lines break the table

constexpr const char* kNoAnalysis =
    "There is no analysis of RoCE: no frame was read, or the preference (roce.analyze) is off.\n";

/// Wireshark hands over frames and little else. Said first, as the report of the file itself may know more.
constexpr const char* kSubset =
    "rocetop's analysis of the frames that Wireshark handed over; the capture's own count of drops and its link speeds "
    "are not known here. Options named below are those of `rocetop triage`.";

present::TextStyle style_of(const roce_report_options& options) {
  present::TextStyle style;
  style.width = options.width < kNarrowest ? kNarrowest : options.width;
  style.unicode = options.unicode;
  return style;
}

/// In one pass a packet was called by the number that its connection had then.
model::Selection selection_of(const roce_report_options& options, const dissector::Session& session) {
  model::Selection selection;
  selection.connections.emplace();
  for (std::size_t i = 0; i < options.stream_count; ++i) {
    selection.connections->insert(session.final_connection(options.streams[i]));
  }
  return selection;
}

void write_text(const model::Snapshot& whole, const model::Snapshot& shown, const roce_report_options& options,
                const present::TextSink& sink) {
  present::TriageTextOptions text;
  text.style = style_of(options);
  if (options.selection != nullptr) {
    text.selection = "connections with packets that match '" + std::string(options.selection) + "'";
  }
  sink(present::paragraph(text.style, {{kSubset}}, 0, 2));
  present::write_triage_text(whole, shown, text, sink);
}

std::string report_text(dissector::Session& session, const roce_report_options& options) {
  const model::Snapshot& whole = session.snapshot();
  std::string text;
  const present::TextSink sink = [&text](std::string_view piece) { text += piece; };
  std::optional<model::Snapshot> chosen;
  if (options.selection != nullptr) chosen = model::select(whole, selection_of(options, session));
  const model::Snapshot& shown = chosen ? *chosen : whole;
  switch (options.what) {
    case ROCE_REPORT_TEXT:
      write_text(whole, shown, options, sink);
      break;
    case ROCE_REPORT_TABLE:
      if (shown.connections.empty()) {
        return whole.connections.empty() ? "no RoCE connection\n" : "no RoCE connection has a packet that matches\n";
      }
      present::write_connection_table(shown, style_of(options), true, sink);
      break;
  }
  return text;
}

char* copy_of(std::string_view text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace

char* roce_report(roce_analysis* analysis, const roce_report_options* options) noexcept {
  try {
    if (analysis == nullptr || analysis->failed) return copy_of(kNoAnalysis);
    return copy_of(report_text(analysis->session, *options));
  } catch (...) {
    return nullptr;
  }
}

void roce_free_text(char* text) noexcept { std::free(text); }
