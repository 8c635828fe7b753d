// SPDX-License-Identifier: BSD-3-Clause
#include "present/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

#include "base/number_text.h"
#include "base/time_text.h"
#include "model/totals.h"
#include "model/trouble.h"
#include "model/words.h"
#include "present/finding_text.h"
#include "present/honesty_text.h"
#include "present/peers_text.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using verdict::Finding;

constexpr std::size_t kFindingsShown = 15;  // what a ticket can carry
constexpr std::size_t kConnectionsShown = 15;
constexpr std::size_t kFramesShown = 8;
constexpr std::size_t kIdsShown = 12;

class Markdown {
 public:
  Markdown(const model::Snapshot& whole, const model::Snapshot& shown, const MarkdownOptions& options,
           const TextSink& sink)
      : whole_(whole), shown_(shown), options_(options), several_files_(whole.files.size() > 1), sink_(sink) {
    for (const Finding& f : shown.findings) by_id_.emplace(f.id, &f);
  }

  void write() {
    head();
    findings();
    connections();
  }

 private:
  void head() {
    std::string names;
    for (std::size_t i = 0; i < whole_.files.size() && i < kIdsShown; ++i) {
      const std::string& name = whole_.files[i];
      names += (i == 0 ? "" : ", ") + (name == "-" ? "standard input" : markdown_code(name));
    }
    if (whole_.files.size() > kIdsShown) names += fmt::format(" and {} more", whole_.files.size() - kIdsShown);
    sink_("## rocetop triage: " + names + "\n\n");
    std::string honesty;
    for (const Span& span : honesty_spans(whole_)) honesty += (honesty.empty() ? "" : " ") + span.text;
    sink_("**Capture:** " + markdown_text(honesty));
    if (whole_.capture.first_time) sink_(". From " + rfc3339(*whole_.capture.first_time));
    sink_(fmt::format(". By rocetop {}.\n", markdown_text(whole_.rocetop_version)));
    line("Also there", also_there(whole_.capture));
    line("Congestion", congestion_text(whole_));
    if (options_.selection.empty()) return;
    sink_(fmt::format("\n**Showing only {}:** {} of {} connections\n", markdown_text(options_.selection),
                      shown_.connections.size(), whole_.connections.size()));
  }

  /// A paragraph; none for nothing.
  void line(std::string_view name, const std::string& text) {
    if (!text.empty()) sink_(fmt::format("\n**{}:** {}\n", name, markdown_text(text)));
  }

  /// The finding at the start of the chain of causes; the id itself when there is none.
  std::uint32_t root(const Finding& f) const {
    const Finding* at = &f;
    for (std::size_t steps = 0; at->caused_by && steps <= by_id_.size(); ++steps) {
      const auto next = by_id_.find(*at->caused_by);
      if (next == by_id_.end()) break;
      if (next->second == &f) return f.id;  // a circle
      at = next->second;
    }
    return at->id;
  }

  void findings() {
    if (whole_.capture.roce_frames == 0) {
      sink_("\n### No RoCE\n\nNothing here is RoCE (UDP destination port 4791 or 4794, EtherType 0x8915).\n");
      if (shown_.findings.empty()) return;
    }
    if (shown_.findings.empty()) {
      sink_(
          "\n### No findings\n\nNo rule fired. A tap sees what passes it: what it does not show may still have "
          "happened.\n");
      return;
    }
    std::size_t causes = 0;
    std::size_t hidden = 0;
    for (const Finding& f : shown_.findings) {
      if (root(f) != f.id) continue;
      if (!options_.all && causes >= kFindingsShown) {
        ++hidden;
        continue;
      }
      ++causes;
      finding(f);
    }
    if (hidden != 0) sink_(fmt::format("\n{} more findings are not shown (`--all`).\n", hidden));
  }

  void finding(const Finding& f) {
    sink_(
        fmt::format("\n### {} {}: {}\n\n", severity_mark(f.severity), model::word(f.severity), markdown_text(f.title)));
    if (!f.explanation.empty()) sink_(markdown_text(f.explanation) + "\n\n");
    sink_("- **Proof:** " + evidence(f) + "\n");
    if (!f.ruled_out.empty()) sink_("- **Ruled out:** " + joined_text(f.ruled_out) + "\n");
    for (const std::string& step : f.next_steps) sink_("- **Next:** " + markdown_text(step) + "\n");
    std::size_t shown = 0;
    std::size_t hidden = 0;
    for (const Finding& c : shown_.findings) {
      if (c.id == f.id || root(c) != f.id) continue;
      if (!options_.all && shown >= kFindingsShown) {
        ++hidden;
        continue;
      }
      ++shown;
      sink_(fmt::format("- **Consequence** ({}): {}. Proof: {}\n", model::word(c.severity), markdown_text(c.title),
                        evidence(c)));
    }
    if (hidden != 0) sink_(fmt::format("- {} more consequences\n", hidden));
  }

