// SPDX-License-Identifier: BSD-3-Clause
#include "present/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

#include "base/duration_text.h"
#include "base/number_text.h"
#include "model/words.h"
#include "present/peers_text.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using verdict::Finding;
using verdict::Severity;

constexpr std::size_t kIndent = 4;
constexpr std::size_t kFurtherIn = 4;     // what belongs to a consequence, under its title
constexpr std::size_t kProseWidth = 110;  // longer lines tire the eye, however wide the terminal is
constexpr std::size_t kCausesShown = 30;  // a report is read, not scrolled
constexpr std::size_t kConsequencesShown = 4;
constexpr std::size_t kConnectionsShown = 12;

std::string upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

class FindingsText {
 public:
  FindingsText(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink)
      : snapshot_(snapshot), style_(style), all_(all), several_files_(snapshot.files.size() > 1), sink_(sink) {
    style_.width = std::min(style_.width, kProseWidth);
    for (const Finding& f : snapshot.findings) by_id_.emplace(f.id, &f);
    for (const Finding& f : snapshot.findings) {
      if (is_consequence(f)) consequences_[root(f)].push_back(&f);
    }
  }

  void write() const {
    std::size_t shown = 0;
    std::size_t hidden = 0;
    for (const Finding& f : snapshot_.findings) {
      if (root(f) != f.id) continue;
      if (!all_ && shown >= kCausesShown) {
        ++hidden;
        continue;
      }
      if (shown++ != 0) sink_("\n");
      cause(f);
    }
    if (hidden != 0) {
      sink_("\n" + paragraph(style_,
                             {{fmt::format("{} not shown (--all)", plural(hidden, "further finding")), Tone::kQuiet}},
                             0, 2));
    }
  }

 private:
  bool is_consequence(const Finding& f) const { return root(f) != f.id; }

  /// The finding at the start of the chain of causes; itself when there is none, or when the chain is a circle.
  std::uint32_t root(const Finding& f) const {
    const Finding* at = &f;
    for (std::size_t steps = 0; at->caused_by && steps <= by_id_.size(); ++steps) {
      const auto next = by_id_.find(*at->caused_by);
      if (next == by_id_.end()) return at->id;
      at = next->second;
      if (at == &f) return f.id;
    }
    return at->caused_by ? f.id : at->id;
  }

  void cause(const Finding& f) const {
    title(f);
    details(f, kIndent);
    const auto found = consequences_.find(f.id);
    if (found == consequences_.end()) return;
    std::size_t hidden = 0;
    for (std::size_t i = 0; i < found->second.size(); ++i) {
      if (all_ || i < kConsequencesShown) {
        consequence(*found->second[i]);
      } else {
        ++hidden;
      }
    }
    if (hidden != 0) {
      block({{fmt::format("└ {} not shown (--all)", plural(hidden, "further consequence")), Tone::kQuiet}}, kIndent, 2);
    }
  }

  void title(const Finding& f) const {
    const std::string mark = fmt::format("{} {}", severity_mark(f.severity), upper(model::word(f.severity)));
    sink_(paragraph(style_, {{mark, severity_tone(f.severity)}, {keep_together(f.title), Tone::kStrong}}, 0, kIndent));
  }

  void details(const Finding& f, std::size_t indent) const {
    if (!f.explanation.empty()) block({{keep_together(f.explanation), Tone::kPlain}}, indent);
    if (!f.ruled_out.empty()) block({{"ruled out: " + joined(f.ruled_out, "; "), Tone::kPlain}}, indent);
    block({{evidence(f), Tone::kQuiet}}, indent);
    for (const std::string& step : f.next_steps) block({{keep_together("→ " + step), Tone::kInfo}}, indent, 2);
  }

  /// A line under its cause; with --all a finding of its own, one step further in.
  void consequence(const Finding& f) const {
    std::string text = keep_together(f.title);
    if (all_) {
      sink_("\n");
    } else if (!f.frames.empty()) {
      text += " (" + first_frames(f) + ")";
    }
    block({{"└ consequence,", Tone::kQuiet},
           {std::string(model::word(f.severity)) + ":", severity_tone(f.severity)},
           {text, all_ ? Tone::kStrong : Tone::kPlain}},
          kIndent, 2);
    if (all_) details(f, kIndent + kFurtherIn);
  }

