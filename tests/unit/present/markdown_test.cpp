// SPDX-License-Identifier: BSD-3-Clause
// Markdown that says what the report says and does nothing else.
#include "present/markdown.h"

#include <gtest/gtest.h>

#include <string>

#include "sample_snapshot.h"
#include "support/written.h"

namespace rocetop::present {
namespace {

std::string markdown(const model::Snapshot& snapshot, const MarkdownOptions& options = {}) {
  return test::written([&](const TextSink& sink) { write_markdown(snapshot, snapshot, options, sink); });
}

TEST(Markdown, HasFindingsWithProofAndTheTable) {
  const std::string text = markdown(testing::snapshot());
  EXPECT_NE(text.find("## rocetop triage: `a.pcap`"), std::string::npos) << text;
  EXPECT_NE(text.find("### ✖ critical: 192.0.2.1 qp 17 resent 12 packets after a NAK"), std::string::npos) << text;
  EXPECT_NE(text.find("packets `#11`, `#12` · connection 1 · rule `retransmit.nak`"), std::string::npos) << text;
  EXPECT_NE(text.find("| 1 | 192.0.2.1 qp 17 ↔ 192.0.2.2 qp 18 | 2,000 |"), std::string::npos) << text;
}

TEST(Markdown, SaysWhoMadeItAndWhatElseIsThere) {
  model::Snapshot s = testing::snapshot();
  std::string text = markdown(s);
  EXPECT_NE(text.find(". From 2023-11-14T22:13:20.123456789Z. By rocetop 1.2.3.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n**Also there:** 2 other frames\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("**Congestion:**"), std::string::npos) << text;
  s.connections[0].b_to_a->cnps = 5;
  text = markdown(s);
  EXPECT_NE(text.find("\n**Congestion:** 0 CE-marked packets and 5 CNPs passed"), std::string::npos) << text;
}

TEST(Markdown, PutsConsequencesUnderTheirCauseAlsoInACircle) {
  model::Snapshot s = testing::snapshot();
  s.findings.push_back(testing::finding(2, verdict::Severity::kInfo, "wasted work"));
  s.findings[1].caused_by = 1;
  EXPECT_NE(markdown(s).find("- **Consequence** (info): wasted work. Proof: packets"), std::string::npos);
  s.findings[0].caused_by = 2;
  EXPECT_NE(markdown(s).find("wasted work"), std::string::npos);
}

TEST(MarkdownText, BecomesNoMarkup) {
  EXPECT_EQ(markdown_text("<b>*x*</b> [a](b) `c` _a_ R_Key | d"),
            "\\<b\\>\\*x\\*\\</b\\> \\[a\\](b) \\`c\\` \\_a\\_ R_Key \\| d");
}

TEST(MarkdownText, RefersToNobodyAndNothing) {
  EXPECT_EQ(markdown_text("frame #128 and #2:7, @all"), "frame `#128` and `#2:7`, `@`all");
}

TEST(MarkdownCode, IsOneSpanWhateverIsInIt) {
  EXPECT_EQ(markdown_code("a"), "`a`");
  EXPECT_EQ(markdown_code("a`b``c"), "``` a`b``c ```");
  EXPECT_EQ(markdown_code("a|b"), "`a\\|b`");
}

}  // namespace
}  // namespace rocetop::present