  std::string evidence(const Finding& f) const {
    std::string text;
    for (std::size_t i = 0; i < f.frames.size() && i < kFramesShown; ++i) {
      text += (i == 0 ? (f.frames.size() == 1 ? "packet " : "packets ") : ", ") +
              markdown_code(frame_text(f.frames[i], several_files_));
    }
    const std::uint64_t total = std::max<std::uint64_t>(f.frames_total, f.frames.size());
    if (total > std::min(f.frames.size(), kFramesShown)) text += fmt::format(" (of {})", grouped(total));
    const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " · ") + part; };
    if (f.first_time && f.last_time) add(when_text(whole_, *f.first_time, *f.last_time));
    if (!f.connections.empty()) {
      std::string ids;
      for (std::size_t i = 0; i < f.connections.size() && i < kIdsShown; ++i)
        ids += (i == 0 ? "" : ", ") + std::to_string(f.connections[i]);
      if (f.connections.size() > kIdsShown) ids += fmt::format(" and {} more", f.connections.size() - kIdsShown);
      add((f.connections.size() == 1 ? "connection " : "connections ") + ids);
    }
    if (f.confidence != verdict::Confidence::kHigh) add("confidence " + std::string(model::word(f.confidence)));
    add("rule " + markdown_code(f.rule));
    return text;
  }

  static std::string joined_text(const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& item : list) text += (text.empty() ? "" : "; ") + markdown_text(item);
    return text;
  }

  void connections() {
    if (shown_.connections.empty()) return;
    const std::vector<model::Trouble> order = model::by_trouble(shown_);
    std::vector<const model::Trouble*> rows;
    for (const model::Trouble& t : order) {
      if (options_.all || (rows.size() < kConnectionsShown && (!t.quiet || order.size() <= kConnectionsShown)))
        rows.push_back(&t);
    }
    if (rows.empty()) {
      sink_(fmt::format("\n### Connections\n\n{} connections, none in trouble (`--all` lists them).\n", order.size()));
      return;
    }
    sink_("\n### Connections\n\n| id | peers | packets | bytes | rate | retrans | missing | NAK | RNR | CE | CNP |\n");
    sink_("| ---: | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (const model::Trouble* t : rows) row(shown_.connections[t->index], *t);
    if (rows.size() < order.size()) {
      sink_(fmt::format("\n{} of {} connections (`--all` shows every one)\n", rows.size(), order.size()));
    }
  }

  void row(const track::ConnectionCounts& c, const model::Trouble& t) {
    const model::ConnectionTotals& n = t.totals;
    const std::string notes = connection_notes(c);
    const std::string peers = end_point_text(c.a_ip, c.a_qpn) + (c.a_to_b && c.b_to_a ? " ↔ " : " → ") +
                              end_point_text(c.b_ip, c.b_qpn) + (notes.empty() ? "" : " (" + notes + ")");
    std::string resent = (n.inexact ? "≥" : "") + grouped(n.retransmitted);
    if (n.retransmitted != 0 && n.retransmitted_ratio()) resent += " (" + percent(*n.retransmitted_ratio()) + ")";
    const auto rate = n.bits_per_second();
    sink_(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", c.id, markdown_text(peers),
                      grouped(n.frames), bytes_text(n.bytes_on_wire), rate ? rate_text(*rate) : "–", resent,
                      (n.inexact ? "≥" : "") + grouped(n.missing), grouped(n.naks), grouped(n.rnr_naks), grouped(n.ce),
                      grouped(n.cnps)));
  }

  const model::Snapshot& whole_;
  const model::Snapshot& shown_;
  const MarkdownOptions& options_;
  const bool several_files_;
  const TextSink& sink_;
  std::unordered_map<std::uint32_t, const Finding*> by_id_;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string markdown_code(std::string_view text) {
  const std::string safe = clean(text, true);
  std::size_t longest = 0;  // row of backticks inside: the fence must be longer
  std::size_t row = 0;
  for (const char c : safe) {
    row = c == '`' ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  const std::string fence(longest + 1, '`');
  const std::string padding = longest != 0 ? " " : "";
  std::string code = fence + padding + safe + padding + fence;
  for (std::size_t at = 0; (at = code.find('|', at)) != std::string::npos; at += 2) code.insert(at, 1, '\\');
  return code;
}

std::string markdown_text(std::string_view text) {
  const std::string safe = clean(text, true);
  std::string out;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    if (c == '#' && i + 1 < safe.size() && is_digit(safe[i + 1])) {  // else a reference to another ticket
      std::size_t end = i + 1;
      while (end < safe.size() &&
             (is_digit(safe[end]) || (safe[end] == ':' && end + 1 < safe.size() && is_digit(safe[end + 1]))))
        ++end;
      out += "`" + safe.substr(i, end - i) + "`";
      i = end - 1;
    } else if (c == '@' || c == '!') {  // a mention; a mention or label of GitLab, an image
      out += std::string("`") + c + "`";
    } else {
      const bool inside_a_word =
          c == '_' && i > 0 && is_word(safe[i - 1]) && i + 1 < safe.size() && is_word(safe[i + 1]);
      if (!inside_a_word && std::string_view("\\`*_{}[]<>|~$&#").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

void write_markdown(const model::Snapshot& whole, const model::Snapshot& shown, const MarkdownOptions& options,
                    const TextSink& sink) {
  Markdown(whole, shown, options, sink).write();
}

}  // namespace rocetop::present
