// SPDX-License-Identifier: BSD-3-Clause
#include "host/interfaces.h"

#include <algorithm>

#include "model/counter_table.h"

namespace rocetop::host {
namespace {

constexpr std::size_t kInterfaces = 64;
constexpr std::size_t kNames = 4096;
constexpr std::size_t kCounters = 256;

}  // namespace

std::vector<std::string> interfaces_to_read(const std::string& root, const std::vector<std::string>& also,
                                            const std::vector<model::AdapterPort>& ports, Sysfs& sysfs) {
  std::vector<std::string> names;
  const auto want = [&](const std::string& name) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    if (names.size() < kInterfaces) {
      names.push_back(name);
    } else {
      sysfs.errors().add(model::HostReadError::kLimit);
    }
  };
  for (const std::string& name : also) want(name);
  for (const model::AdapterPort& port : ports) want(port.interface);
  for (const std::string& name : sysfs.names_in(root, kNames)) {
    if (sysfs.exists(root + "/" + name + "/device")) want(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

model::NetworkInterface read_interface(const std::string& root, const std::string& name, Ethtool& ethtool,
                                       Sysfs& sysfs) {
  model::NetworkInterface out;
  out.name = name;
  out.driver = sysfs.target_of(root + "/" + name + "/device/driver");
  auto statistics = ethtool.statistics(name);
  if (statistics.failed) sysfs.errors().add(model::HostReadError::kStatistics);
  for (model::AdapterCounter& counter : statistics.value) {
    if (!model::interface_counter(counter.name)) continue;
    if (out.counters.size() >= kCounters) {
      sysfs.errors().add(model::HostReadError::kLimit);
      break;
    }
    out.counters.push_back(std::move(counter));
  }
  const auto pause = ethtool.pause(name);
  if (pause.failed) sysfs.errors().add(model::HostReadError::kPause);
  out.pause_frames_received = pause.value.received;
  out.pause_frames_sent = pause.value.sent;
  return out;
}

}  // namespace rocetop::host
