// SPDX-License-Identifier: BSD-3-Clause
// Reads everything this machine says of its RDMA ports and network interfaces, once. Bounded in what it reads; it never
// throws and never fails: what could not be read is left out and counted. A dying adapter can hold a read for seconds:
// call it where nobody waits (host/host_reader.h does).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/adapters.h"
#include "host/ethtool.h"
#include "model/host_counters.h"

namespace rocetop::host {

inline constexpr const char* kInterfaceRoot = "/sys/class/net";

struct HostRoots {
  std::string adapters = kAdapterRoot;
  std::string interfaces = kInterfaceRoot;
  std::vector<std::string> also;     ///< interfaces to ask besides those with hardware and those of RDMA ports
  std::shared_ptr<Ethtool> ethtool;  ///< none: the kernel's
};

model::HostReading read_host(const HostRoots& roots = {});

}  // namespace rocetop::host
