// SPDX-License-Identifier: BSD-3-Clause
#include "present/rules_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "model/words.h"
#include "present/text.h"

namespace rocetop::present {
namespace {

using verdict::kRuleBook;
using verdict::kThresholds;
using verdict::RuleFacts;
using verdict::ThresholdFacts;
using verdict::Thresholds;

std::string severity_range(const RuleFacts& rule) {
  const std::string least(model::word(rule.least));
  return rule.least == rule.worst ? least : fmt::format("{} or {}", least, model::word(rule.worst));
}

std::vector<const ThresholdFacts*> thresholds_of(const RuleFacts& rule) {
  std::vector<const ThresholdFacts*> out;
  for (const std::string_view name : rule.thresholds) {
    if (name.empty()) continue;
    out.push_back(verdict::find_threshold(name));
    ROCETOP_CHECK(out.back() != nullptr);
  }
  return out;
}

/// The first letter large, a full stop at the end.
std::string sentence(std::string_view clause) {
  std::string text(clause);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!text.empty() && text.back() != '.' && text.back() != '?') text += '.';
  return text;
}

std::string default_text(const ThresholdFacts& facts) { return verdict::threshold_text(facts, Thresholds{}); }

/// "label  text", the text wrapped beside the label.
std::string labelled(const TextStyle& style, std::string_view label, const std::string& text) {
  constexpr std::size_t kLabel = 14;
  return paint(style, Tone::kQuiet, pad_right(label, kLabel)) +
         paragraph(style, {{text, Tone::kPlain}}, kLabel, kLabel);
}

std::string page_head() {
  return "# Rules\n\n"
         "<!-- Made by `rocetop rules --markdown`; a test compares. Change src/verdict/rule_book.h and thresholds.h "
         "instead. -->\n\n"
         "Every finding of `rocetop triage` is one of these rules: its id is the key in the JSON and never changes its "
         "meaning.\nA rule fires on what the packets prove; what looks like it and must not draw it is said beside "
         "it. `rocetop rules ID`\nprints one of them.\n\n"
         "Severity: `critical` ends connections, `warning` costs time or says that the capture is not to be trusted, "
         "`info` is\nworth knowing. `--fail-on` compares with it.\n\n"
         "| rule | severity | fires when |\n|---|---|---|\n";
}

std::string page_thresholds() {
  std::string page =
      "## Thresholds\n\n"
      "Every number that a rule compares with. `rocetop triage --threshold early_wait=5ms` judges by another value,\n"
      "`--thresholds FILE` by those of a file (`rocetop rules --thresholds` prints one to start from). The report says "
      "which were\nset; the JSON holds all.\n\n"
      "| threshold | default | unit | meaning | why |\n|---|---|---|---|---|\n";
  for (const ThresholdFacts& t : kThresholds) {
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", t.name, default_text(t), verdict::unit_text(t.unit),
                        t.meaning, t.reason);
  }
  return page;
}

std::string page_rule(const RuleFacts& rule) {
  std::string page =
      fmt::format("### {}\n\n{}\n\n* **Fires when** {}.\n", rule.id, sentence(severity_range(rule)), rule.fires);
  if (!rule.silent.empty()) page += fmt::format("* **Not for** {}.\n", rule.silent);
  const auto thresholds = thresholds_of(rule);
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    page += fmt::format("{}`{}` ({})", i == 0 ? "* **Thresholds** " : ", ", thresholds[i]->name,
                        default_text(*thresholds[i]));
  }
  if (!thresholds.empty()) page += ".\n";
  return page + fmt::format("* **Next** {}\n\n", sentence(rule.next));
}

}  // namespace

/// Beside each other where that leaves room to read in; else what a rule fires on is under its name.
std::string rules_list(const TextStyle& style) {
  constexpr std::size_t kGap = 2;
  constexpr std::size_t kReadable = 50;
  constexpr std::size_t kUnder = 4;
  std::size_t id_width = 0;
  std::size_t severity_width = 0;
  for (const RuleFacts& rule : kRuleBook) {
    id_width = std::max(id_width, rule.id.size());
    severity_width = std::max(severity_width, severity_range(rule).size());
  }
  const std::size_t start = id_width + kGap + severity_width + kGap;
  const bool beside = style.width >= start + kReadable;
  std::string text;
  for (const RuleFacts& rule : kRuleBook) {
    const std::string id = paint(style, Tone::kStrong, pad_right(rule.id, id_width + kGap));
    const std::string severity = severity_range(rule);
    text += id + (beside ? pad_right(severity, severity_width + kGap) : severity + "\n" + std::string(kUnder, ' '));
    const std::size_t column = beside ? start : kUnder;
    text += paragraph(style, {{std::string(rule.fires), Tone::kPlain}}, column, column);
  }
  return text;
}

std::string rule_text(const RuleFacts& rule, const TextStyle& style) {
  std::string text = paint(style, Tone::kStrong, rule.id) + "\n";
  text += labelled(style, "severity", severity_range(rule));
  text += labelled(style, "fires when", std::string(rule.fires));
  if (!rule.silent.empty()) text += labelled(style, "not for", std::string(rule.silent));
  text += labelled(style, "next", std::string(rule.next));
  for (const ThresholdFacts* t : thresholds_of(rule)) {
    text +=
        labelled(style, "threshold", fmt::format("{} = {}: {}. {}", t->name, default_text(*t), t->meaning, t->reason));
  }
  return text;
}

std::string thresholds_file(const Thresholds& thresholds, std::size_t width) {
  const auto comment = [width](std::string_view text) {
    std::string out;
    for (const std::string& line : wrap(text, width > 22 ? width - 2 : 20, true)) out += "# " + line + "\n";
    return out;
  };
  std::string text = comment("Thresholds of rocetop triage: give this file, or a part of it, to --thresholds.");
  for (const ThresholdFacts& t : kThresholds) {
    text += fmt::format("\n{}{} = {}\n", comment(sentence(t.meaning) + " " + std::string(t.reason)), t.name,
                        verdict::threshold_text(t, thresholds));
  }
  return text;
}

std::string rules_page() {
  std::string page = page_head();
  for (const RuleFacts& rule : kRuleBook) {
    std::string anchor(rule.id);
    anchor.erase(std::remove(anchor.begin(), anchor.end(), '.'), anchor.end());
    page += fmt::format("| [{}](#{}) | {} | {} |\n", rule.id, anchor, severity_range(rule), rule.fires);
  }
  page += "\n" + page_thresholds() + "\n## The rules\n\n";
  for (const RuleFacts& rule : kRuleBook) page += page_rule(rule);
  page.pop_back();
  return page;
}

}  // namespace rocetop::present
