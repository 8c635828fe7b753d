// SPDX-License-Identifier: BSD-3-Clause
#include "host/host_reading.h"

#include "host/interfaces.h"

namespace rocetop::host {

model::HostReading read_host(const HostRoots& roots) {
  model::HostReading out;
  Sysfs sysfs;
  std::shared_ptr<Ethtool> ethtool = roots.ethtool;
  if (!ethtool) ethtool = kernel_ethtool();
  out.ports = read_adapters(roots.adapters, sysfs);
  for (const std::string& name : interfaces_to_read(roots.interfaces, roots.also, out.ports, sysfs)) {
    if (sysfs.late()) break;
    out.interfaces.push_back(read_interface(roots.interfaces, name, *ethtool, sysfs));
  }
  out.errors = sysfs.errors();
  return out;
}

}  // namespace rocetop::host
