// SPDX-License-Identifier: BSD-3-Clause
// Metrics of hand-made snapshots: names, labels, zeros, limits, and the list of all of them.
#include "present/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "model/metric_fields.h"
#include "present/metric_list.h"
#include "sample_snapshot.h"
#include "verdict/rule_book.h"

namespace rocetop::present {
namespace {

using model::LiveSnapshot;
using prometheus::MetricType;
using testing::quiet_connection;
using testing::troubled_connection;

/// A snapshot of these connections, as a monitor would publish it.
LiveSnapshot live(std::vector<track::ConnectionCounts> connections, model::LedgerOptions options = {}) {
  LiveSnapshot s;
  s.totals.connections = std::move(connections);
  s.totals.files = {"a.pcap"};
  s.totals.capture.frames = 5'000;
  s.totals.capture.roce_frames = 4'000;
  model::add_interval(s, nullptr, seconds(1));
  model::PairLedger ledger(options);
  s.ledger = ledger.advance(s.totals, s.recent, seconds(1));
  return s;
}

/// Series as in the text, with their values.
std::map<std::string, std::string> series(const LiveSnapshot& s, const MetricsOptions& options = {}) {
  std::map<std::string, std::string> out;
  const std::string text = metrics_text(metric_families(s, options));
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.rfind(' ');
    EXPECT_TRUE(out.emplace(line.substr(0, space), line.substr(space + 1)).second) << "twice: " << line;
  }
  return out;
}

const std::string kForth = R"({protocol="RoCEv2",src="10.0.0.1",dst="10.0.0.2")";
const std::string kBack = R"({protocol="RoCEv2",src="10.0.0.2",dst="10.0.0.1")";

std::vector<model::MetricFacts> all_facts() {
  std::vector<model::MetricFacts> out;
  for (const MetricTable& table : metric_tables()) out.insert(out.end(), table.metrics.begin(), table.metrics.end());
  return out;
}

TEST(Metrics, APairHasItsCountsByCauseAndOutcome) {
  auto c = troubled_connection(1, "10.0.0.1", "10.0.0.2");
  c.a_to_b->requests.retransmitted_by_cause = {12};
  c.a_to_b->requests.retransmitted_bytes_by_cause = {12'288};
  c.b_to_a->naks[0] = 1;
  c.b_to_a->rnr_naks = 4;
  c.a_to_b->messages.rnr_waited = milliseconds(3);
  const auto got = series(live({c}));
  EXPECT_EQ(got.at("rocetop_packets_total" + kForth + "}"), "1000");
  EXPECT_EQ(got.at("rocetop_bytes_total" + kBack + "}"), "1100000");
  EXPECT_EQ(got.at("rocetop_retransmitted_packets_total" + kForth + R"(,cause="nak"})"), "12");
  EXPECT_EQ(got.at("rocetop_retransmitted_bytes_total" + kForth + R"(,cause="nak"})"), "12288");
  EXPECT_EQ(got.at("rocetop_retransmit_episodes_total" + kForth + R"(,cause="nak"})"), "1");
  EXPECT_EQ(got.at("rocetop_missing_packets_total" + kForth + R"(,outcome="retransmitted"})"), "2");
  EXPECT_EQ(got.at("rocetop_naks_total" + kBack + R"(,code="psn_sequence_error"})"), "1");
  EXPECT_EQ(got.at("rocetop_rnr_naks_total" + kBack + "}"), "4");
  EXPECT_EQ(got.at("rocetop_rnr_stall_seconds_total" + kForth + "}"), "0.003");
}

TEST(Metrics, PairsThatRunVeroceHaveItsCountsAndNoOthers) {
  const auto got = series(
      live({quiet_connection(1, "10.0.0.1", "10.0.0.2"), testing::sprayed_connection(2, "10.0.0.1", "10.0.0.2")}));
  const std::string forth = R"({protocol="veRoCE",src="10.0.0.1",dst="10.0.0.2"})";
  const std::pair<const char*, const char*> want[] = {
      {"sacks", "42"},          {"second_round_packets", "1"}, {"needless_packets", "2"},
      {"trimmed_packets", "5"}, {"slow_path_signals", "758"},  {"late_packets", "200"},
      {"lost_packets", "30"}};
  for (const auto& [name, value] : want) {
    EXPECT_EQ(got.at("rocetop_veroce_" + std::string(name) + "_total" + forth), value) << name;
    EXPECT_FALSE(got.contains("rocetop_veroce_" + std::string(name) + "_total" + kForth + "}")) << name;
  }
}

TEST(Metrics, WhatDidNotHappenIsThereAtZero) {
  const auto got = series(live({quiet_connection(1, "10.0.0.1", "10.0.0.2")}));
  for (const char* cause : {"nak", "rnr", "timeout", "read_restart", "spurious", "sack", "unknown"}) {
    EXPECT_EQ(got.at("rocetop_retransmitted_packets_total" + kForth + ",cause=\"" + cause + "\"}"), "0");
  }
  for (const char* outcome : {"retransmitted", "reordered", "capture_missed", "unresolved"}) {
    EXPECT_EQ(got.at("rocetop_missing_packets_total" + kBack + ",outcome=\"" + outcome + "\"}"), "0");
  }
  for (const char* state : {"moving", "network", "peer", "host"}) {
    EXPECT_EQ(got.at("rocetop_time_seconds_total" + kForth + ",state=\"" + state + "\"}"), "0");
  }
  for (const char* operation : {"write", "send", "read", "atomic"}) {
    EXPECT_EQ(got.at("rocetop_messages_total" + kForth + ",operation=\"" + operation + "\"}"), "0");
    EXPECT_EQ(got.at(std::string(R"(rocetop_message_completion_seconds_count{protocol="RoCEv2",operation=")") +
                     operation + "\"}"),
              "0");
  }
  EXPECT_EQ(got.at(R"(rocetop_packets_total{protocol="RoCEv2",src="other",dst="other"})"), "0");
  EXPECT_EQ(got.at(R"(rocetop_pause_seconds_total{priority="3"})"), "0");
  EXPECT_EQ(got.at(R"(rocetop_pause_frames_total{priority="link",kind="xoff"})"), "0");
  EXPECT_EQ(got.at(R"(rocetop_series_limited_total{kind="pair"})"), "0");
  EXPECT_EQ(got.at(R"(rocetop_connections_left_total{reason="silent"})"), "0");
  EXPECT_EQ(got.at(R"(rocetop_capture_undecodable_packets_total{reason="bad_version"})"), "0");
}

TEST(Metrics, EveryRuleIsThereWithEachSeverityItCanHave) {
  LiveSnapshot s = live({});
  verdict::Finding f;
  f.rule = "rnr.stall";
  f.severity = verdict::Severity::kCritical;
  s.totals.findings = {f, f, f};
  s.finding_states.resize(3);
  s.finding_states[0].active = s.finding_states[2].active = true;
  const auto got = series(s);
  EXPECT_EQ(got.at(R"(rocetop_finding_active{rule="rnr.stall",severity="critical"})"), "2");
  EXPECT_EQ(got.at(R"(rocetop_finding_active{rule="rnr.stall",severity="warning"})"), "0");
  for (const auto& rule : verdict::kRuleBook) {
    const bool there = std::any_of(got.begin(), got.end(), [&](const auto& entry) {
      return entry.first.starts_with("rocetop_finding_active{rule=\"" + std::string(rule.id) + "\"");
    });
    EXPECT_TRUE(there) << rule.id;
  }
}

TEST(Metrics, PairsBeyondTheLimitAreOneRow) {
  const auto got =
      series(live({quiet_connection(1, "10.0.0.1", "10.0.0.2"), quiet_connection(2, "10.0.0.3", "10.0.0.4"),
                   quiet_connection(3, "10.0.0.5", "10.0.0.6")},
                  {.pairs_most = 2}));
  EXPECT_EQ(got.at(R"(rocetop_packets_total{protocol="RoCEv2",src="other",dst="other"})"), "4000");
  EXPECT_EQ(got.at(R"(rocetop_series{kind="pair"})"), "2");
  EXPECT_EQ(got.at(R"(rocetop_series_limited_total{kind="pair"})"), "4");
}

TEST(Metrics, ConnectionsAreThereForWhoAsks) {
  auto c = troubled_connection(7, "10.0.0.1", "10.0.0.2");
  c.b_qpn.reset();
  const std::string name =
      R"(rocetop_connection_retransmitted_packets_total{connection="7",protocol="RoCEv2",a="10.0.0.1",a_qp="17",)"
      R"(b="10.0.0.2",b_qp=""})";
  EXPECT_EQ(series(live({c})).count(name), 0U);
  EXPECT_EQ(series(live({c}, {.connections_most = 5})).at(name), "12");
}

TEST(Metrics, DistributionsAreByProtocolOrByPair) {
  auto c = quiet_connection(1, "10.0.0.1", "10.0.0.2");
  for (const std::int64_t ns : {7'000, 15'000, 80'000'000}) c.a_to_b->round_trips.rtt_ns.add(ns);
  c.protocol = wire::Protocol::kVeroce;
  const auto got = series(live({c}));
  EXPECT_EQ(got.at(R"(rocetop_rtt_seconds_bucket{protocol="veRoCE",le="1e-05"})"), "1");
  EXPECT_EQ(got.at(R"(rocetop_rtt_seconds_bucket{protocol="veRoCE",le="0.05"})"), "2");
  EXPECT_EQ(got.at(R"(rocetop_rtt_seconds_bucket{protocol="veRoCE",le="+Inf"})"), "3");
  EXPECT_EQ(got.at(R"(rocetop_rtt_seconds_count{protocol="veRoCE"})"), "3");
  EXPECT_EQ(got.at(R"(rocetop_rtt_seconds_sum{protocol="veRoCE"})"), "0.080022");
  const auto by_pair = series(live({c}), {.pair_histograms = true});
  EXPECT_EQ(by_pair.at(R"(rocetop_rtt_seconds_count{protocol="veRoCE",src="10.0.0.1",dst="10.0.0.2"})"), "3");
  EXPECT_EQ(by_pair.count(R"(rocetop_rtt_seconds_count{protocol="veRoCE"})"), 0U) << "sums would count twice";
}

TEST(Metrics, OnlyClassesThatWereSeen) {
  LiveSnapshot s = live({});
  auto& roce = s.totals.mix.by_dscp[26][static_cast<std::size_t>(model::Carrier::kRoce)];
  roce = {10, 1'000};
  s.totals.mix.by_dscp[0][static_cast<std::size_t>(model::Carrier::kTcp)] = {3, 300};
  s.totals.mix.by_priority[model::TrafficMix::kUntagged][0] = {10, 1'000};
  const auto got = series(s);
  EXPECT_EQ(got.at(R"(rocetop_class_packets_total{dscp="26",carrier="roce"})"), "10");
  EXPECT_EQ(got.at(R"(rocetop_class_bytes_total{dscp="0",carrier="tcp"})"), "300");
  EXPECT_EQ(got.at(R"(rocetop_priority_bytes_total{priority="none",carrier="roce"})"), "1000");
  EXPECT_EQ(got.count(R"(rocetop_class_packets_total{dscp="1",carrier="roce"})"), 0U);
  EXPECT_EQ(got.at(R"(rocetop_class_missing_packets_total{dscp="26",outcome="unresolved"})"), "0");
  EXPECT_EQ(got.count(R"(rocetop_class_retransmitted_packets_total{dscp="0"})"), 0U) << "no RoCE in it";
}

TEST(Metrics, AnInterfaceSaysHowItIsAndAFileWhatItDropped) {
  LiveSnapshot s = live({});
  s.totals.capture.dropped_reported = 8;
  auto got = series(s);
  EXPECT_EQ(got.at(R"(rocetop_capture_packets_total{interface="a.pcap"})"), "5000");
  EXPECT_EQ(got.at(R"(rocetop_capture_dropped_total{interface="a.pcap",source="capture"})"), "8");
  EXPECT_EQ(got.count(R"(rocetop_capture_interface_up{interface="a.pcap"})"), 0U);
  model::LiveInterface eth;
  eth.name = "eth0";
  eth.state = model::LinkState::kDown;
  eth.frames = 70;
  eth.dropped = 3;
  eth.bypass_suspected = true;
  s.interfaces = {eth};
  got = series(s);
  EXPECT_EQ(got.at(R"(rocetop_capture_packets_total{interface="eth0"})"), "70");
  EXPECT_EQ(got.at(R"(rocetop_capture_interface_up{interface="eth0"})"), "0");
  EXPECT_EQ(got.at(R"(rocetop_capture_dropped_total{interface="eth0",source="kernel"})"), "3");
  EXPECT_EQ(got.at(R"(rocetop_bypass_suspected{interface="eth0"})"), "1");
}

TEST(Metrics, WhatIsNotKnownIsLeftOut) {
  LiveSnapshot s = live({});
  EXPECT_EQ(series(s).count("rocetop_capture_completeness_ratio"), 0U);
  s.totals.capture.completeness_known = true;
  s.totals.capture.completeness = 0.5;
  EXPECT_EQ(series(s).at("rocetop_capture_completeness_ratio"), "0.5");
}

TEST(Metrics, NamesOfFilesAreMadeHarmless) {
  LiveSnapshot s = live({});
  s.totals.files = {"a\x1b[2J\"\\\n\xff.pcap"};
  const std::string text = metrics_text(metric_families(s, {}));
  EXPECT_NE(text.find("interface=\"a\xEF\xBF\xBD[2J\\\"\\\\\xEF\xBF\xBD\xEF\xBF\xBD.pcap\""), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Metrics, InterfacesThatLookAlikeAreToldApart) {
  LiveSnapshot s = live({});
  s.interfaces.resize(3);
  s.interfaces[0].name = "eth\xfe";
  s.interfaces[1].name = "eth\xff";
  s.interfaces[2].name = "eth\xfd";
  EXPECT_EQ(series(s).count("rocetop_capture_packets_total{interface=\"eth\xEF\xBF\xBD (3)\"}"), 1U);
}

TEST(Metrics, WithoutALedgerThereIsOnlyTheCapture) {
  LiveSnapshot s = live({quiet_connection(1, "10.0.0.1", "10.0.0.2")});
  s.ledger.reset();
  for (const auto& family : metric_families(s, {})) EXPECT_TRUE(family.name.starts_with("rocetop_capture_"));
}

TEST(Metrics, AsManyRowsAsFit) {
  model::LedgerOptions wanted{.pairs_most = 500, .connections_most = 1'000};
  const auto usual = that_fit({.pairs_most = 100, .connections_most = 1'000}, {});
  EXPECT_EQ(usual.pairs_most, 100U);
  EXPECT_EQ(usual.connections_most, 1'000U) << "the usual limits fit";
  for (const bool pair_histograms : {false, true}) {
    for (const std::size_t most : {0U, 1'000U, 5'000U, 20'000U, 100'000U}) {
      const MetricsOptions options{pair_histograms, most};
      const model::LedgerOptions fit = that_fit(wanted, options);
      std::vector<track::ConnectionCounts> connections;
      for (std::uint32_t i = 0; i < 1'200; ++i) {
        connections.push_back(
            quiet_connection(i + 1, "10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250), "10.2.0.1"));
      }
      const std::size_t got = series(live(std::move(connections), fit), options).size();
      EXPECT_LE(got, std::max<std::size_t>(most, 2'000)) << most;
      EXPECT_TRUE(most < 100'000U || fit.pairs_most == 500U);
    }
  }
}

TEST(MetricList, NamesObeyTheRules) {
  std::set<std::string> names;
  for (const model::MetricFacts& facts : all_facts()) {
    EXPECT_TRUE(names.insert(facts.name).second) << facts.name << " twice";
    EXPECT_TRUE(std::regex_match(facts.name, std::regex("rocetop(_[a-z][a-z0-9]*)+"))) << facts.name;
    EXPECT_EQ(facts.name.ends_with("_total"), facts.kind == model::MetricKind::kCounter) << facts.name;
    EXPECT_TRUE(facts.help.ends_with(".")) << facts.name;
    EXPECT_NE(facts.unit, "nanoseconds") << facts.name;
    for (const std::string base : {"seconds", "bytes", "ratio"}) {
      const bool in_name = facts.name.find("_" + base) != std::string::npos;
      EXPECT_EQ(in_name, facts.unit == base) << facts.name;
    }
    for (const std::string& label : facts.labels) EXPECT_TRUE(std::regex_match(label, std::regex("[a-z_]+")));
  }
}

/// What the list does not name cannot appear, and the other way round.
TEST(MetricList, HasEverythingThatAppears) {
  LiveSnapshot s =
      live({troubled_connection(1, "10.0.0.1", "10.0.0.2"), testing::sprayed_connection(2, "10.0.0.1", "10.0.0.2")},
           {.connections_most = 1});
  s.totals.capture.completeness_known = true;
  s.totals.mix.by_dscp[0][0] = s.totals.mix.by_priority[0][0] = {1, 1};
  s.interfaces.resize(1);
  std::map<std::string, const model::MetricFacts*> listed;
  const auto all = all_facts();
  for (const auto& facts : all) listed[facts.name] = &facts;
  const auto families = metric_families(s, {});
  EXPECT_EQ(families.size(), listed.size());
  for (const auto& family : families) {
    ASSERT_TRUE(listed.count(family.name)) << family.name;
    const model::MetricFacts& facts = *listed[family.name];
    EXPECT_EQ(family.help, facts.help);
    for (const auto& metric : family.metric) {
      std::vector<std::string> labels;
      for (const auto& label : metric.label) labels.push_back(label.name);
      EXPECT_EQ(labels, facts.labels) << family.name;
    }
  }
}

TEST(MetricList, TextIsOneLineAMetric) {
  const auto tables = metric_tables();
  const std::string text = metric_list_text(tables);
  EXPECT_TRUE(std::regex_search(
      text, std::regex("\nrocetop_retransmitted_packets_total +counter +Packets sent again, by why the sender went back"
                       "\\. \\[packets; by protocol, src, dst, cause\\]\n")));
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(lines, all_facts().size() + 2 * tables.size() - 1);
}

}  // namespace
}  // namespace rocetop::present
