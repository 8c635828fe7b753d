// SPDX-License-Identifier: BSD-3-Clause
#include "present/host_counter_page.h"

#include <fmt/format.h>

#include <vector>

#include "model/counter_table.h"
#include "present/host_metrics.h"

namespace rocetop::present {
namespace {

using model::AdapterCounterMeaning;
using model::AdapterMetric;
using model::CounterEnd;
using model::CounterSource;
using model::InterfaceCounterMeaning;

std::string_view head() {
  return "# Counters of this machine\n\n"
         "<!-- Made from src/model/counter_table.cpp; a test compares: ROCETOP_ACCEPT=1 unit_present writes it. -->\n\n"
         "`rocetop export` shows what the RDMA adapters and network interfaces of its machine count, beside what it "
         "saw "
         "on the\nwire. The two need not be equal: an adapter counts its own part of all traffic, whatever passed the "
         "capture. Every\nvendor has its own names and units; this is what rocetop makes of them, and where the kernel "
         "says so. A counter that\nis in no table is `rocetop_adapter_other_total{counter=\"…\"}`, in the driver's "
         "unit.\n\n"
         "* Bytes are bytes: `port_rcv_data` and `port_xmit_data` are read in words of four.\n"
         "* Where a port has several names for one metric, the metric is the one with the lowest rank; names of equal "
         "rank are\n  added up. The others are in `rocetop_adapter_other_total`.\n"
         "* A counter that wraps starts again from 0 after 4,294,967,295. `rate()` takes that for a restart: little is "
         "lost as\n  long as the scrapes are closer to each other than the wraps.\n"
         "* A counter that stops stays at its largest value (15, 255 or 65,535; for `port_xmit_wait` 4,294,967,295) "
         "until\n  somebody resets it.\n"
         "* Drivers with the same name for a counter mean the same by it, which is why a name is in one table only.\n"
         "* What could not be read is left out and counted by reason in `rocetop_host_read_errors_total`. A driver "
         "that "
         "does not\n  answer holds no scrape: its last numbers stay, and `rocetop_host_read_age_seconds` grows.\n\n";
}

std::string_view end_text(CounterEnd end) {
  switch (end) {
    case CounterEnd::kNever:
      return "";
    case CounterEnd::kWraps32:
      return "wraps (32 bits)";
    case CounterEnd::kStops:
      return "stops";
  }
  return "";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!part.empty()) out += (out.empty() ? "" : "; ") + part;
  }
  return out;
}

std::string metric_text(const AdapterCounterMeaning& counter) {
  // The rows of host_metrics() after the two of what a port is are in the order of the enum.
  constexpr std::size_t kBefore = 2;
  if (counter.metric == AdapterMetric::kNone) return "not shown";
  return fmt::format("`{}`", host_metrics()[kBefore + static_cast<std::size_t>(counter.metric)].name);
}

std::string adapter_row(const AdapterCounterMeaning& counter) {
  const bool standard = static_cast<std::size_t>(counter.metric) < model::kStandardMetrics;
  return fmt::format("| `{}` | {} | {} | {} |\n", counter.name, metric_text(counter),
                     standard ? fmt::format("{}", counter.rank) : "",
                     joined({std::string(counter.note), counter.factor > 1 ? fmt::format("× {}", counter.factor) : "",
                             std::string(end_text(counter.end))}));
}

std::string adapter_tables() {
  std::string out =
      "## Ports of RDMA adapters\n\nFrom `/sys/class/infiniband/DEVICE/ports/PORT/counters` and "
      "`hw_counters`, and `hw_counters` of a device with one port.\n";
  CounterSource last{};
  bool first = true;
  for (const AdapterCounterMeaning& counter : model::adapter_counters()) {
    if (first || counter.source != last) {
      const auto driver = model::driver_name(counter.source);
      out += fmt::format("\n### {}\n\nSource: `{}`\n\n| counter | metric | rank | remark |\n|---|---|---|---|\n",
                         driver == "all" ? "All drivers" : driver, model::kernel_file(counter.source));
    }
    first = false;
    last = counter.source;
    out += adapter_row(counter);
  }
  return out;
}

std::string interface_row(const InterfaceCounterMeaning& counter) {
  constexpr std::string_view kMetrics[] = {"rocetop_interface_pause_frames_total",
                                           "rocetop_interface_pause_seconds_total",
                                           "rocetop_interface_discarded_packets_total"};
  std::string name(counter.name);
  const bool by_priority = name.find('#') != std::string::npos;
  if (by_priority) name.replace(name.find('#'), 1, "0…7");
  return fmt::format("| `{}` | `{}` | {} | {} | {} | {} |\n", name, kMetrics[static_cast<std::size_t>(counter.metric)],
                     by_priority ? "0…7" : "link", counter.sent ? "tx" : "rx", counter.rank, counter.note);
}

std::string interface_tables() {
  std::string out =
      "\n## Network interfaces\n\nFrom the statistics of the driver (ethtool's ioctl), of interfaces with hardware, of "
      "RDMA "
      "ports and of the captured\nones. The kernel's standard pause statistics (ethtool netlink, Linux 5.9) have rank "
      "1 "
      "for `priority=\"link\"`; some\nadapters count PFC frames in them too, so do not add them to those of the "
      "priorities. What a whole port discarded is\nshown with `priority=\"link\"` where the driver does not tell it by "
      "priority.\n";
  std::string_view last;
  for (const InterfaceCounterMeaning& counter : model::interface_counters()) {
    if (counter.driver != last) {
      out += fmt::format(
          "\n### {}\n\nSource: `{}`\n\n| statistic | metric | priority | direction | rank | remark |\n"
          "|---|---|---|---|---|---|\n",
          counter.driver, model::ethtool_file(counter.driver));
    }
    last = counter.driver;
    out += interface_row(counter);
  }
  return out;
}

}  // namespace

std::string host_counter_page() { return std::string(head()) + adapter_tables() + interface_tables(); }

}  // namespace rocetop::present
