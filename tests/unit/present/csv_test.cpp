// SPDX-License-Identifier: BSD-3-Clause
// CSV that reads back as what was written (RFC 4180), and that no spreadsheet runs.
#include "present/csv.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sample_snapshot.h"

namespace rocetop::present {
namespace {

/// An RFC 4180 reader of its own: fails the test on anything the grammar does not allow.
std::vector<std::vector<std::string>> read(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  std::size_t at = 0;
  while (at < text.size()) {
    std::vector<std::string> record;
    for (bool more = true; more;) {
      std::string field;
      if (text[at] == '"') {
        for (++at; at < text.size(); ++at) {
          if (text[at] != '"') {
            field += text[at];
          } else if (at + 1 < text.size() && text[at + 1] == '"') {
            field += text[++at];
          } else {
            break;
          }
        }
        ++at;
      } else {
        while (at < text.size() && text[at] != ',' && text[at] != '\r') {
          EXPECT_NE(text[at], '"');
          EXPECT_NE(text[at], '\n');
          field += text[at++];
        }
      }
      record.push_back(field);
      more = text[at] == ',';
      if (more) ++at;
    }
    EXPECT_EQ(text.substr(at, 2), "\r\n");
    at += 2;
    records.push_back(record);
  }
  return records;
}

std::vector<std::vector<std::string>> file(std::string_view name, const model::Snapshot& snapshot) {
  for (const CsvFile& f : csv_files()) {
    if (f.name != name) continue;
    std::string text;
    f.write(snapshot, [&](std::string_view piece) { text += piece; });
    return read(text);
  }
  ADD_FAILURE() << name;
  return {};
}

std::string field(const std::vector<std::vector<std::string>>& records, std::size_t line, std::string_view column) {
  for (std::size_t i = 0; i < records[0].size(); ++i) {
    if (records[0][i] == column) return records.at(line).at(i);
  }
  ADD_FAILURE() << column;
  return {};
}

TEST(Csv, EveryLineHasAsManyFieldsAsTheHeader) {
  for (const CsvFile& f : csv_files()) {
    const auto records = file(f.name, testing::snapshot());
    ASSERT_FALSE(records.empty());
    for (const auto& record : records) EXPECT_EQ(record.size(), records[0].size()) << f.name;
  }
}

TEST(Csv, SaysWhatTheSnapshotSays) {
  const auto connections = file("connections.csv", testing::snapshot());
  ASSERT_EQ(connections.size(), 2u);
  EXPECT_EQ(field(connections, 1, "a_ip"), "192.0.2.1");
  EXPECT_EQ(field(connections, 1, "a_qpn"), "17");
  EXPECT_EQ(field(connections, 1, "vlan"), "");
  EXPECT_EQ(field(connections, 1, "retransmitted_packets"), "12");
  const auto episodes = file("episodes.csv", testing::snapshot());
  ASSERT_EQ(episodes.size(), 2u);
  EXPECT_EQ(field(episodes, 1, "cause"), "nak");
  EXPECT_EQ(field(episodes, 1, "trigger_frame"), "11");
  EXPECT_EQ(field(episodes, 1, "wait_ns"), "21000");
  EXPECT_EQ(field(episodes, 1, "advertised_wait_ns"), "");
  const auto findings = file("findings.csv", testing::snapshot());
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(field(findings, 1, "title"), "192.0.2.1 qp 17 resent 12 packets after a NAK");
  EXPECT_EQ(field(findings, 1, "frames"), "11 12");
  EXPECT_EQ(field(findings, 1, "values"), "packets=12 wait_ms=0.021");
}

TEST(CsvText, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_text(""), "");
}

TEST(CsvText, IsNeverAFormula) {
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "%0A=1", "|calc"}) {
    const std::string safe = csv_text(text);
    EXPECT_EQ(safe[safe[0] == '"' ? 1 : 0], '\'') << text;
  }
  EXPECT_EQ(csv_text("=cmd|' /C calc'!A0, x"), "\"'=cmd|' /C calc'!A0, x\"");
}

TEST(CsvText, HoldsNoControlCharacters) {
  EXPECT_EQ(csv_text("a\x1b[31mb").find('\x1b'), std::string::npos);
  EXPECT_EQ(csv_text("a\nb").find('\n'), std::string::npos);
}

}  // namespace
}  // namespace rocetop::present
