// SPDX-License-Identifier: BSD-3-Clause
// CSV that reads back as what was written (RFC 4180), and that no spreadsheet runs.
#include "present/csv.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sample_snapshot.h"
#include "support/written.h"

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

/// A file of the sample, read back.
class Table {
 public:
  explicit Table(std::string_view name, const model::Snapshot& snapshot = testing::snapshot()) {
    for (const CsvFile& f : csv_files()) {
      if (f.name == name) records_ = read(test::written([&](const TextSink& sink) { f.write(snapshot, sink); }));
    }
    EXPECT_FALSE(records_.empty()) << name;
    for (const auto& record : records_) EXPECT_EQ(record.size(), records_[0].size()) << name;
  }

  std::size_t lines() const { return records_.size() - 1; }  // without the header
  std::string first(std::string_view column) const {
    for (std::size_t i = 0; i < records_[0].size(); ++i) {
      if (records_[0][i] == column) return records_.at(1).at(i);
    }
    ADD_FAILURE() << column;
    return {};
  }

 private:
  std::vector<std::vector<std::string>> records_;
};

TEST(Csv, EveryFileReadsBack) {
  for (const CsvFile& f : csv_files()) Table{f.name};
}

TEST(Csv, SaysWhatTheSnapshotSays) {
  const Table connections("connections.csv");
  EXPECT_EQ(connections.lines(), 1u);
  EXPECT_EQ(connections.first("a_ip"), "192.0.2.1");
  EXPECT_EQ(connections.first("a_qpn"), "17");
  EXPECT_EQ(connections.first("vlan"), "");
  EXPECT_EQ(connections.first("retransmitted_packets"), "12");
  const Table episodes("episodes.csv");
  EXPECT_EQ(episodes.lines(), 1u);
  EXPECT_EQ(episodes.first("cause"), "nak");
  EXPECT_EQ(episodes.first("trigger_frame"), "11");
  EXPECT_EQ(episodes.first("wait_ns"), "21000");
  EXPECT_EQ(episodes.first("advertised_wait_ns"), "");
  const Table findings("findings.csv");
  EXPECT_EQ(findings.lines(), 1u);
  EXPECT_EQ(findings.first("title"), "192.0.2.1 qp 17 resent 12 packets after a NAK");
  EXPECT_EQ(findings.first("frames"), "11 12");
  EXPECT_EQ(findings.first("values"), "packets=12 wait_ms=0.021");
}

TEST(Csv, HasALineForEachPathOfVeroce) {
  EXPECT_EQ(Table("paths.csv").lines(), 0U);
  model::Snapshot s = testing::snapshot();
  s.connections = {testing::sprayed_connection(2, "198.51.100.1", "198.51.100.2")};
  const Table paths("paths.csv", s);
  EXPECT_EQ(paths.lines(), 4U);
  EXPECT_EQ(paths.first("udp_source_port"), "49408");
  EXPECT_EQ(paths.first("packets"), "250");
  EXPECT_EQ(paths.first("late_p50_ns"), "");
  EXPECT_EQ(paths.first("probe_max_ns"), "12000");
  EXPECT_EQ(Table("episodes.csv", s).first("wait_ns"), "21000") << "a SACK has a wait";
}

TEST(Csv, HostileTextIsOneCellAndNoFormula) {
  model::Snapshot s = testing::snapshot();
  s.findings[0].title = "=HYPERLINK(\"http://x\",\"a\r\nb\")";
  s.findings[0].next_steps = {"-1", "@x"};
  const Table findings("findings.csv", s);
  EXPECT_EQ(findings.lines(), 1u);
  EXPECT_EQ(findings.first("title"), "'=HYPERLINK(\"http://x\",\"a\\x0d\\x0ab\")");
  EXPECT_EQ(findings.first("next_steps"), "'-1; @x");
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
