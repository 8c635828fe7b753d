// SPDX-License-Identifier: BSD-3-Clause
// Reads what the drivers of network interfaces count of pauses and discards, through ethtool. Which interfaces: those
// with hardware behind them, those of RDMA ports, and those asked for; a machine can have thousands of virtual ones.
#pragma once

#include <string>
#include <vector>

#include "host/ethtool.h"
#include "host/sysfs.h"
#include "model/host_counters.h"

namespace rocetop::host {

/// At most 64 interfaces, by name: those of `also` and of `ports`, then those below `root` that have a device.
std::vector<std::string> interfaces_to_read(const std::string& root, const std::vector<std::string>& also,
                                            const std::vector<model::AdapterPort>& ports, Sysfs& sysfs);

model::NetworkInterface read_interface(const std::string& root, const std::string& name, Ethtool& ethtool,
                                       Sysfs& sysfs);

}  // namespace rocetop::host
