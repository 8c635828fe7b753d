// SPDX-License-Identifier: BSD-3-Clause
// From the names of each driver to metrics: the trees in trees/, through the reader, as Prometheus would get them.
// After a change that is meant: ROCETOP_ACCEPT=1 unit_host --gtest_filter='HostMetrics*', and read the diff.
#include "present/host_metrics.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "model/counter_table.h"
#include "tree.h"

namespace rocetop::host {
namespace {

using prometheus::MetricType;
using testing::Tree;

std::string text_of(const model::HostReading& reading) {
  return prometheus::TextSerializer().Serialize(present::host_metric_families(reading, milliseconds(1500)));
}

/// The lines of a text by what is before their value.
std::map<std::string, std::string> rows_of(const std::string& text) {
  std::map<std::string, std::string> rows;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t blank = line.rfind(' ');
    EXPECT_TRUE(rows.emplace(line.substr(0, blank), line.substr(blank + 1)).second) << "twice: " << line;
  }
  return rows;
}

class HostMetrics : public ::testing::TestWithParam<const char*> {};

TEST_P(HostMetrics, OfADriver) {
  Tree tree;
  tree.unpack(GetParam());
  const model::HostReading reading = tree.read();
  EXPECT_EQ(testing::errors(reading), 0U);
  const std::string text = text_of(reading);
  rows_of(text);
  const std::string path = std::string(ROCETOP_TREES) + "/" + GetParam() + ".metrics";
  if (std::getenv("ROCETOP_ACCEPT") != nullptr) std::ofstream(path) << text;  // NOLINT(concurrency-mt-unsafe)
  std::ifstream in(path);
  std::ostringstream accepted;
  accepted << in.rdbuf();
  EXPECT_EQ(text, accepted.str());
}

INSTANTIATE_TEST_SUITE_P(All, HostMetrics,
                         ::testing::Values("mlx5", "bnxt_re", "irdma", "irdma_gen3", "rxe", "mana", "efa"));

/// What of a tree is which metric, by hand: the metric's short name, then the raw names that are added up.
struct Expected {
  const char* tree;
  const char* device;
  const char* metric;
  std::vector<const char*> counters;
  std::uint64_t factor = 1;
};

const Expected kExpected[] = {
    {"mlx5", "mlx5_0", "received_bytes_total", {"port_rcv_data"}, 4},
    {"mlx5", "mlx5_0", "transmitted_bytes_total", {"port_xmit_data"}, 4},
    {"mlx5", "mlx5_0", "received_packets_total", {"port_rcv_packets"}},
    {"mlx5", "mlx5_0", "transmitted_packets_total", {"port_xmit_packets"}},
    {"mlx5", "mlx5_0", "transmit_wait_total", {"port_xmit_wait"}},
    {"mlx5", "mlx5_0", "cnp_sent_packets_total", {"np_cnp_sent"}},
    {"mlx5", "mlx5_1", "cnp_handled_packets_total", {"rp_cnp_handled"}},
    {"mlx5", "mlx5_0", "ecn_marked_packets_total", {"np_ecn_marked_roce_packets"}},
    {"mlx5", "mlx5_0", "out_of_sequence_packets_total", {"out_of_sequence"}},
    {"mlx5", "mlx5_0", "sequence_naks_received_total", {"packet_seq_err"}},
    {"mlx5", "mlx5_0", "timeouts_total", {"local_ack_timeout_err"}},
    {"mlx5", "mlx5_0", "rnr_naks_received_total", {"rnr_nak_retry_err"}},
    {"mlx5", "mlx5_0", "bad_icrc_packets_total", {"rx_icrc_encapsulated"}},
    {"mlx5", "mlx5_0", "rnr_naks_sent_total", {}},
    {"mlx5", "mlx5_0", "retransmitted_packets_total", {}},
    {"bnxt_re", "bnxt_re0", "received_bytes_total", {"rx_bytes"}},
    {"bnxt_re", "bnxt_re0", "transmitted_bytes_total", {"tx_bytes"}},
    {"bnxt_re", "bnxt_re0", "received_packets_total", {"rx_pkts"}},
    {"bnxt_re", "bnxt_re0", "transmitted_packets_total", {"tx_pkts"}},
    {"bnxt_re", "bnxt_re0", "cnp_sent_packets_total", {"tx_cnp_pkts"}},
    {"bnxt_re", "bnxt_re0", "cnp_handled_packets_total", {"rx_cnp_pkts"}},
    {"bnxt_re", "bnxt_re0", "ecn_marked_packets_total", {"rx_ecn_marked_pkts"}},
    {"bnxt_re", "bnxt_re0", "out_of_sequence_packets_total", {"oos_drop_count"}},
    {"bnxt_re", "bnxt_re0", "sequence_naks_received_total", {"seq_err_naks_rcvd"}},
    {"bnxt_re", "bnxt_re0", "timeouts_total", {"to_retransmits"}},
    {"bnxt_re", "bnxt_re0", "rnr_naks_received_total", {"rnr_naks_rcvd"}},
    {"irdma", "rocep1s0f0", "received_bytes_total", {"ip4InOctets", "ip6InOctets"}},
    {"irdma", "rocep1s0f0", "transmitted_bytes_total", {"ip4OutOctets", "ip6OutOctets"}},
    {"irdma", "rocep1s0f0", "received_packets_total", {"ip4InPkts", "ip6InPkts"}},
    {"irdma", "rocep1s0f0", "transmitted_packets_total", {"ip4OutPkts", "ip6OutPkts"}},
    {"irdma", "rocep1s0f0", "cnp_sent_packets_total", {"cnpSent"}},
    {"irdma", "rocep1s0f0", "cnp_handled_packets_total", {"cnpHandled"}},
    {"irdma", "rocep1s0f0", "ecn_marked_packets_total", {"RxECNMrkd"}},
    {"irdma", "rocep1s0f0", "retransmitted_packets_total", {"tcpRetransSegs"}},
    {"irdma_gen3", "rocep2s0", "retransmitted_packets_total", {"RetransSegs"}},
    {"irdma_gen3", "rocep2s0", "out_of_sequence_packets_total", {"Rcvd Out of order packets"}},
    {"irdma_gen3", "rocep2s0", "sequence_naks_received_total", {"Nak Sequence Error"}},
    {"irdma_gen3", "rocep2s0", "timeouts_total", {"RTO"}},
    {"irdma_gen3", "rocep2s0", "rnr_naks_received_total", {"RNR received"}},
    {"irdma_gen3", "rocep2s0", "rnr_naks_sent_total", {"RNR sent"}},
    {"irdma_gen3", "rocep2s0", "bad_icrc_packets_total", {"CRC errors"}},
    {"rxe", "rxe0", "received_packets_total", {"rcvd_pkts"}},
    {"rxe", "rxe0", "transmitted_packets_total", {"sent_pkts"}},
    {"rxe", "rxe0", "out_of_sequence_packets_total", {"out_of_seq_request"}},
    {"rxe", "rxe0", "sequence_naks_received_total", {"rcvd_seq_err"}},
    {"rxe", "rxe0", "rnr_naks_received_total", {"rcvd_rnr_err"}},
    {"rxe", "rxe0", "rnr_naks_sent_total", {"send_rnr_err"}},
    {"rxe", "rxe0", "timeouts_total", {}},
    {"rxe", "rxe0", "received_bytes_total", {}},
    {"mana", "mana_0", "received_bytes_total", {"rx_bytes"}},
    {"mana", "mana_0", "transmitted_packets_total", {"tx_packets"}},
    {"mana", "mana_0", "cnp_sent_packets_total", {"sent_cnps"}},
    {"mana", "mana_0", "cnp_handled_packets_total", {"received_cnps"}},
    {"mana", "mana_0", "ecn_marked_packets_total", {"received_ecns"}},
    {"mana", "mana_0", "out_of_sequence_packets_total", {"responder_oos"}},
    {"mana", "mana_0", "sequence_naks_received_total", {"requester_oos_nak"}},
    {"mana", "mana_0", "timeouts_total", {"requester_timeout"}},
    {"mana", "mana_0", "rnr_naks_received_total", {"requester_rnr_nak"}},
    {"mana", "mana_0", "rnr_naks_sent_total", {"responder_rnr_nak"}},
    {"efa", "efa_0", "retransmitted_packets_total", {"retrans_pkts"}},
    {"efa", "efa_0", "timeouts_total", {"retrans_timeout_events"}},
};

TEST(HostMetricsByHand, EachNameIsTheMetricItShouldBe) {
  std::map<std::string, model::HostReading> readings;
  for (const Expected& expected : kExpected) {
    auto& reading = readings[expected.tree];
    if (reading.ports.empty()) {
      Tree tree;
      tree.unpack(expected.tree);
      reading = tree.read();
    }
    const auto rows = rows_of(text_of(reading));
    const std::string row =
        std::string("rocetop_adapter_") + expected.metric + "{device=\"" + expected.device + "\",port=\"1\"}";
    std::uint64_t sum = 0;
    for (const char* counter : expected.counters) {
      const auto port = std::find_if(reading.ports.begin(), reading.ports.end(),
                                     [&](const auto& p) { return p.device == expected.device; });
      ASSERT_NE(port, reading.ports.end());
      const auto raw =
          std::find_if(port->counters.begin(), port->counters.end(), [&](const auto& c) { return c.name == counter; });
      ASSERT_NE(raw, port->counters.end()) << expected.tree << " " << counter;
      sum += raw->value;
    }
    const auto it = rows.find(row);
    EXPECT_EQ(it != rows.end(), !expected.counters.empty()) << expected.tree << " " << row;
    if (it == rows.end()) continue;
    EXPECT_EQ(it->second, std::to_string(sum * expected.factor)) << expected.tree << " " << row;
  }
}

std::string row(const std::map<std::string, std::string>& rows, const std::string& key) {
  const auto it = rows.find(key);
  return it == rows.end() ? "none" : it->second;
}

std::string at(const char* metric, const char* interface, const char* priority, const char* direction) {
  return std::string("rocetop_interface_") + metric + "_total{interface=\"" + interface + "\",priority=\"" + priority +
         "\",direction=\"" + direction + "\"}";
}

TEST(HostMetricsByHand, PausesAndDiscardsOfInterfaces) {
  model::HostReading reading;
  reading.interfaces.resize(3);
  reading.interfaces[0].name = "mlx";
  reading.interfaces[0].counters = {{"rx_prio3_pause", 5},       {"rx_prio3_pause_duration", 2'500'000},
                                    {"tx_prio0_pause", 6},       {"rx_prio3_discards", 7},
                                    {"rx_discards_phy", 70},     {"tx_discards_phy", 8},
                                    {"rx_pause_ctrl_phy", 1000}, {"tx_pause_ctrl_phy", 9}};
  reading.interfaces[0].pause_frames_received = 4;
  reading.interfaces[1].name = "ice";
  reading.interfaces[1].counters = {{"tx_priority_7_xon.nic", 10},
                                    {"tx_priority_7_xoff.nic", 20},
                                    {"link_xon_rx.nic", 1},
                                    {"link_xoff_rx.nic", 2},
                                    {"rx_dropped.nic", 3}};
  reading.interfaces[2].name = "bnxt";
  reading.interfaces[2].counters = {{"rx_pfc_ena_frames_pri4", 11}, {"pfc_pri4_tx_duration_us", 1}};
  const auto rows = rows_of(text_of(reading));
  EXPECT_EQ(row(rows, at("pause_frames", "mlx", "3", "rx")), "5");
  EXPECT_EQ(row(rows, at("pause_seconds", "mlx", "3", "rx")), "2.5") << "counted in microseconds";
  EXPECT_EQ(row(rows, at("pause_frames", "mlx", "0", "tx")), "6");
  EXPECT_EQ(row(rows, at("pause_frames", "mlx", "link", "rx")), "4") << "the kernel's own before the driver's";
  EXPECT_EQ(row(rows, at("pause_frames", "mlx", "link", "tx")), "9");
  EXPECT_EQ(row(rows, at("discarded_packets", "mlx", "3", "rx")), "7");
  EXPECT_EQ(row(rows, at("discarded_packets", "mlx", "link", "rx")), "none") << "those of the priorities are in it";
  EXPECT_EQ(row(rows, at("discarded_packets", "mlx", "link", "tx")), "8");
  EXPECT_EQ(row(rows, at("pause_frames", "ice", "7", "tx")), "30") << "XON and XOFF";
  EXPECT_EQ(row(rows, at("pause_frames", "ice", "link", "rx")), "3");
  EXPECT_EQ(row(rows, at("discarded_packets", "ice", "link", "rx")), "3");
  EXPECT_EQ(row(rows, at("pause_frames", "bnxt", "4", "rx")), "11");
  EXPECT_EQ(row(rows, at("pause_seconds", "bnxt", "4", "tx")), "1e-06");
}

TEST(HostMetricsByHand, WhatIsNotChosenKeepsItsName) {
  model::HostReading reading;
  reading.ports.resize(1);
  reading.ports[0].device = "d";
  reading.ports[0].counters = {
      {"port_rcv_data", 10}, {"rx_bytes", 39}, {"news", 1}, {"active_qps", 2}, {"rx_drops", 3}};
  const auto rows = rows_of(text_of(reading));
  EXPECT_EQ(row(rows, "rocetop_adapter_received_bytes_total{device=\"d\",port=\"1\"}"), "40") << "not both";
  EXPECT_EQ(row(rows, "rocetop_adapter_other_total{device=\"d\",port=\"1\",counter=\"rx_bytes\"}"), "39");
  EXPECT_EQ(row(rows, "rocetop_adapter_other_total{device=\"d\",port=\"1\",counter=\"news\"}"), "1");
  EXPECT_EQ(row(rows, "rocetop_adapter_level{device=\"d\",port=\"1\",counter=\"active_qps\"}"), "2");
  EXPECT_EQ(row(rows, "rocetop_adapter_errors_total{device=\"d\",port=\"1\",counter=\"rx_drops\"}"), "3");
  EXPECT_EQ(row(rows, "rocetop_adapter_port_up{device=\"d\",port=\"1\"}"), "0");
}

TEST(HostMetricsByHand, HostileNamesMakeAPageThatCanBeRead) {
  Tree tree;
  const std::string counters = "ib/d\"\\e\x1b[2J/ports/1/counters/";
  tree.write(counters + "a\nb\"c\\", "1");
  tree.write(counters + "\xff\xfe", "2");
  tree.write(counters + "\xfe\xff", "3");  // becomes the same text
  tree.write(counters + "\xe2\x80\xae", "4");
  tree.write("ib/d\"\\e\x1b[2J/ports/1/state", "4: ACTIVE\n");
  tree.write("ib/d\"\\e\x1b[2J/ports/1/rate", "\x1b]0;x\x07\n");
  const std::string text = text_of(tree.read());
  rows_of(text);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
  EXPECT_NE(text.find("device=\"d\\\"\\\\e\uFFFD[2J\""), std::string::npos) << text;
  EXPECT_NE(text.find("rate=\"\uFFFD]0;x\uFFFD\""), std::string::npos) << text;
}

TEST(HostMetricsByHand, ReadErrorsAreAlwaysThere) {
  model::HostReading reading;
  reading.errors.add(model::HostReadError::kTime, 3);
  const auto rows = rows_of(text_of(reading));
  EXPECT_EQ(row(rows, "rocetop_host_read_errors_total{what=\"time\"}"), "3");
  EXPECT_EQ(row(rows, "rocetop_host_read_errors_total{what=\"adapter_file\"}"), "0");
  EXPECT_EQ(row(rows, "rocetop_host_read_age_seconds"), "1.5");
  EXPECT_EQ(rows.size(), model::kHostReadErrors + 1);
  for (const auto& family : present::host_metric_families(reading)) {
    EXPECT_NE(family.name, "rocetop_host_read_age_seconds") << "not known";
  }
}

TEST(HostMetricsByHand, EveryFamilyIsInTheListAndInItsOrder) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < present::host_metrics().size(); ++i) {
    const model::MetricFacts& metric = present::host_metrics()[i];
    EXPECT_TRUE(places.emplace(metric.name, i).second);
    EXPECT_TRUE(metric.help.ends_with('.')) << metric.name;
    EXPECT_EQ(metric.name.ends_with("_total"), metric.kind == model::MetricKind::kCounter) << metric.name;
  }
  std::map<std::string, int> seen;
  for (const char* name : {"mlx5", "bnxt_re", "irdma", "irdma_gen3", "rxe", "mana", "efa"}) {
    Tree tree;
    tree.unpack(name);
    std::size_t last = 0;
    for (const auto& family : present::host_metric_families(tree.read(), Nanos{})) {
      ASSERT_TRUE(places.contains(family.name)) << family.name;
      EXPECT_GE(places[family.name], last);
      last = places[family.name];
      ++seen[family.name];
    }
  }
  for (const auto& [name, place] : places) EXPECT_TRUE(seen.contains(name)) << name << ": no driver has it";
}

}  // namespace
}  // namespace rocetop::host
