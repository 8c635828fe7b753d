// SPDX-License-Identifier: BSD-3-Clause
#include "host/adapters.h"

#include <algorithm>

#include "model/counter_table.h"

namespace rocetop::host {
namespace {

constexpr std::size_t kDevices = 64;
constexpr std::size_t kPorts = 16;
constexpr std::size_t kCounters = 256;

bool has_counter(const model::AdapterPort& port, const std::string& name) {
  return std::any_of(port.counters.begin(), port.counters.end(), [&](const auto& c) { return c.name == name; });
}

/// The kernel says "N/A (no PMA)" where a port cannot count: nothing is wrong then.
bool not_there(const std::string& text) { return text.starts_with("N/A"); }

void read_counters(Sysfs& sysfs, const std::string& folder, model::AdapterPort& out) {
  for (const std::string& name : sysfs.names_in(folder, kCounters)) {
    const auto* meaning = model::adapter_counter(name);
    if ((meaning != nullptr && meaning->metric == model::AdapterMetric::kNone) || has_counter(out, name)) continue;
    if (out.counters.size() >= kCounters) {
      sysfs.errors().add(model::HostReadError::kLimit);
      return;
    }
    const auto text = sysfs.line_of(folder + "/" + name);
    if (!text || not_there(*text)) continue;
    if (const auto value = number(*text)) {
      out.counters.push_back({name, *value});
    } else {
      sysfs.errors().add(model::HostReadError::kValue);
    }
  }
}

/// The network interface of a port: that of its first GID; where there is none, the only one of the device's hardware,
/// or the one that a software device (rxe, siw) names as its parent.
std::string interface_of(Sysfs& sysfs, const std::string& device, const std::string& port) {
  if (const auto gid = sysfs.line_of(port + "/gid_attrs/ndevs/0", true); gid && !gid->empty()) return *gid;
  const auto names = sysfs.names_in(device + "/device/net", kDevices);
  if (names.size() == 1) return names[0];
  return sysfs.line_of(device + "/parent", true).value_or("");
}

/// A software device has no hardware whose driver could be named; rxe alone names its parent in a file.
std::string driver_of(Sysfs& sysfs, const std::string& device) {
  const std::string driver = sysfs.target_of(device + "/device/driver");
  return driver.empty() && sysfs.exists(device + "/parent") ? "rdma_rxe" : driver;
}

model::AdapterPort read_port(Sysfs& sysfs, const std::string& device, const std::string& port) {
  model::AdapterPort out;
  out.state = sysfs.line_of(port + "/state").value_or("");
  out.rate = sysfs.line_of(port + "/rate", true).value_or("");
  out.link_layer = sysfs.line_of(port + "/link_layer").value_or("");
  out.interface = interface_of(sysfs, device, port);
  read_counters(sysfs, port + "/hw_counters", out);
  read_counters(sysfs, port + "/counters", out);
  return out;
}

void read_device(Sysfs& sysfs, const std::string& root, const std::string& name, std::vector<model::AdapterPort>& out) {
  const std::string device = root + "/" + name;
  const std::size_t first = out.size();
  const std::string driver = driver_of(sysfs, device);
  for (const std::string& port_name : sysfs.names_in(device + "/ports", kPorts)) {
    const auto port = number(port_name);
    if (!port || *port > 255) continue;
    out.push_back(read_port(sysfs, device, device + "/ports/" + port_name));
    out.back().device = name;
    out.back().driver = driver;
    out.back().port = static_cast<std::uint32_t>(*port);
  }
  if (out.size() == first + 1) read_counters(sysfs, device + "/hw_counters", out.back());
}

}  // namespace

std::vector<model::AdapterPort> read_adapters(const std::string& root, Sysfs& sysfs) {
  std::vector<model::AdapterPort> out;
  for (const std::string& name : sysfs.names_in(root, kDevices)) read_device(sysfs, root, name, out);
  return out;
}

std::vector<model::AdapterPort> read_adapters(const std::string& root) {
  Sysfs sysfs;
  return read_adapters(root, sysfs);
}

}  // namespace rocetop::host
