// SPDX-License-Identifier: BSD-3-Clause
// The file around the data: self-contained, bounded, and deaf to hostile text. What a browser makes of it: tests/web.
#include "present/html_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "present/packed_column.h"
#include "present/script_text.h"
#include "sample_snapshot.h"
#include "support/written.h"

namespace rocetop::present {
namespace {

std::string report(const model::Snapshot& snapshot, const HtmlReportOptions& options = {}) {
  return test::written(
      [&](const TextSink& sink) { write_html_report(snapshot, snapshot, model::Timeline(), options, sink); });
}

nlohmann::json data(const std::string& html) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = html.find(start) + start.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::string script_text(std::initializer_list<std::string_view> pieces) {
  return test::written([&](const TextSink& sink) {
    ScriptText text(sink);
    for (const std::string_view piece : pieces) text.write(piece);
    text.finish();
  });
}

TEST(ScriptText, EndsNoElementAndNoLine) {
  EXPECT_EQ(script_text({"\"</script><!--&\""}), "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
  EXPECT_EQ(script_text({"a\u2028b\u2029c"}), "a\\u2028b\\u2029c");
}

TEST(ScriptText, WhereverItIsCut) {
  EXPECT_EQ(script_text({"a\xE2", "\x80", "\xA8z"}), "a\\u2028z");
  EXPECT_EQ(script_text({"a\xE2\x80", "\x93", "z"}), "a\u2013z");
  EXPECT_EQ(script_text({"\xE2", "\xE2\x80\xA9"}), "\xE2\\u2029");
  EXPECT_EQ(script_text({"a\xE2\x80"}), "a\xE2\x80");
}

TEST(PackedColumn, IsShort) {
  EXPECT_EQ(packed_column({}), "=0");
  EXPECT_EQ(packed_column({7, 7, 7}), "=7");
  EXPECT_EQ(packed_column({-3}), "=-3");
  EXPECT_EQ(packed_column({1, 2}), "AgI=");          // +1, +1: zigzag 2, 2
  EXPECT_EQ(packed_column({1, 0, 64}), "AgGAAQ==");  // +1, -1, +64: 2, 1, 0x80 0x01
}

TEST(HtmlReport, HoldsTheJsonAndNothingFromElsewhere) {
  const std::string html = report(testing::snapshot());
  EXPECT_EQ(data(html)["triage"]["connections"][0]["totals"]["retransmitted_packets"], 12);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(html.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(html.find("http://"), std::string::npos);
}

TEST(HtmlReport, KeepsHostileNamesText) {
  model::Snapshot s = testing::snapshot();
  s.files = {"</script><script>alert(1)</script>\u2028"};
  s.findings[0].title = "<img src=x onerror=alert(1)>";
  const std::string html = report(s);
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("\u2028"), std::string::npos);
  EXPECT_EQ(data(html)["triage"]["files"][0], s.files[0]);
}

model::Snapshot crowd(std::uint32_t connections) {
  model::Snapshot s = testing::snapshot();
  for (std::uint32_t id = 2; id <= connections; ++id) {
    s.connections.push_back(testing::quiet_connection(id, "192.0.2.1", "198.51.100." + std::to_string(id % 200)));
  }
  return s;
}

TEST(HtmlReport, HasDetailsOfTheWorstAndALineForTheRest) {
  HtmlReportOptions options;
  options.details_bytes = 20'000;
  options.table_rows = 300;
  const auto d = data(report(crowd(500), options));
  const std::size_t detailed = d["triage"]["connections"].size();
  EXPECT_GT(detailed, 1u);
  EXPECT_LT(d["triage"]["connections"].dump().size(), 25'000u);
  EXPECT_EQ(d["triage"]["connections"][0]["id"], 1);
  EXPECT_EQ(detailed + d["beside"]["rows"].size(), 300u);
  EXPECT_EQ(d["beside"]["connections_shown"], 500);
  EXPECT_EQ(d["beside"]["rows"][0].size(), 7 + d["beside"]["connection_fields"].size());
}

TEST(HtmlReport, MatrixCoversEveryConnection) {
  HtmlReportOptions options;
  options.hosts = 4;
  const auto d = data(report(crowd(500), options))["beside"];
  EXPECT_EQ(d["hosts"].size(), 4u);
  EXPECT_GT(d["hosts_in_all"], 100);
  std::uint64_t bytes = 0;
  for (const auto& lane : d["lanes"]) bytes += lane["bytes_on_wire"].get<std::uint64_t>();
  EXPECT_EQ(bytes, 500u * 2 * 1'100'000);
}

TEST(HtmlReport, CutsFindingsAndSaysSo) {
  model::Snapshot s = testing::snapshot();
  for (std::uint32_t id = 2; id < 50; ++id)
    s.findings.push_back(testing::finding(id, verdict::Severity::kInfo, "more"));
  HtmlReportOptions options;
  options.findings = 10;
  const auto d = data(report(s, options));
  EXPECT_EQ(d["triage"]["findings"].size(), 10u);
  EXPECT_EQ(d["beside"]["findings_in_all"], 49);
}

TEST(HtmlReport, HistogramsGoToTheWorstAndTheRestIsCounted) {
  model::Snapshot s = crowd(10);
  for (auto& c : s.connections) {
    for (int i = 1; i <= 20; ++i) c.a_to_b->round_trips.rtt_ns.add(i * 1'000);
  }
  HtmlReportOptions options;
  options.histogram_buckets = 70;  // of 20 each
  const auto histograms = data(report(s, options))["beside"]["histograms"];
  ASSERT_EQ(histograms["connections"].size(), 3u);
  EXPECT_EQ(histograms["connections"][0]["id"], 1) << "the one in trouble";
  EXPECT_EQ(histograms["connections"][0]["directions"][0]["rtt_ns"]["buckets"], 20);
  EXPECT_TRUE(histograms["connections"][0]["directions"][1].empty());
  EXPECT_EQ(histograms["omitted"], 7);
}

TEST(HtmlReport, HasThePathsOfDirectionsThatUseSeveral) {
  const auto cell = [](std::int64_t t) { return model::Cell{Nanos{t}, Nanos{t}, 0, 0, FrameId(0, 7), 90, 1}; };
  model::Timeline timeline;
  timeline.connections.push_back({1, {{}, {}}});
  model::PathTimelines& paths = timeline.connections[0].directions[0].paths;
  paths.use(49'408).use(model::PathMark::kSent, 9).series.add(cell(10));
  paths.use(49'415).use(model::PathMark::kSlowSignal, 9).series.add(cell(20));
  paths.others.use(model::PathMark::kLost, 9).series.add(cell(30));
  paths.other_paths = 249;
  paths.more_paths = true;
  model::Snapshot s = testing::snapshot();
  const auto d = data(test::written([&](const TextSink& sink) { write_html_report(s, s, timeline, {}, sink); }));
  const auto& directions = d["beside"]["timeline"]["connections"][0]["directions"];
  EXPECT_EQ(directions[0]["paths"][0]["port"], 49'408);
  EXPECT_EQ(directions[0]["paths"][0]["marks"][0]["mark"], "sent");
  EXPECT_EQ(directions[0]["paths"][0]["marks"][0]["packets"], 1);
  EXPECT_EQ(directions[0]["paths"][1]["marks"][0]["mark"], "slow_signal");
  EXPECT_EQ(directions[0]["other_paths"]["paths"], 249);
  EXPECT_EQ(directions[0]["other_paths"]["at_least"], true);
  EXPECT_EQ(directions[0]["other_paths"]["marks"][0]["mark"], "lost");
  EXPECT_FALSE(directions[1].contains("paths"));
}

TEST(HtmlReport, ListsThatCrossConnectionsAreBounded) {
  HtmlReportOptions options;
  options.shared_entries = 50;
  const auto triage = data(report(crowd(500), options))["triage"];
  EXPECT_EQ(triage["host_pairs"].size(), 50u);
  EXPECT_GT(triage["host_pairs_omitted"], 100);
}

}  // namespace
}  // namespace rocetop::present