  /// A paragraph; its lines after the first are indented by `hanging` more.
  void block(const std::vector<Span>& spans, std::size_t indent, std::size_t hanging = 0) const {
    sink_(std::string(indent, ' ') + paragraph(style_, spans, indent, indent + hanging));
  }

  std::string evidence(const Finding& f) const {
    std::vector<std::string> parts;
    if (!f.frames.empty()) parts.push_back(frames(f));
    if (f.first_time && f.last_time) parts.push_back(when_text(snapshot_, *f.first_time, *f.last_time));
    if (!f.connections.empty()) parts.push_back(connections(f));
    if (f.confidence != verdict::Confidence::kHigh) {
      parts.push_back("confidence\u00A0" + std::string(model::word(f.confidence)));
    }
    parts.push_back("rule\u00A0" + f.rule);
    return joined(parts, "\u00A0· ");
  }

  std::string frames(const Finding& f) const {
    std::vector<std::string> parts(f.frames.size());
    std::transform(f.frames.begin(), f.frames.end(), parts.begin(),
                   [this](FrameId frame) { return frame_text(frame, several_files_); });
    std::string text = (f.frames.size() == 1 ? "packet\u00A0" : "packets\u00A0") + joined(parts, ", ");
    const std::uint64_t total = std::max<std::uint64_t>(f.frames_total, f.frames.size());
    if (total > parts.size()) text += fmt::format(" (of\u00A0{})", grouped(total));
    return text;
  }

  /// "packets #126, #127 … #1540": a consequence is a line, not a proof.
  std::string first_frames(const Finding& f) const {
    constexpr std::size_t kFew = 3;
    if (f.frames.size() <= kFew) return frames(f);
    return fmt::format("packets\u00A0{}, {}\u00A0…\u00A0{}", frame_text(f.frames[0], several_files_),
                       frame_text(f.frames[1], several_files_), frame_text(f.frames.back(), several_files_));
  }

  static std::string connections(const Finding& f) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < f.connections.size() && i < kConnectionsShown; ++i) {
      parts.push_back(std::to_string(f.connections[i]));
    }
    std::string text = (f.connections.size() == 1 ? "connection\u00A0" : "connections\u00A0") + joined(parts, ", ");
    if (f.connections.size() > kConnectionsShown) {
      text += fmt::format(" and {} more", grouped(f.connections.size() - kConnectionsShown));
    }
    return text;
  }

  static std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    return fmt::format("{}", fmt::join(parts, between));
  }

  const model::Snapshot& snapshot_;
  TextStyle style_;
  const bool all_;
  const bool several_files_;
  const TextSink& sink_;
  std::unordered_map<std::uint32_t, const Finding*> by_id_;
  std::unordered_map<std::uint32_t, std::vector<const Finding*>> consequences_;  // by the id of the root
};

}  // namespace

std::string when_text(const model::Snapshot& snapshot, Nanos first, Nanos last) {
  const Nanos start = snapshot.start.value_or(snapshot.capture.first_time.value_or(Nanos{}));
  if (first < start) return fmt::format("until\u00A0+{}", duration_above(last - start));  // the clock went back
  if (first == last) return fmt::format("at\u00A0+{}", duration_below(first - start));
  return fmt::format("+{}\u00A0to\u00A0+{}", duration_below(first - start), duration_above(last - start));
}

std::string_view severity_mark(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "●";
    case Severity::kWarning:
      return "▲";
    case Severity::kCritical:
      return "✖";
  }
  return "?";
}

Tone severity_tone(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return Tone::kInfo;
    case Severity::kWarning:
      return Tone::kWarning;
    case Severity::kCritical:
      return Tone::kCritical;
  }
  return Tone::kPlain;
}

void write_findings(const model::Snapshot& snapshot, const TextStyle& style, bool all, const TextSink& sink) {
  FindingsText(snapshot, style, all, sink).write();
}

}  // namespace rocetop::present
