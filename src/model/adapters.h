// SPDX-License-Identifier: BSD-3-Clause
// What the RDMA adapters of this machine say about themselves: the counters that the kernel shows of their ports. They
// count what an adapter did, whoever its peer was; rocetop's own numbers are of what passed the capture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocetop::model {

struct AdapterCounter {
  std::string name;  ///< as the driver spells it; untrusted text
  std::uint64_t value = 0;
};

struct AdapterPort {
  std::string device;  ///< "mlx5_0"
  std::uint32_t port = 1;
  std::string driver;      ///< of the device, "mlx5_core"; empty if the kernel does not say
  std::string state;       ///< "4: ACTIVE", as the kernel says it
  std::string rate;        ///< "100 Gb/sec (4X EDR)"
  std::string link_layer;  ///< "Ethernet"
  std::string interface;   ///< of the network, "eth0"; empty if there is none
  std::vector<AdapterCounter> counters;
};

}  // namespace rocetop::model
