// SPDX-License-Identifier: BSD-3-Clause
#include "model/counter_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace rocetop::model {
namespace {

TEST(CounterTable, EachNameIsThereOnce) {
  std::set<std::string_view> names;
  for (const AdapterCounterMeaning& counter : adapter_counters()) {
    EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
    EXPECT_EQ(adapter_counter(counter.name), &counter);
    EXPECT_GE(counter.rank, 1);
  }
  EXPECT_EQ(adapter_counter("np_cnp_sent "), nullptr);
  EXPECT_EQ(adapter_counter(""), nullptr);
}

/// Names that are added up must be of one driver: two drivers' names for the same would count it twice.
TEST(CounterTable, ARankOfAMetricIsOneDrivers) {
  std::map<std::pair<AdapterMetric, int>, CounterSource> owners;
  for (const AdapterCounterMeaning& counter : adapter_counters()) {
    if (static_cast<std::size_t>(counter.metric) >= kStandardMetrics) continue;
    const auto [it, is_new] = owners.try_emplace({counter.metric, counter.rank}, counter.source);
    EXPECT_EQ(it->second, counter.source) << counter.name;
    EXPECT_TRUE(is_new || counter.source == CounterSource::kIrdma) << counter.name << ": only IPv4 and IPv6 are added";
  }
}

TEST(CounterTable, EveryStandardMetricHasANameAndEverySourceAFile) {
  std::set<AdapterMetric> metrics;
  for (const AdapterCounterMeaning& counter : adapter_counters()) {
    metrics.insert(counter.metric);
    EXPECT_FALSE(driver_name(counter.source).empty());
    EXPECT_NE(kernel_file(counter.source).find('/'), std::string_view::npos);
  }
  EXPECT_EQ(metrics.size(), static_cast<std::size_t>(AdapterMetric::kNone) + 1);
}

TEST(CounterTable, UnitsAndWidths) {
  EXPECT_EQ(adapter_counter("port_rcv_data")->factor, 4);
  EXPECT_EQ(adapter_counter("port_xmit_data")->factor, 4);
  EXPECT_EQ(adapter_counter("rx_bytes")->factor, 1);
  EXPECT_EQ(adapter_counter("out_of_sequence")->end, CounterEnd::kWraps32);
  EXPECT_EQ(adapter_counter("np_cnp_sent")->end, CounterEnd::kNever);
  EXPECT_EQ(adapter_counter("symbol_error")->end, CounterEnd::kStops);
  EXPECT_EQ(adapter_counter("lifespan")->metric, AdapterMetric::kNone);
  EXPECT_EQ(adapter_counter("active_qps")->metric, AdapterMetric::kLevel);
}

TEST(CounterTable, PrioritiesOfInterfaceCounters) {
  for (const InterfaceCounterMeaning& counter : interface_counters()) {
    EXPECT_FALSE(ethtool_file(counter.driver).empty()) << counter.driver;
    std::string name(counter.name);
    const std::size_t digit = name.find('#');
    if (digit == std::string::npos) {
      ASSERT_TRUE(interface_counter(name)) << name;
      EXPECT_EQ(interface_counter(name)->meaning, &counter);
      EXPECT_EQ(interface_counter(name)->priority, kLink);
      continue;
    }
    for (char c = '0'; c <= '7'; ++c) {
      name[digit] = c;
      ASSERT_TRUE(interface_counter(name)) << name;
      EXPECT_EQ(interface_counter(name)->meaning, &counter);
      EXPECT_EQ(interface_counter(name)->priority, c - '0');
    }
    for (const char c : {'8', '#', 'x', '\0', '/'}) {
      name[digit] = c;
      EXPECT_FALSE(interface_counter(name)) << name;
    }
  }
  for (const char* name : {"", "rx_prio3_paus", "rx_prio3_pause ", "rx_prio33_pause", "rx_prio3_pause_transition"}) {
    EXPECT_FALSE(interface_counter(name)) << name;
  }
}

}  // namespace
}  // namespace rocetop::model
