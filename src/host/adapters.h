// SPDX-License-Identifier: BSD-3-Clause
// Reads the RDMA adapters' counters from sysfs (Documentation/ABI/stable/sysfs-class-infiniband): `counters` and
// `hw_counters` of each port. A file that is missing, or that a driver refuses to give, is left out.
#pragma once

#include <string>
#include <vector>

#include "host/sysfs.h"
#include "model/adapters.h"

namespace rocetop::host {

inline constexpr const char* kAdapterRoot = "/sys/class/infiniband";

/// Every port below `root`, by name and number; none where there is no such folder. At most 64 devices of 16 ports
/// with 256 counters each. `hw_counters` of a device as a whole are given to its port if it has only one.
std::vector<model::AdapterPort> read_adapters(const std::string& root, Sysfs& sysfs);
std::vector<model::AdapterPort> read_adapters(const std::string& root);

}  // namespace rocetop::host
